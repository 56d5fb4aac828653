"""Widths of kernels, chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ilk import check_seed

Predict = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def choose(owner: Any, codes: np.ndarray, scores: Callable[[float, list[Any]], Any]) -> float:
    """Choose the factor with the best score over the same folds; of equal ones the first.

    Parameters
    ----------
    owner : Component
        With `factors`, `folds` and `random_state`.
    codes : ndarray of shape (n,)
    scores : callable
        From a factor and folds to a score that can be compared.
    """
    seed = check_seed(owner, owner.random_state)
    parts = list(stratified(codes, min(int(owner.folds), len(codes)), seed))
    found = [(scores(float(factor), parts), float(factor)) for factor in owner.factors]
    best = max(score for score, _ in found)
    return next(factor for score, factor in found if score == best)


def stratified(
    codes: np.ndarray, folds: int, rng: np.random.RandomState
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield training and test rows of folds among which each class is spread evenly.

    A training fold has at least two classes, or it is left out.
    """
    drawn = rng.permutation(len(codes))
    order = drawn[np.argsort(codes[drawn], kind="stable")]
    fold = np.empty(len(codes), dtype=int)
    fold[order] = np.arange(len(codes)) % folds
    for each in range(folds):
        train, test = np.flatnonzero(fold != each), np.flatnonzero(fold == each)
        if len(np.unique(codes[train])) > 1:
            yield train, test
