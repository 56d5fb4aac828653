"""Compiled kernels of ib3: classification records of stored cases, and acceptance by them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import ilk

if TYPE_CHECKING:
    import numpy as np


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
    return bool(accuracy > endpoint(records.seen[code], records.seen.sum(), z))


@ilk.compiled
def poor(case: int, code: int, records: Records, z: float) -> bool:
    """Whether a case classifies significantly worse than the frequency of its class."""
    accuracy = endpoint(records.right[case], records.tried[case], z)
    return bool(accuracy < endpoint(records.seen[code], records.seen.sum(), -z))


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
        left = records.stored[known[: there + 1]].sum()
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


@ilk.compiled
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


@ilk.compiled
def comes_first(j: int, other: int, row: np.ndarray, known: np.ndarray) -> bool:
    """Whether a case is nearer than another, ties by lower number; `row` and `known`: (m,)."""
    return bool(row[j] < row[other] or (row[j] == row[other] and known[j] < known[other]))
