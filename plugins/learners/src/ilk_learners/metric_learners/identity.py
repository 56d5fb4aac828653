"""identity: the Euclidean distance, as a metric learner that learns nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from ilk import Capabilities, check_vectors, param
from ilk_learners.metric_learners.linear import (
    LinearMetricLearner,
    check_components,
    report_where_known,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk import Cases, Labels


class Identity(LinearMetricLearner):
    """Keep the features as they are: L = I, the Euclidean distance.

    Use it where a metric learner is required but none is wanted: as a baseline, or in a view of
    `block_diagonal`. With `n_components` it keeps the first features, as ``init="identity"`` of
    other learners does.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L: the first d rows of the identity.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None without y.

    Raises
    ------
    InputError
        If n_components exceeds the number of features.

    References
    ----------
    Zaidi 2011: section 2.4.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0, 1.0], [2.0, 5.0]]
    >>> ilk.metric_learner("identity").fit(X).metric_matrix_
    array([[1., 0.],
           [0., 1.]])
    """

    n_components: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Number of features to keep, from the first; None: all.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(stateless=True)

    waivers: ClassVar[Mapping[str, str]] = {
        "check_invariant#1": "keeps the first feature",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(n_components=1, report=False)]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Set L; y is used only for the report."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True)
        d = check_components(self, self.n_components, X.shape[1])
        self.components_ = np.eye(d, X.shape[1], dtype=X.dtype)
        self.report_ = report_where_known(self, X, y) if len(X) > 1 else None
        return self

    def _mapped(self, X: np.ndarray) -> np.ndarray:
        return X[:, : len(self.components_)].copy()
