"""A split cut down to a few rows: enough to see whether a pipeline runs at all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import ilk

TRAINING, OTHERS = 40, 10
"""Rows of the training part, and of the test and validation parts: 60 in all."""


def small_split(split: ilk.Split, y: np.ndarray) -> ilk.Split:
    """Return a split of at most 60 of its rows, or one training row per class if that is more.

    Classes have equal shares of the rows, as far as they have cases, so none is lost. The choice
    depends on nothing but the split and the labels.

    Parameters
    ----------
    split : ilk.Split
    y : ndarray of shape (n,)
        Labels of all rows of the data set.

    Examples
    --------
    >>> import ilk
    >>> y = np.repeat(["rare", "usual"], [2, 998])
    >>> small = small_split(ilk.Split(np.arange(1000), np.arange(500)), y)
    >>> np.unique(y[small.train], return_counts=True)[1], len(small.test)
    (array([ 2, 38]), 10)
    """
    validation = None if split.validation is None else _some(split.validation, y, OTHERS)
    return replace(
        split,
        train=_some(split.train, y, TRAINING, every_class=True),
        test=_some(split.test, y, OTHERS),
        validation=validation,
    )


def _some(rows: np.ndarray, y: np.ndarray, most: int, *, every_class: bool = False) -> np.ndarray:
    """Return rows in their order: the first of each class in a fixed shuffle, then the second."""
    if len(rows) <= most:
        return rows
    shuffled = np.random.default_rng(0).permutation(len(rows))
    _, codes, counts = np.unique(y[rows[shuffled]], return_inverse=True, return_counts=True)
    if every_class and y.dtype.kind != "f":  # values of a quantity are no classes
        most = max(most, len(counts))
    by_class = np.argsort(codes, kind="stable")
    turn = np.empty(len(rows), dtype=int)
    turn[by_class] = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = shuffled[np.argsort(turn, kind="stable")[:most]]
    return rows[np.sort(chosen)]
