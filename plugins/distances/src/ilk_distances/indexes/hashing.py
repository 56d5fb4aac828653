"""Compiled loops of locality-sensitive hashing: projections, minima of keys, buckets gathered."""

from __future__ import annotations

import numpy as np

import ilk


@ilk.compiled(fastmath={"contract"})
def project(X: np.ndarray, center: np.ndarray, directions: np.ndarray, out: np.ndarray) -> None:
    """``(X - center) @ directions``, each row for itself, summed in the order of the features."""
    for i in range(len(X)):
        row = out[i]
        row[:] = 0.0
        for f in range(X.shape[1]):
            value = X[i, f] - center[f]
            for h in range(len(row)):
                row[h] += value * directions[f, h]


@ilk.compiled
def smallest_keys(X: np.ndarray, keys: np.ndarray, out: np.ndarray) -> None:
    """The smallest key of the features each row has (is not 0 in); -1 for a row that has none."""
    for i in range(len(X)):
        row = out[i]
        row[:] = np.iinfo(np.int64).max
        some = False
        for f in range(X.shape[1]):
            if X[i, f] != 0:
                some = True
                for h in range(len(row)):
                    row[h] = min(row[h], keys[f, h])
        if not some:
            row[:] = -1


@ilk.compiled
def gather(
    lows: np.ndarray,
    highs: np.ndarray,
    tables: np.ndarray,
    ordered: np.ndarray,
    seen: np.ndarray,
    ends: np.ndarray,
    found: np.ndarray,
) -> None:
    """Collect, once each, the rows in the buckets of every query.

    Parameters
    ----------
    lows, highs : ndarray of int, shape (n_buckets, m)
        Where the buckets of each query begin and end.
    tables : ndarray of int, shape (n_buckets,)
        The table each bucket is in.
    ordered : ndarray of int, shape (n_tables, n)
        Rows of each table, those of a bucket together.
    seen : ndarray of int, shape (n,)
        Filled with -1.
    ends : ndarray of int, shape (m,)
        Written to: where the rows found for each query end.
    found : ndarray of int
        Written to.
    """
    count = 0
    for i in range(lows.shape[1]):
        for b in range(len(lows)):
            for place in range(lows[b, i], highs[b, i]):
                row = ordered[tables[b], place]
                if seen[row] != i:
                    seen[row] = i
                    found[count] = row
                    count += 1
        ends[i] = count
