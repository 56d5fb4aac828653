"""Compiled margins under weights of the features. Rows are sorted by class."""

from __future__ import annotations

import numpy as np

import ilk
from ilk_learners.relevances.nearest_kernels import share


@ilk.compiled
def split(values: np.ndarray, first: int, last: int, out: np.ndarray) -> int:
    """Copy what stands before `first` and from `last` on; return how much that is."""
    m = first + len(values) - last
    out[:first] = values[:first]
    out[first:m] = values[last:]
    return m


@ilk.compiled
def slopes(
    rows: np.ndarray,
    i: int,
    lengths: np.ndarray,
    weights: np.ndarray,
    sign: float,
    out: np.ndarray,
) -> None:
    """Add the slopes of weighted lengths of differences to row i, with the weights of rows."""
    for j in range(len(rows)):
        if weights[j] > 0 and lengths[j] > 0:
            factor = sign * weights[j] / np.sqrt(lengths[j])
            for f in range(rows.shape[1]):
                step = rows[i, f] - rows[j, f]
                out[f] += factor * step * step


@ilk.compiled
def ascend(
    rows: np.ndarray, columns: np.ndarray, starts: np.ndarray, drawn: np.ndarray, w: np.ndarray
) -> None:
    """Move the weights w along the margin of one drawn row after the other.

    Parameters
    ----------
    rows, columns : ndarrays of shape (n, p) and (p, n)
    starts : ndarray of int, shape (C + 1,)
    drawn : ndarray of int
    w : ndarray of shape (p,)
        Changed in place.
    """
    n, p = rows.shape
    lengths, others = np.empty(n), np.empty(n)
    weights, spread = np.empty(n), np.empty(n)
    slope = np.empty(p)
    for i in drawn:
        lengths[:] = 0
        for f in range(p):
            if w[f] != 0:
                for j in range(n):
                    step = w[f] * (rows[i, f] - columns[f, j])
                    lengths[j] += step * step
        own = np.searchsorted(starts, i, side="right") - 1
        first, last = starts[own], starts[own + 1]
        m = split(lengths, first, last, others)
        share(others[:m], 1, spread[:m])
        weights[:] = 0
        weights[:first] = spread[:first]
        weights[last:] = spread[first:m]
        slope[:] = 0
        slopes(rows, i, lengths, weights, 1.0, slope)
        weights[:] = 0
        lengths[i] = np.inf
        share(lengths[first:last], 1, weights[first:last])
        slopes(rows, i, lengths, weights, -1.0, slope)
        w += 0.5 * slope * w


@ilk.compiled
def soften(distances: np.ndarray, sigma: float) -> float:
    """Turn distances into weights exp(-d / sigma) that sum to 1; return log of their sum."""
    least = distances.min()
    total = 0.0
    for j in range(len(distances)):
        distances[j] = np.exp((least - distances[j]) / sigma)
        total += distances[j]
    distances /= total
    return float(np.log(total) - least / sigma)


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
    """Add the expected margin of each drawn row in each feature, times its chance of no outlier.

    Parameters
    ----------
    rows, columns : ndarrays of shape (n, p) and (p, n)
    starts : ndarray of int, shape (C + 1,)
    drawn : ndarray of int
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
        own = np.searchsorted(starts, i, side="right") - 1
        first, last = starts[own], starts[own + 1]
        distances[i] = np.inf
        m = split(distances, first, last, others)
        of_others = soften(others[:m], sigma)
        of_own = soften(distances[first:last], sigma)
        distances[first:last] *= -1
        distances[:first] = others[:first]
        distances[last:] = others[first:m]
        margin[:] = 0
        for j in range(n):
            if distances[j] != 0:
                for f in range(p):
                    margin[f] += distances[j] * abs(rows[i, f] - rows[j, f])
        out += margin / (1 + np.exp(of_others - of_own))
