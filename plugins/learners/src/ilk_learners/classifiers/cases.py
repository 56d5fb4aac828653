"""Training cases of a classifier of vectors: checked, and without those of weight 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ilk import InputError, check_labels, check_vectors, check_weights, display_name


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
