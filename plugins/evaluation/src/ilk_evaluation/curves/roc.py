"""ROC: true against false positive rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk import InputError, Prediction
from ilk_evaluation.curves.curve import Curve
from ilk_evaluation.curves.ranking import Ranking, rank_class


def roc(prediction: Prediction, positive: Any = None, *, every_point: bool = False) -> Curve:
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
        Also give points on the straight line between their neighbours, which change neither
        the curve nor the area.

    Returns
    -------
    Curve
        From (0, 0) to (1, 1).

    Raises
    ------
    InputError
        If the answered cases are of one kind only, positive or negative, if the prediction has
        neither scores nor probabilities, or if `positive` is no class.

    References
    ----------
    Arras, Supervised Learning part 3, ROC curves; Fawcett (2006), An introduction to ROC
    analysis, Pattern Recognition Letters 27.

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
    """Raise where there is nothing to tell apart."""
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
    twice = int(np.dot(new, tp + before))  # whole numbers: nothing is rounded
    return twice / (2 * ranking.n_positive * ranking.n_negative)


def _corners(ranking: Ranking) -> Ranking:
    """Leave out points in the middle of a straight line."""
    right, up = np.diff(ranking.false_positives), np.diff(ranking.true_positives)
    bends = right[1:] * up[:-1] != right[:-1] * up[1:]
    keep = np.concatenate([[True], bends, [True]])[: len(ranking.thresholds)]
    if len(keep) > 1:
        keep[0] = ranking.true_positives[0] * right[0] != ranking.false_positives[0] * up[0]
    return Ranking(
        ranking.thresholds[keep], ranking.true_positives[keep], ranking.false_positives[keep]
    )
