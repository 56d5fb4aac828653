"""Votes of neighbours: counted per class, and the winner found, without a loop over queries."""

from __future__ import annotations

import numpy as np

_ROUNDING = 1e-12  # sums of the same weights in another order differ by less


def tally(codes: np.ndarray, weights: np.ndarray | None, n_classes: int) -> np.ndarray:
    """Sum the votes for each class.

    Parameters
    ----------
    codes : ndarray of int, shape (m, k)
        Class of each neighbour of each query.
    weights : ndarray of shape (m, k) or None
        Its vote; None: one each.
    n_classes : int

    Returns
    -------
    ndarray of shape (m, n_classes), float64
    """
    m = len(codes)
    cells = (codes + np.arange(m)[:, None] * n_classes).ravel()
    flat = None if weights is None else weights.ravel()
    counts = np.bincount(cells, flat, minlength=m * n_classes)
    return counts.reshape(m, n_classes).astype(float, copy=False)


def leaders(votes: np.ndarray) -> np.ndarray:
    """Mask of the classes with the most votes in each row, equal up to rounding."""
    return np.asarray(votes >= votes.max(axis=1, keepdims=True) * (1 - _ROUNDING))


def first_voter(mask: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Class of the first neighbour in each row whose class is in the mask."""
    among = np.take_along_axis(mask, codes, axis=1)
    return np.take_along_axis(codes, among.argmax(axis=1)[:, None], axis=1)[:, 0]
