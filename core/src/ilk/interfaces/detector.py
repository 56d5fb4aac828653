"""Detector: distinguishes inliers and outliers."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

from ilk.component import Component
from ilk.estimators import OutlierMixin

if TYPE_CHECKING:
    import numpy as np

    from ilk.arrays import Cases, Labels


class Detector(OutlierMixin, Component):
    """Distinguishes inliers and outliers after training on one class (scikit-learn's contract)."""

    kind: ClassVar[str] = "detector"

    @abstractmethod
    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn from training data X; y is ignored."""

    @abstractmethod
    def predict(self, X: Cases) -> np.ndarray:
        """+1 for inliers, -1 for outliers; array of shape (n,)."""

    @abstractmethod
    def decision_function(self, X: Cases) -> np.ndarray:
        """Signed score of each row, negative for outliers; array of shape (n,)."""
