"""Classifier: predicts labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from ilk.component import Component
from ilk.estimators import ClassifierMixin
from ilk.labels import check_labels


class Classifier(ClassifierMixin, Component):
    """Predicts labels, as scikit-learn's classifiers do.

    A subclass must define `fit` and `predict`, and ``predict_proba`` or ``decision_function`` if
    it can. It has ``presort(X)`` and ``leave_one_out(X, y)`` if it declares the capabilities of
    these names. ``fit(X, y, presorted=handle)`` reuses the handle from `presort`, and `predict`
    takes it instead of the same X.

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

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy: the share of the rows, or of their weight, with a correct prediction.

        A rejected row (its predicted label is not among the classes) counts as wrong.
        """
        answers = np.asarray(self.predict(X))
        classes, codes = check_labels(self, y, answers)
        return float(np.average(answers == classes[codes], weights=sample_weight))
