"""Classifier: predicts labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

from sklearn.base import ClassifierMixin

from ilk.component import Component


class Classifier(ClassifierMixin, Component):
    """Predicts labels, as scikit-learn's classifiers do.

    A subclass must define `fit` and `predict`; ``predict_proba`` or ``decision_function``
    where it can. ``presort(X)`` and ``leave_one_out(X, y)`` are there where the capabilities
    of the same names are declared; what `presort` gives is reused by ``fit(X, y,
    presorted=handle)``, and `predict` takes it in place of the same X.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted; every output follows this order.
    """

    kind: ClassVar[str] = "classifier"

    @abstractmethod
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from training data X (n rows) with labels y (n,)."""

    @abstractmethod
    def predict(self, X: Any) -> Any:
        """Predicted label of each row; array of shape (n,)."""
