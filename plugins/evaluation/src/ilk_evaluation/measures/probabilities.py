"""Probabilities of the answered cases, checked to be some."""

from __future__ import annotations

import numpy as np

from ilk import InputError, Prediction
from ilk_evaluation.confusion import answered_truth
from ilk_evaluation.measures.columns import class_columns

IMPOSSIBLE = (
    "infinite, as a case got the probability 0 for its true class; log_loss with clip (as "
    '{ use = "log_loss", clip = 1e-6 }) bounds what that costs'
)
"""What is said of an infinite loss."""
_TOLERANCE = 1e-4  # of the sums of probabilities in single precision
_ROUNDING = 1e-6  # of one of them


def answered_probabilities(prediction: Prediction, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the true classes and probabilities of the answered cases; (n,) and (n, C).

    Probabilities that rounding made more than 1 become 1.

    Raises
    ------
    InputError
        If the pipeline gave none, or what it gave does not lie from 0 to 1 and sum to 1.
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
    with np.errstate(over="ignore", invalid="ignore"):  # of what is no probability
        sums = P.sum(axis=1)
    wrong = ~((np.abs(sums - 1) <= _TOLERANCE) & np.all((P >= 0) & (P <= 1 + _ROUNDING), axis=1))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"{name}: probabilities must lie from 0 to 1 and sum to 1, those of answered case "
            f"{row} are {P[row].tolist()}"
        )
    return answered_truth(prediction), np.minimum(P, 1)
