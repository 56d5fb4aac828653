"""The search of Fish and Shrink for one query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk_distances.indexes.exact import gap, margin

if TYPE_CHECKING:
    from ilk_distances.indexes.comparing import Comparing

CATCH = 8  # rows compared at once, at least, when there are no more pivots to shrink by


class Fishing:
    """What is known about the distances of one query to all training rows.

    Parameters
    ----------
    comparing : Comparing
    Q : data
    i : int
        The query's row.
    pivots : ndarray of int
    table : ndarray of shape (len(pivots), n)
        Distances of the pivots to all rows.
    """

    def __init__(
        self, comparing: Comparing, Q: Any, i: int, pivots: np.ndarray, table: np.ndarray
    ) -> None:
        self.comparing, self.Q, self.i = comparing, Q, i
        self.pivots, self.table = pivots, table
        self.least = np.zeros(table.shape[1])  # bounds from below
        self.open = np.ones(table.shape[1], dtype=bool)  # not compared
        self.rows = np.empty(0, np.int64)  # compared
        self.distances = np.empty(0, table.dtype)

    def nearest(self, k: int, most: int) -> tuple[np.ndarray, np.ndarray, bool, float]:
        """The k nearest by at most so many comparisons, whether that is certain, and a bound."""
        self._shrink(k, most)
        left = np.flatnonzero(self.open & (self.least <= self._limit(k)))
        left = left[np.argsort(self.least[left], kind="stable")]
        while len(left) and self.least[left[0]] <= self._limit(k):
            size = min(max(CATCH, k - len(self.rows), len(self.rows) // 4), most - len(self.rows))
            if size <= 0:
                break
            catch, left = left[:size], left[size:]
            self._compare(catch[self.least[catch] <= self._limit(k)])
        order = np.lexsort((self.rows, self.distances))[:k]
        bound = float(self.least[self.open].min(initial=np.inf))
        certain = bool(bound > self._limit(k))
        return self.distances[order], self.rows[order], certain, max(bound, 0.0)

    def within(self, r: float) -> tuple[np.ndarray, np.ndarray]:
        """All rows within r, nearest first."""
        self._tighten(np.arange(len(self.pivots)))
        self._compare(np.flatnonzero(self.open & (self.least <= self._loosened(r))))
        inside = self.distances <= r
        rows, distances = self.rows[inside], self.distances[inside]
        order = np.lexsort((rows, distances))
        return distances[order], rows[order]

    def _shrink(self, k: int, most: int) -> None:
        """Compare with pivots, as long as that is less than to compare with all that is left."""
        waiting = np.arange(len(self.pivots))
        step = 1
        while len(waiting):
            hopeful = np.count_nonzero(self.open & (self.least <= self._limit(k)))
            step = min(step, most - len(self.rows), len(waiting))
            if hopeful <= len(waiting) or step <= 0:
                return
            order = np.argsort(self.least[self.pivots[waiting]], kind="stable")
            fished, waiting = waiting[order[:step]], np.sort(waiting[order[step:]])
            self._tighten(fished)
            step *= 2

    def _compare(self, rows: np.ndarray) -> np.ndarray:
        """Compare the query with some rows that are open; return the distances."""
        if not len(rows):
            return self.distances[:0]
        found = self.comparing.to_rows(self.Q, np.full(len(rows), self.i), rows)
        self.open[rows] = False
        self.distances = np.concatenate([self.distances.astype(found.dtype), found])
        self.rows = np.concatenate([self.rows, rows])
        return found

    def _tighten(self, fished: np.ndarray) -> None:
        """Compare with pivots; raise the bounds of all rows by what these know."""
        found = self._compare(self.pivots[fished])
        here, there = margin(found.dtype), margin(self.table.dtype)
        for pivot, to in zip(fished, found, strict=True):
            np.maximum(self.least, gap(to, self.table[pivot], here, there), out=self.least)

    def _limit(self, k: int) -> float:
        """What a bound must exceed for a row to be certainly not among the k nearest."""
        if len(self.rows) < k:
            return np.inf
        return self._loosened(float(np.partition(self.distances, k - 1)[k - 1]))

    def _loosened(self, distance: float) -> float:
        relative, absolute, _ = margin(self.distances.dtype)
        return distance * (1 + relative) + absolute
