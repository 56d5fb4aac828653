"""relevance: each feature weighted by its relevance to the labels (GML)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ilk import (
    InputError,
    OneToOneFeatureMixin,
    RelevanceLike,
    check_fitted,
    check_vectors,
    display_name,
    param,
    slot,
)
from ilk_learners.metric_learners.linear import (
    LinearMetricLearner,
    MetricWarning,
    check_components,
    report,
)
from ilk_learners.numerics import finite
from ilk_learners.targets import read_targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk import Cases, Labels


class RelevanceWeights(OneToOneFeatureMixin, LinearMetricLearner):
    """Multiply each feature by its relevance: a diagonal metric from any relevance measure.

    L is diagonal with the scores c of the measure (GML), so distances weight features by squared
    scores::

        d(x, z)^2 = sum_p c_p^2 (x_p - z_p)^2

    A univariate measure (correlation, fisher, mutual_information) gives a naive metric; one based
    on neighbours in all features (relief, relieff, simba, iterative_relief) a semi-naive one.
    Scores do not depend on the features' units but the distance does: scale the features first, as
    by the transformer standardize.

    Negative scores count as 0. If all are 0, L is the identity (its first `n_components` rows),
    with a warning.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L: one row per kept feature, in the order of the features.
    features_ : ndarray of int, shape (d,)
        Numbers of the kept features.
    scores_ : ndarray of shape (p,)
        Scores of the measure, at least 0.
    relevance_ : Relevance
        The measure used.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None if not requested.

    Raises
    ------
    InputError
        If n_components exceeds the number of features, if y has only one class, or if the measure
        does not return a finite number for each feature.

    Warns
    -----
    MetricWarning
        If all scores are 0, or the learned metric is worse on the training rows.

    References
    ----------
    Zaidi 2011: sections 3.1, 5.2; algorithm 2; equation 2.22.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> learner = ilk.metric_learner("relevance", relevance="correlation")
    >>> learner.fit(X, ["a", "a", "b", "b"]).components_
    array([[1., 0.],
           [0., 0.]])
    >>> learner.report_.before, learner.report_.after
    (0.5, 0.0)
    """

    relevance: RelevanceLike = slot(
        "relevance",
        default="relieff",
        doc="The measure: a name, table or instance. It determines the type of y.",
    )
    n_components: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Number of features to keep, those of the highest scores; ties go to the first. "
        "None: all.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(relevance="mutual_information", n_components=2, report=False),
            cls(relevance={"use": "simba", "random_state": 0}, report=False),
        ]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Score the features of rows X by their relevance to y: classes, or numbers."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        d = check_components(self, self.n_components, X.shape[1])
        self.relevance_ = self.resolve_slot("relevance")
        targets = read_targets(self, y, X, getattr(self.relevance_, "targets", "auto"))
        self.scores_ = self._scored(X, y)
        self.features_ = np.sort(np.argsort(-self.scores_, kind="stable")[:d])
        weights = self.scores_ if self.scores_.any() else np.ones(X.shape[1])
        self.components_ = np.zeros((d, X.shape[1]), X.dtype)
        self.components_[np.arange(d), self.features_] = weights[self.features_]
        self.report_ = report(self, X, self._mapped(X), targets) if self.report else None
        return self

    def _scored(self, X: np.ndarray, y: Labels | None) -> np.ndarray:
        measure = display_name(self.relevance_)
        scores = np.asarray(self.relevance_.scores(X, y), dtype=float)
        if scores.shape != (X.shape[1],):
            raise InputError(
                f"{display_name(self)}: relevance: {measure} gave scores of shape {scores.shape} "
                f"for {X.shape[1]} features"
            )
        bad = np.flatnonzero(~np.isfinite(scores))
        if bad.size:
            raise InputError(
                f"{display_name(self)}: relevance: {measure} gave the score {scores[bad[0]]} for "
                f"feature {bad[0]}"
            )
        scores = np.asarray(np.maximum(scores, 0))
        if not scores.any():
            warnings.warn(
                f"{display_name(self)}: {measure} finds no feature relevant (all scores are 0): "
                f"the Euclidean distance is kept",
                MetricWarning,
                stacklevel=3,
            )
        return scores

    def _mapped(self, X: np.ndarray) -> np.ndarray:
        weights: np.ndarray = self.components_.sum(axis=0)[self.features_]
        with np.errstate(over="ignore", invalid="ignore"):
            return finite(self, X[:, self.features_] * weights.astype(X.dtype, copy=False))

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """Names of the kept features: each is an input feature times its score."""
        check_fitted(self)
        names: Any = super().get_feature_names_out(input_features)
        return names[self.features_]
