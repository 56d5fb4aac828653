"""Exact nearest neighbours from blocks of distances, ties by lower index."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk.inputs import n_rows, take
from ilk.interfaces.index import check_k

BLOCK_BYTES = 32 * 2**20  # of distances held at once


def nearest_blocked(
    distance: Any, Q: Any, X: Any, k: int, *, block_bytes: int = BLOCK_BYTES
) -> tuple[np.ndarray, np.ndarray]:
    """The k rows of X nearest to each row of Q, without ever holding all distances.

    Parameters
    ----------
    distance : Distance
        Fitted.
    Q, X : data of m and n rows
    k : int
        1 <= k <= n.
    block_bytes : int
        Bound on the bytes of distances held at once.

    Returns
    -------
    distances : ndarray of shape (m, k)
        Ascending.
    indices : ndarray of int64, shape (m, k)
        Among equal distances the lower index comes first.
    """
    n, m = n_rows(X), n_rows(Q)
    check_k(distance, k, n)
    columns = max(min(n, block_bytes // 8 // 64), 1)
    rows = max(block_bytes // 8 // columns, 1)
    parts = [
        _nearest_of(distance, _slice(Q, start, start + rows), X, k, columns)
        for start in range(0, m, rows)
    ]
    if not parts:
        return np.empty((0, k)), np.empty((0, k), dtype=np.int64)
    return np.concatenate([d for d, _ in parts]), np.concatenate([i for _, i in parts])


def _nearest_of(
    distance: Any, Q: Any, X: Any, k: int, columns: int
) -> tuple[np.ndarray, np.ndarray]:
    """Merge the k nearest of each block of columns into the k nearest of all."""
    best: tuple[np.ndarray, np.ndarray] | None = None
    for start in range(0, n_rows(X), columns):
        block = np.asarray(distance.pairwise(Q, _slice(X, start, start + columns)))
        if np.isnan(block).any():
            row, column = (int(i) for i in np.argwhere(np.isnan(block))[0])
            raise _nan_error(distance, row, start + column)
        near, where = smallest(block, min(k, block.shape[1]))
        where = where + start
        if best is not None:
            near = np.concatenate([best[0], near], axis=1)
            where = np.concatenate([best[1], where], axis=1)
            near, order = smallest(near, min(k, near.shape[1]))
            where = np.take_along_axis(where, order, axis=1)
        best = near, where
    assert best is not None
    return best


def smallest(values: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest values of each row, ascending, ties by lower column.

    Returns
    -------
    values : ndarray of shape (n, k)
    columns : ndarray of int64, shape (n, k)
    """
    _n, m = values.shape
    if k == m:
        columns = np.argsort(values, axis=1, kind="stable")
    elif k == 1:
        columns = values.argmin(axis=1)[:, None]
    else:
        columns = _partitioned(values, k)
    return np.take_along_axis(values, columns, axis=1), columns.astype(np.int64, copy=False)


def _partitioned(values: np.ndarray, k: int) -> np.ndarray:
    columns = np.argpartition(values, k - 1, axis=1)[:, :k]
    border = np.take_along_axis(values, columns, axis=1).max(axis=1, keepdims=True)
    tied = (values <= border).sum(axis=1) > k  # argpartition chose among equals as it liked
    for row in np.flatnonzero(tied):
        columns[row] = np.argsort(values[row], kind="stable")[:k]
    columns.sort(axis=1)
    order = np.argsort(np.take_along_axis(values, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1)


def _slice(X: Any, start: int, stop: int) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[start:stop]
    return X[start:stop] if hasattr(X, "__getitem__") else take(X, range(start, stop))


def _nan_error(distance: Any, row: int, column: int) -> Exception:
    from ilk.component import display_name
    from ilk.errors import InputError

    return InputError(
        f"{display_name(distance)}: the distance of query {row} to training row {column} is NaN"
    )
