"""The rules sum, max, min, median, borda and cascade, a block of samples at a time.

Each takes `outputs` of shape (L, n, C), the first of the samples to combine, and `combined` of
shape (m, C), which it fills in for m samples. False is returned where outputs are no support: a
NaN, an infinity, a negative value, or all zero.
"""

from __future__ import annotations

import math

import numpy as np

from ilk import compiled
from ilk_ensembles.combiners.share_kernels import divide, shares, total_of

_HELD = 1 << 15  # values that a median sorts at once: a quarter of a megabyte, which stays in cache


@compiled
def weighted(outputs: np.ndarray, first: int, combined: np.ndarray, weights: np.ndarray) -> bool:
    """The sum of the members' support times their weights."""
    sums = combined.reshape(combined.size)
    spare = np.empty(len(sums))
    sums[:] = 0
    for member in range(len(outputs)):
        values, fine = shares(outputs, member, first, spare)
        weight, negative = weights[member], 0
        for k in range(len(sums)):
            sums[k] += values[k] * weight
            negative |= values[k] < 0
        if negative or not fine:
            return False
    return True


@compiled
def gated(outputs: np.ndarray, first: int, combined: np.ndarray, weights: np.ndarray) -> bool:
    """The same with weights of each sample's own, an array of shape (m, L)."""
    m, n_classes = combined.shape
    spare = np.empty(combined.size)
    combined[:] = 0
    for member in range(len(outputs)):
        values, fine = shares(outputs, member, first, spare)
        if not fine:
            return False
        negative = 0
        for i in range(m):
            weight = weights[i, member]
            for k in range(n_classes):
                value = values[i * n_classes + k]
                combined[i, k] += value * weight
                negative |= value < 0
        if negative:
            return False
    return True


@compiled
def largest(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """The largest support of any member."""
    most = combined.reshape(combined.size)
    spare = np.empty(len(most))
    most[:] = 0
    for member in range(len(outputs)):
        values, fine = shares(outputs, member, first, spare)
        negative = 0
        for k in range(len(most)):
            most[k] = max(most[k], values[k])
            negative |= values[k] < 0
        if negative or not fine:
            return False
    return True


@compiled
def smallest(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """The smallest support of any member."""
    least = combined.reshape(combined.size)
    spare = np.empty(len(least))
    least[:] = math.inf
    for member in range(len(outputs)):
        values, fine = shares(outputs, member, first, spare)
        for k in range(len(least)):
            least[k] = min(least[k], values[k])
        if not fine:
            return False
    return bool(_alike_where_none(combined))


@compiled
def _alike_where_none(combined: np.ndarray) -> bool:
    """Support all classes alike where none has any; False where support is negative."""
    least = 0.0
    for i in range(len(combined)):
        most = 0.0
        for value in combined[i]:
            most = max(most, value)
            least = min(least, value)
        if most == 0:
            combined[i] = 1 / combined.shape[1]
    return bool(least >= 0)


@compiled
def median(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """The middle support of the members, or the mean of both middle ones."""
    n_members, _, n_classes = outputs.shape
    m = len(combined)
    size = max(_HELD // (n_members * n_classes), 1)
    for start in range(0, m, size):
        middle = combined[start : min(start + size, m)]
        columns = np.empty((n_members, middle.size))
        for member in range(n_members):
            values, fine = shares(outputs, member, first + start, columns[member])
            columns[member] = values
            if not fine or values.min() < 0:
                return False
        _sort(columns)
        lower, upper = columns[(n_members - 1) // 2], columns[n_members // 2]
        middle.reshape(middle.size)[:] = lower + (upper - lower) / 2
    return bool(_alike_where_none(combined))


@compiled
def _sort(columns: np.ndarray) -> None:
    """Sort all columns at once, by merge exchange (Knuth, volume 3, algorithm 5.2.2 M)."""
    n, top = len(columns), 1
    while 2 * top < n:
        top *= 2
    part = top if n > 1 else 0
    while part > 0:
        step, other, distance = top, 0, part
        while True:
            for i in range(n - distance):
                if i & part == other:
                    _exchange(columns[i], columns[i + distance])
            if step == part:
                break
            step, other, distance = step // 2, part, step - part
        part //= 2


@compiled
def _exchange(low: np.ndarray, high: np.ndarray) -> None:
    for k in range(len(low)):
        a, b = low[k], high[k]
        low[k], high[k] = (a, b) if a < b else (b, a)


@compiled
def borda(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """For each class the classes that members support less, and half of those as much."""
    n_members, _, n_classes = outputs.shape
    combined[:] = 0
    for member in range(n_members):
        for i in range(len(combined)):
            row, beaten = outputs[member, first + i], combined[i]
            if total_of(row) < 0:
                return False
            for k in range(1, n_classes):
                for other in range(k):
                    ahead = int(row[k] > row[other]) - int(row[k] < row[other])
                    beaten[k] += ahead
                    beaten[other] -= ahead
    for i in range(len(combined)):
        for k in range(n_classes):
            combined[i, k] = (n_members * (n_classes - 1) + combined[i, k]) / 2
    return True


@compiled
def first_sure(
    outputs: np.ndarray,
    first: int,
    combined: np.ndarray,
    order: np.ndarray,
    thresholds: np.ndarray,
    answered_by: np.ndarray,
) -> bool:
    """Support by the first member, in an order, whose largest is at least its threshold.

    Parameters
    ----------
    thresholds : ndarray of shape (L - 1,)
        In the order of asking; the last one answers what is left.
    answered_by : ndarray of int, shape (m,)
        Is set to the positions of the members.
    """
    share = np.empty(combined.shape[1])
    answered_by[:] = -1
    for place in range(len(order)):
        member = order[place]
        last = place == len(order) - 1
        for i in range(len(combined)):
            if not divide(outputs[member, first + i], share):
                return False
            if answered_by[i] < 0 and (last or share.max() >= thresholds[place]):
                combined[i] = share
                answered_by[i] = member
    return True
