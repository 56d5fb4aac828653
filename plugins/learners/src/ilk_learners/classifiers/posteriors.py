"""Posterior probabilities: class densities times prior probabilities."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from ilk import (
    Array,
    Capabilities,
    Classifier,
    InputError,
    Outputs,
    check_vectors,
    display_name,
    is_sparse,
    n_rows,
    param,
)
from ilk_learners.numerics import finite

if TYPE_CHECKING:
    from collections.abc import Callable

    from ilk import Cases, Matrix

_CELLS = 2**20  # cells of the results of a block of rows: 8 MiB


class Posterior(Classifier):
    """Predicts the class with the largest product of prior and density, ``pi_c p_c(x)``.

    A subclass implements `_log_joint`: its logarithm, up to a term common to all classes. Ties go
    to the first class.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(sample_weight=True, probabilistic=True)

    def check_parameters(self) -> None:
        """Check each parameter and given priors."""
        super().check_parameters()
        _check_priors(self)

    @abstractmethod
    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        """Logarithm of prior times density; array of shape (m, n_classes)."""

    def _log_joints(self, X: Cases) -> np.ndarray:
        check_is_fitted(self)
        X = check_vectors(self, X, reset=False, sparse=self.capabilities.sparse)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            values = in_row_blocks(self._log_joint, X, len(self.classes_))
        return finite(self, values, "decision_function(X)")

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        best = self._log_joints(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Posterior probability of each class; array of shape (m, n_classes)."""
        return _posterior(self._log_joints(X))

    def decision_function(self, X: Matrix) -> np.ndarray:
        """Logarithm of prior times density; array of shape (m, n_classes).

        Up to a term common to all classes. With two classes: the second minus the first, array of
        shape (m,).
        """
        return _log_odds(self._log_joints(X))

    def outputs(self, X: Cases) -> Outputs:
        """Labels, probabilities and decision values, from the same densities."""
        values = self._log_joints(X)
        return Outputs(
            lambda: self.classes_[values.argmax(axis=1)],
            lambda: _posterior(values),
            lambda: _log_odds(values),
        )


def _posterior(values: np.ndarray) -> np.ndarray:
    with np.errstate(under="ignore"):
        # from logarithms, as densities underflow in many dimensions
        return np.asarray(softmax(values, axis=1))


def _log_odds(values: np.ndarray) -> np.ndarray:
    return values[:, 1] - values[:, 0] if values.shape[1] == 2 else values


def in_row_blocks(work: Callable[[Any], np.ndarray], X: Any, width: int) -> np.ndarray:
    """Apply `work` (result of `width` columns) to blocks of the rows of X, to save memory."""
    n = n_rows(X)
    result = np.empty((n, width))
    step = n if is_sparse(X) else max(_CELLS // max(X.shape[1], 1), 1)
    for start in range(0, n, step):
        result[start : start + step] = work(X[start : start + step])
    return result


PRIORS: Any = param(
    default="empirical",
    type=Array,
    choices=("empirical", "equal"),
    form='{"empirical", "equal"} or array of shape (n_classes,)',
    doc="The priors pi: the share of each class among the training cases, equal, or numbers in "
    "the order of the sorted classes.",
)
_ROUNDING = 1e-6  # tolerance for the sum of given priors, which users round


def _check_priors(owner: Any) -> None:
    """Raise unless the parameter `priors` is a rule or positive numbers with sum 1.

    Raises
    ------
    ParameterError
        Names the component and the numbers.
    """
    if isinstance(owner.priors, str):
        return
    given = np.asarray(owner.priors, dtype=float)
    if given.ndim != 1 or not (np.isfinite(given).all() and (given > 0).all()):
        raise owner.parameter_error(
            "priors", f"must be one number above 0 for each class, got {given.tolist()}"
        )
    if abs(given.sum() - 1) > _ROUNDING:
        raise owner.parameter_error(
            "priors", f"must have the sum 1, got {given.tolist()} with the sum {given.sum():g}"
        )


def class_priors(owner: Any, classes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Prior probability of each class, from the weight of its cases or as given.

    Raises
    ------
    InputError
        If the number of given priors is not the number of classes.
    """
    if isinstance(owner.priors, str):
        equal = owner.priors == "equal"
        return np.full(len(counts), 1 / len(counts)) if equal else np.asarray(counts / counts.sum())
    given = np.asarray(owner.priors, dtype=float)
    if len(given) != len(classes):
        raise InputError(
            f"{display_name(owner)}: priors has {len(given)} numbers, y has {len(classes)} classes "
            f"({', '.join(map(repr, classes.tolist()[:5]))}{', ...' if len(classes) > 5 else ''})"
        )
    # the given sum may be rounded
    return np.asarray(given / given.sum())
