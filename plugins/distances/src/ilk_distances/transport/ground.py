"""What a unit of mass costs to move: the ground of the earth mover's distance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import ilk
from ilk.neighbors.vector_distance import VectorDistance

ABSOLUTE = {"chebyshev", "euclidean", "manhattan", "minkowski"}  # norms that grow with each part
NORMS = {*ABSOLUTE, "mahalanobis"}
_PLAIN = ilk.Distance.check_input  # asks for finite numbers alone


@dataclass(frozen=True)
class Ground:
    """A ground distance between places, which may lie on a circle.

    Attributes
    ----------
    distance : Distance
    period : float
        Circumference of the circle; 0 if places do not lie on one.
    name : str
        Of the component whose ground it is, and of the ground, for errors.
    """

    distance: Any
    period: float
    name: str

    @cached_property
    def metric(self) -> bool:
        """Whether it is a metric."""
        return bool(self.distance.metric)

    @cached_property
    def norm(self) -> bool:
        """Whether it is a norm of differences: no mean of points is farther than the points."""
        return self.metric and not self.period and ilk.shipped_name(self.distance) in NORMS

    @cached_property
    def absolute(self) -> bool:
        """Whether it is a norm that grows with the size of every coordinate."""
        return self.norm and ilk.shipped_name(self.distance) in ABSOLUTE

    def scale(self, places: Any) -> float | None:
        """Cost of a step of length 1 if places lie on a line or circle, else None."""
        column = isinstance(places, np.ndarray) and places.ndim == 2 and places.shape[1] == 1
        if not column or not self.metric:
            return None
        if ilk.shipped_name(self.distance) not in ABSOLUTE:
            return None
        return float(self.distance.between([0.0], [1.0]))

    def checked(self, places: Any) -> Any:
        """Return places, finite if they are numbers, in the form that is compared."""
        if isinstance(places, np.ndarray) and type(self.distance).check_input is _PLAIN:
            return places
        return self.distance.check_input(places, "positions")

    def compare(self, P: Any, Q: Any) -> np.ndarray:
        """Distances of places P to places Q, both checked, as if they were on no circle."""
        compiled = isinstance(self.distance, VectorDistance)
        return np.asarray((self.distance.compare if compiled else self.distance.pairwise)(P, Q))

    def costs(self, P: Any, Q: Any) -> np.ndarray:
        """Ground distances of places P to places Q, both checked, in C order."""
        if self.period:
            steps = np.abs(P - Q.T) % self.period
            costs = np.minimum(steps, self.period - steps) * self.scale(P)
        else:
            costs = np.ascontiguousarray(self.compare(P, Q), dtype=float)
        if costs.size and not (costs.min() >= 0 and costs.max() < np.inf):  # or NaN
            i, j = np.argwhere(~((costs >= 0) & (costs < np.inf)))[0]
            raise ilk.InputError(
                f"{self.name}: the ground distance of {P[i]} to {Q[j]} must be at least 0 and "
                f"finite, got {costs[i, j]}"
            )
        return np.asarray(costs)


def is_pseudometric(matrix: np.ndarray) -> bool:
    """Tell whether a matrix has zeros on its diagonal, is symmetric, and no detour is shorter.

    The last two up to rounding.
    """
    if np.diagonal(matrix).any():
        return False
    from ilk_distances.transport.triangle import has_detour

    return not has_detour(np.ascontiguousarray(matrix, dtype=float))
