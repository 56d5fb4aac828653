"""Classifiers of vectors that are scikit-learn's inside."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ilk import Classifier, IlkError, InputError, check_seed, check_vectors, display_name
from ilk_learners.numerics import finite

if TYPE_CHECKING:
    from ilk_learners.classifiers.cases import Cases


class EstimatorClassifier(Classifier):
    """A classifier whose `fit` fits an estimator of scikit-learn's to the codes of the classes.

    Attributes
    ----------
    estimator_ : scikit-learn classifier
        Fitted on 0..n_classes - 1.
    """

    @abstractmethod
    def _estimator(self) -> Any:
        """Return the estimator, not fitted."""

    def _fit(self, cases: Cases, weights: np.ndarray | None) -> Self:
        self.classes_ = cases.classes
        given = {} if weights is None else {"sample_weight": weights}
        with self._said_by_us():
            self.estimator_ = self._estimator().fit(cases.X, cases.codes, **given)
        return self

    @contextmanager
    def _said_by_us(self) -> Iterator[None]:
        """Make what the estimator raises or warns of ours: by our name and our parameters."""
        name = display_name(self)
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            try:
                yield
            except IlkError:
                raise
            except (ArithmeticError, LookupError, ValueError) as error:
                raise InputError(f"{name}: {error}") from error
        for warning in caught:
            if issubclass(warning.category, ConvergenceWarning):
                warnings.warn(f"{name}: {self._not_converged()}", ConvergenceWarning, stacklevel=5)
            elif not issubclass(warning.category, RuntimeWarning):  # of numbers: looked at below
                warnings.warn(f"{name}: {warning.message}", warning.category, stacklevel=5)

    def _not_converged(self) -> str:
        most = getattr(self, "max_iter", None)
        return f"not converged (max_iter={most}); standardize X, or allow more iterations"

    def _seed(self) -> np.random.RandomState:
        return check_seed(self, getattr(self, "random_state", None))

    def _values(self, method: str, X: Any) -> np.ndarray:
        """What a method of the estimator gives, if it is finite."""
        check_is_fitted(self)
        X = check_vectors(self, X, reset=False)
        with self._said_by_us():
            values = np.asarray(getattr(self.estimator_, method)(X))
        return finite(self, values, f"{method}(X)")

    def predict(self, X: Any) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        codes = self._values("predict", X)
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class; array of shape (m, n_classes)."""
        return self._values("predict_proba", X)
