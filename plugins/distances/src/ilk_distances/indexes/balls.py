"""Search in a tree of balls: for many queries side by side, the most promising balls first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_distances.indexes.exact import margin

if TYPE_CHECKING:
    from ilk_distances.indexes.comparing import Comparing
    from ilk_distances.indexes.hierarchy import Hierarchy

PATIENCE = 4  # balls opened one at a time before they are opened by 2, 4, 8, ...
LARGEST = 6  # the exponent that ends with
PAIRS = 64  # compared at once, for each ball that may be opened


class Search:
    """The search for the neighbours of some queries.

    Every query keeps a list of balls that may hold a neighbour and opens first those that may
    hold the nearest. Of what is in a ball only rows are compared with the query that the
    triangle inequality, with the known distances to the middle of the ball, cannot rule out.

    What to compare next is decided by compiled steps for all queries; the distance is then
    asked for all these pairs at once.

    Parameters
    ----------
    tree : Hierarchy
    comparing : Comparing
    Q : data of m rows
    """

    def __init__(self, tree: Hierarchy, comparing: Comparing, Q: Any) -> None:
        self.tree, self.comparing, self.Q, self.m = tree, comparing, Q, ilk.n_rows(Q)
        self._arrays = (tree.rows, tree.up, tree.radii, tree.first, tree.count)
        self._state = np.full((4, self.m), -1)
        self._to = np.empty(self.m)
        self._entries, self._bounds = np.empty((3, 64), np.int64), np.empty((2, 64))
        self._used = 0
        self._slack = self._limits = np.empty(0)  # until distances, and so their type, are known

    def nearest(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest rows of each query, ties by lower index."""
        near = np.full((self.m, k), np.inf)
        where = np.full((self.m, k), np.iinfo(np.int64).max)
        found = self._run(near, where, np.inf)
        order = np.lexsort((where, near))
        near, where = (np.take_along_axis(part, order, axis=1) for part in (near, where))
        return near.astype(found[0][2].dtype, copy=False), where

    def within(self, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The rows within r of each query, nearest first."""
        nothing = np.empty((self.m, 0))
        found = self._run(nothing, nothing.astype(np.int64), r)
        queries, rows, distances = (np.concatenate(part) for part in zip(*found, strict=True))
        order = np.lexsort((rows, distances, queries))
        ends = np.searchsorted(queries[order], np.arange(1, self.m))
        return np.split(distances[order], ends), np.split(rows[order], ends)

    def _run(
        self, near: np.ndarray, where: np.ndarray, r: float
    ) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Fill in the nearest, or return queries, rows and distances of all within a radius."""
        queries, balls = np.arange(self.m), np.zeros(self.m, np.int64)
        kept = []
        turn = 0
        while len(queries):
            rows = self.tree.rows[balls]
            found = self.comparing.to_rows(self.Q, queries, rows)
            if turn == 0:
                self._slack = np.array([*margin(found.dtype), *margin(self.tree.dtype)])
                self._limits = np.full(self.m, r * (1 + self._slack[0]) + self._slack[1])
            inside = slice(0, 0) if near.size else found <= r
            kept.append((queries[inside], rows[inside], found[inside]))
            self._receive(queries, balls, found.astype(float), near, where)
            queries, balls = self._request(turn - PATIENCE if near.size else LARGEST)
            turn += 1
        return kept

    def _receive(
        self,
        queries: np.ndarray,
        balls: np.ndarray,
        found: np.ndarray,
        near: np.ndarray,
        where: np.ndarray,
    ) -> None:
        """Take in distances of queries to the middles of balls."""
        from ilk_distances.indexes import ball_steps

        self._make_room(len(queries))
        self._used = ball_steps.receive(
            self._arrays,
            self._slack,
            queries,
            balls,
            found,
            near,
            where,
            self._limits,
            self._state,
            self._entries,
            self._bounds,
            self._used,
        )

    def _request(self, doublings: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the queries, and the balls with whose middles to compare them next."""
        from ilk_distances.indexes import ball_steps

        opened = 2 ** max(0, min(doublings, LARGEST))
        most = PAIRS * opened
        queries, balls = np.empty((2, self.m * most), np.int64)
        n = ball_steps.request(
            self._arrays,
            self._slack,
            opened,
            most,
            self._limits,
            self._state,
            self._to,
            self._entries,
            self._bounds,
            queries,
            balls,
        )
        return queries[:n], balls[:n]

    def _make_room(self, n: int) -> None:
        """Have n entries free."""
        size = self._entries.shape[1]
        if self._used + n > size:
            size = 2 * (self._used + n)
            self._entries, self._bounds = _grown(self._entries, size), _grown(self._bounds, size)


def _grown(A: np.ndarray, size: int) -> np.ndarray:
    grown = np.empty((len(A), size), A.dtype)
    grown[:, : A.shape[1]] = A
    return grown
