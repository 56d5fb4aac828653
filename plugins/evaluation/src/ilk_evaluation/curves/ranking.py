"""How many positive and negative cases have at least each score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ilk import InputError, Prediction
from ilk_evaluation.measures.answered_values import class_columns
from ilk_evaluation.measures.class_codes import codes_of, positive_code


@dataclass(frozen=True)
class Ranking:
    """Cases counted from the highest score down, equal scores at once.

    Attributes
    ----------
    thresholds : ndarray of shape (k,)
        The different scores, falling.
    true_positives, false_positives : ndarray of int, shape (k,)
        Cases of the positive class, and others, with at least that score.
    """

    thresholds: np.ndarray
    true_positives: np.ndarray
    false_positives: np.ndarray

    @property
    def n_positive(self) -> int:
        return int(self.true_positives[-1])

    @property
    def n_negative(self) -> int:
        return int(self.false_positives[-1])


def rank_cases(scores: np.ndarray, positive: np.ndarray) -> Ranking:
    """Count cases down to each different score.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        At least one.
    positive : ndarray of bool, shape (n,)
    """
    order = np.argsort(scores)[::-1]
    sorted_scores = scores[order]
    last = np.flatnonzero(sorted_scores[1:] != sorted_scores[:-1])
    last = np.append(last, len(scores) - 1)
    true_positives = np.cumsum(positive[order], dtype=np.int64)[last]
    return Ranking(sorted_scores[last], true_positives, last + 1 - true_positives)


def answered_scores(prediction: Prediction, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the true classes and scores of the answered cases; shapes (n,) and (n, C).

    Scores are decision values, and probabilities where there are none.

    Raises
    ------
    InputError
        If the pipeline gave neither, if one is NaN or no number, or if no case was answered.
    """
    values: Any = prediction.scores if prediction.scores is not None else prediction.probabilities
    if values is None:
        raise InputError(
            f"{name}: needs scores or probabilities, but the pipeline gives labels only (its "
            f"classifier has no decision_function and no predict_proba)"
        )
    values, truth = class_columns(values, prediction, name), np.asarray(prediction.truth)
    if np.any(prediction.rejected):
        values, truth = values[prediction.answered], truth[prediction.answered]
    if not len(truth):
        raise InputError(f"{name}: no case was answered, there is nothing to rank")
    if np.isnan(values).any():
        row = int(np.argmax(np.isnan(values).any(axis=1)))
        raise InputError(f"{name}: the score of answered case {row} is NaN")
    return codes_of(truth, prediction.classes), values


def scores_of_class(values: np.ndarray, code: int, name: str, *, probabilities: bool) -> np.ndarray:
    """How much speaks for one class: of two, how much more than for the other.

    Probabilities of two classes sum to 1, so that one of them says it all; the difference of
    large and small ones would lose digits and make ties.

    Raises
    ------
    InputError
        If both are infinite, and neither is larger.
    """
    own = values[:, code]
    if values.shape[1] != 2 or probabilities:
        return np.asarray(own)
    other = values[:, 1 - code]
    if np.array_equal(own, -other):
        return np.asarray(own)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.subtract(own, other, dtype=float)
        if np.isinf(gap).any():  # of large ones perhaps, which would be ties
            gap = np.subtract(own / 2, other / 2, dtype=float)
    if np.isnan(gap).any():
        raise InputError(
            f"{name}: the scores of answered case {int(np.argmax(np.isnan(gap)))} are both infinite"
        )
    return np.asarray(gap)


def rank_class(
    prediction: Prediction, positive: Any, name: str, *, averages: Sequence[str] = ()
) -> tuple[Ranking, str]:
    """Rank the answered cases by what speaks for one class; also what is held against what."""
    code = positive_code(prediction.classes, positive, name, averages=averages)
    truth, values = answered_scores(prediction, name)
    scores = scores_of_class(values, code, name, probabilities=prediction.scores is None)
    classes = np.asarray(prediction.classes).tolist()
    others = str(classes[1 - code]) if len(classes) == 2 else "the rest"
    return rank_cases(scores, truth == code), f"{classes[code]} against {others}"
