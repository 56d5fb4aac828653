"""How often each class is predicted for a case, and how often it is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ilk import InputError
from ilk_evaluation.label_arrays import label_array


@dataclass(frozen=True, eq=False)
class Shares:
    """Two distributions over the classes for each case.

    Attributes
    ----------
    predicted : ndarray of shape (n, C)
        Shares of the training sets after which a class is predicted.
    target : ndarray of shape (n, C)
        Probability of each class given the case; 0 and 1 where only a label is known.
    counts : ndarray of int, shape (n,)
        Predictions of each case.
    cases : ndarray of int, shape (n,)
    """

    predicted: np.ndarray
    target: np.ndarray
    counts: np.ndarray
    cases: np.ndarray


def shares_of(function: str, labels: Any, y: Any, classes: Any) -> Shares:
    """Count the labels that were predicted.

    Parameters
    ----------
    function : str
        For errors.
    labels : array of shape (R, n)
    y : array of shape (n,), or (n, C)
        True labels, or probabilities of the classes.
    classes : array of shape (C,) or None

    Raises
    ------
    InputError
        For shapes that do not fit, labels that are none of the classes, or numbers that are no
        probabilities.
    """
    answers = label_array(f"{function}: labels", labels)
    truth = label_array(f"{function}: y", y)
    if answers.ndim != 2 or 0 in answers.shape:
        raise InputError(
            f"{function}: labels must have shape (training sets, cases), got {answers.shape}"
        )
    n = answers.shape[1]
    if truth.ndim not in (1, 2) or len(truth) != n:
        raise InputError(
            f"{function}: y must have shape ({n},), or ({n}, classes), got {truth.shape}"
        )
    if classes is None:
        if truth.ndim == 2:
            raise InputError(f"{function}: classes must name the columns of y")
        order = np.unique(np.concatenate([answers.ravel(), truth]))
    else:
        order = label_array(f"{function}: classes", classes)
        if order.ndim != 1 or len(np.unique(order)) < len(order):
            raise InputError(f"{function}: classes must be labels, each once, got {classes!r}")
    codes = _codes(function, "labels", answers, order)
    counts = np.zeros((n, len(order)))
    for own in codes:
        counts[np.arange(n), own] += 1
    target = _probabilities(function, truth, order)
    return Shares(counts / len(answers), target, np.full(n, len(answers)), np.arange(n))


def _probabilities(function: str, truth: np.ndarray, classes: np.ndarray) -> np.ndarray:
    if truth.ndim == 1:
        return np.asarray(np.eye(len(classes))[_codes(function, "y", truth, classes)])
    if truth.shape[1] != len(classes):
        raise InputError(
            f"{function}: y must have a column for each of {len(classes)} classes, got "
            f"{truth.shape[1]}"
        )
    if truth.dtype.kind not in "biuf":
        raise InputError(f"{function}: y must hold probabilities, got {truth.dtype}")
    values = truth.astype(float)
    if not (values >= 0).all() or not np.allclose(values.sum(axis=1), 1):
        raise InputError(f"{function}: y must hold probabilities that sum to 1 in each row")
    return np.asarray(values / values.sum(axis=1, keepdims=True))


def _codes(function: str, argument: str, labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    places = {label: code for code, label in enumerate(classes.tolist())}
    values, inverse = np.unique(labels, return_inverse=True)
    strange = [label for label in values.tolist() if label not in places]
    if strange:
        raise InputError(f"{function}: {argument} holds {strange[0]!r}, which is none of classes")
    codes = np.array([places[label] for label in values.tolist()])
    return np.asarray(codes[inverse.reshape(labels.shape)])
