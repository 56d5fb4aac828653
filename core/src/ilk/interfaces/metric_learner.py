"""MetricLearner and LocalMetric: distances learned from labelled data."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk.component import Component
from ilk.freezing import frozen
from ilk.interfaces.transformer import Transformer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk.arrays import Cases, Labels


class MetricLearner(Transformer):
    """Learns a linear map L; distances are Euclidean after it.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L; ``transform(X)`` is ``X @ components_.T``.
    """

    kind: ClassVar[str] = "metric_learner"

    @property
    def metric_matrix_(self) -> np.ndarray:
        """A = L'L of shape (p, p), with which d(x, y)^2 = (x - y)' A (x - y)."""
        self.components_: np.ndarray  # set by `fit`
        return np.asarray(self.components_.T @ self.components_)

    def distance(self) -> Any:
        """Return the learned metric as a Distance on untransformed vectors."""
        import ilk

        return ilk.distance("ilk-distances/learned", learner=frozen(self))

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """``<class name><i>`` for each of the d output features."""
        name = type(self).__name__.lower()
        return np.array([f"{name}{i}" for i in range(len(self.components_))], dtype=object)


class LocalMetric(Component):
    """Adapts the metric to each query; replaces the index of ``knn``."""

    kind: ClassVar[str] = "metric_learner"

    @abstractmethod
    def fit(self, X: Cases, y: Labels) -> Self:
        """Fit to training rows and their labels."""

    @abstractmethod
    def kneighbors(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query under the metric adapted to it.

        Returns
        -------
        distances : ndarray of shape (m, k)
        indices : ndarray of int, shape (m, k)
        """

    def local_metric(self, x: object) -> np.ndarray:
        """Weights (p,) or matrix (p, p) of the metric at one query."""
        raise AttributeError(f"{type(self).__name__} has no local_metric")
