"""Compiled sums over features, as defined by `ilk.neighbors.rows.Kernel`.

Shapes: X (n, p), YT (p, m), and out, where entry ``base + i * stride + j`` belongs to rows i and j.
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
