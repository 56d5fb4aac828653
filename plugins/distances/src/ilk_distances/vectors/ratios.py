"""Compiled sums of relative differences, as defined by `ilk.neighbors.rows.Kernel`."""

from __future__ import annotations

import numpy as np

import ilk


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
