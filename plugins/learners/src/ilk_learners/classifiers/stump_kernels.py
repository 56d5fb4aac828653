"""Searches of the best threshold along features, in one or two passes over their sorted rows.

Rows of weight 0 before the first and after the last other one are skipped, so that both sides of
a threshold weigh something. The first threshold of those that are as good, up to rounding, is
taken. Each search fills in the badness of the best one and its place: the last of the rows, in
their order, that are below it; -1 where there is none.
"""

from __future__ import annotations

import numpy as np

from ilk import compiled


@compiled
def _ends(order: np.ndarray, weights: np.ndarray) -> tuple[int, int]:
    first, end = 0, len(order) - 1
    while first < end and weights[order[first]] == 0:
        first += 1
    while end > first and weights[order[end]] == 0:
        end -= 1
    return first, end


@compiled
def _error(cumulative: float, first_weight: float, second_weight: float) -> float:
    below = first_weight + min(cumulative, 0.0)
    return min(below, second_weight - max(cumulative, 0.0))


@compiled
def search_two(
    orders: np.ndarray,
    lasts: np.ndarray,
    weights: np.ndarray,
    signed: np.ndarray,
    totals: np.ndarray,
    rounding: float,
    badness: np.ndarray,
    places: np.ndarray,
) -> None:
    """Least error for two classes, from the cumulative sum of w_i y_i.

    Two features at a time, as each sum has to wait for its last addition. What a sum must be
    below, or above, to be better than the best so far is kept in place of its error.

    Parameters
    ----------
    signed : ndarray of shape (n,)
        w_i y_i: weights, those of the first class negative.
    totals : ndarray of shape (2,)
        Weight of each class.
    """
    first, second = totals[0], totals[1]
    for f in range(0, len(orders), 2):
        g = min(f + 1, len(orders) - 1)
        order_f, last_f, order_g, last_g = orders[f], lasts[f], orders[g], lasts[g]
        start_f, end_f = _ends(order_f, weights)
        start_g, end_g = _ends(order_g, weights)
        best_f, low_f, high_f, place_f, sum_f = np.inf, np.inf, -np.inf, -1, 0.0
        best_g, low_g, high_g, place_g, sum_g = np.inf, np.inf, -np.inf, -1, 0.0
        for i in range(min(start_f, start_g), max(end_f, end_g)):
            sum_f += signed[order_f[i]]
            sum_g += signed[order_g[i]]
            if (sum_f < low_f or sum_f > high_f) and last_f[i] and start_f <= i < end_f:
                error = _error(sum_f, first, second)
                if error < best_f - rounding:
                    best_f, place_f = error, i
                    low_f, high_f = error - rounding - first, second - error + rounding
            if (sum_g < low_g or sum_g > high_g) and last_g[i] and start_g <= i < end_g:
                error = _error(sum_g, first, second)
                if error < best_g - rounding:
                    best_g, place_g = error, i
                    low_g, high_g = error - rounding - first, second - error + rounding
        badness[f], places[f] = best_f, place_f
        badness[g], places[g] = best_g, place_g


@compiled
def leaf_weights(
    order: np.ndarray, place: int, codes: np.ndarray, weights: np.ndarray, leaves: np.ndarray
) -> None:
    """Add the weight of each class up to a place in the order, and after it, to two rows."""
    for i in range(len(order)):
        row = order[i]
        leaves[0 if i <= place else 1, codes[row]] += weights[row]


@compiled
def search_many(
    orders: np.ndarray,
    lasts: np.ndarray,
    weights: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    gini: bool,
    rounding: float,
    badness: np.ndarray,
    places: np.ndarray,
) -> None:
    """Least error, or Gini impurity, for any number of classes.

    The badness of a side of weight W is W less the most that one class weighs there, or W less
    the sum of the classes' squared weights over W. That above each row comes from a pass down,
    that below it from a pass up: nothing is found as a difference from the total.
    """
    above = np.zeros(orders.shape[1])
    sums = np.zeros(n_classes)
    for f in range(len(orders)):
        order, last = orders[f], lasts[f]
        first, end = _ends(order, weights)
        sums[:] = 0
        weight, largest, squares = 0.0, 0.0, 0.0
        for i in range(end, first, -1):
            c, w = codes[order[i]], weights[order[i]]
            squares += w * (2 * sums[c] + w)
            sums[c] += w
            weight += w
            largest = max(largest, sums[c])
            above[i - 1] = weight - (squares / weight if gini else largest)
        sums[:] = 0
        weight, largest, squares = 0.0, 0.0, 0.0
        best, bar, place = np.inf, np.inf, -1
        for i in range(first, end):
            c, w = codes[order[i]], weights[order[i]]
            squares += w * (2 * sums[c] + w)
            sums[c] += w
            weight += w
            largest = max(largest, sums[c])
            bad = weight - (squares / weight if gini else largest) + above[i]
            if bad < bar and last[i]:
                best, bar, place = bad, bad - rounding, i
        badness[f], places[f] = best, place
