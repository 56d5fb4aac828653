"""Folds: every case is tested once, mostly by way of scikit-learn's splitters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import model_selection

import ilk
from ilk import Param
from ilk_evaluation.resamplings.checks import check_classes, check_data, check_folds, holders
from ilk_evaluation.resamplings.units import Units, rarest

SMALL_CLASSES = Param(
    choices=("refuse", "spread"), doc="What to do with a class of fewer cases than folds."
)


def divide(
    owner: object,
    X: Any,
    y: Any,
    groups: Any,
    random_state: int | None,
    *,
    folds: int,
    repeats: int,
    stratify: bool,
    small_classes: str = "refuse",
) -> Iterator[ilk.Split]:
    """Return the splits of one or several k-fold cross-validations, each freshly shuffled.

    Raises
    ------
    InputError
        If there are fewer cases or groups than folds, or small classes are refused and a class
        has fewer.
    """
    n, group_codes = check_data(owner, X, y, groups)
    check_folds(owner, folds, n, group_codes)
    generator = ilk.check_seed(owner, random_state)
    if not stratify:
        return _splits(n, None, group_codes, generator, folds=folds, repeats=repeats)
    fewer = "take fewer, or " if folds > 2 else ""
    why = f"stratified folds need at least {folds}; {fewer}set small_classes = 'spread'"
    least = folds if small_classes == "refuse" else 1
    codes = check_classes(owner, y, X, group_codes, least, why)
    if holders(codes, group_codes).min() < folds:
        units = Units(n, None, codes)
        if group_codes is not None:
            units = Units(int(group_codes.max()) + 1, group_codes, rarest(codes, group_codes))
        return _spread(units, generator, folds=folds, repeats=repeats)
    return _splits(n, codes, group_codes, generator, folds=folds, repeats=repeats)


def _splits(
    n: int,
    codes: np.ndarray | None,
    groups: np.ndarray | None,
    generator: Any,
    *,
    folds: int,
    repeats: int,
) -> Iterator[ilk.Split]:
    rows = np.zeros(n)
    for repeat in range(repeats):
        splitter = _splitter(codes is not None, groups is not None)
        drawn = splitter(n_splits=folds, shuffle=True, random_state=generator)
        for fold, (train, test) in enumerate(drawn.split(rows, codes, groups)):
            yield ilk.Split(train, test, repeat=repeat, fold=fold)


def _splitter(stratified: bool, grouped: bool) -> Any:
    if stratified:
        return model_selection.StratifiedGroupKFold if grouped else model_selection.StratifiedKFold
    return model_selection.GroupKFold if grouped else model_selection.KFold


def _spread(units: Units, generator: Any, *, folds: int, repeats: int) -> Iterator[ilk.Split]:
    """Deal class after class round the folds: none gets two of a class before each has one.

    That works for classes of any size; scikit-learn refuses data of small classes alone.
    """
    for repeat in range(repeats):
        fold_of = np.empty(units.count, dtype=int)
        fold_of[_class_by_class(units, generator)] = np.arange(units.count) % folds
        for fold in range(folds):
            train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            yield ilk.Split(units.rows(train), units.rows(test), repeat=repeat, fold=fold)


def _class_by_class(units: Units, generator: Any) -> np.ndarray:
    """All units, those of a class together; classes, and units within them, by lot."""
    assert units.strata is not None
    order = generator.permutation(units.count)
    place = generator.permutation(int(units.strata.max()) + 1)
    return np.asarray(order[np.argsort(place[units.strata[order]], kind="stable")])
