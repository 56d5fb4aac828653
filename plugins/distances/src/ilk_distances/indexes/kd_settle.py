"""Compiled choice among the candidates of a kd-tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ilk

if TYPE_CHECKING:
    import numpy as np


@ilk.compiled
def settle(
    values: np.ndarray, rows: np.ndarray, ends: np.ndarray, near: np.ndarray, where: np.ndarray
) -> None:
    """Keep the nearest candidates of each query, ties by lower index.

    Parameters
    ----------
    values : ndarray
        Distances of candidates, query after query; of at least k for each.
    rows : ndarray of int64
        Their training indices.
    ends : ndarray of int64, shape (m,)
        Where those of each query end.
    near, where : ndarrays of shape (m, k)
        Overwritten: distances and rows.
    """
    k = near.shape[1]
    start = 0
    for i in range(len(ends)):
        for j in range(start, ends[i]):
            value, row = values[j], rows[j]
            place = min(j - start, k)
            while place and (
                value < near[i, place - 1]
                or (value == near[i, place - 1] and row < where[i, place - 1])
            ):
                place -= 1
            for at in range(min(j - start, k - 1), place, -1):
                near[i, at], where[i, at] = near[i, at - 1], where[i, at - 1]
            if place < k:
                near[i, place], where[i, place] = value, row
        start = ends[i]
