"""Compiled last word on the candidates of a kd-tree, by the kernels of the distance itself."""

from __future__ import annotations

import numpy as np

import ilk
from ilk_distances.engine.rows import UNROLLED
from ilk_distances.indexes.kd_search import SQUARES, SUM
from ilk_distances.vectors.sums import absolute, largest, squared


@ilk.compiled
def settle(
    X: np.ndarray,
    Q: np.ndarray,
    rows: np.ndarray,
    ends: np.ndarray,
    how: int,
    faint: float,
    near: np.ndarray,
    where: np.ndarray,
) -> np.ndarray:
    """Keep the nearest candidates of each query, ties by lower index.

    Parameters
    ----------
    X : ndarray of shape (len(rows), p)
        The candidates, query after query; at least k for each.
    Q : ndarray of shape (m, p)
    rows : ndarray of int64
        Their training indices.
    ends : ndarray of int64, shape (m,)
        Where those of each query end.
    how : int
        As in `ilk_distances.indexes.kd_search`.
    faint : float
        Squares of differences below may have vanished.
    near, where : ndarrays of shape (m, k)
        Overwritten: distances and rows.

    Returns
    -------
    ndarray of bool, shape (m,)
        The queries with a distance that the distance itself would compute in another way.
    """
    n_features = Q.shape[1]
    padded = -(-n_features // UNROLLED) * UNROLLED
    query = np.zeros((2, padded), near.dtype)
    unsure = np.zeros(len(Q), np.bool_)
    start = 0
    for i in range(len(Q)):
        query[:, :n_features] = Q[i]
        size = ends[i] - start
        columns = np.zeros((padded, size), near.dtype)
        for j in range(size):
            for f in range(n_features):
                columns[f, j] = X[start + j, f]
        values = np.empty(2 * size, near.dtype)
        if how == SQUARES:
            squared(query, columns, values, 0, size)
            for j in range(size):
                values[j] = np.sqrt(values[j])
        elif how == SUM:
            absolute(query, columns, values, 0, size)
        else:
            largest(query, columns, values, 0, size)
        near[i] = np.inf
        where[i] = np.iinfo(np.int64).max
        for j in range(size):
            value = values[j]
            if how == SQUARES and not faint <= value < np.inf:
                unsure[i] |= value > 0 or _differ(columns, j, query)
            _insert(value, rows[start + j], near[i], where[i])
        start = ends[i]
    return unsure


@ilk.compiled
def _insert(value: float, row: int, near: np.ndarray, where: np.ndarray) -> None:
    place = len(near)
    while place and (
        value < near[place - 1] or (value == near[place - 1] and row < where[place - 1])
    ):
        place -= 1
    for at in range(len(near) - 1, place, -1):
        near[at], where[at] = near[at - 1], where[at - 1]
    if place < len(near):
        near[place], where[place] = value, row


@ilk.compiled
def _differ(columns: np.ndarray, j: int, query: np.ndarray) -> bool:
    differences = 0
    for f in range(len(columns)):
        differences += columns[f, j] != query[0, f]
    return differences > 0
