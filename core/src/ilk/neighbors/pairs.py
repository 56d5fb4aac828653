"""Compiled distances of single pairs of rows, to the last bit as tiles have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk.compiling import compiled

SUM, SQUARES, LARGEST = 1, 2, 0  # of differences


@compiled(fastmath={"contract"})
def pairs(
    Q: np.ndarray,
    queries: np.ndarray,
    X: np.ndarray,
    rows: np.ndarray,
    how: int,
    faint: float,
    out: np.ndarray,
) -> int:
    """Distances of ``Q[queries[i]]`` to ``X[rows[i]]``; NaN where they need more care than this.

    Sums run in the order of the features, as those of `ilk.neighbors.sums` do.

    Parameters
    ----------
    Q, X : ndarrays of shape (m, p) and (n, p), contiguous
    queries, rows : ndarrays of int64, shape (n_pairs,)
    how : int
        SUM, SQUARES (of which the root is taken) or LARGEST.
    faint : float
        Sums of squares below may have lost digits.
    out : ndarray of shape (n_pairs,)
        Overwritten; of the type of Q and X.

    Returns
    -------
    int
        How many need more care.
    """
    doubtful = 0
    for i in range(len(out)):
        query, row = queries[i], rows[i]
        out[i] = 0
        total = out[i]  # of its type
        if how == SQUARES:
            differ = 0
            for f in range(X.shape[1]):
                gap = Q[query, f] - X[row, f]
                total += gap * gap
                differ += gap != 0
            if differ and not faint <= total < np.inf:
                out[i] = np.nan
                doubtful += 1
            else:
                out[i] = np.sqrt(total)
        elif how == SUM:
            for f in range(X.shape[1]):
                total += abs(Q[query, f] - X[row, f])
            out[i] = total
        else:
            for f in range(X.shape[1]):
                total = max(total, abs(Q[query, f] - X[row, f]))
            out[i] = total
    return doubtful


def gathered(X: np.ndarray, rows: np.ndarray, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return an array that the kernel is compiled for, and where rows of X are in it."""
    if type(X) is np.ndarray and X.flags.carray and X.dtype == dtype:
        return X, rows
    return np.ascontiguousarray(X[rows], dtype=dtype), np.arange(len(rows))
