"""localized: any global metric learner, fitted in the neighbourhood of each query."""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np

import ilk
from ilk import InputError, MetricLearnerLike, RandomState, Seed, display_name, param, slot
from ilk_learners.local.adaptive import AdaptiveMetric
from ilk_learners.metric_learners.linear import MetricWarning


class Localized(AdaptiveMetric):
    """Fit a metric learner to the rows around each query and rank them under its metric.

    The learner is fitted to the `n_neighbors` training rows nearest to the query q in the Euclidean
    metric. Only these rows are ranked, by ``d(x, q)^2 = (x - q)' L'L (x - q)`` with its map L: a
    metric learned around q does not apply to distant rows. Features should have comparable spread
    for the neighbourhood, as after the transformer standardize.

    Each query fits a learner, so a prediction costs as much as a fit to `n_neighbors` rows: below a
    millisecond for learners in closed form (rca, lda, lfda, pca), far more for others.

    *Small regions.* If all rows around a query are of one class, the metric is Euclidean. If more
    neighbours than `n_neighbors` are requested, as many rows are ranked, under the same metric. If
    the learner rejects the rows around a query (no spread within classes, say), the metric is
    Euclidean and a warning is issued. *Ties* go to the lower index.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    learner_ : metric learner
        Unfitted template; a copy is fitted to each neighbourhood.
    report_ : Report
        Leave-one-out error of the nearest neighbour, Euclidean and under this metric. A left-out
        row does not influence its own metric. The report fits the learner up to 500 times.

    Raises
    ------
    ParameterError
        If the learner has no linear map.
    InputError
        If a frozen learner has another number of features.

    Warns
    -----
    MetricWarning
        If the learner rejects the rows around a query; also if the error increases.

    References
    ----------
    Zaidi 2011: section 2.4.5.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 3], [1, 0], [2, 2], [7, 1], [8, 3], [9, 0]]
    >>> learner = ilk.metric_learner("localized", learner="rca", n_neighbors=4)
    >>> learner.fit(X, ["a", "a", "a", "b", "b", "b"]).kneighbors([[4, 1]], 3)[1]
    array([[2, 3, 1]])
    """

    learner: MetricLearnerLike = slot(
        "metric_learner",
        default="rca",
        doc="Any with a linear map. A frozen one is used for all queries.",
    )
    n_neighbors: int = param(default=50, ge=2, doc="Rows around the query; at most all are used.")
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Seeds the learner, equally for each query.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(learner="lda", n_neighbors=20, random_state=0, report=False)]

    def _prepare(self) -> None:
        learner = self.resolve_slot("learner")
        if not isinstance(learner, ilk.MetricLearner):
            name = display_name(learner)
            raise self.parameter_error("learner", f"must have a linear map, got {name}")
        if not ilk.is_frozen(learner):
            if "report" in learner.parameters:
                learner.set_params(report=False)
            rng = ilk.check_seed(self, self.random_state)
            ilk.seeded(learner, int(rng.randint(2**31 - 1)))
        self.learner_ = learner

    def _nearest(
        self, Q: np.ndarray, k: int, left_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        with ilk.library_threads(1):  # our own threads run the blocks
            return super()._nearest(Q, k, left_out)

    def _metrics(self, Q: np.ndarray, left_out: np.ndarray) -> np.ndarray:
        around = self._around(Q, 1, left_out)[0]
        maps = [self._map(rows) for rows in around]
        metrics = np.zeros((len(Q), max(map(len, maps), default=0), Q.shape[1]))
        for metric, L in zip(metrics, maps, strict=True):
            metric[: len(L)] = L
        return metrics

    def _candidates(
        self, Q: np.ndarray, k: int, left_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        around, ranked = self._around(Q, k, left_out)
        rows = np.sort(ranked, axis=1)
        squares = np.empty(rows.shape)
        for i, q in enumerate(Q):
            differences = self.columns_[:, rows[i]].T - q
            with np.errstate(over="ignore", invalid="ignore"):
                squares[i] = np.sum((differences @ self._map(around[i]).T) ** 2, axis=1)
        return squares, rows

    def _around(self, Q: np.ndarray, k: int, left_out: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows around each query to learn from, and the rows to rank."""
        from ilk_learners.local.distance_kernels import weighted

        squares = np.empty((len(Q), len(self.codes_)))
        weighted(self.columns_, Q, np.ones(Q.shape), squares)
        seen = np.flatnonzero(left_out >= 0)
        squares[seen, left_out[seen]] = np.inf
        n = len(self.codes_) - int(len(seen) > 0)
        size = min(int(self.n_neighbors), n)
        rows = ilk.smallest(squares, max(size, min(k, n)))[1]
        return np.sort(rows[:, :size], axis=1), rows

    def _map(self, rows: np.ndarray) -> np.ndarray:
        """L of the learner fitted to these rows, in the unit of the data."""
        from sklearn.base import clone

        p = len(self.columns_)
        frozen = ilk.is_frozen(self.learner_)
        if not frozen and len(np.unique(self.codes_[rows])) < 2:
            return np.eye(p)
        X = np.ldexp(self.columns_[:, rows].T, self.exponent_)
        try:
            learner = self.learner_ if frozen else clone(self.learner_)
            learner = ilk.fit_component(learner, X, self.classes_[self.codes_[rows]])
        except InputError as error:
            warnings.warn(
                f"{display_name(self)}: the learner rejects the rows around a query, so the "
                f"metric there is Euclidean: {error}",
                MetricWarning,
                stacklevel=2,
            )
            return np.eye(p)
        if learner.components_.shape[1] != p:
            raise InputError(
                f"{display_name(self)}: the learner is frozen, and for "
                f"{learner.components_.shape[1]} features, got {p}"
            )
        return np.asarray(learner.components_, dtype=float)
