"""Distances of sets that look, for each point, at the nearest point of the other set."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

import ilk
from ilk import Param
from ilk_distances.sets.bags import Bags, bags

GROUND = Param(slot="distance", doc="Compares points.")


class NearestPoints(ilk.Distance):
    """A distance of sets made of the distances from points to the nearest of the other set.

    Subclasses say how the distances of the points of a set are put together, and those of
    one direction with those of the other.
    """

    ground: Any

    @staticmethod
    @abstractmethod
    def gather(nearest: np.ndarray, starts: np.ndarray, axis: int) -> np.ndarray:
        """Put the distances of the points of each set together; sets start along an axis."""

    @staticmethod
    @abstractmethod
    def both(there: np.ndarray, back: np.ndarray) -> np.ndarray:
        """Put both directions together."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the ground distance on the points of all sets."""
        self.check_parameters()
        self.__dict__.pop("ground_", None)
        ground = self.resolve_slot("ground")
        points, ends = bags(self, X, "X", nan=ground.capabilities.nan)
        owners = None if y is None else np.repeat(np.asarray(y), np.diff(ends, prepend=0))
        self.ground_ = ilk.fit_component(ground, points, owners)
        return self

    def _ground(self) -> Any:
        return self.ground_ if hasattr(self, "ground_") else self.resolve_slot("ground")

    def check_input(self, X: Any, argument: str = "X") -> Bags:
        """Return all points as the ground distance takes them, and where each set ends."""
        if isinstance(X, Bags):
            return X
        ground = self._ground()
        points, ends = bags(self, X, argument, nan=ground.capabilities.nan)
        return Bags(ground.check_input(points, argument), ends)

    def check_pair(self, X: Any, Y: Any = None) -> tuple[Bags, Bags]:
        """Return X and Y (X again if None), whose points can be compared."""
        X = self.check_input(X)
        if Y is None:
            return X, X
        Y = self.check_input(Y, "Y")
        x, y = self._ground().check_pair(X.points, Y.points)
        return Bags(x, X.ends), Bags(y, Y.ends)

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every set in X to every set in Y (X itself if left out)."""
        self.check_parameters()
        X, Y = self.check_pair(X, Y)
        ground = self._ground()
        rows = []
        for a, b in _runs(X.ends, max(_PAIRS // int(Y.ends[-1]), 1)):
            blocks = [
                self._block(ground, X[a:b], Y[c:d])
                for c, d in _runs(Y.ends, max(_PAIRS // int(X[a:b].ends[-1]), 1))
            ]
            rows.append(np.concatenate(blocks, axis=1))
        return np.concatenate(rows)

    def _block(self, ground: Any, X: Bags, Y: Bags) -> np.ndarray:
        if len(X) == len(Y) == 1 and int(X.ends[-1]) * int(Y.ends[-1]) > _PAIRS:
            there = ground.kneighbors(X.points, Y.points, 1)[0]
            back = ground.kneighbors(Y.points, X.points, 1)[0].T
        else:
            D = ground.pairwise(X.points, Y.points)
            there = np.minimum.reduceat(D, Y.starts, axis=1)
            E = D if ground.symmetric else ground.pairwise(Y.points, X.points).T
            back = np.minimum.reduceat(E, X.starts, axis=0)
        return self.both(self.gather(there, X.starts, 0), self.gather(back, Y.starts, 1))

    def between(self, x: Any, y: Any) -> float:
        """Distance between two single sets."""
        return float(self.pairwise([x], [y])[0, 0])

    def prepare(self, X: Any) -> ilk.Prepared:
        """Return a handle on X that has its points laid end to end."""
        return _PreparedBags(self, self.check_input(X))


class _PreparedBags(ilk.Prepared):
    """Sets laid end to end; a query is one set."""

    def to(self, q: Any, indices: Any = None) -> np.ndarray:
        """Distances from one query to the sets with the given indices (default: all)."""
        rows = self.X if indices is None else ilk.take(self.X, indices)
        return np.asarray(self.distance.pairwise(q if isinstance(q, Bags) else [q], rows)[0])


_PAIRS = 2**20  # of points, compared at a time


def _runs(ends: np.ndarray, size: int) -> list[tuple[int, int]]:
    """Cut a sequence of sets into runs of at most `size` points, or of one set."""
    runs, start, begin = [], 0, 0
    while start < len(ends):
        stop = max(int(np.searchsorted(ends, begin + size, side="right")), start + 1)
        runs.append((start, stop))
        start, begin = stop, int(ends[stop - 1])
    return runs
