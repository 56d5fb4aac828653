"""Compiled comparisons of rows: sums over features, and small angles.

The sums are kernels of `ilk.neighbors.rows.Kernel`. Shapes: X (n, p), YT (p, m), and out, where
entry ``base + i * stride + j`` belongs to rows i and j.
"""

from __future__ import annotations

import numpy as np

import ilk


@ilk.compiled
def differences(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Number of features in which each two rows differ."""
    n, p = X.shape
    m = YT.shape[1]
    one = out.dtype.type(1)
    zero = out.dtype.type(0)
    # two rows and two features at a time, so that a loaded value of Y serves four comparisons; the
    # last pair of rows may overlap the one before
    for k in range(0, n, 2):
        i = min(k, n - 2)
        o = out[base + i * stride : base + i * stride + m]
        q = out[base + (i + 1) * stride : base + (i + 1) * stride + m]
        o[:] = 0
        q[:] = 0
        for f in range(0, p, 2):
            a0, a1, b0, b1 = X[i, f], X[i, f + 1], X[i + 1, f], X[i + 1, f + 1]
            y0, y1 = YT[f], YT[f + 1]
            for j in range(m):
                v0, v1 = y0[j], y1[j]
                o[j] += (one if a0 != v0 else zero) + (one if a1 != v1 else zero)
                q[j] += (one if b0 != v0 else zero) + (one if b1 != v1 else zero)


@ilk.compiled
def relative(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Sums of ``|x - y| / (|x| + |y|)``, with 0 where both are 0."""
    n, p = X.shape
    m = YT.shape[1]
    # 0 / least is 0
    least = np.nextafter(X.dtype.type(0), X.dtype.type(1))
    # two rows for each loaded value of Y; the last pair of rows may overlap the one before
    for k in range(0, n, 2):
        i = min(k, n - 2)
        o = out[base + i * stride : base + i * stride + m]
        q = out[base + (i + 1) * stride : base + (i + 1) * stride + m]
        o[:] = 0
        q[:] = 0
        for f in range(p):
            a, b = X[i, f], X[i + 1, f]
            y = YT[f]
            for j in range(m):
                v = y[j]
                o[j] += abs(a - v) / max(abs(a) + abs(v), least)
                q[j] += abs(b - v) / max(abs(b) + abs(v), least)


SPLITTER = 2.0**27 + 1  # cuts a float64 into halves whose products are exact


@ilk.compiled
def one_less_cosine(
    X: np.ndarray, Y: np.ndarray, rows: np.ndarray, columns: np.ndarray, centred: bool
) -> np.ndarray:
    """``1 - cos`` of small angles between some rows of X and of Y, centred or not.

    Rows are scaled so that no square overflows. The result is symmetric in x and y, and 0 for
    equal rows. Shapes: X (n, p), Y (m, p), rows and columns (n_pairs,).
    """
    out = np.empty(len(rows))
    rest = np.empty(X.shape[1])
    for k in range(len(rows)):
        x, y = X[rows[k]], Y[columns[k]]
        first = 0
        while first < len(x) and x[first] == y[first]:
            first += 1
        if first == len(x):
            out[k] = 0.0
        # a fixed order of both rows makes rounding symmetric
        elif x[first] < y[first]:
            out[k] = _one_less_cosine(x, y, centred, rest)
        else:
            out[k] = _one_less_cosine(y, x, centred, rest)
    return out


@ilk.compiled
def _one_less_cosine(x: np.ndarray, y: np.ndarray, centred: bool, rest: np.ndarray) -> float:
    """Subtract from y its component along x, with exact products and differences.

    x, y and rest (overwritten) have shape (p,). Exact arithmetic keeps digits where x and y
    nearly cancel.
    """
    x_mean = _mean(x) if centred else 0.0
    y_mean = _mean(y) if centred else 0.0
    xx = xy = yy = 0.0
    for f in range(len(x)):
        u, v = x[f] - x_mean, y[f] - y_mean
        xx += u * u
        xy += u * v
        yy += v * v
    # the component of y along x is subtracted, with the rounding error of each operation
    ratio = xy / xx
    for f in range(len(x)):
        u, v = x[f] - x_mean, y[f] - y_mean
        product = ratio * u
        error = _lost(y[f], y_mean, v) - _error(ratio, u, product)
        rest[f] = (v - product) + (error - ratio * _lost(x[f], x_mean, u))
    if centred:
        # twice: the mean of the rest is subtracted up to its own rounding error
        rest -= _mean(rest)
        rest -= _mean(rest)
    # the rest may still have a part along x, by rounding: it is subtracted, too
    along = 0.0
    for f in range(len(x)):
        along += rest[f] * (x[f] - x_mean)
    along /= xx
    square = 0.0
    for f in range(len(x)):
        across = rest[f] - along * (x[f] - x_mean)
        square += across * across
    square = min(square / yy, 1.0)
    # 1 - cos = sin^2 / (1 + cos), which keeps the digits of small angles
    return float(square / (1 + np.sqrt(1 - square)))


@ilk.compiled
def _mean(x: np.ndarray) -> float:
    """Mean of a row, (p,)."""
    total = 0.0
    for value in x:
        total += value
    return total / len(x)


@ilk.compiled
def _lost(a: float, b: float, difference: float) -> float:
    """Return the rounding error of a difference ``a - b`` (Knuth's two-sum)."""
    back = difference - a
    return (a - (difference - back)) - (b + back)


@ilk.compiled
def _error(a: float, b: float, product: float) -> float:
    """Return the rounding error of a product ``a * b`` (Dekker's algorithm)."""
    a_high = SPLITTER * a - (SPLITTER * a - a)
    b_high = SPLITTER * b - (SPLITTER * b - b)
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
