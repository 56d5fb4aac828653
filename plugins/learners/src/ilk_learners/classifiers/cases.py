"""Training cases of a classifier of vectors: checked, and without those of weight 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ilk import InputError, Param, check_labels, check_vectors, check_weights, display_name


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


CLASS_WEIGHT = Param(
    dict,
    choices=("balanced",),
    none=True,
    items=Param(float, gt=0),
    doc="What a case of each class counts: 1 if left out; 'balanced': classes count the same.",
)


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
