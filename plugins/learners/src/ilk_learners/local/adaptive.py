"""Bases of local metrics of vectors, and of those that shrink a region around the query."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

import ilk
from ilk import (
    Capabilities,
    InputError,
    LocalMetric,
    check_fitted,
    check_labels,
    check_vectors,
    display_name,
    param,
)
from ilk_learners.metric_learners.linear import Report, compare
from ilk_learners.numerics import finite

if TYPE_CHECKING:
    from ilk import Cases, Labels

_FAR = 1e150  # the square of a larger number may overflow
_NUMBERS = 2**21  # numbers held per block of queries: 16 MiB
_QUERIES = 32  # most queries per block, so that threads share the work


class AdaptiveMetric(LocalMetric):
    """A metric of vectors that is computed at each query from the training rows around it.

    **How to add one.** Subclass and give

    - ``_metrics(Q, left_out)``: the metric at each of a block of queries, as weights of shape
      (m, p) or as linear maps L of shape (m, d, p), with ``d(x, q)^2 = (x - q)' L'L (x - q)``.
      This class does the rest: the search for the k nearest training rows under each query's
      metric, `local_metric` (the weights, or L'L), the report.
    - ``_prepare()`` for work done once for all queries, such as sorting; `fit` calls it after
      setting the attributes below;
    - or ``_candidates(Q, k, left_out)`` for another search for neighbours, such as partitioning:
      squared distances to candidate rows, and their numbers.

    Each query must be processed independently, so that no result depends on its block. Row
    ``left_out[i]`` (-1: none) must not influence query i, neither as a neighbour nor through the
    metric: the report uses this to leave out training rows.

    Rows and queries are in units of ``2**exponent_``, so that no square overflows. Metrics that
    depend on units must be those of the unscaled data: a map L computed from scaled rows becomes
    ``np.ldexp(L, -exponent_)``; weights that only compare features need no change. If distances
    have no unit, as Mahalanobis's, set ``unitless = True``: metrics and squared distances are then
    those of scaled rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    codes_ : ndarray of int, shape (n,)
        Class of each training row.
    columns_ : ndarray of shape (p, n)
        The training rows, transposed, in units of ``2**exponent_``; float32 is kept.
    exponent_ : int
    report_ : Report
        Leave-one-out error of the nearest neighbour before and after, if requested.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(local=True)
    unitless: ClassVar[bool] = False
    report: bool = param(default=True, doc="Whether `fit` measures the error before and after.")

    def fit(self, X: Cases, y: Labels | None) -> Self:
        """Store rows X and their labels y, of at least two classes."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        self.classes_, self.codes_ = check_labels(self, y, X, min_classes=2)
        # squares of float32 numbers neither overflow nor underflow in float64: no scaling needed
        self.exponent_ = 0 if X.dtype == np.float32 else int(np.frexp(np.abs(X).max())[1])
        self.columns_ = np.ldexp(X.T, -self.exponent_, order="C").astype(X.dtype, copy=False)
        self._prepare()
        if self.report:
            self.report_ = self._report(X)
        return self

    def kneighbors(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index.

        Parameters
        ----------
        Q : array of shape (m, p)
        k : int
            1 <= k <= n.

        Returns
        -------
        distances : ndarray of shape (m, k)
            Under the metric at the query; float32 if rows and queries are.
        indices : ndarray of int64, shape (m, k)
        """
        check_fitted(self)
        Q = check_vectors(self, Q, argument="Q", reset=False)
        ilk.check_k(self, k, len(self.codes_))
        return self._nearest(Q, int(k), np.full(len(Q), -1))

    def local_metric(self, x: object) -> np.ndarray:
        """Metric at one query: weights (p,), or a matrix (p, p)."""
        check_fitted(self)
        q = check_vectors(self, ilk.one_row(x), argument="x", reset=False)
        if len(q) > 1:
            raise InputError(f"{display_name(self)}: x must be one query, got {len(q)} rows")
        metric = self._metrics(self._scaled(q), np.full(1, -1))[0]
        # a map L has the metric L'L
        metric = metric if metric.ndim == 1 else metric.T @ metric
        with np.errstate(over="ignore"):
            metric = np.ldexp(metric, -2 * self.exponent_) if self.unitless else metric
        return finite(self, np.asarray(metric), "rows vary so little that the metric")

    @abstractmethod
    def _metrics(self, Q: np.ndarray, left_out: np.ndarray) -> np.ndarray:
        """Metric at each query: weights (m, p), or maps (m, d, p).

        Parameters
        ----------
        Q : ndarray of shape (m, p), float64
            In units of ``2**exponent_``.
        left_out : ndarray of int, shape (m,)
            The training row to leave out for each query, or -1.
        """

    def _prepare(self) -> None:
        """Precompute what all queries share."""

    def _candidates(
        self, Q: np.ndarray, k: int, left_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Squared distances (m, c) to at least k rows, and the row numbers, ascending.

        In units of ``2**exponent_``; left-out rows are infinitely far. None: all rows.
        """
        from ilk_learners.local.distance_kernels import mapped, weighted

        metrics = np.ascontiguousarray(self._metrics(Q, left_out), dtype=float)
        fill = weighted if metrics.ndim == 2 else mapped
        squares = np.empty((len(Q), len(self.codes_)))
        fill(self.columns_, Q, metrics, squares)
        # a training row is not its own neighbour
        seen = np.flatnonzero(left_out >= 0)
        squares[seen, left_out[seen]] = np.inf
        return squares, None

    def _nearest(
        self, Q: np.ndarray, k: int, left_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest rows of each query, block by block, in threads."""
        single = Q.dtype == self.columns_.dtype == np.float32
        near = np.empty((len(Q), k), dtype=np.float32 if single else float)
        where = np.empty((len(Q), k), dtype=np.int64)
        scaled = self._scaled(Q)
        exponent = 0 if self.unitless else self.exponent_

        def work(start: int, stop: int) -> None:
            block = slice(start, stop)
            squares, rows = self._candidates(scaled[block], k, left_out[block])
            with np.errstate(over="ignore"):
                distances = np.ldexp(np.sqrt(squares), exponent).astype(near.dtype)
            near[block], columns = ilk.smallest(distances, k)
            where[block] = columns if rows is None else np.take_along_axis(rows, columns, axis=1)

        ilk.in_blocks(work, len(Q), self._block_size(len(Q)))
        return finite(self, near, "a distance"), where

    def _block_size(self, m: int) -> int:
        most = max(_NUMBERS // len(self.codes_), 1)
        # four blocks a thread: no thread waits long for the last one
        return int(min(_QUERIES, most, max(-(-m // (4 * ilk.n_threads())), 1)))

    def _scaled(self, Q: np.ndarray) -> np.ndarray:
        """Queries in units of ``2**exponent_``, float64."""
        with np.errstate(over="ignore"):
            scaled: np.ndarray = np.ldexp(Q.astype(float), -self.exponent_)
        far = np.abs(scaled) > _FAR
        if far.any():
            row, column = (int(i) for i in np.argwhere(far)[0])
            raise InputError(
                f"{display_name(self)}: a query is too far from all training rows: "
                f"{Q[row, column]} at row {row}, column {column}"
            )
        return scaled

    def _report(self, X: np.ndarray) -> Report:
        def nearest(queries: np.ndarray) -> np.ndarray:
            return self._nearest(X[queries], 1, queries)[1][:, 0]

        return compare(self, X, self.codes_, nearest)


class PartitionMetric(AdaptiveMetric):
    """Computes feature weights in a region around the query, shrinks it, and repeats.

    Subclasses define the relevance measure and the direction of shrinking.

    Attributes
    ----------
    order_ : ndarray of uint32, shape (p, n)
        Row numbers, sorted by each feature.
    """

    logarithmic: ClassVar[bool]
    single: ClassVar[bool]
    n_neighbors: int = param(
        default=40,
        ge=1,
        doc="Rows in the region at which partitioning ends, unless more neighbours are asked "
        "for; with 1 it ends at k rows, as Friedman's does.",
    )
    L: int = param(default=20, ge=1, doc="Number of nearest rows along a feature.")

    def _prepare(self) -> None:
        self.order_ = np.empty(self.columns_.shape, dtype=np.uint32)
        for column, order in zip(self.columns_, self.order_, strict=True):
            order[:] = np.argsort(column, kind="stable")

    @abstractmethod
    def _step(self) -> tuple[float, float]:
        """Share of the rows kept by a step, and the number added to probabilities."""

    def _metrics(self, Q: np.ndarray, left_out: np.ndarray) -> np.ndarray:
        return self._regions(Q, 1, left_out)[2]

    def _candidates(
        self, Q: np.ndarray, k: int, left_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        squares, rows, _ = self._regions(Q, k, left_out)
        return squares, rows

    def _regions(
        self, Q: np.ndarray, k: int, left_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Squared distances to the rows of the last regions, the row numbers, and the weights."""
        from ilk_learners.local.regions import shrink

        n = len(self.codes_)
        shape = len(Q), min(max(int(self.n_neighbors), k), n)
        rows, squares = np.empty(shape, dtype=np.int64), np.empty(shape)
        weights = np.empty(Q.shape)
        share, kappa = self._step()
        shrink(
            self.columns_,
            self.order_,
            self.codes_,
            len(self.classes_),
            Q,
            left_out,
            int(self.L),
            share,
            kappa,
            self.logarithmic,
            self.single,
            rows,
            squares,
            weights,
        )
        return squares, rows, weights
