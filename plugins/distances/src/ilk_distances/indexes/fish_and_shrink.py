"""Fish and Shrink: bounds on all cases from the distances of a few, tightened step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

import ilk
from ilk import check_fitted, param
from ilk.neighbors import check_radius, training_rows
from ilk_distances.indexes.candidates import CountedDistances, search_in_blocks
from ilk_distances.indexes.exact import check_metric, check_queries, margin

if TYPE_CHECKING:
    from collections.abc import Callable

    from ilk import Cases, Distance, Labels

_BOUNDS = 2**21  # bounds in a thread's memory at a time
_QUERIES = 256  # maximum number of queries searched together
_AT_ONCE = 8  # minimum number of rows compared in a call after the pivots: saves calls
_UNSORTED = 64  # maximum number of rows compared before the others are sorted by bound


class Answer(NamedTuple):
    """The answer of a search, and its certainty.

    Attributes
    ----------
    distances, indices : ndarrays of shape (m, k)
        The nearest of the compared rows.
    exact : ndarray of bool, shape (m,)
        Whether these are certainly the k nearest of all.
    bounds : ndarray of shape (m,)
        Lower bound of the distance to rows that were not compared: nearer answers are correct.
    """

    distances: np.ndarray
    indices: np.ndarray
    exact: np.ndarray
    bounds: np.ndarray


class FishAndShrink(ilk.Index):
    """Fish and Shrink: compares a query with few cases and bounds its distance to all others.

    The distances of some training rows, the pivots, to all rows are stored. After a query is
    compared with a pivot p, the triangle inequality bounds its distance to every other row,
    ``d(q, x) >= |d(q, p) - d(p, x)|``: the possible range of d(q, x) shrinks. The next row
    compared is the pivot of the least bound, until at most as many rows as pivots remain; then
    rows are compared in the order of their bounds until the next bound exceeds the k-th
    distance.

    Bounds by 32 pivots take about 0.015 microseconds for each query and row, several times as
    long as `brute` needs to compare cheap vectors. So the index pays only for distances that
    take a microsecond or more each.

    Takes every metric, on objects of any kind. Without a budget, answers are those of `brute`
    to the last bit, ties by lower training index included.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : data of n rows
        Training rows as the distance takes them; float arrays are not copied.
    pivots_ : ndarray of int
        Training indices.
    table_ : ndarray of shape (len(pivots_), n)
        Distances of the pivots to all rows.
    n_build_evaluations_ : int
        Number of distances computed by `fit`.
    n_distance_evaluations_ : int
        Number of distances computed since `fit`.

    Raises
    ------
    InputError
        If the distance is no metric, k is not within 1..n, a radius is negative, or a distance
        is NaN or negative.

    References
    ----------
    .. [1] J. W. Schaaf, "Fish and Shrink. A next step towards efficient case retrieval in
       large-scale case bases", *EWCBR*, 1996. Cases there know some of their distances; here the
       pivots know all and the others none.
    .. [2] Cunningham 2008: section 2.4.3.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [1.0], [5.0], [9.0], [9.5]]
    >>> index = ilk.index("fish_and_shrink", n_pivots=2).fit(X, distance=ilk.distance("euclidean"))
    >>> index.kneighbors([[1.0]], 2)[1]
    array([[1, 2]])
    >>> answer = index.search([[6.0]], 1, budget=2)
    >>> answer.indices, answer.exact, bool(answer.bounds[0] <= 1)
    (array([[5]]), array([False]), True)
    """

    n_pivots: int = param(
        default=32,
        ge=1,
        doc="Number of pivots (all rows, if they are fewer). Each pivot is the row farthest from "
        "the pivots before it; rows equal to a pivot are not used. Takes ``n_pivots * n`` "
        "numbers and about as many comparisons in `fit`.",
    )
    budget: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Anytime mode: maximum number of comparisons for a query, but at least k. Answers "
        "are the nearest rows compared so far, and `search` returns their certainty.",
    )

    @classmethod
    def examples(cls) -> list[FishAndShrink]:
        """Return the default, one with few pivots, and one with a small budget."""
        return [cls(), cls(n_pivots=3), cls(budget=10)]

    @property
    def exact(self) -> bool:  # type: ignore[override]  # here it depends on a parameter
        """Whether the answers equal brute force: without a budget."""
        return self.budget is None

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Take training rows and an already fitted distance; y is ignored."""
        self.check_parameters()
        self.X_ = training_rows(self, distance, X)
        check_metric(self, distance)
        self.distance_ = distance
        counted = CountedDistances(distance, self.X_)
        self.pivots_, self.table_ = _pivots(counted, self.n_pivots)
        self.n_build_evaluations_ = counted.evaluations
        self.n_distance_evaluations_ = 0
        return self

    def check_loaded(self) -> None:
        """Check that pivots are training rows and the table has their distances to all rows."""
        n = ilk.n_rows(self.X_)
        pivots = ilk.check_stored(self, "pivots_", (None,), least=0, below=n)
        ilk.check_stored(self, "table_", (len(pivots), n), kinds="f")

    def kneighbors(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index.

        With a budget, the nearest of the compared rows.
        """
        check_fitted(self)
        answer = self.search(Q, k, budget=self.budget)
        return answer.distances, answer.indices

    def search(self, Q: Cases, k: int, *, budget: int | None = None) -> Answer:
        """Neighbours found within a budget of comparisons (at least k), and their certainty.

        Parameters
        ----------
        Q : data of m rows
        k : int
        budget : int, optional
            None: no limit, also if the index has a `budget`.

        Returns
        -------
        Answer
        """
        check_fitted(self)
        n = ilk.n_rows(self.X_)
        self.check_k(k, n)
        most = n if budget is None else max(budget, k)
        answers = self._each(Q, int(k), lambda search: search.nearest(most))
        return Answer(*(np.concatenate(part) for part in zip(*answers, strict=True)))

    def radius_neighbors(self, Q: Cases, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first.

        The budget does not apply.
        """
        check_fitted(self)
        r = check_radius(self, r)
        answers = self._each(Q, 0, lambda search: search.within(r))
        return [d for part in answers for d in part[0]], [i for part in answers for i in part[1]]

    def _each(self, Q: Cases, k: int, ask: Callable[[_Search], Any]) -> list[Any]:
        """Answers for each block of queries."""
        Q = check_queries(self, self.distance_, Q, self.X_)
        size = min(max(_BOUNDS // ilk.n_rows(self.X_), 1), _QUERIES)

        def search(counted: CountedDistances, queries: Cases) -> Any:
            return ask(_Search(counted, queries, self.pivots_, self.table_, k))

        return search_in_blocks(self, Q, size, search)


def _pivots(counted: CountedDistances, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Farthest-first pivots, and their distances to all rows."""
    everyone = np.arange(ilk.n_rows(counted.X))
    pivots = [0]
    table = [counted.within(0, everyone)]
    nearest = table[0].copy()
    # a pivot is at distance 0 from itself, whatever rounding says
    nearest[0] = 0
    # the rest equals a pivot, so further pivots would exclude nothing
    while len(pivots) < most and nearest.any():
        pivots.append(int(np.argmax(nearest)))
        table.append(counted.within(pivots[-1], everyone))
        np.minimum(nearest, table[-1], out=nearest)
        nearest[pivots] = 0
    return np.array(pivots), np.stack(table)


class _Search:
    """Bounds of the distances of some queries to all training rows.

    Compiled steps select the next pairs of all queries; one call of the distance then compares
    all these pairs.

    Parameters
    ----------
    counted : CountedDistances
    Q : data of m rows
    pivots : ndarray of int
    table : ndarray of shape (len(pivots), n)
        Distances of the pivots to all rows.
    k : int
        Number of neighbours; 0 for a search within a radius.
    """

    def __init__(
        self,
        counted: CountedDistances,
        Q: Cases,
        pivots: np.ndarray,
        table: np.ndarray,
        k: int,
    ) -> None:
        self.counted, self.Q, self.pivots, self.table = counted, Q, pivots, table
        m = ilk.n_rows(Q)
        self.dtype = table.dtype
        self.limits = np.full(m, np.inf)
        self.least = np.zeros((m, table.shape[1]))
        self.taken = np.zeros(m, np.int64)  # comparisons of each query
        self.near, self.where = np.full((m, k), np.inf), np.full((m, k), table.shape[1])

    def nearest(self, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The nearest rows within a budget, whether they are certain, and a bound."""
        self._compare_pivots(most)
        self._compare_by_bound(most)
        order = np.lexsort((self.where, self.near))
        near, where = (np.take_along_axis(part, order, axis=1) for part in (self.near, self.where))
        # fmin skips NaN, the rows that were compared; the answer is certain if all others are too
        # far
        bounds = np.fmin.reduce(self.least, axis=1, initial=np.inf)
        return near.astype(self.dtype, copy=False), where, bounds > self.limits, bounds

    def within(self, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """All rows within r, nearest first."""
        m, size = len(self.limits), len(self.pivots)
        pivots = np.tile(np.arange(size), m)
        queries = np.repeat(np.arange(m), size)
        distances = self._compare(queries, self.pivots[pivots])
        self.limits[:] = r * (1 + self.slack[0]) + self.slack[1]
        self._tighten(queries, pivots, distances)
        # the pivots' distances are known: only rows that their bounds cannot exclude are compared
        others, rows = np.nonzero(self.least <= self.limits[:, None])
        queries, rows = np.append(queries, others), np.append(self.pivots[pivots], rows)
        distances = np.append(distances, self._compare(others, rows[m * size :]))
        inside = np.flatnonzero(distances <= r)
        order = inside[np.lexsort((rows[inside], distances[inside], queries[inside]))]
        ends = np.searchsorted(queries[order], np.arange(1, m))
        return np.split(distances[order].astype(self.dtype), ends), np.split(rows[order], ends)

    def _compare_pivots(self, most: int) -> None:
        """Compare with pivots while fewer pivots than candidate rows remain."""
        from ilk_distances.indexes import fish_and_shrink_steps

        waiting = np.ones((len(self.limits), len(self.pivots)), dtype=bool)
        step = 1
        while waiting.any():
            queries, numbers = np.empty((2, waiting.size), np.int64)
            n = fish_and_shrink_steps.choose_pivots(
                self.pivots,
                self.least,
                self.limits,
                most - self.taken,
                waiting,
                step,
                queries,
                numbers,
            )
            if not n:
                return
            distances = self._compare(queries[:n], self.pivots[numbers[:n]])
            self._tighten(queries[:n], numbers[:n], distances)
            # doubling: as pivots are used up, each one tells less, and calls cost more than
            # comparisons
            step *= 2

    def _compare_by_bound(self, most: int) -> None:
        """Compare with the remaining rows in the order of their bounds."""
        from ilk_distances.indexes import fish_and_shrink_steps

        k = self.near.shape[1]
        sizes = np.minimum(most - self.taken, min(max(_AT_ONCE, k), _UNSORTED))
        queries, taken = np.empty((2, sizes.sum()), np.int64)
        n = fish_and_shrink_steps.take_least_bounded(self.least, self.limits, sizes, queries, taken)
        self._compare(queries[:n], taken[:n])
        counts = np.count_nonzero(self.least <= self.limits[:, None], axis=1)
        ends = np.append(0, np.cumsum(counts))
        rows = np.empty(ends[-1] + 1, np.int64)
        fish_and_shrink_steps.heap_by_bound(self.least, self.limits, ends, rows)
        while True:
            # a quarter of the comparisons so far: calls grow logarithmically, vain comparisons stay
            # few
            sizes = np.maximum(np.maximum(_AT_ONCE, k - self.taken), self.taken // 4)
            sizes = np.minimum(sizes, most - self.taken)
            queries, taken = np.empty((2, int(np.minimum(sizes, counts).sum())), np.int64)
            n = fish_and_shrink_steps.take_next(
                rows, ends[:-1], counts, sizes, self.least, self.limits, queries, taken
            )
            if not n:
                return
            self._compare(queries[:n], taken[:n])

    def _compare(self, queries: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Compare queries with rows; return the distances, as float64."""
        from ilk_distances.indexes import fish_and_shrink_steps

        if not len(queries):
            return np.empty(0)
        distances = self.counted.to_rows(self.Q, queries, rows)
        self.dtype = distances.dtype
        self.slack = np.array([*margin(distances.dtype), *margin(self.table.dtype)])
        distances = distances.astype(float, copy=False)
        self.taken += np.bincount(queries, minlength=len(self.taken))
        fish_and_shrink_steps.record_distances(
            self.slack, queries, rows, distances, self.near, self.where, self.limits, self.least
        )
        return distances

    def _tighten(self, queries: np.ndarray, numbers: np.ndarray, distances: np.ndarray) -> None:
        from ilk_distances.indexes import fish_and_shrink_steps

        fish_and_shrink_steps.raise_bounds(
            self.table, self.slack, queries, numbers, distances, self.least
        )
