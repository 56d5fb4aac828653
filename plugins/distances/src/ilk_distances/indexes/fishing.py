"""The search of Fish and Shrink, for some queries side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_distances.indexes.exact import margin

if TYPE_CHECKING:
    from ilk_distances.indexes.comparing import Comparing

CATCH = 8  # rows compared at once, at least, when there are no more pivots to shrink by
SKIMMED = 64  # rows compared before the others are put in order, at most


class Fishing:
    """What is known about the distances of some queries to all training rows.

    What to compare next is decided by compiled steps for all queries; the distance is then
    asked for all these pairs at once.

    Parameters
    ----------
    comparing : Comparing
    Q : data of m rows
    pivots : ndarray of int
    table : ndarray of shape (len(pivots), n)
        Distances of the pivots to all rows.
    k : int
        How many neighbours are kept; 0 for a search within a radius.
    """

    def __init__(
        self,
        comparing: Comparing,
        Q: Any,
        pivots: np.ndarray,
        table: np.ndarray,
        k: int,
    ) -> None:
        self.comparing, self.Q, self.pivots, self.table = comparing, Q, pivots, table
        m = ilk.n_rows(Q)
        self.dtype = table.dtype
        self.limits = np.full(m, np.inf)
        self.least = np.zeros((m, table.shape[1]))
        self.taken = np.zeros(m, np.int64)  # comparisons of each query
        self.near, self.where = np.full((m, k), np.inf), np.full((m, k), table.shape[1])

    def nearest(self, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The nearest by at most so many comparisons, whether they are certain, and a bound."""
        self._shrink(most)
        self._catch(most)
        order = np.lexsort((self.where, self.near))
        near, where = (np.take_along_axis(part, order, axis=1) for part in (self.near, self.where))
        bounds = np.fmin.reduce(self.least, axis=1, initial=np.inf)
        return near.astype(self.dtype, copy=False), where, bounds > self.limits, bounds

    def within(self, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """All rows within r, nearest first."""
        m, size = len(self.limits), len(self.pivots)
        pivots = np.tile(np.arange(size), m)
        queries = np.repeat(np.arange(m), size)
        found = self._compare(queries, self.pivots[pivots])
        self.limits[:] = r * (1 + self.slack[0]) + self.slack[1]
        self._tighten(queries, pivots, found)
        others, rows = np.nonzero(self.least <= self.limits[:, None])
        queries, rows = np.append(queries, others), np.append(self.pivots[pivots], rows)
        found = np.append(found, self._compare(others, rows[m * size :]))
        inside = np.flatnonzero(found <= r)
        order = inside[np.lexsort((rows[inside], found[inside], queries[inside]))]
        ends = np.searchsorted(queries[order], np.arange(1, m))
        return np.split(found[order].astype(self.dtype), ends), np.split(rows[order], ends)

    def _shrink(self, most: int) -> None:
        """Compare with pivots, as long as that is less than to compare with all that is left."""
        from ilk_distances.indexes import fish_steps

        waiting = np.ones((len(self.limits), len(self.pivots)), dtype=bool)
        step = 1
        while waiting.any():
            queries, fished = np.empty((2, waiting.size), np.int64)
            n = fish_steps.fish(
                self.pivots,
                self.least,
                self.limits,
                most - self.taken,
                waiting,
                step,
                queries,
                fished,
            )
            if not n:
                return
            found = self._compare(queries[:n], self.pivots[fished[:n]])
            self._tighten(queries[:n], fished[:n], found)
            step *= 2

    def _catch(self, most: int) -> None:
        """Compare with the rows that are left in the order of their bounds."""
        from ilk_distances.indexes import fish_steps

        k = self.near.shape[1]
        sizes = np.minimum(most - self.taken, min(max(CATCH, k), SKIMMED))
        queries, caught = np.empty((2, sizes.sum()), np.int64)
        n = fish_steps.skim(self.least, self.limits, sizes, queries, caught)
        self._compare(queries[:n], caught[:n])
        counts = np.count_nonzero(self.least <= self.limits[:, None], axis=1)
        ends = np.append(0, np.cumsum(counts))
        rows = np.empty(ends[-1] + 1, np.int64)
        fish_steps.line_up(self.least, self.limits, ends, rows)
        while True:
            sizes = np.maximum(np.maximum(CATCH, k - self.taken), self.taken // 4)
            sizes = np.minimum(sizes, most - self.taken)
            queries, caught = np.empty((2, int(np.minimum(sizes, counts).sum())), np.int64)
            n = fish_steps.catch(
                rows, ends[:-1], counts, sizes, self.least, self.limits, queries, caught
            )
            if not n:
                return
            self._compare(queries[:n], caught[:n])

    def _compare(self, queries: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Compare queries with rows; return the distances, as float64."""
        from ilk_distances.indexes import fish_steps

        if not len(queries):
            return np.empty(0)
        found = self.comparing.to_rows(self.Q, queries, rows)
        self.dtype = found.dtype
        self.slack = np.array([*margin(found.dtype), *margin(self.table.dtype)])
        found = found.astype(float, copy=False)
        self.taken += np.bincount(queries, minlength=len(self.taken))
        fish_steps.land(
            self.slack, queries, rows, found, self.near, self.where, self.limits, self.least
        )
        return found

    def _tighten(self, queries: np.ndarray, fished: np.ndarray, found: np.ndarray) -> None:
        from ilk_distances.indexes import fish_steps

        fish_steps.shrink(self.table, self.slack, queries, fished, found, self.least)
