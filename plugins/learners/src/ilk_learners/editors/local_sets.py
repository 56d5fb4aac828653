"""Compiled counting of local sets: the cases nearer than any case of another class."""

from __future__ import annotations

import numpy as np

import ilk


@ilk.compiled
def count_local_sets(
    D: np.ndarray,
    start: int,
    codes: np.ndarray,
    reachability: np.ndarray,
    coverage: np.ndarray,
) -> None:
    """Count the local sets of a block of cases, and how often each case is in them.

    The local set of a case is those others of its class that are nearer to it than its nearest
    case of another class. It is not in its own.

    Parameters
    ----------
    D : ndarray of shape (b, n)
        Distances of the block's cases to all.
    start : int
        Number of the block's first case.
    codes : ndarray of int, shape (n,)
    reachability : ndarray of int, shape (n,)
        Size of the local set of each case; those of the block are written.
    coverage : ndarray of int, shape (n,)
        In how many local sets each case is; those of the block are added.
    """
    n = D.shape[1]
    for i in range(len(D)):
        case, row = start + i, D[i]
        code = codes[case]
        bound = np.inf
        for j in range(n):
            if codes[j] != code and row[j] < bound:
                bound = row[j]
        size = 0
        for j in range(n):
            if row[j] < bound and codes[j] == code and j != case:
                size += 1
                coverage[j] += 1
        reachability[case] = size
