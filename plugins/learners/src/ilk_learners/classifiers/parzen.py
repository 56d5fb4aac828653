"""Kernel densities of single features, in logarithms."""

from __future__ import annotations

import numpy as np

from ilk import compiled


@compiled
def log_density(
    queries: np.ndarray, points: np.ndarray, weights: np.ndarray, width: float, result: np.ndarray
) -> None:
    """Add ``ln sum_i w_i exp(-((q - x_i)/h)^2 / 2)`` to the result of each query.

    Sums are relative to the term of the nearest point, so none underflows far from all points.
    Shapes: `queries` and `result` (m,), `points` and `weights` (n,).
    """
    for q in range(len(queries)):
        nearest = np.inf
        for x in points:
            nearest = min(nearest, abs(queries[q] - x))
        nearest /= width
        total = 0.0
        for i in range(len(points)):
            z = abs(queries[q] - points[i]) / width
            # (nearest^2 - z^2) / 2, factored against cancellation: at most 0, so exp cannot
            # overflow
            total += weights[i] * np.exp((nearest - z) * (nearest + z) / 2)
        result[q] += np.log(total) - nearest * nearest / 2
