"""Folds: every case is tested once, by way of scikit-learn's splitters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import model_selection
from sklearn.utils import check_random_state

import ilk
from ilk_evaluation.resamplings.checks import check_classes, check_data, check_folds


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
) -> Iterator[ilk.Split]:
    """Return the splits of one or several k-fold cross-validations, each freshly shuffled.

    Raises
    ------
    InputError
        If there are fewer cases, groups or cases of a class than folds.
    """
    n, group_codes = check_data(owner, X, y, groups)
    check_folds(owner, folds, n, group_codes)
    codes = None
    if stratify:
        codes = check_classes(owner, y, X, folds, f"stratified folds need at least {folds}")
    return _splits(n, codes, group_codes, random_state, folds=folds, repeats=repeats)


def _splits(
    n: int,
    codes: np.ndarray | None,
    groups: np.ndarray | None,
    random_state: int | None,
    *,
    folds: int,
    repeats: int,
) -> Iterator[ilk.Split]:
    generator = check_random_state(random_state)
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
