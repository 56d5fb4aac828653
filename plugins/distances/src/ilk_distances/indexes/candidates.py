"""Candidates for the nearest rows, their comparison by the distance itself, and counts of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.neighbors import VectorDistance
from ilk_distances.indexes.exact import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ilk import Cases, Distance, Matrix

_LONG = 4  # times k rows in a list above which a partition is cheaper than a sort
PAIRS = 2**18  # features of pairs that take about as long as the overhead of one call
_NUMBERS = 2**19  # numbers copied from training rows at a time: bounds the memory
_CACHED = 2**16  # numbers of a block of pairs: they stay in the cache
_SOME = 256  # up to so many rows, the kernel for single pairs is faster than the tiled one


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


def nearest_in_lists(
    distance: Distance,
    Q: Any,
    X: Any,
    queries: np.ndarray,
    rows: np.ndarray,
    asked: np.ndarray,
    k: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of lists of rows, ties by lower index.

    Parameters
    ----------
    distance : Distance
        Fitted.
    Q, X : data of m and n rows, checked
    queries, rows : ndarrays of int, shape (n_pairs,)
        Pairs, sorted by query.
    asked : ndarray of int, shape (n_asked,)
        Queries to answer, ascending, with at least k rows each.
    k : int

    Returns
    -------
    distances : ndarray of shape (n_asked, k)
    indices : ndarray of int, shape (n_asked, k)
    """
    D = CountedDistances(distance, X).to_rows(Q, queries, rows)
    if len(rows) > _LONG * k * len(asked):  # sort those alone that are as near as the k-th
        most = np.full(ilk.n_rows(Q), -np.inf)
        starts, stops = (np.searchsorted(queries, asked, side) for side in ("left", "right"))
        for query, start, stop in zip(asked, starts, stops, strict=True):
            most[query] = np.partition(D[start:stop], k - 1)[k - 1]
        near = most[queries] >= D
        queries, rows, D = queries[near], rows[near], D[near]
    order = np.lexsort((rows, D, queries))
    best = order[np.searchsorted(queries, asked)[:, None] + np.arange(k)]
    return D[best], rows[best]


