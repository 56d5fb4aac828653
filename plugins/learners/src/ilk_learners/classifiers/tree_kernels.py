"""Compiled: the best threshold along features, and walks of rows down a tree of thresholds.

Searches take one or two passes over the sorted rows of each feature.
Rows of weight 0 before the first and after the last other one are skipped, so that both sides of
a threshold weigh something. The first threshold of those that are as good, up to rounding, is
taken. Each search fills in the badness of the best one and its place: the last of the rows, in
their order, that are below it; -1 where there is none. Weights are summed in whole units, so that
no sum depends on the order of the rows.
"""

from __future__ import annotations

import numpy as np

from ilk import compiled

TOTAL = 61
"""Sums of units are below two to this power."""
_NONE = 1 << (TOTAL + 1)  # larger than any sum
_LOW = (1 << 31) - 1


@compiled
def _ends(order: np.ndarray, weights: np.ndarray) -> tuple[int, int]:
    first, end = 0, len(order) - 1
    while first < end and weights[order[first]] == 0:
        first += 1
    while end > first and weights[order[end]] == 0:
        end -= 1
    return first, end


@compiled
def _error(cumulative: int, first_weight: int, second_weight: int) -> int:
    below = first_weight + min(cumulative, 0)
    return min(below, second_weight - max(cumulative, 0))


@compiled
def search_two(
    orders: np.ndarray,
    lasts: np.ndarray,
    weights: np.ndarray,
    signed: np.ndarray,
    totals: np.ndarray,
    rounding: int,
    badness: np.ndarray,
    places: np.ndarray,
) -> None:
    """Least error for two classes, from the cumulative sum of w_i y_i.

    Two features at a time, as each sum has to wait for its last addition. What a sum must be
    below, or above, to be better than the best so far is kept in place of its error.

    Parameters
    ----------
    signed : ndarray of int64, shape (n,)
        w_i y_i: units, those of the first class negative.
    totals : ndarray of int64, shape (2,)
        Units of each class.
    """
    first, second = totals[0], totals[1]
    for f in range(0, len(orders), 2):
        g = min(f + 1, len(orders) - 1)
        order_f, last_f, order_g, last_g = orders[f], lasts[f], orders[g], lasts[g]
        start_f, end_f = _ends(order_f, weights)
        start_g, end_g = _ends(order_g, weights)
        best_f, low_f, high_f, place_f, sum_f = _NONE, _NONE, -_NONE, -1, 0
        best_g, low_g, high_g, place_g, sum_g = _NONE, _NONE, -_NONE, -1, 0
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
def class_weights(codes: np.ndarray, units: np.ndarray, totals: np.ndarray) -> None:
    """Fill in the units of each class; zeros at first."""
    for i in range(len(codes)):
        totals[codes[i]] += units[i]


@compiled
def leaf_weights(
    rows: np.ndarray, codes: np.ndarray, weights: np.ndarray, n_classes: int
) -> np.ndarray:
    """Weight of each class among some rows, in a unit that is small beside their sum."""
    own, units = weights[rows], np.empty(len(rows), dtype=np.int64)
    factor = convert(own, units)
    totals = np.zeros(n_classes, dtype=np.int64)
    for i in range(len(rows)):
        totals[codes[rows[i]]] += units[i]
    leaf: np.ndarray = totals / factor
    return leaf


@compiled
def search_many(
    orders: np.ndarray,
    lasts: np.ndarray,
    weights: np.ndarray,
    units: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    rounding: int,
    badness: np.ndarray,
    places: np.ndarray,
) -> None:
    """Least error for any number of classes.

    The badness of a side of weight W is W less the most that one class weighs there. That above
    each row comes from a pass down, that below it from a pass up.
    """
    above = np.zeros(orders.shape[1], dtype=np.int64)
    sums = np.zeros(n_classes, dtype=np.int64)
    for f in range(len(orders)):
        order, last = orders[f], lasts[f]
        first, end = _ends(order, weights)
        sums[:] = 0
        weight, largest = 0, 0
        for i in range(end, first, -1):
            c, w = codes[order[i]], units[order[i]]
            own = sums[c] + w
            sums[c] = own
            weight += w
            largest += max(own - largest, 0)
            above[i - 1] = weight - largest
        sums[:] = 0
        weight, largest = 0, 0
        best, bar, place = _NONE, _NONE, -1
        for i in range(first, end):
            c, w = codes[order[i]], units[order[i]]
            own = sums[c] + w
            sums[c] = own
            weight += w
            largest += max(own - largest, 0)
            bad = weight - largest + above[i]
            if bad < bar and last[i]:
                best, bar, place = bad, bad - rounding, i
        badness[f], places[f] = best, place


