"""Compiled logarithms of bins, and sums of them as `ilk.neighbors.rows.Kernel` says.

Histograms lie side by side, and each sum runs in the order of the bins. The logarithm is our
own, since that of the C library cannot be taken of several numbers at once.
"""

from __future__ import annotations

import numpy as np

import ilk

VOID = -(2.0**1000)  # stands for the logarithm of 0: 0 times it is 0
_TINY = float(np.finfo(np.float64).tiny)
_LN2 = float(np.log(2))
_ROOT = 0x3FE6A09E667F3BCD  # bits of the root of a half

# The polynomial that agrees with (artanh(z) / z - 1) / z^2 at seven Chebyshev points of z^2 for
# |z| up to (2^0.5 - 1) / (2^0.5 + 1): artanh is right to 5e-18 of z.
_C0, _C1, _C2 = 0.3333333333333335, 0.19999999999949752, 0.14285714312987743
_C3, _C4, _C5 = 0.1111110556739754, 0.09091444562630861, 0.07665860800278021
_C6 = 0.07308224842521703


@ilk.compiled(fastmath={"contract"})
def logarithm(x: float) -> float:
    """Natural logarithm of a positive number that is not subnormal, right to 2 units."""
    bits = np.float64(x).view(np.int64)
    exponent = (bits - _ROOT) >> 52
    m = np.int64(bits - (exponent << 52)).view(np.float64)  # x = m * 2**exponent
    z = (m - 1) / (m + 1)
    w = z * z
    tail = ((((((_C6 * w + _C5) * w + _C4) * w + _C3) * w + _C2) * w + _C1) * w + _C0) * w
    return exponent * _LN2 + (2 * z + 2 * z * tail)


@ilk.compiled
def logarithms(X: np.ndarray) -> np.ndarray:
    """Logarithms of bins: `VOID` for 0, and wrong for what is subnormal."""
    out = np.empty_like(X)
    numbers, logs = X.reshape(-1), out.reshape(-1)
    for i in range(len(numbers)):
        x = numbers[i]
        logs[i] = logarithm(max(x, _TINY)) if x > 0 else VOID
    return out


@ilk.compiled
def row_totals(X: np.ndarray, logs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums of x, of ``x ln x``, and of the size of either, of every row."""
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
                l0, l1 = logarithm(max(s0, _TINY)), logarithm(max(s1, _TINY))
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
    """Sums of ``(x - y)(ln x - ln y)``: rows hold bins, and behind them their logarithms."""
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
