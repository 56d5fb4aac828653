"""Compiled steps of editors: a competence model, condensing, local sets, and records of ib3."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import ilk
from ilk_learners.local.distance_kernels import total_of


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
    for case in gone:
        S.left[case] = False
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
    added: np.ndarray,
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
    added : ndarray of bool, shape (b,)
        Written: the cases admitted; all False before.
    """
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
def admit_each(
    order: np.ndarray,
    D: np.ndarray,
    near: np.ndarray,
    nearest: np.ndarray,
    compared: np.ndarray,
    codes: np.ndarray,
    kept: np.ndarray,
    added: np.ndarray,
    n_added: int,
) -> int:
    """As `admit`, of all cases at once; return the new number of kept cases.

    Parameters
    ----------
    order : ndarray of int, shape (n,)
    D : ndarray of shape (n, n)
        Distances of all cases.
    near, nearest, compared : ndarray of shape (n,)
        Distance to the nearest of the kept cases that a case was compared with, its number (-1:
        none), and how many these are. Updated in place.
    codes, kept : ndarray of shape (n,)
    added : ndarray of int, shape (n,)
        Numbers of the `n_added` kept cases, as they came. Updated in place.
    """
    for case in order:
        if kept[case]:
            continue
        best, distance = nearest[case], near[case]
        for t in range(compared[case], n_added):
            other = added[t]
            d = D[case, other]
            if d < distance or (d == distance and (best < 0 or other < best)):
                best, distance = other, d
        near[case], nearest[case], compared[case] = distance, best, n_added
        if best < 0 or codes[best] != codes[case]:
            added[n_added] = case
            n_added += 1
            kept[case] = True
    return n_added


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


class Records(NamedTuple):
    """Classification records of the cases and frequencies of the classes.

    Attributes
    ----------
    stored : ndarray of bool, shape (n,)
    tried, right : ndarray of int, shape (n,)
        Number of cases that each stored case has classified, and how many correctly.
    seen : ndarray of int, shape (n_classes,)
        Number of cases of each class seen so far.
    """

    stored: np.ndarray
    tried: np.ndarray
    right: np.ndarray
    seen: np.ndarray


@ilk.compiled
def endpoint(successes: int, trials: int, z: float) -> float:
    """Upper end of Wilson's confidence interval of a proportion; lower end for negative z."""
    # without trials nothing is known: the widest interval
    if trials == 0:
        return 1.0 if z > 0 else 0.0
    # Wilson: (s + z^2 / 2n + z sqrt(s (1 - s) / n + z^2 / 4n^2)) / (1 + z^2 / n) for the share s
    share, square = successes / trials, z * z / trials
    spread = z * math.sqrt((share * (1 - share) + square / 4) / trials)
    return float((share + square / 2 + spread) / (1 + square))


@ilk.compiled
def acceptable(case: int, code: int, records: Records, z: float) -> bool:
    """Whether a case classifies significantly better than the frequency of its class."""
    # significant: the interval of the accuracy lies above that of the class frequency
    accuracy = endpoint(records.right[case], records.tried[case], -z)
    return bool(accuracy > endpoint(records.seen[code], total_of(records.seen), z))


@ilk.compiled(inner=True)
def poor(case: int, code: int, records: Records, z: float) -> bool:
    """Whether a case classifies significantly worse than the frequency of its class."""
    accuracy = endpoint(records.right[case], records.tried[case], z)
    return bool(accuracy < endpoint(records.seen[code], total_of(records.seen), -z))


@ilk.compiled
def see(
    block: np.ndarray,
    known: np.ndarray,
    D: np.ndarray,
    codes: np.ndarray,
    draws: np.ndarray,
    z: tuple[float, float],
    records: Records,
) -> None:
    """Process a block of cases in order: classify, store, and update the records.

    Parameters
    ----------
    block : ndarray of int, shape (b,)
        Numbers of the cases.
    known : ndarray of int, shape (m + b,)
        Numbers of the m cases stored before the block, then the block.
    D : ndarray of shape (b, m + b)
        Distances from the block's cases to the cases in `known`.
    codes : ndarray of int, shape (n,)
    draws : ndarray of shape (b,)
        Used if no stored case is acceptable: a number from 0 to 1 selects one; a negative number
        selects the nearest.
    z : tuple of two floats
        Quantiles of the normal distribution for acceptance and for dropping.
    records : Records
        Updated in place.
    """
    before = len(known) - len(block)
    for i in range(len(block)):
        case, row, there = block[i], D[i], before + i
        decides = chosen(row, known[:there], codes, draws[i], z[0], records)
        records.seen[codes[case]] += 1
        if decides < 0:
            records.stored[case] = True
            continue
        records.stored[case] = codes[known[decides]] != codes[case]
        # the last stored case is never dropped, since it classifies all further ones
        left = 0
        for j in range(there + 1):  # compiles faster than a sum of numpy
            left += records.stored[known[j]]
        for j in range(there):
            other = known[j]
            # as in Aha, Kibler and Albert: every stored case at least as near as the deciding one
            # is judged
            if not records.stored[other] or row[j] > row[decides]:
                continue
            records.tried[other] += 1
            records.right[other] += codes[other] == codes[case]
            if left > 1 and poor(other, codes[other], records, z[1]):
                records.stored[other] = False
                left -= 1


@ilk.compiled(inner=True)
def chosen(
    row: np.ndarray,
    known: np.ndarray,
    codes: np.ndarray,
    draw: float,
    z: float,
    records: Records,
) -> int:
    """Position in `known` of the stored case that classifies; -1 if none is stored.

    Shapes: `row` and `known` (m,), `codes` (n,).
    """
    best, nearest, stored = -1, -1, 0
    for j in range(len(known)):
        case = known[j]
        if not records.stored[case]:
            continue
        stored += 1
        if nearest < 0 or comes_first(j, nearest, row, known):
            nearest = j
        closer = best < 0 or comes_first(j, best, row, known)
        if closer and acceptable(case, codes[case], records, z):
            best = j
    if best >= 0 or draw < 0 or stored == 0:
        return best if best >= 0 else nearest
    # the stored case of a random rank: as likely as any other
    rank = int(draw * stored)
    for j in range(len(known)):
        if records.stored[known[j]]:
            if rank == 0:
                return j
            rank -= 1
    return nearest


@ilk.compiled(inner=True)
def comes_first(j: int, other: int, row: np.ndarray, known: np.ndarray) -> bool:
    """Whether a case is nearer than another, ties by lower number; `row` and `known`: (m,)."""
    return bool(row[j] < row[other] or (row[j] == row[other] and known[j] < known[other]))
