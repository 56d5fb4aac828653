"""Compiled sums over the bins of histograms: fast sums, and precise ones for close histograms.

Functions with the arguments ``(X, YT, out, base, stride)`` fill a tile as
`ilk.neighbors.rows.Kernel` says: X has the shape (n, p), YT (p, m) and the flat ``out`` an entry
for each pair. Several bins are taken at once, and each sum runs in the order of the bins. Sums
that are small beside their terms have lost digits: `settled` finds them, and `recomputed`
computes them again from differences of bins, which keep their digits also after normalization.
"""

from __future__ import annotations

import math

import numpy as np

import ilk


@ilk.compiled
def masses(X: np.ndarray, added: float) -> np.ndarray:
    """Sums of the bins of X, (n, p), after `added` is added to each bin."""
    n, p = X.shape
    out = np.zeros(n)
    for i in range(n):
        for f in range(p):
            out[i] += X[i, f] + added
    return out


def normalized(X: np.ndarray, added: float) -> np.ndarray:
    """Add `added` to each bin of X, (n, p), and divide the rows by their masses."""
    bins = X + np.float64(added)
    bins /= masses(X, added)[:, None]
    return bins.astype(X.dtype, copy=False)


def outside(X: np.ndarray, least: float, most: float) -> np.ndarray:
    """Tell which rows of X, (n, p), have a non-zero bin outside [least, most]."""
    is_outside = (np.float64(least) > X) & (X != 0)
    is_outside |= np.float64(most) < X
    return np.asarray(is_outside.any(axis=1))


@ilk.compiled(fastmath={"contract"})
def paired_chi2_sums(
    X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int, least: float
) -> None:
    """Halves of sums of ``(x - y)^2 / (x + y)``, with one division for two bins.

    Non-zero bins must be at least `least`. The cube of the sum of two bins must not overflow,
    and the cube of a difference not underflow.
    """
    n, p = X.shape
    m = YT.shape[1]
    # two rows share the loads of Y; an odd last row is taken again together with its predecessor
    for k in range(0, n, 2):
        i = min(k, n - 2)
        o = out[base + i * stride : base + i * stride + m]
        q = out[base + (i + 1) * stride : base + (i + 1) * stride + m]
        o[:] = 0
        q[:] = 0
        for f in range(0, p, 4):
            a0, a1, a2, a3 = X[i, f], X[i, f + 1], X[i, f + 2], X[i, f + 3]
            b0, b1, b2, b3 = X[i + 1, f], X[i + 1, f + 1], X[i + 1, f + 2], X[i + 1, f + 3]
            y0, y1, y2, y3 = YT[f], YT[f + 1], YT[f + 2], YT[f + 3]
            for j in range(m):
                v0, v1, v2, v3 = y0[j], y1[j], y2[j], y3[j]
                d0, d1, d2, d3 = a0 - v0, a1 - v1, a2 - v2, a3 - v3
                # bins that are both 0 give 0 / least = 0
                s0, s1 = max(a0 + v0, least), max(a1 + v1, least)
                s2, s3 = max(a2 + v2, least), max(a3 + v3, least)
                # d0^2 / s0 + d1^2 / s1 over a common denominator: one division instead of two
                left = (d0 * d0 * s1 + d1 * d1 * s0) / (s0 * s1)
                o[j] = o[j] + left + (d2 * d2 * s3 + d3 * d3 * s2) / (s2 * s3)
                d0, d1, d2, d3 = b0 - v0, b1 - v1, b2 - v2, b3 - v3
                s0, s1 = max(b0 + v0, least), max(b1 + v1, least)
                s2, s3 = max(b2 + v2, least), max(b3 + v3, least)
                left = (d0 * d0 * s1 + d1 * d1 * s0) / (s0 * s1)
                q[j] = q[j] + left + (d2 * d2 * s3 + d3 * d3 * s2) / (s2 * s3)
        for j in range(m):
            o[j] = o[j] / 2
            q[j] = q[j] / 2


