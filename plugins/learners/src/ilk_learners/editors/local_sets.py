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
    """Count the members of the local sets of a block, and in how many of them each case is.

    The local set of a case holds the other cases of its class that are nearer to it than its
    nearest case of another class.

    Parameters
    ----------
    D : ndarray of shape (b, n)
        Distances from the block's cases to all.
    start : int
        Number of the block's first case.
    codes : ndarray of int, shape (n,)
    reachability : ndarray of int, shape (n,)
        Size of the local set of each case; entries of the block are written.
    coverage : ndarray of int, shape (n,)
        Number of local sets with each case; the counts of the block are added.
    """
    n = D.shape[1]
    for i in range(len(D)):
        case, row = start + i, D[i]
        code = codes[case]
        # the local set ends at the nearest case of another class
        bound = np.inf
        for j in range(n):
            if codes[j] != code and row[j] < bound:
                bound = row[j]
        size = 0
        for j in range(n):
            # strictly nearer: a case as far as the nearest unlike one is outside
            if row[j] < bound and codes[j] == code and j != case:
                size += 1
                coverage[j] += 1
        reachability[case] = size
