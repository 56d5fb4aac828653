"""Regressor: predicts numbers."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

from ilk.component import Component
from ilk.estimators import RegressorMixin

if TYPE_CHECKING:
    import numpy as np

    from ilk.arrays import Cases, Labels


class Regressor(RegressorMixin, Component):
    """Predicts numbers, as scikit-learn's regressors do.

    A regressor with the capability ``fast_leave_one_out`` has ``leave_one_out(X, y)``: the
    prediction for each row after a fit to the other rows; array of shape (n,).
    """

    kind: ClassVar[str] = "regressor"

    @abstractmethod
    def fit(self, X: Cases, y: Labels) -> Self:
        """Learn from training data X (n rows) with numeric targets y (n,)."""

    @abstractmethod
    def predict(self, X: Cases) -> np.ndarray:
        """Predicted number for each row; array of shape (n,)."""
