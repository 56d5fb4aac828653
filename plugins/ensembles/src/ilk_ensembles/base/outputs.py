"""Checked outputs of members: class codes, probabilities, or finite numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Estimator, FittedClassifier, Predictor

ABSTAINS = -1
"""Code of a label that is no class of the ensemble: the member abstains from the vote."""


def member_probabilities(member: FittedClassifier, X: Cases, classes: np.ndarray) -> np.ndarray:
    """Probability of each class of the ensemble by one fitted member; array of shape (n, C).

    Classes unseen by the member in training get probability 0.

    Raises
    ------
    InputError
        If the member has no ``predict_proba``, returns an array of another shape or values
        that are not probabilities, or was trained on a class that the ensemble does not have.
    """
    given = numbers(check_probabilistic(member).predict_proba(X), "probabilities")
    member_classes = np.asarray(member.classes_)
    if given.shape != (ilk.n_rows(X), len(member_classes)):
        raise ilk.InputError(
            f"gives probabilities of shape {given.shape} for {ilk.n_rows(X)} rows, it has "
            f"{len(member_classes)} classes"
        )
    _check_shares(given)
    return aligned(given, member_classes, classes)


def check_probabilistic(member: Estimator, otherwise: str = "") -> Any:
    """Return a fitted member; raise an InputError where it has no ``predict_proba``."""
    if not hasattr(member, "predict_proba"):
        around = (
            "the classifier 'calibrated' around it, or another member"
            if hasattr(member, "decision_function")
            else "a member"
        )
        raise ilk.InputError(
            f"has no predict_proba, which is needed; take {around} that gives probabilities"
            f"{otherwise}"
        )
    return member


def member_codes(member: Predictor, X: Cases, classes: np.ndarray) -> np.ndarray:
    """Position of each predicted label among the classes; array of int of shape (n,).

    A label that is no class, such as that of a rejecting member, gets the code `ABSTAINS`.

    Raises
    ------
    InputError
        If the member has a class that the ensemble does not, or returns no label for each row.
    """
    member_classes = getattr(member, "classes_", None)
    if member_classes is not None:
        check_known(np.asarray(member_classes), classes)
    labels = one_per_row(member.predict(X), ilk.n_rows(X))
    if labels.dtype.kind == classes.dtype.kind != "O":
        at = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        return np.where(classes[at] == labels, at, ABSTAINS)
    table = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([table.get(label, ABSTAINS) for label in labels.tolist()], dtype=np.intp)


def one_per_row(output: ArrayLike, n: int) -> np.ndarray:
    """Predictions of a member as an array of shape (n,).

    Raises
    ------
    InputError
        If the shape differs.
    """
    array = np.asarray(output)
    if array.shape != (n,):
        raise ilk.InputError(f"predicts an array of shape {array.shape} for {n} rows")
    return array


def number_per_row(output: ArrayLike, n: int, what: str = "predictions") -> np.ndarray:
    """Predictions of a member as an array of finite floats of shape (n,).

    Raises
    ------
    InputError
        If the shape differs, or a value is not a finite number.
    """
    array = one_per_row(numbers(output, what), n).astype(np.float64, copy=False)
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise ilk.InputError(f"gives {array[bad[0]]} in {what}, at row {bad[0]}")
    return array


def numbers(output: ArrayLike, what: str) -> np.ndarray:
    """Output of a member as an array of numbers.

    Raises
    ------
    InputError
        If it holds texts, complex numbers or other objects.
    """
    array = np.asarray(output)
    if array.dtype == object and array.ndim:
        array = array.astype(float)
    if array.dtype.kind not in "fiub":
        raise ilk.InputError(f"gives {what} of type {array.dtype}, not numbers")
    return array


def _check_shares(given: np.ndarray) -> None:
    """Raise an InputError for a value that is negative or not finite, or a row of zeros."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = given @ np.ones(given.shape[1])
    if total.min(initial=1) > 0 and total.max(initial=1) < np.inf and given.min(initial=0) >= 0:
        return
    bad = np.argwhere(~(np.isfinite(given) & (given >= 0)))
    if len(bad):
        row, column = bad[0].tolist()
        raise ilk.InputError(f"gives the probability {given[row, column]}, for row {row}")
    empty = np.flatnonzero(~given.any(axis=1))
    if len(empty):
        raise ilk.InputError(f"gives no class a probability above 0, for row {empty[0]}")


def aligned(
    probabilities: np.ndarray, member_classes: np.ndarray, classes: np.ndarray
) -> np.ndarray:
    """Reorder columns as `classes`; classes unseen by the member get probability 0."""
    if np.array_equal(member_classes, classes):
        return probabilities
    check_known(member_classes, classes)
    support = np.zeros((len(probabilities), len(classes)))
    support[:, np.searchsorted(classes, member_classes)] = probabilities
    return support


def check_known(member_classes: np.ndarray, classes: np.ndarray) -> None:
    """Raise an InputError where a member has a class that the ensemble does not have."""
    unknown = member_classes[~np.isin(member_classes, classes)]
    if len(unknown):
        raise ilk.InputError(f"knows the class {unknown.item(0)!r}, which y does not have")
