"""ROC and precision-recall curves, from the ranking of the cases by their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import InputError, Prediction
from ilk_evaluation.curves.curve import Curve
from ilk_evaluation.measures.answered_values import class_columns
from ilk_evaluation.measures.class_codes import codes_of, positive_code

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Ranking:
    """Cumulative counts of cases from the highest score down; equal scores count at once.

    Attributes
    ----------
    thresholds : ndarray of shape (k,)
        The distinct scores, decreasing.
    true_positives, false_positives : ndarray of int, shape (k,)
        Cases of the positive class, and of the others, with at least that score.
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
    """Count cases down to each distinct score.

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

    Scores are decision values, or else probabilities.

    Raises
    ------
    InputError
        If the pipeline gave neither, a score is NaN or no number, or no case was answered.
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
    """Score of one class; of two classes, the difference to the other.

    Probabilities of two classes sum to 1, so one of them suffices; the difference of a large and
    a small one would lose digits and make ties.

    Raises
    ------
    InputError
        If both are infinite and equal.
    """
    column = values[:, code]
    if values.shape[1] != 2 or probabilities:
        return np.asarray(column)
    other = values[:, 1 - code]
    if np.array_equal(column, -other):
        return np.asarray(column)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.subtract(column, other, dtype=float)
        if np.isinf(gap).any():  # overflow of large scores, which would make ties
            gap = np.subtract(column / 2, other / 2, dtype=float)
    if np.isnan(gap).any():
        raise InputError(
            f"{name}: the scores of answered case {int(np.argmax(np.isnan(gap)))} are both infinite"
        )
    return np.asarray(gap)


def rank_class(
    prediction: Prediction, positive: object, name: str, *, averages: Sequence[str] = ()
) -> tuple[Ranking, str]:
    """Rank the answered cases by the score of one class; also return the names of both sides."""
    code = positive_code(prediction.classes, positive, name, averages=averages)
    truth, values = answered_scores(prediction, name)
    scores = scores_of_class(values, code, name, probabilities=prediction.scores is None)
    classes = np.asarray(prediction.classes).tolist()
    others = str(classes[1 - code]) if len(classes) == 2 else "the rest"
    return rank_cases(scores, truth == code), f"{classes[code]} against {others}"


def roc(prediction: Prediction, positive: object = None, *, every_point: bool = False) -> Curve:
    """Receiver operating characteristic: true positive rate over false positive rate.

    ``TPR(t) = #{positive, score >= t} / P`` and ``FPR(t) = #{negative, score >= t} / N`` for
    each score t that occurs. Cases of equal score enter at once, so that the area under the
    straight lines between the points is exactly the Mann-Whitney statistic: the share of pairs
    of a positive and a negative case in which the positive one has the higher score, ties
    counting one half.

    Parameters
    ----------
    prediction : ilk.Prediction
        With scores, or else probabilities. Only answered cases count.
    positive : label, optional
        The positive class: the second of two by default. Of more classes it must be named; it
        is held against the rest.
    every_point : bool, default=False
        Also return points on the straight line between their neighbours, which change neither the
        curve nor the area.

    Returns
    -------
    Curve
        From (0, 0) to (1, 1).

    Raises
    ------
    InputError
        If all answered cases are positive or all are negative, if the prediction has neither scores
        nor probabilities, or if `positive` is no class.

    References
    ----------
    Arras: ROC Curves.

    Evaluation slides: ROC Curve.

    Zaidi 2011: figures 4.12, 10.3.

    Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> from ilk_evaluation import curves
    >>> truth, chance = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> P = np.column_stack([1 - chance, chance])
    >>> curve = curves.roc(ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P))
    >>> curve.x.tolist(), curve.y.tolist(), curve.area
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], 0.75)
    """
    ranking, name = rank_class(prediction, positive, "roc")
    check_both_kinds(ranking, f"roc ({name})")
    area = mann_whitney(ranking)
    if not every_point:
        ranking = _corners(ranking)
    return Curve(
        np.append(0.0, ranking.false_positives / ranking.n_negative),
        np.append(0.0, ranking.true_positives / ranking.n_positive),
        np.append(np.inf, ranking.thresholds),
        area,
        name,
        "roc",
        ranking.n_positive,
        ranking.n_negative,
    )


def check_both_kinds(ranking: Ranking, name: str) -> None:
    """Raise InputError unless there are positive and negative cases."""
    for count, kind in ((ranking.n_positive, "positive"), (ranking.n_negative, "negative")):
        if not count:
            raise InputError(
                f"{name}: not defined, as none of the {ranking.n_positive + ranking.n_negative} "
                f"answered cases is {kind}"
            )


def mann_whitney(ranking: Ranking) -> float:
    """Area under the ROC curve, exact up to one division."""
    tp, fp = ranking.true_positives, ranking.false_positives
    new = np.diff(fp, prepend=0)
    before = tp - np.diff(tp, prepend=0)
    twice = int(np.dot(new, tp + before))  # integers, so exact
    return twice / (2 * ranking.n_positive * ranking.n_negative)


def _corners(ranking: Ranking) -> Ranking:
    """Drop points inside a straight line."""
    right, up = np.diff(ranking.false_positives), np.diff(ranking.true_positives)
    bends = right[1:] * up[:-1] != right[:-1] * up[1:]
    keep = np.concatenate([[True], bends, [True]])[: len(ranking.thresholds)]
    if len(keep) > 1:
        keep[0] = ranking.true_positives[0] * right[0] != ranking.false_positives[0] * up[0]
    return Ranking(
        ranking.thresholds[keep], ranking.true_positives[keep], ranking.false_positives[keep]
    )


def precision_recall(prediction: Prediction, positive: object = None) -> Curve:
    """Precision over recall, for each score as the threshold.

    ``recall(t) = TP(t) / P`` and ``precision(t) = TP(t) / (TP(t) + FP(t))`` for each score t
    that occurs, cases of equal score at once. The area is the average precision ``sum_k (R_k -
    R_(k-1)) P_k``: steps join the points, as precision is not linear between them and straight
    lines would be too optimistic.

    Parameters
    ----------
    prediction : ilk.Prediction
        With scores, or else probabilities. Only answered cases count.
    positive : label, optional
        The positive class: the second of two by default. Of more classes it must be named; it
        is held against the rest.

    Returns
    -------
    Curve
        x is recall, y precision. The first point has recall 0, where precision is undefined, and
        takes the precision of the next (1 in scikit-learn). The last has recall 1 and, as
        precision, the share of positive cases.

    Raises
    ------
    InputError
        If none of the answered cases is positive, or all are; if the prediction has neither
        scores nor probabilities, or if `positive` is no class.

    References
    ----------
    Arras: AUC and PR-Curves.

    Davis & Goadrich (2006), The relationship between precision-recall and ROC curves.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> from ilk_evaluation import curves
    >>> truth, chance = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> P = np.column_stack([1 - chance, chance])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> curve = curves.precision_recall(prediction)
    >>> curve.x.tolist(), round(curve.area, 4)
    ([0.0, 0.5, 0.5, 1.0, 1.0], 0.8333)
    """
    ranking, name = rank_class(prediction, positive, "precision_recall")
    check_both_kinds(ranking, f"precision_recall ({name})")
    precision, recall = rates(ranking, f"precision_recall ({name})")
    return Curve(
        np.append(0.0, recall),
        np.append(precision[0], precision),
        np.append(np.inf, ranking.thresholds),
        steps(precision, recall),
        name,
        "precision_recall",
        ranking.n_positive,
        ranking.n_negative,
    )


def rates(ranking: Ranking, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Precision and recall at each threshold."""
    if not ranking.n_positive:
        raise InputError(
            f"{name}: not defined, as none of the {ranking.n_negative} answered cases is positive"
        )
    tp = ranking.true_positives
    return tp / (tp + ranking.false_positives), tp / ranking.n_positive


def steps(precision: np.ndarray, recall: np.ndarray) -> float:
    """Average precision: the area below steps."""
    return min(float(np.dot(np.diff(recall, prepend=0.0), precision)), 1.0)
