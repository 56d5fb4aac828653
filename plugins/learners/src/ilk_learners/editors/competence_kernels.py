"""Compiled competence model: updates of its sets when cases are removed."""

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
