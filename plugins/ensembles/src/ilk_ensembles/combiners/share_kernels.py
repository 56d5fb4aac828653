"""Support of one member for a block of samples, checked and divided by its sums.

Blocks are flat: the classes of one sample after those of another. Whoever works on what
`shares` returns must look for negative values: it costs nothing there.
"""

from __future__ import annotations

import math

import numpy as np

from ilk import compiled

_NEAR = 1e-14  # sums this near 1 are 1
_LEAST, _MOST = 1e-290, 1e290  # of a sum, so that it may be divided by


@compiled
def shares(
    outputs: np.ndarray, member: int, first: int, spare: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Support for the samples from `first` on, as many as `spare` has room for.

    Returns
    -------
    values : ndarray of shape (m C,)
        The outputs themselves where all sums are 1, as those of probabilities are; else `spare`.
    fine : bool
        False where support is not finite, or all zero.
    """
    n_classes = outputs.shape[2]
    m = len(spare) // n_classes
    values = outputs[member, first : first + m].reshape(m * n_classes)
    if _sums_to_one(values, n_classes):
        return values, True
    width, one, at = np.uint64(n_classes), np.uint64(1), np.uint64(0)
    while at < np.uint64(len(values)):
        total, end, place = 0.0, at + width, at
        while place < end:
            total += values[place]
            place += one
        if _LEAST < total < _MOST:
            factor, place = 1 / total, at
            while place < end:
                spare[place] = values[place] * factor
                place += one
        elif not divide(values[at:end], spare[at:end]):
            return spare, False
        at = end
    return spare, True


@compiled
def total_of(row: np.ndarray) -> float:
    """Sum of support; -1 where it is none, infinity where only the sum is too large."""
    total, least, most = 0.0, 0.0, 0.0
    for value in row:
        total += value
        least = min(least, value)
        most = max(most, value)
    fine = least >= 0 and total > 0 and most < math.inf  # NaN, too: a sum with it is one
    return total if fine else -1.0


@compiled
def divide(row: np.ndarray, share: np.ndarray) -> bool:
    """Divide support by its sum, which may be out of range; False where it is none."""
    total = total_of(row)
    if total == math.inf:
        most = row.max()
        total = 0.0
        for k in range(len(row)):
            share[k] = row[k] / most
            total += share[k]
        for k in range(len(row)):
            share[k] /= total
        return True
    for k in range(len(row)):
        share[k] = row[k] / total
    return bool(total > 0)


@compiled
def _sums_to_one(values: np.ndarray, n_classes: int) -> bool:
    """Whether all rows have sum 1 up to rounding; four at a time, as each sum waits.

    Places are unsigned: signed ones are looked at for counting from the end.
    """
    width, one, four = np.uint64(n_classes), np.uint64(1), np.uint64(4)
    left = np.uint64(len(values)) // width
    at, off = np.uint64(0), 0
    while left >= four:
        a = b = c = d = -1.0
        end = at + width
        while at < end:
            a += values[at]
            b += values[at + width]
            c += values[at + width + width]
            d += values[at + width + width + width]
            at += one
        near = abs(a) < _NEAR and abs(b) < _NEAR and abs(c) < _NEAR and abs(d) < _NEAR
        off |= not near
        at = end + width + width + width
        left -= four
    while at < np.uint64(len(values)):
        a = -1.0
        end = at + width
        while at < end:
            a += values[at]
            at += one
        off |= not abs(a) < _NEAR
    return off == 0
