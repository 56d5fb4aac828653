"""A small ball around cases in the space of a kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_STEPS = 500
_GAP = 1e-3  # of the squared radius


def squared_radius(diagonal: np.ndarray, column: Callable[[int], np.ndarray]) -> float:
    """Squared radius of a ball that holds all cases, nearly the smallest.

    Frank and Wolfe's steps on the dual problem, ``max sum_i b_i k_ii - b'Kb`` over the simplex:
    the centre moves towards the farthest case. Every centre gives a ball that holds all cases,
    so that stopping early errs upwards only; no Gram matrix is computed.

    Parameters
    ----------
    diagonal : ndarray of shape (n,)
        ``k(x_i, x_i)``.
    column : function
        ``k(x_i, x_j)`` of all i for one j.
    """
    products = column(0)  # of all cases with the centre
    own, mean = float(diagonal[0]), float(diagonal[0])  # b'Kb and sum_i b_i k_ii
    best = np.inf
    for _ in range(_STEPS):
        squared = diagonal - 2 * products + own
        far = int(squared.argmax())
        best = min(best, float(squared[far]))
        dual = mean - own  # at most the smallest radius, squared
        if squared[far] <= max(dual, 0) * (1 + _GAP) or squared[far] <= 0:
            break
        step = min((squared[far] - dual) / (2 * squared[far]), 1)
        own = (
            (1 - step) ** 2 * own + 2 * step * (1 - step) * products[far] + step**2 * diagonal[far]
        )
        mean = (1 - step) * mean + step * diagonal[far]
        products = (1 - step) * products + step * column(far)
    return max(best, 0.0)
