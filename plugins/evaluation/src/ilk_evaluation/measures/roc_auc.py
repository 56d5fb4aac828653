"""roc_auc: how well scores rank the cases of a class above the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np

import ilk
from ilk_evaluation.confusion import answered_truth
from ilk_evaluation.curves.ranking import (
    answered_scores,
    check_both_kinds,
    mann_whitney,
    rank_class,
)
from ilk_evaluation.measures.areas import averaged, occurring, one_against_one, one_against_rest
from ilk_evaluation.measures.averages import POSITIVE, absent_remark


class RocAuc(ilk.Measure):
    """Area under the ROC curve: how often a case of a class outranks one that is not of it.

    ``AUC = (#{(i, j): s_i > s_j} + #{(i, j): s_i = s_j} / 2) / (P N)`` over the P positive
    cases i and the N negative cases j, exact also with ties. For more than two classes it is
    Hand and Till's M by default, ``2 / (C (C - 1)) sum_{a < b} (A(a|b) + A(b|a)) / 2``, where
    A(a|b) is the area of class a against class b by the scores of a; or the mean over the
    classes, each against the rest.

    Parameters
    ----------
    positive : label, optional
        Held against all others. Without it, two classes have one area and more are averaged.
    multiclass : {"ovo", "ovr"}, default="ovo"
        What is averaged over more than two classes: one against one (Hand and Till), or one
        against the rest.
    average : {"macro", "weighted"}, default="macro"
        Equally, or by the cases of the pair or class.
    pooled : bool, default=False
        Whether to rank the cases of all folds of a repeat together, as leave-one-out needs:
        scores of different models are taken to be comparable then.

    Raises
    ------
    InputError
        If the answered cases are all positive, or all negative, or of one class: there is no
        pair to compare, and so no number. If the pipeline gives neither scores nor
        probabilities. If `positive` is no class.

    Notes
    -----
    Of decision values for two classes, the difference ranks. A class without answered cases has
    no part in an average, which `remarks` says.

    References
    ----------
    Arras, Supervised Learning part 3, AUC; Hand & Till (2001), A simple generalisation of the
    area under the ROC curve for multiple class classification problems, Machine Learning 45.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, chance = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> P = np.column_stack([1 - chance, chance])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> ilk.measure("roc_auc")(prediction)
    0.75
    """

    parameters = {
        "positive": POSITIVE,
        "multiclass": ilk.Param(
            choices=("ovo", "ovr"), doc="One class against one, or against the rest."
        ),
        "average": ilk.Param(
            choices=("macro", "weighted"), doc="Of more classes: equally, or by their cases."
        ),
        "pooled": ilk.Param(bool, doc="Rank the cases of all folds of a repeat together."),
    }
    greater_is_better = True
    needs = "scores"

    def __init__(
        self,
        positive: Any = None,
        multiclass: Literal["ovo", "ovr"] = "ovo",
        average: Literal["macro", "weighted"] = "macro",
        pooled: bool = False,
    ) -> None:
        self.positive = positive
        self.multiclass = multiclass
        self.average = average
        self.pooled = pooled

    @classmethod
    def examples(cls) -> list[Self]:
        """One against one and against the rest; over folds and over all cases."""
        return [cls(), cls(multiclass="ovr", average="weighted"), cls(pooled=True)]

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the area."""
        self.check_parameters()
        name = ilk.display_name(self)
        if self.positive is not None or len(prediction.classes) == 2:
            ranking, what = rank_class(prediction, self.positive, name)
            check_both_kinds(ranking, f"{name} ({what})")
            return mann_whitney(ranking)
        truth, values = answered_scores(prediction, name)
        cases = occurring(truth, len(prediction.classes), name)
        if self.multiclass == "ovo":
            return averaged(*one_against_one(truth, values, cases), self.average)
        return averaged(*one_against_rest(truth, values, cases, mann_whitney), self.average)

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Say which of more than two classes the average leaves out."""
        if self.positive is not None or len(prediction.classes) == 2:
            return ()
        cases = np.bincount(answered_truth(prediction), minlength=len(prediction.classes))
        return absent_remark(cases, np.asarray(prediction.classes).tolist())
