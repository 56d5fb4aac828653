"""Nearest neighbours under the earth mover's distance; lower bounds avoid most solutions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from ilk import Cases
    from ilk_distances.transport.signatures import Flat, Heaps
    from ilk_distances.transport.spaces import Bins, Places

WIDEST = 16  # maximum dimension for marginal bounds: each dimension costs time for every pair
FEWEST, MOST = 16, 4096  # candidates in a batch: few first, as the limit falls quickly
DOUBLE, SINGLE = 1e-9, 1e-6  # relative rounding error of distances, by type
ROUNDING = 1e-12  # rounding error of a bound, relative to the largest cost


class PreparedEMD(ilk.Prepared):
    """Objects prepared for comparison with queries: costs and bounds are computed once.

    Attributes
    ----------
    n_solved_ : int
        Number of transportation problems that searches have solved so far; bounds excluded the
        other pairs.
    """

    space: Bins | Places

    def __init__(self, distance: Any, X: Cases | None) -> None:
        super().__init__(distance, X)
        self.n_solved_ = 0
        self.space = distance.space(X)
        self.heaps = self.space.load(X)
        self._bounds = Bounds(self.space, self.heaps)

    def to(self, q: object, indices: np.ndarray | None = None) -> np.ndarray:
        """Distances from one query to the objects with the given indices (default: all)."""
        query = self._load(ilk.one_row(q))
        heaps = self.heaps if indices is None else self.heaps.take(np.asarray(indices))
        D = self.space.distances(query, heaps)[0]
        return np.asarray(D, dtype=np.float32 if query.single and heaps.single else float)

    def nearest(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k objects nearest to each query, nearest first, ties by lower index.

        The result equals that of comparing all objects, bit for bit.
        """
        ilk.check_k(self.distance, k, len(self))
        queries = self._load(Q)
        if self.space.closed(self.heaps):
            return ilk.nearest_blocked(self.distance, queries.data, self.X, k)
        single = queries.single and self.heaps.single
        near = np.full((len(queries), k), np.inf)
        where = np.full((len(queries), k), len(self), dtype=np.int64)

        solved = np.zeros(len(queries), dtype=np.int64)

        def work(start: int, stop: int) -> None:
            for i in range(start, stop):
                solved[i] = self._search(queries.take([i]), single, near[i], where[i])

        ilk.in_blocks(work, len(queries), 1)
        self.n_solved_ += int(solved.sum())
        return near.astype(np.float32) if single else near, where

    def _load(self, Q: Cases) -> Heaps:
        return self.space.load(self.distance.check_pair(Q, self.X)[0])

    def _search(self, query: Heaps, single: bool, near: np.ndarray, where: np.ndarray) -> int:
        """Find the nearest of one query; candidates come in ascending order of their bounds."""
        from ilk_distances.transport.pairs import search

        space, x = self.space, query.flat
        bounds, rounding = self._bounds.by_centroid(query), self._bounds.rounding(query)
        relative = SINGLE if single else DOUBLE
        order = np.argsort(bounds, kind="stable")
        solved, first, size = 0, 0, max(2 * len(near), FEWEST)
        while first < len(order):
            limit = near[-1] * (1 + relative) + rounding
            rows = order[first : first + size]
            # all bounds beyond this one are larger still: the search is complete
            rows = rows[bounds[rows] <= limit]
            if not len(rows):
                break
            if first:
                rows = self._bounds.by_marginal(query, rows, limit)
            first, size = first + size, min(4 * size, MOST)
            if len(rows):
                heaps = self.heaps.take(rows)
                costs = space.costs(query, heaps)
                slack = relative, rounding + ROUNDING * costs.max()
                # costs of these candidates bound the rounding error of their sums
                one = x.item, x.weight, x.mass[0]
                known = (costs, one, tuple(heaps.flat), rows, space.shared, space.penalty)
                solved += search(*known, slack, single, near, where)
        return solved


class Bounds:
    """Lower bounds of distances: between centroids, and along each coordinate.

    If the ground is a norm and masses are equal, the distance is at least that of the centroids
    (Rubner), and along each coordinate at least that of the marginals on a line.
    """

    def __init__(self, space: Any, heaps: Heaps) -> None:
        self._heaps, self._penalty, self._ground = heaps, space.penalty, space.ground
        self._along: dict[int, Flat] = {}
        if self._ground is None or not self._ground.norm:
            return
        self._low, self._high = heaps.places.min(axis=0), heaps.places.max(axis=0)
        # sums relative to the middle of all places lose fewer digits
        self._origin = self._low / 2 + self._high / 2
        self._centroids = heaps.centroids(self._origin)
        if self._ground.absolute and heaps.places.shape[1] <= WIDEST:
            self._along = {f: heaps.along(f) for f in range(heaps.places.shape[1])}

    def rounding(self, query: Heaps) -> float:
        """Bound of the rounding error of bounds."""
        if self._ground is None or not self._ground.norm:
            return 0.0
        low = np.minimum(query.places.min(axis=0), self._low)
        high = np.maximum(query.places.max(axis=0), self._high)
        reach = float(self._ground.compare(low[None], high[None])[0, 0])
        return reach * (ROUNDING + 2 * self._tolerance(query))

    def by_centroid(self, query: Heaps) -> np.ndarray:
        """Bound each distance of a query by the distance of the centroids."""
        everyone = np.arange(len(self._heaps))
        if self._ground is None or not self._ground.norm:
            return self._with_extra(query, everyone, np.zeros(len(everyone)))
        here = query.centroids(self._origin)
        D = self._ground.compare(here, self._centroids)[0]
        return self._with_extra(query, everyone, D)

    def by_marginal(self, query: Heaps, rows: np.ndarray, limit: float) -> np.ndarray:
        """The candidates whose marginal bounds are within a limit, in the order of the bounds."""
        if not self._along:
            return rows
        from ilk_distances.transport.closed_form import line_of_heaps

        gaps = np.empty((len(rows), len(self._along)))
        tolerance, out = self._tolerance(query), np.empty((1, len(rows)))
        for f, heaps in self._along.items():
            selected = tuple(heaps.take(rows))
            line_of_heaps(tuple(query.along(f)), selected, 0, 1, tolerance, 0.0, out)
            # NaN: masses differ or digits were lost; 0 is always a lower bound
            gaps[:, f] = np.nan_to_num(out[0])
        D = self._ground.compare(np.zeros((1, len(self._along))), gaps)[0]
        bounds = self._with_extra(query, rows, D)
        order = np.argsort(bounds, kind="stable")
        return np.asarray(rows[order][bounds[order] <= limit])

    def _tolerance(self, query: Heaps) -> float:
        return max(query.tolerance, self._heaps.tolerance)

    def _with_extra(self, query: Heaps, rows: np.ndarray, bounds: np.ndarray) -> np.ndarray:
        """Keep bounds for equal masses, else use 0; add the penalty for the surplus mass."""
        mass, other = self._heaps.mass[rows], query.mass[0]
        # a bound for equal masses says nothing about the cheapest part of a larger mass
        apart = np.abs(mass - other)
        equal = apart <= self._tolerance(query) * np.maximum(mass, other)
        extra = self._penalty * (apart / np.minimum(mass, other))
        return np.asarray(np.where(equal, bounds, 0.0) + extra)
