"""Counted distances of checked rows, and searches that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.neighbors import VectorDistance
from ilk_distances.indexes.exact import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from ilk import Cases

_NUMBERS = 2**19  # numbers copied from training rows at a time: bounds the memory
_CACHED = 2**16  # numbers of a block of pairs: they stay in the cache
_SOME = 256  # up to so many rows, the kernel for single pairs is faster than the tiled one


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
        step = max(_CACHED // self.X.shape[1], 1)
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
    width = X.shape[1] if getattr(X, "ndim", 0) == 2 else 1  # an array
    return max(_NUMBERS // width, 1)


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
