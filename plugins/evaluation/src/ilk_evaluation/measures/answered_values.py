"""Validated values of the answered cases: probabilities, scores and numeric labels."""

from __future__ import annotations

import numpy as np

from ilk import InputError, Prediction
from ilk_evaluation.confusion import answered_truth

IMPOSSIBLE = (
    "infinite, as a case got the probability 0 for its true class; log_loss with clip (as "
    '{ use = "log_loss", clip = 1e-6 }) bounds what that costs'
)
"""Remark on an infinite loss."""
_TOLERANCE = 1e-4  # deviation of a sum from 1, as of probabilities in single precision
_ROUNDING = 1e-6  # excess of a single probability over 1 in single precision


def answered_probabilities(prediction: Prediction, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the true classes and probabilities of the answered cases; (n,) and (n, C).

    Probabilities that exceed 1 by rounding are set to 1.

    Raises
    ------
    InputError
        If there are no probabilities, or they are not in [0, 1] with sum 1.
    """
    if prediction.probabilities is None:
        has = "labels and scores" if prediction.scores is not None else "labels"
        raise InputError(
            f"{name}: needs probabilities, but the pipeline gives {has} only (its classifier has "
            f"no predict_proba)"
        )
    P = class_columns(prediction.probabilities, prediction, name).astype(float, copy=False)
    if np.any(prediction.rejected):
        P = P[prediction.answered]
    with np.errstate(over="ignore", invalid="ignore"):  # invalid values are reported below
        sums = P.sum(axis=1)
    wrong = ~((np.abs(sums - 1) <= _TOLERANCE) & np.all((P >= 0) & (P <= 1 + _ROUNDING), axis=1))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"{name}: probabilities must lie from 0 to 1 and sum to 1, those of answered case "
            f"{row} are {P[row].tolist()}"
        )
    return answered_truth(prediction), np.minimum(P, 1)


def answered_numbers(prediction: Prediction, name: str) -> tuple[np.ndarray, np.ndarray]:
    """True and predicted numbers of the answered cases.

    Raises
    ------
    InputError
        If labels are not numeric, or one is NaN or infinite.
    """
    answered = prediction.answered
    truth = np.asarray(prediction.truth)[answered]
    labels = np.asarray(prediction.labels)[answered]
    for what, values in (("true", truth), ("predicted", labels)):
        if len(values) and values.dtype.kind not in "iuf":
            raise InputError(
                f"{name}: needs labels that are numbers, the {what} ones are of type "
                f"{values.dtype}, such as {values.tolist()[0]!r}"
            )
        finite = np.isfinite(values.astype(float))
        if not finite.all():
            row = int(np.argmin(finite))
            raise InputError(f"{name}: the {what} label of answered case {row} is {values[row]}")
    return truth.astype(float), labels.astype(float)


def class_columns(values: np.ndarray, prediction: Prediction, name: str) -> np.ndarray:
    """Return scores or probabilities as a float array, keeping their precision.

    Raises
    ------
    InputError
        If there is not one column for each class, or values are not numeric.
    """
    array = np.asarray(values)
    expected = (len(prediction), len(prediction.classes))
    if array.shape != expected:
        raise InputError(
            f"{name}: scores and probabilities must have shape {expected}, a column for each "
            f"class, got {array.shape}"
        )
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind not in "biuO":
        raise InputError(f"{name}: scores and probabilities must be numbers, got {array.dtype}")
    try:
        return array.astype(float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: scores and probabilities must be numbers: {error}") from None
