"""Weights as whole numbers of a small unit, whose sums are exact in any order."""

from __future__ import annotations

import numpy as np

from ilk import compiled

TOTAL = 61
"""Sums of units are below two to this power."""

_LEAST = 2.0 ** (TOTAL - 3)  # a smaller sum of units would waste digits
_POWER = 1000  # a power of two that is no infinity


@compiled
def convert(weights: np.ndarray, units: np.ndarray) -> float:
    """Fill in how many units each weight is, rounded; return how many of them 1 is.

    The unit is a power of two that depends on the weights but not on their order. Weights
    below 2^-59 of their sum may become 0.
    """
    most = 0.0
    for weight in weights:
        most = max(most, weight)
    if most == 0:
        units[:] = 0
        return 1.0
    bound, factor = most * len(weights), 1.0
    for _ in range(2):
        power = min(TOTAL - int(np.ceil(np.log2(bound))) - 1, _POWER)
        factor = 2.0**power
        count = 0
        for i in range(len(weights)):
            units[i] = np.int64(np.rint(weights[i] * factor))
            count += units[i]
        if count >= _LEAST or power == _POWER:
            break
        bound = (count + len(weights)) / factor
    return factor
