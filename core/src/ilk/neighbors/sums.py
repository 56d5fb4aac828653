"""Compiled sums of powers of differences, each as `ilk.neighbors.rows.Kernel` says.

Two rows and four features are taken at once, over points that lie side by side: each sum runs
in the order of the features, whichever points are beside it, and needs no reordering to be fast.
An odd row at the end is taken again together with the one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.compiling import compiled

if TYPE_CHECKING:
    import numpy as np


@compiled
def absolute(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Sums of absolute differences."""
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
                o[j] = o[j] + abs(a0 - v0) + abs(a1 - v1) + abs(a2 - v2) + abs(a3 - v3)
                q[j] = q[j] + abs(b0 - v0) + abs(b1 - v1) + abs(b2 - v2) + abs(b3 - v3)


@compiled(fastmath={"contract"})
def squared(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Sums of squared differences."""
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
                d0, d1, d2, d3 = a0 - v0, a1 - v1, a2 - v2, a3 - v3
                o[j] = o[j] + d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
                e0, e1, e2, e3 = b0 - v0, b1 - v1, b2 - v2, b3 - v3
                q[j] = q[j] + e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3


@compiled(fastmath={"contract"})
def cubed(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Sums of cubes of absolute differences."""
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
                d0, d1, d2, d3 = abs(a0 - v0), abs(a1 - v1), abs(a2 - v2), abs(a3 - v3)
                o[j] = o[j] + d0 * d0 * d0 + d1 * d1 * d1 + d2 * d2 * d2 + d3 * d3 * d3
                e0, e1, e2, e3 = abs(b0 - v0), abs(b1 - v1), abs(b2 - v2), abs(b3 - v3)
                q[j] = q[j] + e0 * e0 * e0 + e1 * e1 * e1 + e2 * e2 * e2 + e3 * e3 * e3


@compiled
def largest(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Largest absolute differences."""
    n, p = X.shape
    m = YT.shape[1]
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
                d0, d1 = abs(a0 - v0), abs(a1 - v1)
                d = max(d1, d0)
                o[j] = max(o[j], d)
                e0, e1 = abs(b0 - v0), abs(b1 - v1)
                e = max(e1, e0)
                q[j] = max(q[j], e)
