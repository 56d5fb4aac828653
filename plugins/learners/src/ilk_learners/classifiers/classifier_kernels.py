"""Compiled loops: the best threshold along features, descent of rows in a tree, densities.

Searches take one or two passes over the sorted rows of each feature.
Leading and trailing rows of weight 0 are skipped, so both sides of a threshold have positive
weight. Of equally good thresholds, up to rounding, the first is taken. Each search writes the loss
of the best threshold and its position: that of the last row below it in sorted order, or -1 if
there is none. Weights are summed as integers, so no sum depends on the order of the rows.
"""

from __future__ import annotations

import numpy as np

from ilk import compiled

TOTAL = 61
"""Sums of units are below two to this power: their doubles still fit in int64."""
_NONE = 1 << (TOTAL + 1)  # larger than any sum
_LOW = (1 << 31) - 1  # mask of the lower half of a sum of units


@compiled
def _ends(order: np.ndarray, weights: np.ndarray) -> tuple[int, int]:
    """First and last position of positive weight; `order` and `weights`: (n,)."""
    first, end = 0, len(order) - 1
    while first < end and weights[order[first]] == 0:
        first += 1
    while end > first and weights[order[end]] == 0:
        end -= 1
    return first, end


@compiled
def _error(cumulative: int, first_weight: int, second_weight: int) -> int:
    """Error of a threshold, given the cumulative sum of w_i y_i below it."""
    # with c = w_2 - w_1 below and the totals A, B, the labels of the sides give the errors A + c, B
    # - c, A or B; the least of these four
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
    """Smallest error for two classes, from the cumulative sum of w_i y_i.

    Two features are processed at a time, to hide the latency of dependent additions. Instead of the
    best error, the loop keeps the bounds that a sum must cross to be better.

    Parameters
    ----------
    orders, lasts : ndarray of shape (p, n)
        As in `Presorted`.
    weights : ndarray of shape (n,)
    signed : ndarray of int64, shape (n,)
        w_i y_i in units; negative for the first class.
    totals : ndarray of int64, shape (2,)
        Units of each class.
    badness, places : ndarray of shape (p,)
        Written: error of the best threshold of each feature, and its position.
    """
    first, second = totals[0], totals[1]
    # two features at a time: their sums do not wait for one another
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
                    # only a sum outside these bounds has an error that is smaller by more than
                    # rounding
                    low_f, high_f = error - rounding - first, second - error + rounding
            if (sum_g < low_g or sum_g > high_g) and last_g[i] and start_g <= i < end_g:
                error = _error(sum_g, first, second)
                if error < best_g - rounding:
                    best_g, place_g = error, i
                    low_g, high_g = error - rounding - first, second - error + rounding
        badness[f], places[f] = best_f, place_f
        badness[g], places[g] = best_g, place_g


@compiled
def fill_buckets(
    bins: np.ndarray, units: np.ndarray, n_first: int, totals: np.ndarray, sums: np.ndarray
) -> int:
    """Sum the units of both classes in each bucket; return the least error at their ends.

    Parameters
    ----------
    bins : ndarray of uint16, shape (p, n)
        Bucket of each row, in the order of `units`.
    units : ndarray of int64, shape (n,)
        Rows of the first class, `n_first` of them, stand before those of the second.
    totals : ndarray of int64, shape (2,)
        Units of each class.
    sums : ndarray of int64, shape (p, 2, n_buckets)
        Written.
    """
    least = _NONE
    for f in range(len(bins)):
        column, below, above = bins[f], sums[f, 0], sums[f, 1]
        below[:] = 0
        above[:] = 0
        for i in range(n_first):
            below[column[i]] += units[i]
        for i in range(n_first, len(units)):
            above[column[i]] += units[i]
        total = 0
        for b in range(len(below)):
            total += above[b] - below[b]
            least = min(least, _error(total, totals[0], totals[1]))
    return least


