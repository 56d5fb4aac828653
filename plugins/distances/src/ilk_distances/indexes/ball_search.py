"""Indexes that search a tree of balls: any metric, no matter of what objects."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk.neighbors.checks import check_radius, training_rows
from ilk_distances.indexes.balls import Search
from ilk_distances.indexes.comparing import Comparing
from ilk_distances.indexes.exact import check_metric, check_queries, count
from ilk_distances.indexes.hierarchy import Branch, Hierarchy

ENTRIES = 2**23  # balls that queries searched side by side may have to open
FEW, MANY = 16, 256  # queries searched side by side


class BallSearch(ilk.Index):
    """An exact index over a tree of balls; subclasses say how the rows in a ball are divided.

    Which rows are compared with a query is decided by the triangle inequality with a margin
    for rounding, and every comparison is the distance's own: answers are those of `brute`.
    """

    tree_: Hierarchy

    def fit(self, X: Any, y: Any = None, *, distance: Any) -> Self:
        """Take training rows and an already fitted distance; y is ignored."""
        self.check_parameters()
        self.X_ = training_rows(self, distance, X)
        check_metric(self, distance)
        self.distance_ = distance
        comparing = Comparing(distance, self.X_)
        self.tree_ = self._grow(comparing, X)
        self.n_build_evaluations_ = comparing.evaluations
        self.n_distance_evaluations_ = 0
        return self

    def check_loaded(self) -> None:
        """Check that the balls have just the training rows in their middles."""
        n = ilk.n_rows(self.X_)
        ilk.check_stored(self.tree_, "rows", (None,), least=0, below=n)
        if len(np.unique(self.tree_.rows)) != n:
            raise ilk.stored_fault(self, "tree_ must have every row")

    @abstractmethod
    def _grow(self, comparing: Comparing, X: Any) -> Hierarchy:
        """Return the tree of all training rows, which are X as it was given."""

    def kneighbors(self, Q: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index."""
        check_is_fitted(self)
        n = ilk.n_rows(self.X_)
        self.check_k(k, n)
        Q = check_queries(self, self.distance_, Q, self.X_)
        if 2 * k >= n:  # nothing could be left out
            found = self.distance_.kneighbors(Q, self.X_, int(k))
            count(self, ilk.n_rows(Q) * n)
            return found  # type: ignore[no-any-return]  # the slot is Any
        parts = self._searched(Q, lambda search: search.nearest(int(k)))
        return np.concatenate([d for d, _ in parts]), np.concatenate([i for _, i in parts])

    def radius_neighbors(self, Q: Any, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first."""
        check_is_fitted(self)
        r = check_radius(self, r)
        Q = check_queries(self, self.distance_, Q, self.X_)
        parts = self._searched(Q, lambda search: search.within(r))
        return [d for part in parts for d in part[0]], [i for part in parts for i in part[1]]

    def _searched(self, Q: Any, ask: Callable[[Search], Any]) -> list[Any]:
        """Answers of a search for each block of queries."""
        m = ilk.n_rows(Q)
        size = min(max(ENTRIES // len(self.tree_.rows), FEW), MANY)
        answers: list[Any] = [None] * -(-m // size)
        counts: list[int] = []

        def work(start: int, stop: int) -> None:
            comparing = Comparing(self.distance_, self.X_)
            search = Search(self.tree_, comparing, ilk.take(Q, np.arange(start, stop)))
            answers[start // size] = ask(search)
            counts.append(comparing.evaluations)

        ilk.in_blocks(work, m, size)
        count(self, sum(counts))
        return answers


def everything(comparing: Comparing, row: int) -> Branch:
    """Return the ball of all training rows around one of them."""
    n = ilk.n_rows(comparing.X)
    others = np.delete(np.arange(n), row)
    return Branch(row, 0.0, others, comparing.within(row, others))
