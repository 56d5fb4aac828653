"""Compiled sums of differences between rows and their nearest ones.

Rows are sorted by class. Ties for the last place among the k nearest share its weight, so results
do not depend on the order of rows; distances closer than one part in 10^12 tie.
"""

from __future__ import annotations

import numpy as np

import ilk
from ilk_learners.local.distance_kernels import copy, least, select

TIE = 1e-12  # relative; above the rounding error of sums over features


@ilk.compiled(inner=True)
def distances_from(x: np.ndarray, columns: np.ndarray, squared: bool, out: np.ndarray) -> None:
    """Sums of absolute or squared differences of x and every row.

    Shapes: `x` (p,), `columns` (p, n), `out` (n,).
    """
    for j in range(len(out)):
        out[j] = 0
    for f in range(len(x)):
        if squared:
            for j in range(len(out)):
                step = x[f] - columns[f, j]
                out[j] += step * step
        else:
            for j in range(len(out)):
                out[j] += abs(x[f] - columns[f, j])


@ilk.compiled(inner=True)
def _share(near: np.ndarray, k: int, out: np.ndarray, spare: np.ndarray) -> None:
    """Split a weight of 1 among the k nearest candidates; `near` and `out` (m,), `spare` (n,)."""
    # a full sort is not needed for the k-th distance
    if k == 1:
        kth = least(near)
    else:
        copy(near, len(near), spare)
        kth = select(spare, len(near), k - 1)
    before, tied = 0, 0
    for j in range(len(near)):
        if near[j] < kth * (1 - TIE):
            before += 1
        elif near[j] <= kth * (1 + TIE):
            tied += 1
    for j in range(len(near)):
        if near[j] < kth * (1 - TIE):
            out[j] = 1.0 / k
        elif near[j] <= kth * (1 + TIE):
            # rows tied at the k-th distance share the weight that the nearer ones leave
            out[j] = (k - before) / tied / k
        else:
            out[j] = 0.0


def margins(
    rows: np.ndarray,
    columns: np.ndarray,
    starts: np.ndarray,
    prior: np.ndarray,
    drawn: np.ndarray,
    k: int,
    squared: bool,
    out: np.ndarray,
) -> None:
    """Add, for drawn rows, differences to the nearest misses minus those to the nearest hits.

    Parameters
    ----------
    rows, columns : ndarrays of shape (n, p) and (p, n)
        Sorted by class.
    starts : ndarray of int, shape (C + 1,)
        Start of each class, and the end of the last.
    prior : ndarray of shape (C,)
        Weights of classes; empty: all other classes count as one.
    drawn : ndarray of int, shape (m,)
    k : int
    squared : bool
        Whether distances are Euclidean rather than city-block.
    out : ndarray of shape (p,)
    """
    # compiled code that allocates arrays takes longer to compile
    scratch = np.empty((5, len(rows)))
    _margins(rows, columns, starts, prior, drawn, k, squared, out, scratch)


@ilk.compiled
def _margins(
    rows: np.ndarray,
    columns: np.ndarray,
    starts: np.ndarray,
    prior: np.ndarray,
    drawn: np.ndarray,
    k: int,
    squared: bool,
    out: np.ndarray,
    scratch: np.ndarray,
) -> None:
    """Add differences as `margins` does; `scratch`: (5, n)."""
    n, p = rows.shape
    distances, weights, others, spread = scratch[0], scratch[1], scratch[2], scratch[3]
    spare = scratch[4]
    for i in drawn:
        distances_from(rows[i], columns, squared, distances)
        code = _class_of(i, starts)
        first, last = starts[code], starts[code + 1]
        # a row is no neighbour of itself
        distances[i] = np.inf
        _share(distances[first:last], min(k, last - first - 1), weights[first:last], spare)
        for j in range(first, last):
            weights[j] *= -1
        # Relief: all other classes are one; ReliefF: each other class counts by its prior
        if len(prior) == 0:
            m = _split(distances, first, last, others)
            _share(others[:m], min(k, m), spread[:m], spare)
            _join(spread, first, last, weights)
        else:
            for c in range(len(prior)):
                if c != code:
                    a, b = starts[c], starts[c + 1]
                    _share(distances[a:b], min(k, b - a), weights[a:b], spare)
                    for j in range(a, b):
                        weights[j] *= prior[c] / (1 - prior[code])
        # only a few rows have weight: skip the features of the others
        for j in range(n):
            if weights[j] != 0:
                for f in range(p):
                    out[f] += weights[j] * abs(rows[i, f] - rows[j, f])


@ilk.compiled
def coincidences(
    rows: np.ndarray,
    columns: np.ndarray,
    y: np.ndarray,
    drawn: np.ndarray,
    k: int,
    out: np.ndarray,
) -> None:
    """Add, for drawn rows, differences of the k nearest rows in y, in each feature, and in both.

    Parameters
    ----------
    rows, columns : ndarrays of shape (n, p) and (p, n)
    y : ndarray of shape (n,)
        Numbers divided by their range.
    drawn : ndarray of int, shape (m,)
    k : int
    out : ndarray of shape (2, p + 1)
        Differences in each feature, and last in y; then the same times the difference in y.
    """
    n, p = rows.shape
    distances, weights, spare = np.empty(n), np.empty(n), np.empty(n)
    for i in drawn:
        distances_from(rows[i], columns, False, distances)
        distances[i] = np.inf
        _share(distances, k, weights, spare)
        for j in range(n):
            if weights[j] != 0:
                apart = abs(y[i] - y[j])
                for f in range(p):
                    # N_dA and N_dC&dA of RReliefF for the feature, and N_dC below
                    step = weights[j] * abs(rows[i, f] - rows[j, f])
                    out[0, f] += step
                    out[1, f] += step * apart
                out[0, p] += weights[j] * apart


