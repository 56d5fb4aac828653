"""Compiled kernels of boosting: passes over binned features, and thresholds of stumps."""

from __future__ import annotations

import numpy as np

from ilk import compiled

_GONE = 1e-300  # smaller weights become 0: arithmetic on subnormal numbers is slow


@compiled
def bin_block(
    X: np.ndarray, low: np.ndarray, high: np.ndarray, n_bins: int, start: int, codes: np.ndarray
) -> None:
    """Write the bins of a block of rows to `codes`, starting at its column `start`.

    Shapes: X (m, p), low and high (p,), codes (p, n).
    """
    for f in range(X.shape[1]):
        # halve both ends where their difference would overflow
        half = 1.0 if np.isfinite(high[f] - low[f]) else 0.5
        least, width = half * low[f], half * high[f] - half * low[f]
        for i in range(len(X)):
            place = (half * X[i, f] - least) / width * n_bins if width > 0 else 0.0
            codes[f, start + i] = int(min(max(place, 0.0), n_bins - 1.0))


@compiled
def weigh_bins(
    bins: np.ndarray, weights: np.ndarray, ends: np.ndarray, histogram: np.ndarray
) -> None:
    """Sum the weights of each side in each bin of a feature, for one problem.

    Parameters
    ----------
    bins : ndarray of shape (n,)
        Bins of the rows, sorted by class.
    weights : ndarray of shape (n,)
    ends : ndarray of int, shape (2,)
        First row of the positive class, and one past its last row.
    histogram : ndarray of shape (2, n_bins)
        Output: weights of the negative side, then of the positive class.
    """
    histogram[:] = 0
    for i in range(len(bins)):
        side = 1 if ends[0] <= i < ends[1] else 0
        histogram[side, bins[i]] += weights[i]


@compiled
def costs_of_two(
    bins: np.ndarray, weights: np.ndarray, ends: np.ndarray, n_bins: int, costs: np.ndarray
) -> None:
    """Fill in the cost of each feature for a problem of two classes.

    Four features at a time: consecutive additions to one bin would stall on each other.
    Shapes: bins (p, n), weights (n, 1), ends (3,), costs (p, 1).
    """
    p, n = bins.shape
    first = ends[1]
    weight = weights[:, 0]
    sums = np.empty((2, 4, n_bins))
    # four features at a time: a weight is loaded once for all of them
    for start in range(0, p, 4):
        a, b, c, d = start, min(start + 1, p - 1), min(start + 2, p - 1), min(start + 3, p - 1)
        sums[:] = 0
        for side in range(2):
            part = sums[side]
            for i in range(0 if side == 0 else first, first if side == 0 else n):
                w = weight[i]
                part[0, bins[a, i]] += w
                part[1, bins[b, i]] += w
                part[2, bins[c, i]] += w
                part[3, bins[d, i]] += w
        for j in range(min(4, p - start)):
            cost = 0.0
            for k in range(n_bins):
                # Z = 2 sum_b sqrt(W+_b W-_b): the normalizer of the best confidences of a feature's
                # bins
                cost += np.sqrt(sums[0, j, k] * sums[1, j, k])
            costs[start + j, 0] = 2 * cost


@compiled
def costs_of_many(
    bins: np.ndarray,
    weights: np.ndarray,
    ends: np.ndarray,
    n_bins: int,
    costs: np.ndarray,
    classes: np.ndarray,
) -> None:
    """Fill in the cost of each feature for each class against the rest.

    One pass over the bins of a feature serves all problems: the weights of the rows of a class
    count for the positive side in its own problem, and for the negative side in the others.
    Rows are sorted in the order of `classes`.
    Shapes: bins (p, n), weights (n, C) by problem, ends (C + 1,), costs (p, C), classes (C,).
    """
    n_classes = len(ends) - 1
    part = np.empty((n_bins, n_classes))
    others = np.empty((n_bins, n_classes))
    own_side = np.empty((n_bins, n_classes))
    for f in range(len(bins)):
        column = bins[f]
        others[:] = 0
        for k in range(n_classes):
            part[:] = 0
            for i in range(ends[k], ends[k + 1]):
                b = column[i]
                for c in range(n_classes):
                    part[b, c] += weights[i, c]
            # the rows of a class are its own side in its problem, the other side elsewhere
            own_side[:, classes[k]] = part[:, classes[k]]
            part[:, classes[k]] = 0
            others += part
        for c in range(n_classes):
            costs[f, c] = 0
        for b in range(n_bins):
            for c in range(n_classes):
                costs[f, c] += 2 * np.sqrt(own_side[b, c] * others[b, c])


