"""Shared by classifiers of vectors: training cases, weights, and classes missing in a subset."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ilk import (
    Classifier,
    IlkError,
    InputError,
    InputTypeError,
    Param,
    check_fitted,
    check_labels,
    check_seed,
    check_vectors,
    check_weights,
    display_name,
    encoded_vectors,
    param,
)
from ilk_learners.numerics import finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ilk import ArrayLike, Cases, Component


CLASS_WEIGHT: Any = param(
    default=None,
    type=dict,
    choices=("balanced",),
    items=Param(float, gt=0),
    form='"balanced", dict of label to number, or None',
    doc='Weight of a case of each class; "balanced": all classes have the same total weight.',
)


@dataclass(frozen=True)
class TrainingCases:
    """Rows, their classes and their weights.

    Attributes
    ----------
    X : ndarray of shape (n, p), or CSR where the classifier takes sparse rows
    classes : ndarray of shape (n_classes,)
        Sorted; each has at least one case.
    codes : ndarray of int, shape (n,)
    weights : ndarray of shape (n,) or None
        Positive; None: every case weighs 1.
    """

    X: Any
    classes: np.ndarray
    codes: np.ndarray
    weights: np.ndarray | None

    @cached_property
    def counts(self) -> np.ndarray:
        """Total weight of each class; without weights, its number of cases."""
        return np.bincount(self.codes, self.weights, minlength=len(self.classes)).astype(float)

    @property
    def total(self) -> float:
        """Total weight of all cases; without weights, their number."""
        return float(len(self.codes) if self.weights is None else self.weights.sum())

    def taken(self, rows: np.ndarray) -> TrainingCases:
        """Select cases by row number, in that order; every class must keep a case."""
        weights = None if self.weights is None else self.weights[rows]
        return TrainingCases(self.X[rows], self.classes, self.codes[rows], weights)


_SHAPE = ("n_features_in_", "feature_names_in_", "encoder_")


def check_cases(
    owner: Component,
    X: Cases,
    y: Any,
    sample_weight: ArrayLike | None = None,
    *,
    read: Callable[..., Any] | None = None,
) -> TrainingCases:
    """Check training data of at least two classes, and drop cases of weight 0.

    `read` reads X in place of `ilk.check_vectors`: `ilk.encoded_vectors` takes tables with nominal
    columns, too.

    Raises
    ------
    InputError, InputTypeError
        If X, y or the weights are invalid; the message names the component and the fault.
    """
    read = read or partial(check_vectors, sparse=owner.capabilities.sparse)
    X = read(owner, X, reset=True)
    return labelled(owner, X, y, sample_weight)


def labelled(
    owner: Component, X: Any, y: Any, sample_weight: ArrayLike | None = None
) -> TrainingCases:
    """As `check_cases`, for rows that are checked already, or row numbers in their place."""
    classes, codes = check_labels(owner, y, X, min_classes=2)
    if sample_weight is None:
        return TrainingCases(X, classes, codes, None)
    weights = check_weights(owner, sample_weight, X)
    with np.errstate(over="ignore"):
        total = weights.sum()
    if np.isinf(total):
        raise InputError(f"{display_name(owner)}: sample_weight has a sum that is infinite")
    some = weights > 0
    if not some.all():
        X, weights = X[some], weights[some]
        classes, codes = check_labels(owner, classes[codes[some]], min_classes=2)
    return TrainingCases(X, classes, codes, weights)


@dataclass(frozen=True)
class Presorted:
    """Result of `presort`, for any number of fits to the same rows.

    It refers to X without a copy: X must not be changed while it is in use.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        The checked array.
    """

    X: np.ndarray
    _given: Any = field(repr=False, compare=False)
    _features: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, owner: object, X: Cases, sample_weight: ArrayLike | None = None) -> Self:
        """Check X, record its features on `owner`, and sort its rows along each feature."""
        checked = encoded_vectors(owner, X, reset=True, sample_weight=sample_weight)
        features = {name: vars(owner)[name] for name in _SHAPE if name in vars(owner)}
        return cls(checked, X, features, *cls._sorted(checked))

    @classmethod
    def _sorted(cls, X: np.ndarray) -> tuple[np.ndarray, ...]:
        """Further fields, which the sort of checked rows gives."""
        raise NotImplementedError

    @classmethod
    def given_or_of(
        cls, owner: object, X: Cases, presorted: Any, sample_weight: ArrayLike | None
    ) -> Self:
        """The handle, checked to be of X, or a new one for None.

        Raises
        ------
        InputError, InputTypeError
            If it is of another array, or no result of `presort`; the message names the component.
        """
        if presorted is None:
            return cls.of(owner, X, sample_weight)
        if not isinstance(presorted, cls):
            raise InputTypeError(
                f"{display_name(owner)}: presorted must be the result of presort(X), got "
                f"{type(presorted).__name__}"
            )
        presorted.use_for(owner, X)
        return presorted

    def use_for(self, owner: object, X: Cases) -> None:
        """Check that X is the sorted array, and record its features on `owner`.

        Raises
        ------
        InputError
            If it is another array; the message names the component.
        """
        if X is self._given or X is self.X:
            for name in _SHAPE:
                vars(owner).pop(name, None)
            vars(owner).update(self._features)
        elif not np.array_equal(encoded_vectors(owner, X, reset=True), self.X):
            raise InputError(f"{display_name(owner)}: presorted was made from another X")


def no_decision(m: int, n_classes: int) -> np.ndarray:
    """Decision value -1 for each of m rows and every class: the value of an absent class."""
    return np.full((m, n_classes), -1.0)


def put(decisions: np.ndarray, members: np.ndarray, present: np.ndarray, f: np.ndarray) -> None:
    """Write the decision values of the classes seen by a machine; absent classes stay below them.

    Parameters
    ----------
    decisions : ndarray of shape (m, n_classes)
    members : ndarray of int
        Rows predicted by the machine.
    present : ndarray of int
        Classes seen by the machine.
    f : ndarray of shape (len(members), len(present))
    """
    # an absent class stays below every present one, so it never wins
    below = np.minimum(-1.0, np.nextafter(f.min(axis=1), -np.inf))
    decisions[members] = below[:, None]
    decisions[np.ix_(members, present)] = f


def as_scores(decisions: np.ndarray) -> np.ndarray:
    """Shape of `decision_function`: with two classes only the column of the second."""
    return decisions[:, 1] if decisions.shape[1] == 2 else decisions


def case_weights(owner: Any, cases: TrainingCases) -> np.ndarray | None:
    """Multiply the weight of each case by the weight of its class (parameter `class_weight`).

    "balanced" gives a class of weight n_c the weight n / (C n_c).

    Raises
    ------
    InputError
        If none of the names that are given a weight is a class.
    """
    given = owner.class_weight
    if given is None:
        return cases.weights
    if given == "balanced":
        # n / (C n_c): each class has the total weight n / C
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


def _weight(given: Mapping[Any, float], label: object) -> float:
    """Weight of a label; keys may be strings, as specs cannot write other keys."""
    return float(given[label] if label in given else given.get(str(label), 1.0))


class EstimatorClassifier(Classifier):
    """A classifier that fits a scikit-learn estimator to the class codes.

    Attributes
    ----------
    estimator_ : scikit-learn classifier
        Fitted on 0..n_classes - 1.
    """

    @abstractmethod
    def _estimator(self) -> Any:
        """Return the unfitted estimator."""

    def _fit(self, cases: TrainingCases, weights: np.ndarray | None) -> Self:
        self.classes_ = cases.classes
        given = {} if weights is None else {"sample_weight": weights}
        X = cases.X.astype(float, copy=False)  # scikit-learn computes in the type of X
        with self._translated_errors():
            self.estimator_ = self._estimator().fit(X, cases.codes, **given)
        return self

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Translate the estimator's errors and warnings into our names and parameters."""
        import sklearn
        from sklearn.exceptions import ConvergenceWarning

        # our own checks came first
        unchecked = sklearn.config_context(assume_finite=True, skip_parameter_validation=True)
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"), unchecked:
            warnings.simplefilter("always")
            try:
                yield
            except IlkError:
                raise
            except (ArithmeticError, LookupError, ValueError) as error:
                raise InputError(f"{display_name(self)}: {error}") from error
        if not caught:
            return
        name = display_name(self)
        for warning in caught:
            if issubclass(warning.category, ConvergenceWarning):
                warnings.warn(f"{name}: {self._not_converged()}", ConvergenceWarning, stacklevel=5)
            elif not issubclass(
                warning.category, RuntimeWarning
            ):  # numeric: results are checked below
                warnings.warn(f"{name}: {warning.message}", warning.category, stacklevel=5)

    def _not_converged(self) -> str:
        most = getattr(self, "max_iter", None)
        return f"not converged (max_iter={most}); standardize X, or allow more iterations"

    def _seed(self) -> np.random.RandomState:
        return check_seed(self, getattr(self, "random_state", None))

    def _values(self, method: str, X: Cases) -> np.ndarray:
        """Call a method of the estimator and check that its result is finite."""
        check_fitted(self)
        rows = check_vectors(self, X, reset=False, sparse=self.capabilities.sparse)
        rows = rows.astype(float, copy=False)
        with self._translated_errors():
            values = np.asarray(getattr(self.estimator_, method)(rows))
        return finite(self, values, f"{method}(X)")

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        codes = self._values("predict", X)
        return self.classes_[codes]

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Probability of each class; array of shape (m, n_classes)."""
        return self._values("predict_proba", X)


def midpoint(low: Any, high: Any) -> Any:
    """Midpoint of `low < high`, numbers or arrays, rounded so that ``low <= midpoint < high``."""
    with np.errstate(over="ignore", invalid="ignore"):
        # of numbers of one sign the sum may overflow, of opposite signs the difference
        alike = (low < 0) == (high < 0)
        middle = np.where(alike, low + (high - low) / 2, (low + high) / 2)
    return np.where((low <= middle) & (middle < high), middle, low)