@ilk.compiled
def chi2_sums(
    X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int, least: float
) -> None:
    """Halves of sums of ``(x - y)^2 / (x + y)`` for any bins; `least` avoids division by 0."""
    n, p = X.shape
    m = YT.shape[1]
    for i in range(n):
        o = out[base + i * stride : base + i * stride + m]
        o[:] = 0
        for f in range(0, p, 2):
            a0, a1 = X[i, f], X[i, f + 1]
            y0, y1 = YT[f], YT[f + 1]
            for j in range(m):
                d0, d1 = a0 - y0[j], a1 - y1[j]
                s0, s1 = max(a0 + y0[j], least), max(a1 + y1[j], least)
                # d * (d / s) cannot overflow or underflow where d * d could
                o[j] = o[j] + d0 * (d0 / s0) + d1 * (d1 / s1)
        for j in range(m):
            o[j] = o[j] / 2


@ilk.compiled
def excess(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Sums over the bins of the excess of the histogram of smaller mass over the other one.

    The excess of the lighter histogram is the smaller of both sums of positive differences.
    """
    n, p = X.shape
    m = YT.shape[1]
    less = np.empty(m, dtype=out.dtype)
    for i in range(n):
        o = out[base + i * stride : base + i * stride + m]
        o[:] = 0
        less[:] = 0
        for f in range(0, p, 4):
            a0, a1, a2, a3 = X[i, f], X[i, f + 1], X[i, f + 2], X[i, f + 3]
            y0, y1, y2, y3 = YT[f], YT[f + 1], YT[f + 2], YT[f + 3]
            for j in range(m):
                d0, d1, d2, d3 = a0 - y0[j], a1 - y1[j], a2 - y2[j], a3 - y3[j]
                o[j] = o[j] + max(d0, 0) + max(d1, 0) + max(d2, 0) + max(d3, 0)
                less[j] = less[j] - min(d0, 0) - min(d1, 0) - min(d2, 0) - min(d3, 0)
        for j in range(m):
            o[j] = min(o[j], less[j])


VOID = -(2.0**1000)  # replaces log(0): unlike -inf, it gives 0 when multiplied by 0
_TINY = float(np.finfo(np.float64).tiny)
_LN2 = float(np.log(2))
_ROOT = 0x3FE6A09E667F3BCD  # bits of sqrt(1/2): centres the mantissa around 1

# Our own logarithm, because the compiler vectorizes it and cannot vectorize the C library's.
# The polynomial that agrees with (artanh(z) / z - 1) / z^2 at seven Chebyshev points of z^2 for
# |z| up to (2^0.5 - 1) / (2^0.5 + 1): artanh is right to 5e-18 of z.
_C0, _C1, _C2 = 0.3333333333333335, 0.19999999999949752, 0.14285714312987743
_C3, _C4, _C5 = 0.1111110556739754, 0.09091444562630861, 0.07665860800278021
_C6 = 0.07308224842521703


@ilk.compiled(fastmath={"contract"}, inner=True)
def _logarithm(x: float) -> float:
    """Natural logarithm of a positive normal number, with an error of at most 2 ulp."""
    # take the exponent from the bits, so that m is between sqrt(1/2) and sqrt(2)
    bits = np.float64(x).view(np.int64)
    exponent = (bits - _ROOT) >> 52
    m = np.int64(bits - (exponent << 52)).view(np.float64)  # x = m * 2**exponent
    # ln m = 2 artanh((m - 1) / (m + 1)), whose series in z^2 converges quickly for small z
    z = (m - 1) / (m + 1)
    w = z * z
    tail = ((((((_C6 * w + _C5) * w + _C4) * w + _C3) * w + _C2) * w + _C1) * w + _C0) * w
    # the small correction is added last but one, so that its rounding error hardly counts
    return exponent * _LN2 + (2 * z + 2 * z * tail)


@ilk.compiled
def logarithms(X: np.ndarray) -> np.ndarray:
    """Logarithms of the bins of X, (n, p): `VOID` for 0, and wrong for subnormal numbers."""
    out = np.empty_like(X)
    numbers, logs = X.reshape(-1), out.reshape(-1)
    for i in range(len(numbers)):
        x = numbers[i]
        logs[i] = _logarithm(max(x, _TINY)) if x > 0 else VOID
    return out


@ilk.compiled
def row_totals(X: np.ndarray, logs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums of x, of ``x ln x``, and of the absolute values of both, of every row of (n, p)."""
    n, p = X.shape
    masses, products, sizes = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        for f in range(p):
            term = X[i, f] * logs[i, f]
            masses[i] += X[i, f]
            products[i] += term
            sizes[i] += X[i, f] + abs(term)
    return masses, products, sizes


@ilk.compiled(fastmath={"contract"})
def entropies(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Sums of ``s ln s`` with ``s = x + y``."""
    n, p = X.shape
    m = YT.shape[1]
    for i in range(n):
        o = out[base + i * stride : base + i * stride + m]
        o[:] = 0
        for f in range(0, p, 2):
            a0, a1 = X[i, f], X[i, f + 1]
            y0, y1 = YT[f], YT[f + 1]
            for j in range(m):
                s0, s1 = a0 + y0[j], a1 + y1[j]
                # s = 0 becomes the smallest number: 0 times its finite logarithm is 0
                l0, l1 = _logarithm(max(s0, _TINY)), _logarithm(max(s1, _TINY))
                o[j] = o[j] + s0 * l0 + s1 * l1


@ilk.compiled(fastmath={"contract"})
def products(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Sums of ``x y``."""
    n, p = X.shape
    m = YT.shape[1]
    for k in range(0, n, 2):
        i = min(k, n - 2)
        o = out[base + i * stride : base + i * stride + m]
        q = out[base + (i + 1) * stride : base + (i + 1) * stride + m]
        o[:] = 0
        q[:] = 0
        for f in range(0, p, 4):
            a0, a1, a2, a3 = X[i, f], X[i, f + 1], X[i, f + 2], X[i, f + 3]
            b0, b1, b2, b3 = X[i + 1, f], X[i + 1, f + 1], X[i + 1, f + 2], X[i + 1, f + 3]
            y0, y1, y2, y3 = YT[f], YT[f + 1], YT[f + 2], YT[f + 3]
            for j in range(m):
                v0, v1, v2, v3 = y0[j], y1[j], y2[j], y3[j]
                o[j] = o[j] + a0 * v0 + a1 * v1 + a2 * v2 + a3 * v3
                q[j] = q[j] + b0 * v0 + b1 * v1 + b2 * v2 + b3 * v3


@ilk.compiled(fastmath={"contract"})
def differences(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Sums of ``(x - y)(ln x - ln y)``; a row has its bins, followed by their logarithms."""
    n, p = X.shape[0], X.shape[1] // 2
    m = YT.shape[1]
    for i in range(n):
        o = out[base + i * stride : base + i * stride + m]
        o[:] = 0
        for f in range(0, p, 2):
            a0, a1, c0, c1 = X[i, f], X[i, f + 1], X[i, p + f], X[i, p + f + 1]
            y0, y1, l0, l1 = YT[f], YT[f + 1], YT[p + f], YT[p + f + 1]
            for j in range(m):
                o[j] = o[j] + (a0 - y0[j]) * (c0 - l0[j]) + (a1 - y1[j]) * (c1 - l1[j])


CHI2, DIVERGENCE, HELLINGER, JEFFREY, OVERLAP, SYMMETRIC = range(6)
# Veltkamp's constant: splits the 53 bits of a float64 into two halves whose products are exact
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
    """Replace every v in a tile by ``left + right + factor * v``, or infinity above `most`.

    `left`, (2, n), and `right`, (2, m), have the summands of each row and column in their first
    row. The sum of the entries in their second row is the smallest result that is precise.

    Returns
    -------
    int
        Number of imprecise results.
    """
    n, m = left.shape[1], right.shape[1]
    low = 0
    for i in range(n):
        o = out[base + i * stride : base + i * stride + m]
        for j in range(m):
            d = (left[0, i] + right[0, j]) + factor * o[j]
            o[j] = np.inf if d > most else d
        for j in range(m):
            # written as a negation so that NaN counts as not precise
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
        Bins at most 1 if histograms are normalized.
    rows, columns : ndarray of shape (n_pairs,)
    added : two ndarrays of shape (n,) and (m,)
        Summand for every bin of each row.
    normalize : bool
    """
    out = np.zeros(len(rows))
    for pair in range(len(rows)):
        x, y = X[rows[pair]], Y[columns[pair]]
        x_added, y_added = added[0][rows[pair]], added[1][columns[pair]]
        if normalize:
            # differences of normalized bins cancel: masses need more than double precision
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
def sparse_masses(
    values: np.ndarray, ends: np.ndarray, n_bins: int, added: np.ndarray
) -> np.ndarray:
    """Masses of sparse histograms in double-double arithmetic, (n, 2); shapes as in CSR."""
    out = np.empty((len(added), 2))
    for i in range(len(added)):
        row = values[ends[i] : ends[i + 1]]
        high, low = _mass(row, added[i])
        rest, rest_low = _product((float(n_bins - len(row)), 0.0), (added[i], 0.0))
        high, error = _sum(high, rest)
        out[i, 0], out[i, 1] = _sum(high, low + (error + rest_low))
    return out


@ilk.compiled
def merged_sums(
    kind: int,
    xs: np.ndarray,
    xi: np.ndarray,
    x_ends: np.ndarray,
    x_added: np.ndarray,
    x_masses: np.ndarray,
    ys: np.ndarray,
    yi: np.ndarray,
    y_ends: np.ndarray,
    y_added: np.ndarray,
    y_masses: np.ndarray,
    n_bins: int,
    rows: np.ndarray,
    columns: np.ndarray,
    normalize: bool,
    out: np.ndarray,
) -> None:
    """The sums of `recomputed` of pairs of sparse histograms, by merging their sorted bins.

    Shapes as in CSR; added (n,), masses (n, 2), rows, columns and out (n_pairs,).
    """
    for pair in range(len(out)):
        i, j = rows[pair], columns[pair]
        a, a_end, b, b_end = x_ends[i], x_ends[i + 1], y_ends[j], y_ends[j + 1]
        x_mass = (x_masses[i, 0], x_masses[i, 1]) if normalize else (1.0, 0.0)
        y_mass = (y_masses[j, 0], y_masses[j, 1]) if normalize else (1.0, 0.0)
        visited = 0
        # one turn more, for the bins that neither histogram stores
        while True:
            f = xi[a] if a < a_end else n_bins
            g = yi[b] if b < b_end else n_bins
            last = f == n_bins and g == n_bins
            x = xs[a] if f <= g and not last else 0.0
            y = ys[b] if g <= f and not last else 0.0
            d = x - y
            if normalize:
                d = _difference(x, x_added[i], x_mass, y, y_added[j], y_mass)
            term = _term(kind, (x + x_added[i]) / x_mass[0], (y + y_added[j]) / y_mass[0], d)
            if last:
                if term != 0 and n_bins > visited:
                    out[pair] += (n_bins - visited) * term
                break
            out[pair] += term
            a += f <= g
            b += g <= f
            visited += 1


@ilk.compiled(inner=True)
def _term(kind: int, a: float, b: float, d: float) -> float:
    """Term of one bin; ``d = a - b`` is more precise than the rounded a and b."""
    # equal bins contribute nothing, also where the formula has 0 / 0
    if d == 0:
        return 0.0
    if kind == OVERLAP:
        return abs(d) / 2
    if kind == HELLINGER:
        # (sqrt a - sqrt b)^2, with d known better than the difference of the roots
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


@ilk.compiled(inner=True)
def _symmetric(a: float, b: float, d: float) -> float:
    """``(a - b) (ln a - ln b)``."""
    if a == 0 or b == 0:
        return np.inf
    # ln a - ln b = 2 artanh((a - b) / (a + b)) keeps the digits of close bins
    t = d / (a + b)
    return d * (2 * math.atanh(t) if abs(t) < 0.5 else math.log(a) - math.log(b))


@ilk.compiled(inner=True)
def _jeffrey(a: float, b: float, d: float) -> float:
    """``a ln(a / m) + b ln(b / m)`` with m the mean of a and b."""
    s = a + b
    # t^2 for the relative difference t = (a - b) / (a + b)
    u = (d / s) ** 2
    total = 0.0
    if u > 2.0**-8:
        for part in (a, b):
            share = part / s
            total += part * math.log(2 * share) if share > 0 else 0.0
        return total
    # (1 + t) ln(1 + t) + (1 - t) ln(1 - t) = sum of t^(2 n) / (n (2 n - 1)): with t^2 up to 2^-8,
    # seven terms reach double precision; Horner's scheme
    for n in range(7, 0, -1):
        total = total * u + 1 / (n * (2 * n - 1))
    return d * (d / s) * total / 2


@ilk.compiled(inner=True)
def _divergence(a: float, b: float, d: float) -> float:
    """``a ln(a / b) - a + b``."""
    if b == 0:
        return np.inf
    if a == 0:
        return b
    x = d / b
    if abs(x) > 2.0**-5:
        # log1p is precise near 0, the difference of logarithms far from it
        ratio = math.log1p(x) if -0.5 < x < 1 else math.log(a) - math.log(b)
        return a * ratio - d
    total = 0.0
    # (1 + x) ln(1 + x) - x = sum of (-x)^n / (n (n - 1)) from n = 2: with x up to 2^-5, ten terms
    # reach double precision
    for n in range(11, 1, -1):
        total = 1 / (n * (n - 1)) - total * x
    return d * x * total


@ilk.compiled(inner=True)
def _mass(x: np.ndarray, added: float) -> tuple[float, float]:
    """Sum of the bins of x, (p,), in double-double arithmetic."""
    high, low = 0.0, 0.0
    for f in range(len(x)):
        bin_high, bin_low = _sum(x[f], added)
        high, rest = _sum(high, bin_high)
        # errors of all sums are collected apart and added at the end
        low += rest + bin_low
    total: tuple[float, float] = _sum(high, low)
    return total


@ilk.compiled(inner=True)
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
    # numerators in double-double: x m_y - y m_x loses all leading digits for similar histograms
    q, q_low = _product(_sum(y, y_added), x_mass)
    high, low = _sum(p, -q)
    d: float = (high + (low + (p_low - q_low))) / (x_mass[0] * y_mass[0])
    return d


@ilk.compiled(inner=True)
def _sum(a: float, b: float) -> tuple[float, float]:
    """Sum, and its rounding error (Knuth's two-sum)."""
    s = a + b
    part = s - a
    return s, (a - (s - part)) + (b - part)


@ilk.compiled(inner=True)
def _product(x: tuple[float, float], y: tuple[float, float]) -> tuple[float, float]:
    """Product of two double-double numbers, and its rounding error."""
    p = x[0] * y[0]
    a, b = _SPLIT * x[0], _SPLIT * y[0]
    # Dekker: a and c are the high halves, so that the four partial products are exact
    a, b = a - (a - x[0]), b - (b - y[0])
    c, d = x[0] - a, y[0] - b
    return p, ((a * b - p) + a * d + c * b) + c * d + (x[0] * y[1] + x[1] * y[0])
