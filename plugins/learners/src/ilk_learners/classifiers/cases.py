"""What classifiers of vectors share: training cases, their weights, and classes that some lack."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ilk import (
    Classifier,
    IlkError,
    InputError,
    Param,
    check_labels,
    check_seed,
    check_vectors,
    check_weights,
    display_name,
    param,
)
from ilk_learners.numerics import finite

if TYPE_CHECKING:
    from collections.abc import Iterator


CLASS_WEIGHT: Any = param(
    default=None,
    type=dict,
    choices=("balanced",),
    items=Param(float, gt=0),
    form='"balanced", dict of label to number, or None',
    doc='What a case of each class counts; "balanced": all classes the same in sum.',
)


@dataclass(frozen=True)
class Cases:
    """Rows, their classes and their weights.

    Attributes
    ----------
    X : ndarray of shape (n, p)
    classes : ndarray of shape (n_classes,)
        Sorted; each has a case.
    codes : ndarray of int, shape (n,)
    weights : ndarray of shape (n,) or None
        All above 0; None: 1 each.
    """

    X: np.ndarray
    classes: np.ndarray
    codes: np.ndarray
    weights: np.ndarray | None

    @property
    def counts(self) -> np.ndarray:
        """Weight of each class; its number of cases where all weigh 1."""
        return np.bincount(self.codes, self.weights, minlength=len(self.classes)).astype(float)

    @property
    def total(self) -> float:
        """Weight of all cases; their number where all weigh 1."""
        return float(len(self.X) if self.weights is None else self.weights.sum())

    def taken(self, rows: np.ndarray) -> Cases:
        """The cases of some rows, in their order; each class must have one."""
        weights = None if self.weights is None else self.weights[rows]
        return Cases(self.X[rows], self.classes, self.codes[rows], weights)


def check_cases(owner: Any, X: Any, y: Any, sample_weight: Any = None) -> Cases:
    """Check training data of at least two classes; cases of weight 0 are left out.

    Raises
    ------
    InputError, InputTypeError
        Naming the component and what is wrong with X, y or the weights.
    """
    X = check_vectors(owner, X, reset=True)
    classes, codes = check_labels(owner, y, X, min_classes=2)
    if sample_weight is None:
        return Cases(X, classes, codes, None)
    weights = check_weights(owner, sample_weight, X)
    with np.errstate(over="ignore"):
        total = weights.sum()
    if np.isinf(total):
        raise InputError(f"{display_name(owner)}: sample_weight has a sum that is infinite")
    some = weights > 0
    if not some.all():
        X, weights = X[some], weights[some]
        classes, codes = check_labels(owner, classes[codes[some]], min_classes=2)
    return Cases(X, classes, codes, weights)


def no_decision(m: int, n_classes: int) -> np.ndarray:
    """Value -1 of each class for each of m rows: of a machine without a case of the class."""
    return np.full((m, n_classes), -1.0)


def put(decisions: np.ndarray, members: np.ndarray, present: np.ndarray, f: np.ndarray) -> None:
    """Write the values of the classes that a machine knows; the others' stay below them.

    Parameters
    ----------
    decisions : ndarray of shape (m, n_classes)
    members : ndarray of int
        Rows that the machine answers.
    present : ndarray of int
        Classes it knows.
    f : ndarray of shape (len(members), len(present))
    """
    below = np.minimum(-1.0, np.nextafter(f.min(axis=1), -np.inf))
    decisions[members] = below[:, None]
    decisions[np.ix_(members, present)] = f


def as_scores(decisions: np.ndarray) -> np.ndarray:
    """Values as `decision_function` gives them: with two classes that of the second alone."""
    return decisions[:, 1] if decisions.shape[1] == 2 else decisions


def case_weights(owner: Any, cases: Cases) -> np.ndarray | None:
    """Weight of each case times that of its class, as the parameter `class_weight` says.

    "balanced" gives a class of weight n_c the weight n / (C n_c).

    Raises
    ------
    InputError
        If no class has the name of any that is given a weight.
    """
    given = owner.class_weight
    if given is None:
        return cases.weights
    if given == "balanced":
        factors = cases.total / (len(cases.classes) * cases.counts)
    else:
        factors = np.array([_weight(given, label) for label in cases.classes.tolist()])
        names = {*given} - {*cases.classes.tolist()} - {*map(str, cases.classes.tolist())}
        if given and len(names) == len(given):
            raise InputError(
                f"{display_name(owner)}: class_weight names none of the classes "
                f"({', '.join(map(repr, cases.classes.tolist()[:5]))}), but "
                f"{sorted(map(str, given))}"
            )
    weights = factors[cases.codes]
    return np.asarray(weights if cases.weights is None else weights * cases.weights)


def _weight(given: Any, label: Any) -> float:
    """Weight of a label, which a spec can only write as a text."""
    return float(given[label] if label in given else given.get(str(label), 1.0))


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


def midpoint(low: float, high: float) -> float:
    """Number midway between two of which the first is less: at least it, and below the second."""
    middle = low + (high - low) / 2 if (low < 0) == (high < 0) else (low + high) / 2
    return middle if low <= middle < high else low
