"""Kernels of boosting: passes over binned features, and the thresholds of stumps."""

from __future__ import annotations

import numpy as np

from ilk import compiled

_GONE = 1e-300  # a weight below counts as none: what is left of it would only be slow


@compiled
def bin_block(
    X: np.ndarray, low: np.ndarray, high: np.ndarray, n_bins: int, start: int, codes: np.ndarray
) -> None:
    """Write the bins of a block of rows, the first of which is row `start`, to `codes` (p, n)."""
    for f in range(X.shape[1]):
        half = 1.0 if np.isfinite(high[f] - low[f]) else 0.5
        least, width = half * low[f], half * high[f] - half * low[f]
        for i in range(len(X)):
            place = (half * X[i, f] - least) / width * n_bins if width > 0 else 0.0
            codes[f, start + i] = int(min(max(place, 0.0), n_bins - 1.0))


@compiled
def weigh_bins(
    bins: np.ndarray, weights: np.ndarray, ends: np.ndarray, histogram: np.ndarray
) -> None:
    """Weight of each side in each bin of a feature, for one problem.

    Parameters
    ----------
    bins : ndarray of shape (n,)
        Rows in the order of their classes.
    weights : ndarray of shape (n,)
    ends : ndarray of int, shape (2,)
        First row of the positive class, and the one after its last.
    histogram : ndarray of shape (2, n_bins)
        Is set to the weights of the others, and of the class.
    """
    histogram[:] = 0
    for i in range(len(bins)):
        side = 1 if ends[0] <= i < ends[1] else 0
        histogram[side, bins[i]] += weights[i]


@compiled
def costs_of_two(
    bins: np.ndarray, weights: np.ndarray, ends: np.ndarray, n_bins: int, costs: np.ndarray
) -> None:
    """Cost of each feature where there are two classes; to `costs`, of shape (p, 1).

    Four features at a time: sums in the same bin would wait for each other.
    """
    p, n = bins.shape
    first = ends[1]
    weight = weights[:, 0]
    sums = np.empty((2, 4, n_bins))
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
    """Cost of each feature for each class against the others; to `costs`, of shape (p, C).

    Weights of shape (n, C): those of each problem. One pass over the bins of a feature serves
    all problems: what the rows of a class weigh is their own side in its problem, and the other
    side in the rest. Rows are in the order of `classes`.
    """
    n_classes = len(ends) - 1
    part = np.empty((n_bins, n_classes))
    others = np.empty((n_bins, n_classes))
    own = np.empty((n_bins, n_classes))
    for f in range(len(bins)):
        column = bins[f]
        others[:] = 0
        for k in range(n_classes):
            part[:] = 0
            for i in range(ends[k], ends[k + 1]):
                b = column[i]
                for c in range(n_classes):
                    part[b, c] += weights[i, c]
            own[:, classes[k]] = part[:, classes[k]]
            part[:, classes[k]] = 0
            others += part
        for c in range(n_classes):
            costs[f, c] = 0
        for b in range(n_bins):
            for c in range(n_classes):
                costs[f, c] += 2 * np.sqrt(own[b, c] * others[b, c])


@compiled
def reweigh(bins: np.ndarray, factors: np.ndarray, ends: np.ndarray, weights: np.ndarray) -> None:
    """Multiply the weights of one problem by the factor of each row's side and bin."""
    for i in range(len(bins)):
        side = 1 if ends[0] <= i < ends[1] else 0
        w = weights[i] * factors[side, bins[i]]
        weights[i] = w if w >= _GONE else 0.0


@compiled
def add_scores(
    bins: np.ndarray, places: np.ndarray, values: np.ndarray, start: int, scores: np.ndarray
) -> None:
    """Sum what the rounds say of a block of rows, in the order of the rounds.

    Parameters
    ----------
    bins : ndarray of shape (q, m)
        Bins of the features in use.
    places : ndarray of int, shape (T, C)
        Which of them each round looks at, for each problem.
    values : ndarray of shape (T, C, n_bins)
    start : int
        Row of `scores` that is the first of the block.
    scores : ndarray of shape (n, C)
    """
    for t in range(len(places)):
        for c in range(places.shape[1]):
            column, said = bins[places[t, c]], values[t, c]
            for i in range(len(column)):
                scores[start + i, c] += said[column[i]]


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
