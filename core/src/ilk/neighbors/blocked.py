"""Exact nearest neighbours from blocks of distances, ties by lower index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ilk.errors import InputError
from ilk.inputs import n_rows, take
from ilk.neighbors.checks import check_k
from ilk.registries import display_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk.arrays import Cases, Matrix

BLOCK_BYTES = 32 * 2**20  # bytes of distances in memory at a time
LEAST_QUERIES = 64  # minimum queries in a block, so that training rows are read only a few times
CROWD = 64  # columns per wanted one above which a bound is cheaper than a partition


class PairwiseDistance(Protocol):
    """A fitted distance, as far as searches in blocks need it."""

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray: ...
    def check_pair(self, X: Any, Y: Any = None) -> tuple[Any, Any]: ...


def nearest_blocked(
    distance: PairwiseDistance, Q: Cases, X: Cases, k: int, *, block_bytes: int = BLOCK_BYTES
) -> tuple[np.ndarray, np.ndarray]:
    """The k rows of X nearest to each row of Q, without storing all distances.

    Parameters
    ----------
    distance : Distance
        Fitted.
    Q, X : data of m and n rows
    k : int
        1 <= k <= n.
    block_bytes : int
        Bound on the bytes of distances in memory at a time; selecting among them needs about as
        much again.

    Returns
    -------
    distances : ndarray of shape (m, k)
        Ascending.
    indices : ndarray of int64, shape (m, k)
        Among equal distances the lower index comes first.

    Raises
    ------
    InputError
        If k > n, or a distance is NaN. An infinite distance is legal and ranks last.
    """
    check_k(distance, k, n_rows(X))
    Q, X = distance.check_pair(Q, X)
    rows, columns = _block_shape(n_rows(X), block_bytes)
    parts = [
        _nearest_of(_blocks(distance, Q, X, start, rows, columns), k)
        for start in range(0, n_rows(Q), rows)
    ]
    if not parts:
        return np.empty((0, k)), np.empty((0, k), dtype=np.int64)
    return np.concatenate([d for d, _ in parts]), np.concatenate([i for _, i in parts])


def within_blocked(
    distance: PairwiseDistance, Q: Cases, X: Matrix, r: float, *, block_bytes: int = BLOCK_BYTES
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The rows of X within distance r (inclusive) of each row of Q, nearest first.

    Parameters
    ----------
    distance : Distance
        Fitted.
    Q, X : data of m and n rows
    r : float
        At least 0.
    block_bytes : int
        Bound on the bytes of distances in memory at a time, without the answer.

    Returns
    -------
    distances, indices : lists of m arrays
        Sorted by distance, ties by lower index.

    Raises
    ------
    InputError
        If a distance is NaN.
    """
    Q, X = distance.check_pair(Q, X)
    rows, columns = _block_shape(n_rows(X), block_bytes)
    distances: list[np.ndarray] = []
    indices: list[np.ndarray] = []
    for start in range(0, n_rows(Q), rows):
        parts = [
            _within(block, r, first)
            for first, block in _blocks(distance, Q, X, start, rows, columns)
        ]
        for pieces in zip(*parts, strict=True):  # of one query
            near = np.concatenate([piece[0] for piece in pieces])
            where = np.concatenate([piece[1] for piece in pieces])
            order = np.argsort(near, kind="stable")
            distances.append(near[order])
            indices.append(where[order])
    return distances, indices


