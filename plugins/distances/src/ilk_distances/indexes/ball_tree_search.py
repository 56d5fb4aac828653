"""Ball trees: construction by repeated division, and search for many queries at once."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

import ilk
from ilk.neighbors import check_radius, training_rows
from ilk_distances.indexes.candidates import CountedDistances, search_in_blocks
from ilk_distances.indexes.exact import check_metric, check_queries, count, margin

if TYPE_CHECKING:
    from ilk import Cases, Distance, Labels

_ENTRIES = 2**23  # heap entries of the queries searched together: bounds the memory
_FEW, _MANY = 16, 256  # minimum and maximum number of queries searched together
_PATIENCE = 4  # rounds that open a single ball; then 2, 4, 8, ... to save calls
_LARGEST = 6  # maximum exponent of that growth: more would compare too many rows in vain
_PAIRS = 64  # comparisons in a round, for each ball that may be opened


class BallTreeIndex(ilk.Index):
    """An exact index over a tree of balls; subclasses divide the rows in a ball.

    The triangle inequality, with a margin for rounding, selects the rows to compare with a query.
    The distance itself compares them, so that answers equal those of `brute`.
    """

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Take training rows and an already fitted distance; y is ignored."""
        self.check_parameters()
        self.X_ = training_rows(self, distance, X)
        check_metric(self, distance)
        self.distance_ = distance
        counted = CountedDistances(distance, self.X_)
        self.tree_: Hierarchy = self._grow(counted, X)
        self.n_build_evaluations_ = counted.evaluations
        self.n_distance_evaluations_ = 0
        return self

    def check_loaded(self) -> None:
        """Check that the middles of the balls are the training rows."""
        n = ilk.n_rows(self.X_)
        ilk.check_stored(self.tree_, "rows", (None,), least=0, below=n)
        if len(np.unique(self.tree_.rows)) != n:
            raise ilk.stored_fault(self, "tree_ must have every row")

    @abstractmethod
    def _grow(self, counted: CountedDistances, X: Cases) -> Hierarchy:
        """Return the tree of all training rows; X has them as given."""

    def kneighbors(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index."""
        ilk.check_fitted(self)
        n = ilk.n_rows(self.X_)
        self.check_k(k, n)
        Q = check_queries(self, self.distance_, Q, self.X_)
        if 2 * k >= n:  # a search would skip hardly any row
            neighbors = self.distance_.kneighbors(Q, self.X_, int(k))
            count(self, ilk.n_rows(Q) * n)
            return neighbors
        parts = self._searched(Q, lambda search: search.nearest(int(k)))
        return np.concatenate([d for d, _ in parts]), np.concatenate([i for _, i in parts])

    def radius_neighbors(self, Q: Cases, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first."""
        ilk.check_fitted(self)
        r = check_radius(self, r)
        Q = check_queries(self, self.distance_, Q, self.X_)
        parts = self._searched(Q, lambda search: search.within(r))
        return [d for part in parts for d in part[0]], [i for part in parts for i in part[1]]

    def _searched(self, Q: Cases, ask: Callable[[_Search], Any]) -> list[Any]:
        """Answers of a search for each block of queries."""
        size = min(max(_ENTRIES // len(self.tree_.rows), _FEW), _MANY)
        return search_in_blocks(
            self, Q, size, lambda counted, queries: ask(_Search(self.tree_, counted, queries))
        )


def root_of(counted: CountedDistances, row: int) -> Branch:
    """Return the ball of all training rows around one of them."""
    n = ilk.n_rows(counted.X)
    others = np.delete(np.arange(n), row)
    return Branch(row, 0.0, others, counted.within(row, others))


class _Search:
    """The search for the neighbours of some queries.

    Every query has a heap of balls that may contain a neighbour and opens the ball of the least
    bound first. It is compared with a row in the ball only if the triangle inequality, with the
    known distances to the middle of the ball, cannot exclude the row.

    Compiled steps select the next pairs of all queries; one call of the distance then compares
    all these pairs.

    Parameters
    ----------
    tree : Hierarchy
    counted : CountedDistances
    Q : data of m rows
    """

    def __init__(self, tree: Hierarchy, counted: CountedDistances, Q: Cases) -> None:
        self.tree, self.counted, self.Q, self.m = tree, counted, Q, ilk.n_rows(Q)
        self._arrays = (tree.rows, tree.up, tree.radii, tree.first, tree.count)
        self._state = np.full((4, self.m), -1)
        self._to = np.empty(self.m)
        self._entries, self._bounds = np.empty((3, 64), np.int64), np.empty((2, 64))
        self._used = 0
        self._slack = self._limits = np.empty(0)  # set when the type of distances is known

    def nearest(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest rows of each query, ties by lower index."""
        near = np.full((self.m, k), np.inf)
        where = np.full((self.m, k), np.iinfo(np.int64).max)
        results = self._run(near, where, np.inf)
        order = np.lexsort((where, near))
        near, where = (np.take_along_axis(part, order, axis=1) for part in (near, where))
        return near.astype(results[0][2].dtype, copy=False), where

    def within(self, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The rows within r of each query, nearest first."""
        nothing = np.empty((self.m, 0))
        results = self._run(nothing, nothing.astype(np.int64), r)
        queries, rows, distances = (np.concatenate(part) for part in zip(*results, strict=True))
        order = np.lexsort((rows, distances, queries))
        ends = np.searchsorted(queries[order], np.arange(1, self.m))
        return np.split(distances[order], ends), np.split(rows[order], ends)

    def _run(
        self, near: np.ndarray, where: np.ndarray, r: float
    ) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Fill in the nearest rows, or return queries, rows and distances within a radius."""
        # every query starts at the root, whose middle has to be compared in any case
        queries, balls = np.arange(self.m), np.zeros(self.m, np.int64)
        results = []
        turn = 0
        while len(queries):
            rows = self.tree.rows[balls]
            distances = self.counted.to_rows(self.Q, queries, rows)
            if turn == 0:
                self._slack = np.array([*margin(distances.dtype), *margin(self.tree.dtype)])
                self._limits = np.full(self.m, r * (1 + self._slack[0]) + self._slack[1])
            # the k nearest are in `near`; a search within a radius has no list and returns all of
            # them
            inside = slice(0, 0) if near.size else distances <= r
            results.append((queries[inside], rows[inside], distances[inside]))
            self._receive(queries, balls, distances.astype(float), near, where)
            # within a radius the limit is fixed, so opening many balls at once wastes no comparison
            queries, balls = self._request(turn - _PATIENCE if near.size else _LARGEST)
            turn += 1
        return results

    def _receive(
        self,
        queries: np.ndarray,
        balls: np.ndarray,
        distances: np.ndarray,
        near: np.ndarray,
        where: np.ndarray,
    ) -> None:
        """Process distances of queries to the middles of balls."""
        from ilk_distances.indexes import ball_tree_steps

        self._make_room(len(queries))
        self._used = ball_tree_steps.receive(
            self._arrays,
            self._slack,
            queries,
            balls,
            distances,
            near,
            where,
            self._limits,
            self._state,
            self._entries,
            self._bounds,
            self._used,
        )

    def _request(self, doublings: int) -> tuple[np.ndarray, np.ndarray]:
        """Return queries, and the balls whose middles to compare them with next."""
        from ilk_distances.indexes import ball_tree_steps

        opened = 2 ** max(0, min(doublings, _LARGEST))
        most = _PAIRS * opened
        queries, balls = np.empty((2, self.m * most), np.int64)
        n = ball_tree_steps.request(
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
        """Ensure that n entries are free."""
        size = self._entries.shape[1]
        if self._used + n > size:
            size = 2 * (self._used + n)
            self._entries, self._bounds = _grown(self._entries, size), _grown(self._bounds, size)


def _grown(A: np.ndarray, size: int) -> np.ndarray:
    grown = np.empty((len(A), size), A.dtype)
    grown[:, : A.shape[1]] = A
    return grown


class Branch(NamedTuple):
    """A ball before division: its middle, its rows, and their distances to the middle.

    Attributes
    ----------
    row : int
    up : float
        Distance to the middle of the parent.
    rows : ndarray of int
        Without the middle.
    distances : ndarray
    divide : bool
        Whether it may be divided further; else its rows form a list.
    """

    row: int
    up: float
    rows: np.ndarray
    distances: np.ndarray
    divide: bool = True


@dataclass(frozen=True)
class Hierarchy:
    """A tree of balls in arrays; the children of a ball are numbered one after another.

    Attributes
    ----------
    rows : ndarray of int, shape (n_balls,)
        Training row in the middle. A child may have the middle of its parent.
    up : ndarray of shape (n_balls,)
        Distance to the middle of the parent.
    radii : ndarray of shape (n_balls,)
        Largest distance of the middle to a row in the ball.
    first, count : ndarrays of int, shape (n_balls,)
        The children are ``first .. first + count - 1``.
    dtype : str
        Of the distances.
    """

    rows: np.ndarray
    up: np.ndarray
    radii: np.ndarray
    first: np.ndarray
    count: np.ndarray
    dtype: str

    def check_loaded(self) -> None:
        """Check that each ball except the first is the child of exactly one earlier ball."""
        n = len(self.rows)
        for name in ("rows", "first", "count"):
            ilk.check_stored(self, name, (n,), least=0)
        for name in ("up", "radii"):
            ilk.check_stored(self, name, (n,), kinds="f")
        parents = np.repeat(np.arange(n), np.minimum(self.count, n))
        ends = np.cumsum(self.count)
        children = np.arange(len(parents)) + (self.first - ends + self.count)[parents]
        once = np.array_equal(np.sort(children), np.arange(1, n))
        if not once or not (parents < children).all() or np.dtype(self.dtype).kind != "f":
            raise ilk.stored_fault(self, "balls do not form a tree")
        repeated = (self.rows[parents] == self.rows[children]) & (self.count[children] > 0)
        if np.bincount(parents[repeated]).max(initial=0) > 1:
            raise ilk.stored_fault(self, "a ball has two children with its own middle")


_Divide = Callable[[Branch], tuple[list[Branch], np.ndarray]]
"""Returns the children of a ball, and positions of the rows that form a list."""


def grow(root: Branch, divide: _Divide) -> Hierarchy:
    """Return the tree that results from dividing a ball and, recursively, its children."""
    # every row is a middle once, and each division repeats at most one middle
    room = 2 * len(root.rows) + 1
    rows, up, radii = np.empty(room, np.int64), np.zeros(room), np.zeros(room)
    first, count = np.zeros(room, np.int64), np.zeros(room, np.int64)
    rows[0] = root.row
    size = 1
    # first in, first out: the children of a ball get consecutive numbers
    waiting = deque([(0, root)])
    while waiting:
        ball, branch = waiting.popleft()
        radii[ball] = branch.distances.max(initial=0.0)
        branches, listed = divide(branch) if branch.divide else ([], np.arange(len(branch.rows)))
        first[ball], count[ball] = size, len(listed) + len(branches)
        here = slice(size, size + len(listed))
        rows[here], up[here] = branch.rows[listed], branch.distances[listed]
        size += len(listed)
        for child in branches:
            rows[size], up[size] = child.row, child.up
            if len(child.rows):
                waiting.append((size, child))
            size += 1
    dtype = root.distances.dtype.str
    return Hierarchy(rows[:size], up[:size], radii[:size], first[:size], count[:size], dtype)