def within_lists(
    distance: Distance, Q: Any, X: Any, queries: np.ndarray, rows: np.ndarray, r: float
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Those of lists of rows that are within distance r, nearest first, ties by lower index.

    The arguments are those of `nearest_in_lists`; there is a list for each row of Q.
    """
    D = CountedDistances(distance, X).to_rows(Q, queries, rows)
    inside = np.flatnonzero(r >= D)
    inside = inside[np.lexsort((rows[inside], D[inside], queries[inside]))]
    ends = np.searchsorted(queries[inside], np.arange(1, ilk.n_rows(Q)))
    return np.split(D[inside], ends), np.split(rows[inside], ends)


def nearest_in_parts(
    distance: Distance, Q: Cases, X: Cases, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest rows of each query by brute force, ties by lower index.

    Rows are read a part at a time: they may be mapped from a file.
    """
    n, step = ilk.n_rows(X), rows_at_once(X)
    near: Any = None
    where = np.empty((ilk.n_rows(Q), 0), np.int64)
    for start in range(0, n, step):
        some = ilk.take(X, np.arange(start, min(start + step, n)))
        values, rows = distance.kneighbors(Q, some, min(k, ilk.n_rows(some)))
        near = values if near is None else np.hstack([near, values])
        where = np.hstack([where, rows + start])
        # rows of earlier parts stand first, so that `smallest` resolves ties by the lower index
        near, columns = ilk.smallest(near, min(k, near.shape[1]))
        where = np.take_along_axis(where, columns, axis=1)
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


class CountedDistances:
    """A distance, training rows, and the number of computed distances.

    Parameters
    ----------
    distance : Distance
        Fitted.
    X : data of n rows
        As ``distance.check_input`` returns it.
    """

    def __init__(self, distance: Any, X: Any) -> None:
        self.X = X
        self.evaluations = 0
        self._step = rows_at_once(X)
        self._name = ilk.display_name(distance)
        checked = getattr(type(distance), "pairwise", None) is VectorDistance.pairwise
        self._pairwise = distance.compare if checked else distance.pairwise
        self._pairs: Any = distance.compare_pairs if checked else None

    def within(self, row: int, rows: np.ndarray) -> np.ndarray:
        """Distances of one training row to others."""
        if not len(rows):
            return np.empty(0)
        if self._pairs is not None and len(rows) <= _SOME:
            return self._one_by_one(self.X, np.full(len(rows), row), rows, "training row")
        return np.asarray(self._compare(ilk.take(self.X, [row]), rows, f"training row {row}")[0])

    def to_rows(self, Q: Cases, queries: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Distances of queries to training rows, pair by pair; pairs are sorted by query."""
        if self._pairs is None:
            return self._grouped(Q, queries, rows)
        return self._one_by_one(Q, queries, rows, "query")

    def _one_by_one(self, Q: Any, queries: np.ndarray, rows: np.ndarray, kind: str) -> np.ndarray:
        step = max(_CACHED // _width(self.X), 1)
        parts = []
        for start in range(0, max(len(rows), 1), step):
            part = slice(start, start + step)
            distances = self._pairs(Q, queries[part], self.X, rows[part])
            if not distances.min(initial=0) >= 0:  # the minimum is NaN if any is
                bad = int(np.argmin(distances >= 0))
                self._refuse(f"{kind} {queries[start + bad]}", rows[start + bad], distances[bad])
            parts.append(distances)
        self.evaluations += len(rows)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _grouped(self, Q: Cases, queries: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Like `to_rows`, with a call for each set of training rows."""
        if not len(rows):
            return np.empty(0)
        starts = np.flatnonzero(np.diff(queries, prepend=-1))
        parts = np.split(rows, starts[1:])
        # queries that ask for the same rows share one call
        alike: dict[bytes, list[int]] = {}
        for place, part in enumerate(parts):
            alike.setdefault(part.tobytes(), []).append(place)
        distances: list[Any] = [None] * len(parts)
        for places in alike.values():
            some = queries[starts[places]]
            name = f"query {some[0]}" if len(some) == 1 else "a query"
            D = self._compare(ilk.take(Q, some), parts[places[0]], name)
            for place, values in zip(places, D, strict=True):
                distances[place] = values
        return np.concatenate(distances)

    def _compare(self, some: Any, rows: np.ndarray, name: str) -> np.ndarray:
        parts = []
        for start in range(0, len(rows), self._step):
            part = rows[start : start + self._step]
            D = np.asarray(self._pairwise(some, ilk.take(self.X, part)))
            if not D.min(initial=0) >= 0:  # the minimum is NaN if any is
                column = int(np.flatnonzero(~(D >= 0).all(axis=0))[0])
                self._refuse(name, part[column], D[:, column].min())
            parts.append(D)
            self.evaluations += D.size
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def _refuse(self, name: str, row: int, value: float) -> None:
        raise ilk.InputError(
            f"{self._name}: the distance of {name} to training row {row} is NaN or negative "
            f"({value})"
        )


def rows_at_once(X: Any) -> int:
    """Number of training rows to copy at a time."""
    return max(_NUMBERS // _width(X), 1)


def _width(X: Any) -> int:
    """Numbers in a row; of sparse rows, on average."""
    if ilk.is_sparse(X):
        return max(int(X.nnz) // max(ilk.n_rows(X), 1), 1)
    return X.shape[1] if getattr(X, "ndim", 0) == 2 else 1  # an array


def search_in_blocks(
    index: Any, Q: Cases, size: int, search: Callable[[CountedDistances, Any], Any]
) -> list[Any]:
    """Answers of a search for each block of queries; the index counts the distances."""
    m = ilk.n_rows(Q)
    answers: list[Any] = [None] * -(-m // size)
    counts: list[int] = []

    def work(start: int, stop: int) -> None:
        counted = CountedDistances(index.distance_, index.X_)
        answers[start // size] = search(counted, ilk.take(Q, np.arange(start, stop)))
        counts.append(counted.evaluations)

    ilk.in_blocks(work, m, size)
    count(index, sum(counts))
    return answers
