"""Precision against recall."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk import InputError, Prediction
from ilk_evaluation.curves.curve import Curve
from ilk_evaluation.curves.ranking import Ranking, rank_class
from ilk_evaluation.curves.roc import check_both_kinds


def precision_recall(prediction: Prediction, positive: Any = None) -> Curve:
    """Precision over recall, for each score as the threshold.

    ``recall(t) = TP(t) / P`` and ``precision(t) = TP(t) / (TP(t) + FP(t))`` for each score t
    that occurs, cases of equal score at once. The area is the average precision ``sum_k (R_k -
    R_(k-1)) P_k``: a step, not a straight line, joins two points, as between them precision
    does not change along a line and the line would flatter.

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
        x is recall, y precision. The first point, of recall 0, where precision is not defined,
        has the precision of the next (scikit-learn says 1 there); the last has recall 1 and,
        for precision, the share of positive cases.

    Raises
    ------
    InputError
        If none of the answered cases is positive, or all are; if the prediction has neither
        scores nor probabilities, or if `positive` is no class.

    References
    ----------
    Arras, Supervised Learning part 3, AUC and PR curves; Davis & Goadrich (2006), The
    relationship between precision-recall and ROC curves.

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