@ilk.compiled(inner=True)
def _split(values: np.ndarray, first: int, last: int, out: np.ndarray) -> int:
    """Copy the values before `first` and from `last` on; return their number; arrays (n,)."""
    for j in range(first):  # a loop compiles ten times as fast as the assignment of a slice
        out[j] = values[j]
    m = first
    for j in range(last, len(values)):
        out[m] = values[j]
        m += 1
    return m


@ilk.compiled(inner=True)
def _join(values: np.ndarray, first: int, last: int, out: np.ndarray) -> None:
    """Put back what `_split` has taken apart; arrays (n,)."""
    for j in range(first):
        out[j] = values[j]
    for j in range(last, len(out)):
        out[j] = values[first + j - last]


@ilk.compiled(inner=True)
def _class_of(i: int, starts: np.ndarray) -> int:
    """Class of row i; `starts`: (C + 1,)."""
    code = 0
    while starts[code + 1] <= i:
        code += 1
    return code


@ilk.compiled(inner=True)
def _slopes(
    rows: np.ndarray,
    i: int,
    lengths: np.ndarray,
    weights: np.ndarray,
    sign: float,
    out: np.ndarray,
) -> None:
    """Add the gradients of weighted lengths of differences to row i, times row weights.

    Shapes: `rows` (n, p), `lengths` and `weights` (n,), `out` (p,).
    """
    for j in range(len(rows)):
        if weights[j] > 0 and lengths[j] > 0:
            # the gradient of |z|_w by w_f is w_f z_f^2 / |z|_w; the caller multiplies by w_f
            factor = sign * weights[j] / np.sqrt(lengths[j])
            for f in range(rows.shape[1]):
                step = rows[i, f] - rows[j, f]
                out[f] += factor * step * step


@ilk.compiled
def ascend(
    rows: np.ndarray, columns: np.ndarray, starts: np.ndarray, drawn: np.ndarray, w: np.ndarray
) -> None:
    """Stochastic gradient ascent: update w along the margin of each drawn row in turn.

    Parameters
    ----------
    rows, columns : ndarrays of shape (n, p) and (p, n)
    starts : ndarray of int, shape (C + 1,)
    drawn : ndarray of int, shape (m,)
    w : ndarray of shape (p,)
        Updated in place.
    """
    n, p = rows.shape
    lengths, others = np.empty(n), np.empty(n)
    weights, spread = np.empty(n), np.empty(n)
    slope, spare = np.empty(p), np.empty(n)
    for i in drawn:
        lengths[:] = 0
        for f in range(p):
            if w[f] != 0:
                for j in range(n):
                    step = w[f] * (rows[i, f] - columns[f, j])
                    lengths[j] += step * step
        code = _class_of(i, starts)
        first, last = starts[code], starts[code + 1]
        m = _split(lengths, first, last, others)
        _share(others[:m], 1, spread[:m], spare)
        weights[:] = 0
        _join(spread, first, last, weights)
        slope[:] = 0
        _slopes(rows, i, lengths, weights, 1.0, slope)
        weights[:] = 0
        lengths[i] = np.inf
        _share(lengths[first:last], 1, weights[first:last], spare)
        _slopes(rows, i, lengths, weights, -1.0, slope)
        # the margin is half the difference of the lengths, so is its gradient
        for f in range(p):
            w[f] += 0.5 * slope[f] * w[f]


@ilk.compiled(inner=True)
def _soften(distances: np.ndarray, sigma: float) -> float:
    """Turn distances (m,) into weights exp(-d / sigma) with sum 1; return the log of their sum."""
    nearest = least(distances)  # a common factor, so that no sum underflows to 0
    total = 0.0
    for j in range(len(distances)):
        distances[j] = np.exp((nearest - distances[j]) / sigma)
        total += distances[j]
    for j in range(len(distances)):
        distances[j] /= total
    return float(np.log(total) - nearest / sigma)


@ilk.compiled
def expected_margins(
    rows: np.ndarray,
    columns: np.ndarray,
    starts: np.ndarray,
    drawn: np.ndarray,
    w: np.ndarray,
    sigma: float,
    out: np.ndarray,
) -> None:
    """Add the expected margin of each drawn row in each feature, times P(not an outlier).

    Parameters
    ----------
    rows, columns : ndarrays of shape (n, p) and (p, n)
    starts : ndarray of int, shape (C + 1,)
    drawn : ndarray of int, shape (m,)
    w : ndarray of shape (p,)
        Not negative.
    sigma : float
    out : ndarray of shape (p,)
    """
    n, p = rows.shape
    distances, others = np.empty(n), np.empty(n)
    margin = np.empty(p)
    for i in drawn:
        distances[:] = 0
        for f in range(p):
            if w[f] > 0:
                for j in range(n):
                    distances[j] += w[f] * abs(rows[i, f] - columns[f, j])
        code = _class_of(i, starts)
        first, last = starts[code], starts[code + 1]
        distances[i] = np.inf
        m = _split(distances, first, last, others)
        of_others = _soften(others[:m], sigma)
        of_own = _soften(distances[first:last], sigma)
        # hits count against a feature, misses in favour of it
        for j in range(first, last):
            distances[j] *= -1
        _join(others, first, last, distances)
        margin[:] = 0
        for j in range(n):
            if distances[j] != 0:
                for f in range(p):
                    margin[f] += distances[j] * abs(rows[i, f] - rows[j, f])
        # P(not an outlier) = of_own / (of_own + of_others), from logarithms
        for f in range(p):
            out[f] += margin[f] / (1 + np.exp(of_others - of_own))
