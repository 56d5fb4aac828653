"""Candidates for the nearest rows, and their comparison by the distance itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_distances.indexes.counted_distances import CountedDistances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, Distance, Matrix

PAIRS = 2**18  # features of pairs that take about as long as the overhead of one call


def nearest_pairs(
    distance: Distance, Q: Any, X: Any, rows: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of some rows for each query, ties by lower index.

    Parameters
    ----------
    distance : Distance
        Fitted.
    Q, X : data of m and n rows, checked
    rows : ndarray of int, shape (m, n_candidates)
        At least k different rows for each query; fastest if they are nearly in order.
    k : int

    Returns
    -------
    distances : ndarray of shape (m, k)
    indices : ndarray of int, shape (m, k)
    """
    queries = np.repeat(np.arange(len(rows)), rows.shape[1])
    D = CountedDistances(distance, X).to_rows(Q, queries, rows.ravel()).reshape(rows.shape)
    near, where = D[:, :k].copy(), rows[:, :k].astype(np.int64)
    mixed = np.flatnonzero(~(D[:, 1:] > D[:, :-1]).all(axis=1))
    if len(mixed):
        # rows ascend, so that `smallest` resolves ties by the lower index
        order = np.argsort(rows[mixed], axis=1)
        near[mixed], columns = ilk.smallest(np.take_along_axis(D[mixed], order, axis=1), k)
        columns = np.take_along_axis(order, columns, axis=1)
        where[mixed] = np.take_along_axis(rows[mixed], columns, axis=1)
    return near, where


@dataclass(frozen=True)
class Candidates:
    """Candidate training rows for a few queries: a superset of the answer of each.

    Attributes
    ----------
    rows : ndarray of int
        Training indices, query after query.
    ends : ndarray of int, shape (m,)
        End of the rows of each query.
    turns : ndarray of int, shape (m,)
        An order that brings queries with common candidates close together.
    """

    rows: np.ndarray
    ends: np.ndarray
    turns: np.ndarray

    def nearest(
        self, distance: Distance | None, Q: Cases, X: Cases, k: int
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """The k nearest of each query, ties by lower index, and how many distances that took."""
        m = len(self.ends)
        near: Any = None
        where = np.empty((m, k), np.int64)
        evaluations = 0
        for queries, rows, D in self._compared(distance, Q, X):
            # rows ascend, so that `smallest` resolves ties by the lower index
            values, columns = ilk.smallest(D, k)
            near = np.empty((m, k), D.dtype) if near is None else near
            near[queries], where[queries] = values, rows[columns]
            evaluations += D.size
        return near, where, evaluations

    def within(
        self, distance: Distance, Q: Matrix, X: Matrix, r: float
    ) -> tuple[list[np.ndarray], list[np.ndarray], int]:
        """Rows within r of each query, nearest first, and the number of computed distances."""
        near: list[Any] = [None] * len(self.ends)
        where: list[Any] = [None] * len(self.ends)
        evaluations = 0
        for queries, rows, D in self._compared(distance, Q, X):
            evaluations += D.size
            for query, values in zip(queries.tolist(), D, strict=True):
                inside = np.flatnonzero(values <= r)
                # stable, with rows ascending: ties by lower index
                inside = inside[np.argsort(values[inside], kind="stable")]
                near[query], where[query] = values[inside], rows[inside]
        return near, where, evaluations

    def _compared(
        self, distance: Any, Q: Any, X: Any
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield a few queries, the candidates of all of them (ascending), and their distances.

        Comparing a query with the candidates of others changes no answer, and saves calls.
        """
        starts = np.append(0, self.ends[:-1])
        sizes = (self.ends - starts)[self.turns]
        for group in _groups(sizes.tolist(), PAIRS // X.shape[1]):
            queries = self.turns[group]
            # the union of the candidates of all queries in the group, without repetitions
            rows = np.unique(np.concatenate([self.rows[starts[i] : self.ends[i]] for i in queries]))
            if len(rows):
                D = np.asarray(distance.pairwise(Q[queries], X[rows]))
            else:
                D = np.empty((len(queries), 0), np.result_type(Q, X))
            yield queries, rows, D


def _groups(sizes: list[int], most: int) -> Iterator[slice]:
    """Yield slices whose length times total size is limited, with at least one element."""
    start, total = 0, 0
    for i, size in enumerate(sizes):
        # a group of g queries with up to s candidates in all takes g s comparisons
        if i > start and (i - start + 1) * (total + size) > most:
            yield slice(start, i)
            start, total = i, 0
        total += size
    if sizes:
        yield slice(start, len(sizes))
