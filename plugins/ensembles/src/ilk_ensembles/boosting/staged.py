"""Classifiers whose support for each class grows round by round."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

import ilk
from ilk_ensembles.boosting.votes import settled


class StagedClassifier(ilk.Classifier):
    """Predicts the class of most support, at the end or after each round.

    A subclass sets ``classes_`` in `fit`. What `predict` says is always the class of the
    largest `predict_proba`, and of the largest `decision_function`.
    """

    classes_: np.ndarray

    @abstractmethod
    def _running(self, X: Any) -> Iterator[tuple[np.ndarray, float]]:
        """Support of shape (m, C) after each round, the same array each time, and its scale.

        It raises a NotFittedError before anything else.
        """

    @abstractmethod
    def _likely(self, support: np.ndarray) -> np.ndarray:
        """Probabilities from support; array of shape (m, C)."""

    def predict(self, X: Any) -> np.ndarray:
        """Label of most support; ties go to the first class; array of shape (m,)."""
        best = self._support(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class; array of shape (m, C)."""
        return self._likely(self._support(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Support for each class, of shape (m, C); for two classes the second's lead, (m,)."""
        return _lead(self._support(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the labels predicted after each round, as fewer rounds would."""
        for support in self._staged(X):
            yield np.asarray(self.classes_[support.argmax(axis=1)])

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the probabilities after each round."""
        return map(self._likely, self._staged(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Yield what `decision_function` would give after each round."""
        return map(_lead, self._staged(X))

    def _support(self, X: Any) -> np.ndarray:
        """Support in the end, ties settled; array of shape (m, C)."""
        support, scale = np.empty(0), 0.0
        for support, scale in self._running(X):  # noqa: B007  # the last ones count
            pass
        return settled(support, scale)

    def _staged(self, X: Any) -> Iterator[np.ndarray]:
        """Support after each round, ties settled."""
        return (settled(support, scale) for support, scale in self._running(X))


def _lead(support: np.ndarray) -> np.ndarray:
    if support.shape[1] == 2:
        return np.asarray(support[:, 1] - support[:, 0])
    return support
