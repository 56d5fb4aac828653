"""Rows that may be among the nearest, and the last word of the distance on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

PAIRS = 2**18  # features of pairs that are compared in about the time that one call takes


@dataclass(frozen=True)
class Candidates:
    """Training rows that may be what a few queries ask for: a superset for each.

    Attributes
    ----------
    rows : ndarray of int
        Training indices, query after query.
    ends : ndarray of int, shape (m,)
        Where those of each query end.
    turns : ndarray of int, shape (m,)
        An order of the queries in which those that share candidates are close together.
    """

    rows: np.ndarray
    ends: np.ndarray
    turns: np.ndarray

    def nearest(self, distance: Any, Q: Any, X: Any, k: int) -> tuple[np.ndarray, np.ndarray, int]:
        """The k nearest of each query, ties by lower index, and how many distances that took."""
        m = len(self.ends)
        near: Any = None
        where = np.empty((m, k), np.int64)
        evaluations = 0
        for queries, rows, D in self._compared(distance, Q, X):
            values, columns = ilk.smallest(D, k)
            near = np.empty((m, k), D.dtype) if near is None else near
            near[queries], where[queries] = values, rows[columns]
            evaluations += D.size
        return near, where, evaluations

    def within(
        self, distance: Any, Q: Any, X: Any, r: float
    ) -> tuple[list[np.ndarray], list[np.ndarray], int]:
        """Those within r of each query, nearest first, and how many distances that took."""
        near: list[Any] = [None] * len(self.ends)
        where: list[Any] = [None] * len(self.ends)
        evaluations = 0
        for queries, rows, D in self._compared(distance, Q, X):
            evaluations += D.size
            for query, values in zip(queries.tolist(), D, strict=True):
                inside = np.flatnonzero(values <= r)
                inside = inside[np.argsort(values[inside], kind="stable")]
                near[query], where[query] = values[inside], rows[inside]
        return near, where, evaluations

    def _compared(
        self, distance: Any, Q: Any, X: Any
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield a few queries, the candidates of all of them (ascending), and their distances.

        That a query is compared with the candidates of others changes no answer, and takes
        fewer calls.
        """
        starts = np.append(0, self.ends[:-1])
        sizes = (self.ends - starts)[self.turns]
        for group in _groups(sizes.tolist(), PAIRS // X.shape[1]):
            queries = self.turns[group]
            rows = np.unique(np.concatenate([self.rows[starts[i] : self.ends[i]] for i in queries]))
            if len(rows):
                D = np.asarray(distance.pairwise(Q[queries], X[rows]))
            else:
                D = np.empty((len(queries), 0), np.result_type(Q, X))
            yield queries, rows, D


def _groups(sizes: list[int], most: int) -> Iterator[slice]:
    """Yield slices of which the product of length and total size is at most so much, or of one."""
    start, total = 0, 0
    for i, size in enumerate(sizes):
        if i > start and (i - start + 1) * (total + size) > most:
            yield slice(start, i)
            start, total = i, 0
        total += size
    if sizes:
        yield slice(start, len(sizes))
