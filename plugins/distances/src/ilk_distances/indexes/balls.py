"""Search in a tree of balls: for many queries side by side, the most promising balls first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_distances.indexes.exact import gap, margin

if TYPE_CHECKING:
    from ilk_distances.indexes.comparing import Comparing
    from ilk_distances.indexes.hierarchy import Hierarchy

PATIENCE = 4  # balls opened one at a time before they are opened by 2, 4, 8, ...


class Search:
    """The search for the neighbours of some queries.

    Every query keeps a list of balls that may hold a neighbour and opens first those that may
    hold the nearest. Of what is in a ball only rows are compared with the query that the
    triangle inequality, with the known distances to the middle of the ball, cannot rule out.

    Parameters
    ----------
    tree : Hierarchy
    comparing : Comparing
    Q : data of m rows
    """

    def __init__(self, tree: Hierarchy, comparing: Comparing, Q: Any) -> None:
        self.tree, self.comparing, self.Q, self.m = tree, comparing, Q, ilk.n_rows(Q)
        self.here = self.there = margin(tree.dtype)

    def nearest(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest rows of each query, ties by lower index."""
        best = _Nearest(self.m, k)
        self._run(best)
        return best.near, best.where

    def within(self, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The rows within r of each query, nearest first."""
        best = _Within(self.m, r)
        self._run(best)
        return best.lists()

    def _run(self, best: _Nearest | _Within) -> None:
        queries = np.arange(self.m)
        balls = np.zeros(self.m, np.int64)
        distances = self.comparing.to_rows(self.Q, queries, self.tree.rows[balls])
        self.here = margin(distances.dtype)
        best.add(queries, self.tree.rows[balls], distances)
        least = np.zeros(self.m)
        turn = 0
        while True:
            hopeful = (least <= self._limit(best)[queries]) & (self.tree.count[balls] > 0)
            queries, balls = queries[hopeful], balls[hopeful]
            distances, least = distances[hopeful], least[hopeful]
            if not len(queries):
                return
            order = np.lexsort((least, queries))
            queries, balls = queries[order], balls[order]
            distances, least = distances[order], least[order]
            opened = _rank(queries) < best.opened(turn)
            inside = self._open(best, queries[opened], balls[opened], distances[opened])
            kept = ~opened
            queries = np.concatenate([queries[kept], inside[0]])
            balls = np.concatenate([balls[kept], inside[1]])
            distances = np.concatenate([distances[kept], inside[2]])
            least = np.concatenate([least[kept], inside[3]])
            turn += 1

    def _limit(self, best: _Nearest | _Within) -> np.ndarray:
        """What a distance must exceed for certain to be of no interest."""
        with np.errstate(over="ignore"):
            return np.asarray(best.limit * (1 + self.here.relative) + self.here.absolute)

    def _open(
        self, best: _Nearest | _Within, queries: np.ndarray, balls: np.ndarray, to: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Compare queries with what is in balls; return the balls that are left to be opened."""
        tree = self.tree
        sizes = tree.count[balls]
        ends = np.cumsum(sizes)
        inside = np.repeat(tree.first[balls] - (ends - sizes), sizes) + np.arange(sizes.sum())
        queries, above = np.repeat(queries, sizes), np.repeat(balls, sizes)
        to = np.repeat(to, sizes).astype(float)
        same = tree.rows[inside] == tree.rows[above]
        radii = tree.radii[inside] * (1 + self.there.relative)
        least = gap(to, tree.up[inside], self.here, self.there) - radii
        hopeful = same | (least <= self._limit(best)[queries])
        queries, inside, radii = queries[hopeful], inside[hopeful], radii[hopeful]
        to, same = to[hopeful], same[hopeful]
        new = ~same
        if new.any():
            found = self.comparing.to_rows(self.Q, queries[new], tree.rows[inside[new]])
            best.add(queries[new], tree.rows[inside[new]], found)
            to[new] = found
        least = gap(to, np.zeros(1), self.here, self.there) - radii
        return queries, inside, to, least


class _Nearest:
    """The k nearest rows of each query so far."""

    def __init__(self, m: int, k: int) -> None:
        self.k = k
        self.near = np.full((m, k), np.inf)
        self.where = np.full((m, k), np.iinfo(np.int64).max)

    @property
    def limit(self) -> np.ndarray:
        return self.near[:, -1].astype(float)

    def opened(self, turn: int) -> int:
        return int(2 ** max(0, min(turn - PATIENCE, 30)))

    def add(self, queries: np.ndarray, rows: np.ndarray, distances: np.ndarray) -> None:
        if self.near.dtype != distances.dtype:
            self.near = self.near.astype(distances.dtype)
        some = np.unique(queries)
        place = np.repeat(some, self.k)
        place = np.concatenate([place, queries])
        near = np.concatenate([self.near[some].ravel(), distances])
        where = np.concatenate([self.where[some].ravel(), rows])
        order = np.lexsort((where, near, place))
        order = order[_rank(place[order]) < self.k]
        self.near[some] = near[order].reshape(-1, self.k)
        self.where[some] = where[order].reshape(-1, self.k)


class _Within:
    """The rows within a radius of each query so far."""

    def __init__(self, m: int, r: float) -> None:
        self.limit = np.full(m, r)
        self.r = r
        self.found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def opened(self, turn: int) -> int:
        return np.iinfo(np.int64).max

    def add(self, queries: np.ndarray, rows: np.ndarray, distances: np.ndarray) -> None:
        inside = distances <= self.r
        self.found.append((queries[inside], rows[inside], distances[inside]))

    def lists(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        queries, rows, distances = (np.concatenate(part) for part in zip(*self.found, strict=True))
        order = np.lexsort((rows, distances, queries))
        ends = np.searchsorted(queries[order], np.arange(1, len(self.limit)))
        return np.split(distances[order], ends), np.split(rows[order], ends)


def _rank(groups: np.ndarray) -> np.ndarray:
    """Position of each entry within its group; groups are together."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    lengths = np.diff(starts, append=len(groups))
    return np.arange(len(groups)) - np.repeat(starts, lengths)
