"""A query compared with a few training rows only: those an approximate index found for it."""

from __future__ import annotations

from typing import Any

import numpy as np

_COPIED = 2**19  # numbers of training rows that are copied to be compared


def nearest(
    distance: Any, query: Any, X: Any, rows: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of some rows, ties by lower index.

    Parameters
    ----------
    distance : Distance
        Fitted.
    query : data of one row
    X : data of n rows
    rows : ndarray of int
        Ascending, at least k.
    k : int

    Returns
    -------
    distances : ndarray of shape (k,)
    indices : ndarray of int, shape (k,)
    """
    values = _compared(distance, query, X, rows)
    return _ordered(values, rows, values <= np.partition(values, k - 1)[k - 1], k)


def within(
    distance: Any, query: Any, X: Any, rows: np.ndarray, r: float
) -> tuple[np.ndarray, np.ndarray]:
    """Those of some rows (ascending) within distance r, nearest first, ties by lower index."""
    values = _compared(distance, query, X, rows)
    return _ordered(values, rows, values <= r, len(rows))


def _compared(distance: Any, query: Any, X: Any, rows: np.ndarray) -> np.ndarray:
    """The distances to some rows, of which a few are copied at a time."""
    step = max(_COPIED // max(*X.shape[1:], 1, 1), 1)
    starts = range(0, len(rows), step)
    parts = [distance.pairwise(query, X[rows[start : start + step]])[0] for start in starts]
    return np.concatenate(parts) if parts else np.empty(0)


def _ordered(
    values: np.ndarray, rows: np.ndarray, kept: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    places = np.flatnonzero(kept)
    places = places[np.argsort(values[places], kind="stable")[:k]]
    return values[places], rows[places]
