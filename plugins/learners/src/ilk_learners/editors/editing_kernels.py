"""Compiled steps of editors: updates of a competence model, condensing, and local sets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import ilk


class Shrinking(NamedTuple):
    """A competence model and its remaining cases.

    Attributes
    ----------
    covered_from, covered : ndarrays of int
        Coverage sets, of shapes (n + 1,) and (sum of sizes,): start of each set, and the members.
    reached_from, reached : ndarrays of int
        Reachability sets, likewise.
    left : ndarray of bool, shape (n,)
    reachability, coverage : ndarray of int, shape (n,)
        Sizes of the sets, restricted to remaining cases.
    relative : ndarray of shape (n,)
        Relative coverage, restricted to remaining cases.
    """

    covered_from: np.ndarray
    covered: np.ndarray
    reached_from: np.ndarray
    reached: np.ndarray
    left: np.ndarray
    reachability: np.ndarray
    coverage: np.ndarray
    relative: np.ndarray


@ilk.compiled
def leave(gone: np.ndarray, S: Shrinking) -> None:
    """Remove cases, of shape (m,), from the sets of the remaining ones."""
    S.left[gone] = False
    touched = np.zeros(len(S.left), dtype=np.bool_)
    # an empty list whose type numba can infer
    queue = [gone[0] for _ in range(0)]
    for case in gone:
        for target in S.covered[S.covered_from[case] : S.covered_from[case + 1]]:
            if S.left[target]:
                S.reachability[target] -= 1
            # the term 1 / |Reachability(target)| changes for every remaining solver of the target
            for solver in S.reached[S.reached_from[target] : S.reached_from[target + 1]]:
                if S.left[solver] and not touched[solver]:
                    touched[solver] = True
                    queue.append(solver)
        for solver in S.reached[S.reached_from[case] : S.reached_from[case + 1]]:
            if S.left[solver]:
                S.coverage[solver] -= 1
    # summed anew rather than updated, so that equal sums stay equal
    for solver in queue:
        total = 0.0
        for target in S.covered[S.covered_from[solver] : S.covered_from[solver + 1]]:
            if S.left[target]:
                total += 1 / S.reachability[target]
        S.relative[solver] = total


@ilk.compiled
def first_of(keys: np.ndarray, waiting: np.ndarray) -> int:
    """The waiting case of the smallest key, ties by lower number; -1 if none; arrays (n,)."""
    best = -1
    for case in range(len(keys)):
        if waiting[case] and (best < 0 or keys[case] < keys[best]):
            best = case
    return best


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
