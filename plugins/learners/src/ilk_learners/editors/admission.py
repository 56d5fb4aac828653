"""Compiled step of condensing: admit cases of a block in order."""

from __future__ import annotations

import numpy as np

import ilk


@ilk.compiled
def admit(
    block: np.ndarray,
    D: np.ndarray,
    near: np.ndarray,
    nearest: np.ndarray,
    codes: np.ndarray,
    kept: np.ndarray,
) -> None:
    """Admit, in order, each case of a block that its nearest kept case misclassifies.

    Parameters
    ----------
    block : ndarray of int, shape (b,)
        Numbers of the cases.
    D : ndarray of shape (b, b)
        Distances from the row's case to the column's.
    near, nearest : ndarray of shape (n,)
        Distance to the nearest case kept before the block, and its number (-1: none).
    codes : ndarray of int, shape (n,)
    kept : ndarray of bool, shape (n,)
        Updated in place.
    """
    added = np.zeros(len(block), dtype=np.bool_)
    for i in range(len(block)):
        case = block[i]
        if kept[case]:
            continue
        best, distance = nearest[case], near[case]
        # the block's distances to the store date from before it: look at the cases added since, too
        for j in range(i):
            if added[j] and (
                D[i, j] < distance or (D[i, j] == distance and (best < 0 or block[j] < best))
            ):
                best, distance = block[j], D[i, j]
        # -1: nothing is kept yet
        if best < 0 or codes[best] != codes[case]:
            added[i] = True
            kept[case] = True
