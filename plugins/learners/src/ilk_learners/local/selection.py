"""The k-th smallest of some values, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ilk

if TYPE_CHECKING:
    import numpy as np


@ilk.compiled
def select(values: np.ndarray, n: int, k: int) -> float:
    """The value that has k of the n before it when they are sorted; rearranges them."""
    low, high = 0, n - 1
    while low < high:
        pivot = _middle(values[low], values[(low + high) // 2], values[high])
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return float(values[k])


@ilk.compiled
def _middle(a: float, b: float, c: float) -> float:
    return max(min(a, b), min(max(a, b), c))