@compiled
def search_gini(
    orders: np.ndarray,
    lasts: np.ndarray,
    weights: np.ndarray,
    units: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    rounding: int,
    badness: np.ndarray,
    places: np.ndarray,
) -> None:
    """Least Gini impurity.

    The badness of a side of weight W is W less the sum of the classes' squared weights over W.
    A square is ``(2^31 a + b)^2``: sums of a^2, a b and b^2 / 2^20, rounded down, are exact.
    """
    above = np.zeros(orders.shape[1])
    sums = np.zeros(n_classes, dtype=np.int64)
    for f in range(len(orders)):
        order, last = orders[f], lasts[f]
        first, end = _ends(order, weights)
        best, bar, place = np.inf, np.inf, -1
        for upwards in range(2):
            sums[:] = 0
            weight, high, middle, low = 0, 0, 0, 0
            for k in range(end - first):
                i = first + k if upwards else end - k
                c, w = codes[order[i]], units[order[i]]
                a, b = sums[c] >> 31, sums[c] & _LOW
                sums[c] += w
                weight += w
                d, e = sums[c] >> 31, sums[c] & _LOW
                high += d * d - a * a
                middle += d * e - a * b
                low += (e * e >> 20) - (b * b >> 20)
                squares = high * 2.0**62 + middle * 2.0**32 + low * 2.0**20
                bad = weight - squares / weight if weight > 0 else 0.0
                if not upwards:
                    above[i - 1] = bad
                elif last[i] and bad + above[i] < bar:
                    best, place = bad + above[i], i
                    bar = best - rounding
        badness[f], places[f] = best, place


_LEAST = 2.0 ** (TOTAL - 3)  # a smaller sum of units would waste digits
_POWER = 1000  # a power of two that is no infinity


@compiled
def convert(weights: np.ndarray, units: np.ndarray) -> float:
    """Fill in how many units each weight is, rounded; return how many of them 1 is.

    The unit is a power of two that depends on the weights but not on their order. Weights
    below 2^-59 of their sum may become 0.
    """
    most = 0.0
    for weight in weights:
        most = max(most, weight)
    if most == 0:
        units[:] = 0
        return 1.0
    bound, factor = most * len(weights), 1.0
    for _ in range(2):
        power = min(TOTAL - int(np.ceil(np.log2(bound))) - 1, _POWER)
        factor = 2.0**power
        count = 0
        for i in range(len(weights)):
            units[i] = np.int64(np.rint(weights[i] * factor))
            count += units[i]
        if count >= _LEAST or power == _POWER:
            break
        bound = (count + len(weights)) / factor
    return factor


@compiled
def find_leaves(
    X: np.ndarray,
    features: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    leaves: np.ndarray,
) -> None:
    """Fill in the node at which each row ends; nodes without children have -1 for them."""
    for i in range(len(X)):
        node = 0
        while left[node] >= 0:
            below = X[i, features[node]] <= thresholds[node]
            node = left[node] if below else right[node]
        leaves[i] = node


@compiled
def find_gaps(
    ranks: np.ndarray,
    features: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    below: np.ndarray,
    above: np.ndarray,
) -> None:
    """Fill in, for each node, the largest rank that goes left and the smallest that goes right."""
    for i in range(len(ranks)):
        node = 0
        while left[node] >= 0:
            rank = ranks[i, features[node]]
            if rank <= thresholds[node]:
                below[node] = max(below[node], rank)
                node = left[node]
            else:
                above[node] = min(above[node], rank)
                node = right[node]
