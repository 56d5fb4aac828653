"""The earth mover's distance of equal masses on the line and on the circle."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

import ilk

Many: TypeAlias = tuple[
    np.ndarray, np.ndarray, np.ndarray, np.ndarray
]  # start (n + 1,), place (n_items,), weight (n_items,) and mass (n,)
LANES = 256  # histograms compared side by side: a vectorized loop within the cache
FAINT = 2.0**-960  # work below may have lost digits by underflow


@ilk.compiled
def line_of_histograms(
    X: np.ndarray,
    Y: np.ndarray,
    gaps: np.ndarray,
    x_mass: np.ndarray,
    y_mass: np.ndarray,
    tolerance: float,
    corner: tuple[int, int],
    out: np.ndarray,
) -> None:
    """Set distances of rows of X, (n, bins), to columns of Y, (bins, m).

    NaN if masses differ by more than rounding, or the work overflows or underflows. Bins are
    sorted by position, ``gaps[b]`` from bin b to the next one; x_mass has the shape (n,), y_mass
    (m,). The distance of the first row to the first column goes to ``out[corner]``.
    """
    ahead, work = np.empty(LANES), np.empty(LANES)
    # columns in blocks, so that the running sums of all bins stay in the cache
    for first in range(0, Y.shape[1], LANES):
        size = min(LANES, Y.shape[1] - first)
        for i in range(len(X)):
            for j in range(size):
                ahead[j] = work[j] = 0.0
            for b in range(len(gaps)):
                x, gap, row = X[i, b], gaps[b], Y[b, first : first + size]
                for j in range(size):
                    # the work on a line: the integral of the difference of cumulative masses
                    ahead[j] += x - row[j]
                    work[j] += abs(ahead[j]) * gap
            for j in range(size):
                a, b_ = x_mass[i], y_mass[first + j]
                equal = abs(a - b_) <= tolerance * max(a, b_)
                # 0 is sure only for equal rows; otherwise such small work may come from underflow
                sure = FAINT <= work[j] < np.inf or _alike(X[i], Y[:, first + j])
                # the work is per unit of mass moved
                row_ = out[corner[0] + i]
                row_[corner[1] + first + j] = work[j] / min(a, b_) if equal and sure else np.nan


@ilk.compiled
def line_of_heaps(
    x: Many, y: Many, start: int, stop: int, tolerance: float, period: float, out: np.ndarray
) -> None:
    """Set distances of heaps x[start:stop] to heaps y in ``out``, (n, m); NaN as for histograms.

    A heap has sorted places on a line, or on a circle if the period is not 0.
    """
    x_start, x_place, x_weight, x_mass = x
    y_start, y_place, y_weight, y_mass = y
    size = _longest(x_start) + _longest(y_start)
    ahead, gap = np.empty(size), np.empty(size)
    for i in range(start, stop):
        a, b = x_start[i], x_start[i + 1]
        for j in range(len(y_mass)):
            larger = max(x_mass[i], y_mass[j])
            if abs(x_mass[i] - y_mass[j]) > tolerance * larger:
                out[i, j] = np.nan
                continue
            c, d = y_start[j], y_start[j + 1]
            one, other = (x_place[a:b], x_weight[a:b]), (y_place[c:d], y_weight[c:d])
            order = _compared(*one, *other)
            if order == 0:
                out[i, j] = 0.0
                continue
            if order > 0:  # a fixed order makes rounding symmetric in x and y
                one, other = other, one
            _merge(*one, *other, ahead, gap, period)
            k = b - a + d - c
            # on a circle any constant flow may be added; the weighted median minimizes the work
            middle = _median(ahead, gap, k) if period > 0 else 0.0
            work = 0.0
            for t in range(k):
                work += abs(ahead[t] - middle) * gap[t]
            sure = FAINT <= work < np.inf
            out[i, j] = work / min(x_mass[i], y_mass[j]) if sure else np.nan


@ilk.compiled
def _alike(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether two vectors, (m,) and (n,), are equal."""
    if len(x) != len(y):
        return False
    differing = 0
    for i in range(len(x)):
        differing += x[i] != y[i]
    return differing == 0


@ilk.compiled
def _compared(
    x_place: np.ndarray, x_weight: np.ndarray, y_place: np.ndarray, y_weight: np.ndarray
) -> int:
    """Compare heaps of m and n items lexicographically: x before y (-1), equal (0), after (1).

    x_place, x_weight: (m,); y_place, y_weight: (n,).
    """
    for i in range(min(len(x_place), len(y_place))):
        if x_place[i] != y_place[i]:
            return 1 if x_place[i] > y_place[i] else -1
        if x_weight[i] != y_weight[i]:
            return 1 if x_weight[i] > y_weight[i] else -1
    return int(len(x_place) > len(y_place)) - int(len(x_place) < len(y_place))


@ilk.compiled
def _longest(start: np.ndarray) -> int:
    """Largest number of items of a heap; start: (n + 1,)."""
    longest = 0
    for i in range(len(start) - 1):
        longest = max(longest, start[i + 1] - start[i])
    return longest


@ilk.compiled
def _merge(
    x_place: np.ndarray,
    x_weight: np.ndarray,
    y_place: np.ndarray,
    y_weight: np.ndarray,
    ahead: np.ndarray,
    gap: np.ndarray,
    period: float,
) -> None:
    """Merge m and n places: write x's surplus over y after each, and the gap to the next.

    Places and weights of x have the shape (m,), those of y (n,); `ahead` and `gap` (m + n,) at
    least.
    """
    i = j = 0
    lead = 0.0
    first = min(x_place[0], y_place[0])
    here = first
    for t in range(len(x_place) + len(y_place)):
        # at equal places the gap is 0, so their order does not matter
        if j == len(y_place) or (i < len(x_place) and x_place[i] <= y_place[j]):
            place, change = x_place[i], x_weight[i]
            i += 1
        else:
            place, change = y_place[j], -y_weight[j]
            j += 1
        if t > 0:
            gap[t - 1] = place - here
        lead += change
        ahead[t] = lead
        here = place
    # on a circle the last gap leads back to the first place; on a line nothing is left to move
    gap[len(x_place) + len(y_place) - 1] = period - (here - first) if period > 0 else 0.0


@ilk.compiled
def _median(ahead: np.ndarray, gap: np.ndarray, k: int) -> float:
    """Weighted median of k values by quickselect; reorders the values and their weights `gap`.

    ahead, gap: (k,) at least.
    """
    low, high = 0, k
    half = 0.0
    for t in range(k):
        # the point where the cumulative weight reaches half of the total
        half += gap[t]
    half *= 0.5
    before = 0.0
    while high - low > 1:
        pivot = ahead[(low + high) // 2]
        less, equal, same = low, low, 0.0
        under = 0.0
        # three-way partition (Dutch flag): many surpluses are equal
        for t in range(low, high):  # less | equal | more
            value, weight = ahead[t], gap[t]
            if value > pivot:
                continue
            ahead[t], gap[t] = ahead[equal], gap[equal]
            if value == pivot:
                ahead[equal], gap[equal] = value, weight
                same += weight
            else:
                ahead[equal], gap[equal] = ahead[less], gap[less]
                ahead[less], gap[less] = value, weight
                under += weight
                less += 1
            equal += 1
        if before + under >= half and less > low:
            high = less
        elif before + under + same >= half or equal == high:
            return float(pivot)
        else:
            # the median lies above: count the weights left behind
            before += under + same
            low = equal
    return float(ahead[low])
