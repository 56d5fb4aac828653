"""Distances of histograms that are so close that what sets them apart needs every digit.

A sum over bins that was computed fast is `settled`; one that is small beside the numbers it
came from is `recomputed` from differences, which keep their digits through the normalization.
"""

from __future__ import annotations

import math

import numpy as np

import ilk

CHI2, DIVERGENCE, HELLINGER, JEFFREY, OVERLAP, SYMMETRIC = range(6)
_SPLIT = 2.0**27 + 1


@ilk.compiled
def settled(
    out: np.ndarray,
    base: int,
    stride: int,
    factor: int,
    left: np.ndarray,
    right: np.ndarray,
    most: float,
) -> int:
    """Make of every number v in a tile ``left + right + factor * v``, infinity above `most`.

    `left` and `right` hold, for each row and each column, a number to add, and below it one
    that says, added likewise, which result is the least that is trusted.

    Returns
    -------
    int
        How many are not trusted.
    """
    n, m = left.shape[1], right.shape[1]
    low = 0
    for i in range(n):
        o = out[base + i * stride : base + i * stride + m]
        for j in range(m):
            d = (left[0, i] + right[0, j]) + factor * o[j]
            o[j] = np.inf if d > most else d
        for j in range(m):
            low += not o[j] >= left[1, i] + right[1, j]
    return low


@ilk.compiled
def recomputed(
    kind: int,
    X: np.ndarray,
    Y: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    added: tuple[np.ndarray, np.ndarray],
    normalize: bool,
) -> np.ndarray:
    """Sums over bins of some pairs of a row of X and a row of Y.

    Parameters
    ----------
    kind : int
        Which sum.
    X, Y : ndarray of shape (n, p) and (m, p)
        If they are to be normalized, with bins up to 1.
    rows, columns : ndarray of shape (n_pairs,)
    added : two ndarrays of shape (n,) and (m,)
        What is added to every bin of each row.
    normalize : bool
    """
    out = np.zeros(len(rows))
    for pair in range(len(rows)):
        x, y = X[rows[pair]], Y[columns[pair]]
        x_added, y_added = added[0][rows[pair]], added[1][columns[pair]]
        if normalize:
            x_mass, y_mass = _mass(x, x_added), _mass(y, y_added)
        else:
            x_mass = y_mass = (1.0, 0.0)
        for f in range(len(x)):
            if normalize:
                d = _difference(x[f], x_added, x_mass, y[f], y_added, y_mass)
            else:
                d = x[f] - y[f]
            out[pair] += _term(kind, (x[f] + x_added) / x_mass[0], (y[f] + y_added) / y_mass[0], d)
    return out


@ilk.compiled
def _term(kind: int, a: float, b: float, d: float) -> float:
    """What one bin adds, where ``d = a - b`` has more digits than a and b tell."""
    if d == 0:
        return 0.0
    if kind == OVERLAP:
        return abs(d) / 2
    if kind == HELLINGER:
        root = d / (math.sqrt(a) + math.sqrt(b))
        return root * root
    if kind == CHI2:
        return d * (d / (a + b)) / 2
    value: float
    if kind == JEFFREY:
        value = _jeffrey(a, b, d)
    elif kind == DIVERGENCE:
        value = _divergence(a, b, d)
    else:
        value = _symmetric(a, b, d)
    return value


@ilk.compiled
def _symmetric(a: float, b: float, d: float) -> float:
    """``(a - b) (ln a - ln b)``."""
    if a == 0 or b == 0:
        return np.inf
    t = d / (a + b)
    return d * (2 * math.atanh(t) if abs(t) < 0.5 else math.log(a) - math.log(b))


@ilk.compiled
def _jeffrey(a: float, b: float, d: float) -> float:
    """``a ln(a / m) + b ln(b / m)`` with m the mean of a and b."""
    s = a + b
    u = (d / s) ** 2
    total = 0.0
    if u > 2.0**-8:
        for part in (a, b):
            share = part / s
            total += part * math.log(2 * share) if share > 0 else 0.0
        return total
    for n in range(7, 0, -1):
        total = total * u + 1 / (n * (2 * n - 1))
    return d * (d / s) * total / 2


@ilk.compiled
def _divergence(a: float, b: float, d: float) -> float:
    """``a ln(a / b) - a + b``."""
    if b == 0:
        return np.inf
    if a == 0:
        return b
    x = d / b
    if abs(x) > 2.0**-5:
        ratio = math.log1p(x) if -0.5 < x < 1 else math.log(a) - math.log(b)
        return a * ratio - d
    total = 0.0
    for n in range(11, 1, -1):
        total = 1 / (n * (n - 1)) - total * x
    return d * x * total


@ilk.compiled
def _mass(x: np.ndarray, added: float) -> tuple[float, float]:
    """Sum of bins in double-double arithmetic."""
    high, low = 0.0, 0.0
    for f in range(len(x)):
        bin_high, bin_low = _sum(x[f], added)
        high, rest = _sum(high, bin_high)
        low += rest + bin_low
    total: tuple[float, float] = _sum(high, low)
    return total


@ilk.compiled
def _difference(
    x: float,
    x_added: float,
    x_mass: tuple[float, float],
    y: float,
    y_added: float,
    y_mass: tuple[float, float],
) -> float:
    """Difference of two normalized bins, ``(x * y_mass - y * x_mass) / (x_mass * y_mass)``."""
    p, p_low = _product(_sum(x, x_added), y_mass)
    q, q_low = _product(_sum(y, y_added), x_mass)
    high, low = _sum(p, -q)
    d: float = (high + (low + (p_low - q_low))) / (x_mass[0] * y_mass[0])
    return d


@ilk.compiled
def _sum(a: float, b: float) -> tuple[float, float]:
    """Sum, and what rounding took from it."""
    s = a + b
    part = s - a
    return s, (a - (s - part)) + (b - part)


@ilk.compiled
def _product(x: tuple[float, float], y: tuple[float, float]) -> tuple[float, float]:
    """Product of numbers in two parts, and what rounding took from it."""
    p = x[0] * y[0]
    a, b = _SPLIT * x[0], _SPLIT * y[0]
    a, b = a - (a - x[0]), b - (b - y[0])
    c, d = x[0] - a, y[0] - b
    return p, ((a * b - p) + a * d + c * b) + c * d + (x[0] * y[1] + x[1] * y[0])
