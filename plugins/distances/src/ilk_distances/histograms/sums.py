"""Compiled sums over bins, each as `ilk.neighbors.rows.Kernel` says.

Two rows and four bins are taken at once, over histograms that lie side by side: each sum runs in
the order of the bins, and bins that are 0 in both histograms leave it as it is.
"""

from __future__ import annotations

import numpy as np

import ilk


@ilk.compiled(fastmath={"contract"})
def paired(
    X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int, least: float
) -> None:
    """Halves of sums of ``(x - y)^2 / (x + y)``, two bins to a division.

    Bins other than 0 must be at least `least`, and neither the cube of a sum of two may
    overflow, nor that of a difference vanish.
    """
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
                s0, s1 = max(a0 + v0, least), max(a1 + v1, least)
                s2, s3 = max(a2 + v2, least), max(a3 + v3, least)
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
def single(
    X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int, least: float
) -> None:
    """Halves of sums of ``(x - y)^2 / (x + y)``, of any bins; `least` is the smallest number."""
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
                o[j] = o[j] + d0 * (d0 / s0) + d1 * (d1 / s1)
        for j in range(m):
            o[j] = o[j] / 2


@ilk.compiled
def excess(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Sums of what the bins of the histogram of smaller mass have more than those of the other.

    Of the sums of what either has more, it is the smaller one.
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
