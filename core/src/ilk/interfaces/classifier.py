"""Classifier: predicts labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk.component import Component, renew_shortcut
from ilk.estimators import BaseEstimator, ClassifierMixin
from ilk.inputs import n_rows
from ilk.labels import check_labels

if TYPE_CHECKING:
    from ilk.arrays import ArrayLike, Cases, Labels


@dataclass(frozen=True)
class Outputs:
    """The outputs of a classifier for the same rows; each function computes one when called.

    What they share (a search for neighbours, the outputs of members) is computed once, before.

    Attributes
    ----------
    labels : callable
        Returns the predicted labels, as `predict`.
    probabilities, scores : callable or None
        Return what `predict_proba` and `decision_function` return; None without such a method.
    """

    labels: Callable[[], Any]
    probabilities: Callable[[], Any] | None = None
    scores: Callable[[], Any] | None = None

    @classmethod
    def of(cls, classifier: Any, X: Cases) -> Outputs:
        """Return the outputs of any fitted classifier, also of another library."""
        if isinstance(classifier, Classifier):
            return classifier.outputs(X)
        return cls.by_methods(classifier, X)

    @classmethod
    def by_methods(cls, classifier: Any, X: Cases) -> Outputs:
        """Return outputs that are computed by the classifier's methods, each on its own."""
        methods = (
            getattr(classifier, name, None) for name in ("predict_proba", "decision_function")
        )
        others = (None if method is None else partial(method, X) for method in methods)
        return cls(partial(classifier.predict, X), *others)

    @classmethod
    def of_largest(
        cls,
        classes: np.ndarray,
        probabilities: np.ndarray,
        scores: Callable[[], Any] | None = None,
    ) -> Outputs:
        """Return the outputs of a classifier whose label is the class of largest probability."""
        return cls(lambda: classes[probabilities.argmax(axis=1)], lambda: probabilities, scores)


_ANSWERS = ("predict", "predict_proba", "decision_function")


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

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        renew_shortcut(cls, "outputs", _ANSWERS, Classifier.outputs)

    @abstractmethod
    def fit(self, X: Cases, y: Labels) -> Self:
        """Learn from training data X (n rows) with labels y (n,)."""

    @abstractmethod
    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (n,)."""

    def outputs(self, X: Cases) -> Outputs:
        """Labels, probabilities and decision values of the same rows, from one evaluation.

        Equal to those of `predict`, `predict_proba` and `decision_function`. By default, these
        methods compute them; a class in which they share work overrides this one. Where a
        subclass of it overrides one of those methods alone, the default holds again.

        Examples
        --------
        >>> import ilk
        >>> knn = ilk.classifier("knn", k=1).fit([[0.0], [1.0]], ["a", "b"])
        >>> outputs = knn.outputs([[0.2]])
        >>> outputs.labels().tolist(), outputs.probabilities().tolist()
        (['a'], [[1.0, 0.0]])
        """
        return Outputs.by_methods(self, X)

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
