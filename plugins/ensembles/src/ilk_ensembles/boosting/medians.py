"""Weighted medians of what members say."""

from __future__ import annotations

import numpy as np

_TIED = 1e-12  # as a share of all weight


def weighted_medians(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Least value, in each column, such that it and those below have half of the weight.

    Parameters
    ----------
    values : ndarray of shape (L, m)
    weights : ndarray of shape (L,)

    Returns
    -------
    ndarray of shape (m,)
    """
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0)
    middle = (reached >= (0.5 - _TIED) * reached[-1]).argmax(axis=0)
    columns = np.arange(values.shape[1])
    return np.asarray(values[order[middle, columns], columns])
