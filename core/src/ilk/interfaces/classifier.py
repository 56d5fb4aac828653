"""Classifier: predicts labels."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk.component import Component
from ilk.estimators import BaseEstimator, ClassifierMixin
from ilk.inputs import n_rows
from ilk.labels import check_labels

if TYPE_CHECKING:
    from ilk.arrays import ArrayLike, Cases, Labels


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
    def fit(self, X: Cases, y: Labels) -> Self:
        """Learn from training data X (n rows) with labels y (n,)."""

    @abstractmethod
    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (n,)."""

    def score(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy: the share of the rows, or of their weight, with a correct prediction.

        A rejected row (its predicted label is not among the classes) counts as wrong.
        """
        answers = np.asarray(self.predict(X))
        classes, codes = check_labels(self, y, answers)
        return float(np.average(answers == classes[codes], weights=sample_weight))


@dataclass(eq=False, repr=False)
class ConstantClassifier(ClassifierMixin, BaseEstimator):
    """Predicts the only class it was fitted on.

    It stands for a classifier that refuses to learn from one class, which is all that a draw or
    a split may leave.

    Parameters
    ----------
    member : classifier, optional
        The classifier that it stands for.

    Attributes
    ----------
    classes_ : ndarray of shape (1,)

    Examples
    --------
    >>> import ilk, numpy as np
    >>> ilk.ConstantClassifier().fit(None, np.array(["a", "a"])).predict([[1.0], [2.0]])
    array(['a', 'a'], dtype='<U1')
    """

    member: Any = None

    def fit(self, X: Any, y: np.ndarray) -> Self:
        """Keep the class; X is not looked at."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Cases) -> np.ndarray:
        """The class, for each row; array of shape (n,)."""
        return np.repeat(self.classes_, n_rows(X))

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Certainty; array of shape (n, 1)."""
        return np.ones((n_rows(X), 1))
