"""Search of the thresholds along features at which labels of +1 and -1 differ most in mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk import compiled

if TYPE_CHECKING:
    import numpy as np


@compiled
def search(
    orders: np.ndarray,
    lasts: np.ndarray,
    signed: np.ndarray,
    rounding: float,
    gains: np.ndarray,
    places: np.ndarray,
) -> None:
    """Fill in the gain of the best threshold of each feature, for each problem, and its place.

    With W and S the sums of w_i and w_i y_i, and w and s those at or below the threshold, the
    weighted squares that two means leave are less than those that one leaves by
    ``(s - S w / W)^2 / (w (1 - w / W))``. Of gains that are equal up to rounding the first
    counts; one of no more than rounding is none, and its place is -1.

    Parameters
    ----------
    orders : ndarray of int, shape (p, n)
        Rows, ascending along each feature.
    lasts : ndarray of bool, shape (p, n)
        Whether the value at that place is another than the next one.
    signed : ndarray of shape (Q, n)
        w_i y_i of each problem, whose absolute values sum to 1.
    gains, places : ndarray of shape (Q, p)
        Filled in; a place is that of the last row below the threshold.
    """
    for q in range(len(signed)):
        values = signed[q]
        total, sum_ = 0.0, 0.0
        for i in range(len(values)):
            total += abs(values[i])
            sum_ += values[i]
        mean = sum_ / total
        for f in range(len(orders)):
            order, last = orders[f], lasts[f]
            best, bar, place = 0.0, rounding, -1
            below, weight = 0.0, 0.0
            for i in range(len(order) - 1):
                value = values[order[i]]
                below += value
                weight += abs(value)
                lead = below - mean * weight
                span = weight * (1 - weight / total)
                if lead * lead > bar * span and last[i] and span > rounding * rounding:
                    best, place = lead * lead / span, i
                    bar = best + rounding
            gains[q, f], places[q, f] = best, place
