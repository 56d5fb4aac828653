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

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy: the share of the rows, or of their weight, that are answered rightly.

        A row that is left without an answer (its label is none of the classes) is not.
        """
        answers = np.asarray(self.predict(X))
        classes, codes = check_labels(self, y, answers)
        return float(np.average(answers == classes[codes], weights=sample_weight))
