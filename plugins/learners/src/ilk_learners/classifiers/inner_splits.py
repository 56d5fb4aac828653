"""Splits of training rows, on which parameters are chosen."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

import ilk
from ilk import InputError, Split, display_name, n_rows

_FOLDS = 5


def inner_splits(owner: Any, scheme: Any, X: Any, y: np.ndarray, seed: int) -> list[Split]:
    """Divide rows by a resampling, a splitter of scikit-learn, or as many folds as can be.

    Parameters
    ----------
    owner : Component
        Named in errors.
    scheme : resampling, splitter or None
    X : data of n rows
    y : ndarray of shape (n,)
    seed : int
        A splitter that draws gets it unless it has one of its own.

    Raises
    ------
    InputError
        If the rows cannot be divided so, or a split has no training or no test row.
    """
    scheme = _default(y) if scheme is None else scheme
    try:
        if hasattr(scheme, "splits"):
            splits = list(scheme.splits(X, y, random_state=seed))
        else:
            found = _seeded(scheme, seed).split(np.zeros(n_rows(X)), y)
            splits = [Split(train, test, fold=fold) for fold, (train, test) in enumerate(found)]
    except (TypeError, ValueError) as error:
        raise InputError(f"{display_name(owner)}: resampling: {error}") from error
    if not splits or any(not len(s.train) or not len(s.test) for s in splits):
        raise InputError(
            f"{display_name(owner)}: resampling must give splits with training and test rows"
        )
    return splits


def _default(y: np.ndarray) -> Any:
    least = int(np.unique(y, return_counts=True)[1].min())
    if least == 1:
        return ilk.resampling("ilk-evaluation/kfold", folds=min(_FOLDS, len(y)))
    return ilk.resampling("ilk-evaluation/stratified_kfold", folds=min(_FOLDS, least))


def _seeded(splitter: Any, seed: int) -> Any:
    draws = getattr(splitter, "shuffle", True) and hasattr(splitter, "random_state")
    if not draws or splitter.random_state is not None:
        return splitter
    splitter = copy.copy(splitter)
    splitter.random_state = seed
    return splitter