@compiled
def reweigh(bins: np.ndarray, factors: np.ndarray, ends: np.ndarray, weights: np.ndarray) -> None:
    """Multiply the weights of one problem by the factor of each row's side and bin.

    Shapes: bins (n,), factors (2, n_bins), ends (2,), weights (n,).
    """
    for i in range(len(bins)):
        side = 1 if ends[0] <= i < ends[1] else 0
        w = weights[i] * factors[side, bins[i]]
        # monotone: a weight that vanished stays 0 in all further rounds
        weights[i] = w if w >= _GONE else 0.0


@compiled
def add_scores(
    bins: np.ndarray, places: np.ndarray, values: np.ndarray, start: int, scores: np.ndarray
) -> None:
    """Add the confidences of all rounds to the scores of a block of rows, in round order.

    Parameters
    ----------
    bins : ndarray of shape (q, m)
        Bins of the selected features.
    places : ndarray of int, shape (T, C)
        Position among them of the feature used in each round, for each problem.
    values : ndarray of shape (T, C, n_bins)
    start : int
        Row of `scores` at which the block starts.
    scores : ndarray of shape (n, C)
    """
    for t in range(len(places)):
        for c in range(places.shape[1]):
            column, confidences = bins[places[t, c]], values[t, c]
            for i in range(len(column)):
                scores[start + i, c] += confidences[column[i]]


@compiled
def add_sides(
    X: np.ndarray,
    features: np.ndarray,
    thresholds: np.ndarray,
    columns: np.ndarray,
    amounts: np.ndarray,
    support: np.ndarray,
) -> None:
    """Add what each of T thresholds says of each row to the support, one after another.

    Shapes: X (n, p), features and thresholds (T,), columns and amounts (T, 2), support (n, C).
    """
    for t in range(len(features)):
        feature, threshold = features[t], thresholds[t]
        for i in range(len(X)):
            side = 1 if X[i, feature] > threshold else 0
            support[i, columns[t, side]] += amounts[t, side]


@compiled
def search_thresholds(
    orders: np.ndarray,
    lasts: np.ndarray,
    signed: np.ndarray,
    rounding: float,
    gains: np.ndarray,
    places: np.ndarray,
) -> None:
    """Fill in the gain of the best threshold of each feature, for each problem, and its place.

    With W and S the sums of w_i and w_i y_i, and w and s those at or below the threshold, two
    means reduce the weighted sum of squares of one mean by
    ``(s - S w / W)^2 / (w (1 - w / W))``. Of gains that are equal up to rounding the first
    is taken; a gain within rounding of 0 counts as none, and its place is -1.

    Parameters
    ----------
    orders : ndarray of int, shape (p, n)
        Row indices, ascending along each feature.
    lasts : ndarray of bool, shape (p, n)
        Whether the next value along the feature differs.
    signed : ndarray of shape (Q, n)
        w_i y_i of each problem; absolute values sum to 1.
    gains, places : ndarray of shape (Q, p)
        Output; the place is the position of the last row below the threshold.
    """
    for q in range(len(signed)):
        values = signed[q]
        # labels are +1 and -1: the size of a signed weight is w_i, its value w_i y_i
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
                # deviation of the weighted sum below from the prediction of the common mean
                lead = below - mean * weight
                span = weight * (1 - weight / total)
                # compare products: most thresholds lose and need no division
                if lead * lead > bar * span and last[i] and span > rounding * rounding:
                    best, place = lead * lead / span, i
                    bar = best + rounding
            gains[q, f], places[q, f] = best, place
