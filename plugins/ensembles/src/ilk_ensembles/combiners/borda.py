"""The Borda count."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

from ilk_ensembles.combiners.passes import combined
from ilk_ensembles.combiners.support import SupportCombiner

if TYPE_CHECKING:
    import numpy as np


class Borda(SupportCombiner):
    """Borda count: members rank the classes, and a class gets a point for each one it beats.

    A class gets one point from each member for each class which that member supports less,
    and half a point for each that it supports as much. Points are divided by their sum, so
    that rows of the result sum to one, up to rounding. Only the order of a member's support
    counts.

    Parameters
    ----------
    ties : {"first", "reject"}, default="first"
        A tie goes to the first class, or is rejected.
    cost : array of shape (C, C), optional
        ``cost[j][k]`` is the cost of deciding for class k where class j is true; the decision
        then is for the least expected cost ``sum_j combined_j cost[j][k]``.

    Raises
    ------
    InputError
        If outputs have a wrong shape, a value that is negative or not finite, or a row of
        zeros.

    References
    ----------
    Borda (1781); Ho, Hull & Srihari (1994), "Decision combination in multiple classifier
    systems".

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("borda")  # ranks: first, second, third; second, first, third
    >>> rule.combine([[[0.6, 0.3, 0.1]], [[0.2, 0.7, 0.1]]]).tolist()
    [[0.5, 0.5, 0.0]]
    """

    @classmethod
    def examples(cls) -> list[Self]:
        """Both ways with ties."""
        return [cls(), cls(ties="reject")]

    def combine(self, outputs: Any, X: Any = None) -> np.ndarray:
        from ilk_ensembles.combiners.kernels import borda

        self.check_parameters()
        points = combined(self, outputs, borda, most=math.inf)
        if points.shape[1] == 1:
            points[:] = 1
        total = points.sum(axis=1, keepdims=True)
        points /= total
        return points