def smallest(values: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest values of each row, ascending, ties by lower column.

    Parameters
    ----------
    values : ndarray of shape (n, m)
        No NaN.
    k : int
        1 <= k <= m.

    Returns
    -------
    values : ndarray of shape (n, k)
    columns : ndarray of int64, shape (n, k)
    """
    m = values.shape[1]
    if k == 1:
        columns = values.argmin(axis=1)[:, None]
    elif m >= CROWD * k:
        columns = _from_bound(values, k)
    else:
        columns = _from_partition(values, k)
    return np.take_along_axis(values, columns, axis=1), columns.astype(np.int64, copy=False)


def _from_partition(values: np.ndarray, k: int) -> np.ndarray:
    n, m = values.shape
    if k == m:
        return np.argsort(values, axis=1, kind="stable")
    columns = (np.flatnonzero(_are_smallest(values, k)) % m).reshape(n, k)
    order = np.argsort(np.take_along_axis(values, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1)


def _are_smallest(values: np.ndarray, k: int) -> np.ndarray:
    """Mask of the k smallest values of each row; ties with the k-th go to the lower column."""
    # the k-th smallest value, by a partial sort
    border = np.partition(values, k - 1, axis=1)[:, k - 1 : k]
    chosen = values < border
    tied = values == border
    room = k - np.count_nonzero(chosen, axis=1)
    # ties in the order of columns, as many as there is room for
    chosen |= tied & (np.cumsum(tied, axis=1, dtype=np.int32) <= room[:, None])
    return chosen


def _from_bound(values: np.ndarray, k: int) -> np.ndarray:
    """Select among the few values up to a bound: the k-th smallest minimum of groups.

    At least k values are within this bound, and rarely many more unless values repeat.
    """
    n, m = values.shape
    # 16 k groups: k of their minima are within the bound, and few other values are
    groups = CROWD * k // 4
    whole = m // groups * groups
    minima = values[:, :whole].reshape(n, -1, groups).min(axis=1)
    bound = np.partition(minima, k - 1, axis=1)[:, k - 1 : k]
    few = values <= bound
    # many equal values may lie within the bound: select exactly there, to keep the sort small
    crowded = np.flatnonzero(np.count_nonzero(few, axis=1) > CROWD + 4 * k)
    if crowded.size:
        few[crowded] = _are_smallest(values[crowded], k)
    rows, columns = np.divmod(np.flatnonzero(few), m)
    order = np.lexsort((values[rows, columns], rows))  # stable, so ties stay in column order
    starts = np.searchsorted(rows, np.arange(n))
    return np.asarray(columns[order[starts[:, None] + np.arange(k)]])


def _block_shape(n: int, block_bytes: int) -> tuple[int, int]:
    """Queries and training rows of a block, 8 bytes for each pair."""
    columns = max(min(n, block_bytes // 8 // LEAST_QUERIES), 1)
    return max(block_bytes // 8 // columns, 1), columns


def _blocks(
    distance: PairwiseDistance, Q: Cases, X: Cases, start: int, rows: int, columns: int
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield, for one block of queries, each block of training rows: its first row, distances."""
    queries = _slice(Q, start, start + rows)
    for first in range(0, n_rows(X), columns):
        targets = _slice(X, first, first + columns)
        block = np.asarray(distance.pairwise(queries, targets))
        if block.shape != (n_rows(queries), n_rows(targets)):
            raise InputError(
                f"{display_name(distance)}: pairwise gave distances of shape {block.shape} for "
                f"{n_rows(queries)} queries and {n_rows(targets)} training rows"
            )
        if not block.min(initial=0) >= 0:  # the minimum is NaN if any value is
            row, column = (int(i) for i in np.argwhere(~(block >= 0))[0])
            raise InputError(
                f"{display_name(distance)}: the distance of query {start + row} to training row "
                f"{first + column} is {'NaN' if np.isnan(block[row, column]) else 'negative'} "
                f"({block[row, column]})"
            )
        yield first, block


def _nearest_of(blocks: Iterator[tuple[int, np.ndarray]], k: int) -> tuple[np.ndarray, np.ndarray]:
    """Merge the k nearest of each block of training rows into the k nearest of all."""
    best: tuple[np.ndarray, np.ndarray] | None = None
    for first, block in blocks:
        near, where = smallest(block, min(k, block.shape[1]))
        where += first
        if best is not None:
            # blocks come in ascending order of rows, so ties go to the lower index
            near = np.concatenate([best[0], near], axis=1)
            where = np.concatenate([best[1], where], axis=1)
            near, order = smallest(near, min(k, near.shape[1]))
            where = np.take_along_axis(where, order, axis=1)
        best = near, where
    assert best is not None
    return best


def _within(block: np.ndarray, r: float, first: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each row the values up to r and their columns, numbered from `first`."""
    rows, columns = np.nonzero(block <= r)
    ends = np.searchsorted(rows, np.arange(1, len(block)))
    near = np.split(block[rows, columns], ends)
    return list(zip(near, np.split(columns + first, ends), strict=True))


def _slice(X: Cases, start: int, stop: int) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[start:stop]
    return X[start:stop] if hasattr(X, "__getitem__") else take(X, range(start, stop))