@compiled
def search_buckets(
    orders: np.ndarray,
    lasts: np.ndarray,
    signed: np.ndarray,
    sums: np.ndarray,
    starts: np.ndarray,
    single: np.ndarray,
    totals: np.ndarray,
    rounding: int,
    least: int,
    badness: np.ndarray,
    places: np.ndarray,
) -> None:
    """Smallest error for two classes, as `search_two`, where all weights are positive.

    Only buckets are searched whose sums allow an error of at most `least`, an upper bound over
    all features, and some rounding. Ties up to rounding are taken as in `search_two` unless an
    error is more than one and less than two roundings from the least of its feature: the place
    is -2 then, and the feature must be searched as a whole. Features that cannot win may get a
    larger error.

    Parameters
    ----------
    orders, lasts, signed, totals, badness, places
        As in `search_two`.
    sums : ndarray of int64, shape (p, 2, n_buckets)
        As from `fill_buckets`.
    starts : ndarray of int, shape (p, n_buckets + 1)
        Position of the first row of each bucket along the feature, and n.
    single : ndarray of bool, shape (p, n_buckets)
        Whether all values in a bucket are equal.
    """
    first, second = totals[0], totals[1]
    bound = least + 4 * rounding
    for f in range(len(orders)):
        order, last = orders[f], lasts[f]
        best, place, lowest, near = _NONE, -1, _NONE, False
        for again in range(2):
            total = 0
            for b in range(single.shape[1]):
                start, end = starts[f, b], starts[f, b + 1]
                before, total = total, total + sums[f, 1, b] - sums[f, 0, b]
                low = _error(total, first, second)
                if not single[f, b]:
                    # all of one class may come first: the error is least at either extreme
                    low = min(
                        _error(before - sums[f, 0, b], first, second),
                        _error(before + sums[f, 1, b], first, second),
                    )
                if low > bound or start == end:
                    continue
                if single[f, b]:
                    start, before = end - 1, total - signed[order[end - 1]]
                for i in range(start, end):
                    before += signed[order[i]]
                    if last[i]:
                        error = _error(before, first, second)
                        if again:
                            near |= lowest + rounding < error <= lowest + 2 * rounding
                        elif error < best - rounding:
                            best, place = error, i
                        lowest = min(lowest, error)
        badness[f], places[f] = best, -2 if near and lowest <= least + 2 * rounding else place


@compiled
def class_weights(codes: np.ndarray, units: np.ndarray, totals: np.ndarray) -> None:
    """Add up the units of each class in an array of zeros.

    Shapes: `codes` and `units` (n,), `totals` (n_classes,).
    """
    for i in range(len(codes)):
        totals[codes[i]] += units[i]


