"""Whether a matrix of distances keeps the triangle inequality."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ilk

if TYPE_CHECKING:
    import numpy as np

ROUNDING = 1e-14  # relative, by which a detour may be shorter, or the way back another one


@ilk.compiled
def has_detour(matrix: np.ndarray) -> bool:
    """Whether the way back is another one or that over a third place shorter, beyond rounding."""
    n = len(matrix)
    for i in range(n):
        row = matrix[i]
        for j in range(i):
            other = matrix[j]
            direct = row[j] * (1 - ROUNDING)
            shorter = abs(row[j] - other[i]) > ROUNDING * row[j]
            for k in range(n):
                shorter |= (row[k] + other[k]) < direct
            if shorter:
                return True
    return False