def leaf_weights(codes: np.ndarray, weights: np.ndarray, n_classes: int) -> np.ndarray:
    """Weight of each class among some rows, in a unit small relative to their sum.

    Shapes: `codes` and `weights` (m,).
    """
    units, totals = np.empty(len(codes), dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    factor = convert(weights, units)
    class_weights(codes, units, totals)
    return np.asarray(totals / factor)


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
    """Smallest error for any number of classes.

    The error of a side of weight W is W minus the largest class weight there. A pass down gives
    the side above each row, a pass up the side below. Arrays as in `search_two`; `units` and
    `codes` (n,).
    """
    above = np.zeros(orders.shape[1], dtype=np.int64)
    sums = np.zeros(n_classes, dtype=np.int64)
    for f in range(len(orders)):
        order, last = orders[f], lasts[f]
        first, end = _ends(order, weights)
        sums[:] = 0
        weight, largest = 0, 0
        # from the end: the error above each place, then from the front the error below
        for i in range(end, first, -1):
            c, w = codes[order[i]], units[order[i]]
            class_sum = sums[c] + w
            sums[c] = class_sum
            weight += w
            # the largest class weight can only grow, and only by the class that was added
            largest += max(class_sum - largest, 0)
            above[i - 1] = weight - largest
        sums[:] = 0
        weight, largest = 0, 0
        best, bar, place = _NONE, _NONE, -1
        for i in range(first, end):
            c, w = codes[order[i]], units[order[i]]
            class_sum = sums[c] + w
            sums[c] = class_sum
            weight += w
            largest += max(class_sum - largest, 0)
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
    """Smallest Gini impurity.

    The impurity of a side of weight W is W minus the sum of squared class weights over W. A square
    is ``(2^31 a + b)^2``: the integer sums of a^2, a b and b^2 / 2^20 (rounded down) are exact.
    Arrays as in `search_many`.
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
                # squares of 61 bits do not fit in 64: for W = a 2^31 + b, the sums of a^2, a b and
                # b^2 are kept, the last without 20 bits that could make it overflow
                a, b = sums[c] >> 31, sums[c] & _LOW
                sums[c] += w
                weight += w
                d, e = sums[c] >> 31, sums[c] & _LOW
                high += d * d - a * a
                middle += d * e - a * b
                low += (e * e >> 20) - (b * b >> 20)
                squares = high * 2.0**62 + middle * 2.0**32 + low * 2.0**20
                # W - sum_c W_c^2 / W
                bad = weight - squares / weight if weight > 0 else 0.0
                if not upwards:
                    above[i - 1] = bad
                elif last[i] and bad + above[i] < bar:
                    best, place = bad + above[i], i
                    bar = best - rounding
        badness[f], places[f] = best, place


_LEAST = 2.0 ** (TOTAL - 3)  # a smaller sum of units wastes digits: choose a finer unit
_POWER = 1000  # largest exponent of the unit: 2^1000 does not overflow


@compiled
def convert(weights: np.ndarray, units: np.ndarray) -> float:
    """Convert weights to rounded integer units; return the number of units per weight of 1.

    The unit is a power of two that depends on the weights but not on their order. Weights
    below 2^-59 of their sum may become 0. Shapes: `weights` and `units` (n,).
    """
    # a power of two: the conversion only rounds where digits beyond the unit are lost
    most = 0.0
    for weight in weights:
        most = max(most, weight)
    if most == 0:
        units[:] = 0
        return 1.0
    bound, factor = most * len(weights), 1.0
    for _ in range(2):  # the second time with the sum of the first, a tighter bound
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
    links: np.ndarray,
    thresholds: np.ndarray,
    rows: np.ndarray,
    nodes: np.ndarray,
    leaves: np.ndarray,
) -> None:
    """Write the leaf of each row.

    A block of rows descends level by level: their memory accesses are independent and overlap.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    links : ndarray of uint32, shape (n_nodes, 3)
        Feature, left and right child of each node, side by side in memory; a leaf is its own
        child. Unsigned, as negative positions would cost a test each.
    thresholds : ndarray of shape (n_nodes,)
    rows, nodes : ndarrays of uint32, shape (m,)
        Scratch space; m rows descend together.
    leaves : ndarray of shape (n,)
    """
    for start in range(0, len(X), len(rows)):
        size = min(len(rows), len(X) - start)
        for k in range(size):
            rows[k], nodes[k] = start + k, 0
        while size > 0:
            walking = 0
            for k in range(size):
                row, node = rows[k], nodes[k]
                feature, left, right = links[node, 0], links[node, 1], links[node, 2]
                if left == node:
                    leaves[row] = node
                    continue
                # rows still on their way stay at the front; those in leaves are dropped
                rows[walking] = row
                nodes[walking] = left if X[row, feature] <= thresholds[node] else right
                walking += 1
            size = walking


@compiled
def find_gaps(
    ranks: np.ndarray, links: np.ndarray, thresholds: np.ndarray, gaps: np.ndarray
) -> None:
    """Write, for each node, the row of largest rank that goes left and of smallest to the right.

    Shapes: `ranks` (n, p), `links` as in `find_leaves`, `thresholds` (n_nodes,), `gaps`
    (n_nodes, 2), -1 on entry.
    """
    for i in range(len(ranks)):
        node = np.uint32(0)
        while links[node, 1] != node:
            feature = links[node, 0]
            rank, side = ranks[i, feature], 0
            if rank > thresholds[node]:
                side = 1
            known = gaps[node, side]
            # of the ranks on each side, the one nearest to the threshold
            if known < 0 or (rank > ranks[known, feature]) == (side == 0):
                gaps[node, side] = i
            node = links[node, 1 + side]


@compiled
def put_ranks(values: np.ndarray, order: np.ndarray, ranks: np.ndarray) -> None:
    """Write the rank of each value among the distinct ones; `order` sorts them. Shapes: (n,)."""
    rank = 0
    for i in range(len(order)):
        if i > 0 and values[order[i]] != values[order[i - 1]]:
            rank += 1
        ranks[order[i]] = rank


@compiled
def log_density(
    queries: np.ndarray, points: np.ndarray, weights: np.ndarray, width: float, result: np.ndarray
) -> None:
    """Add ``ln sum_i w_i exp(-((q - x_i)/h)^2 / 2)`` to the result of each query.

    Sums are relative to the term of the nearest point, so none underflows far from all points.
    Shapes: `queries` and `result` (m,), `points` and `weights` (n,).
    """
    for q in range(len(queries)):
        nearest = np.inf
        for x in points:
            nearest = min(nearest, abs(queries[q] - x))
        nearest /= width
        total = 0.0
        for i in range(len(points)):
            z = abs(queries[q] - points[i]) / width
            # (nearest^2 - z^2) / 2, factored against cancellation: at most 0, so exp cannot
            # overflow
            total += weights[i] * np.exp((nearest - z) * (nearest + z) / 2)
        result[q] += np.log(total) - nearest * nearest / 2
