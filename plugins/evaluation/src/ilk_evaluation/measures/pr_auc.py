"""pr_auc: the area under a precision-recall curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np

import ilk
from ilk_evaluation.confusion import answered_truth
from ilk_evaluation.curves.ranking import (
    Ranking,
    answered_scores,
    check_both_kinds,
    rank_class,
    rates,
    steps,
)
from ilk_evaluation.measures.areas import averaged, occurring, one_against_rest
from ilk_evaluation.measures.averages import POSITIVE, absent_remark


class PrAuc(ilk.Measure):
    """Area under the precision-recall curve by steps: average precision.

    ``AP = sum_k (R_k - R_(k-1)) P_k`` over the scores that occur as thresholds, falling, cases
    of equal score at once. Points are joined by steps: the precision of a point holds back to
    the recall of the one before. Straight lines would flatter. A ranking by chance has about
    the share of positive cases.

    Parameters
    ----------
    positive : label, optional
        The second of two classes by default. Of more classes it must be named, unless there is
        an `average`.
    average : {"macro", "weighted"}, optional
        Over the classes, each against the rest: equally, or by their cases.
    pooled : bool, default=False
        Whether to rank the cases of all folds of a repeat together, as leave-one-out needs:
        scores of different models are taken to be comparable then.

    Raises
    ------
    InputError
        If no answered case is positive, or all are and any ranking would have area 1 (with an
        average: if all belong to one class); if the pipeline gives neither scores nor
        probabilities, or if `positive` is no class.

    Notes
    -----
    A class without answered cases has no part in an average, which `remarks` says.

    References
    ----------
    Arras, Supervised Learning part 3, AUC and PR curves; Davis & Goadrich (2006), The
    relationship between precision-recall and ROC curves.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, chance = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> P = np.column_stack([1 - chance, chance])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> round(ilk.measure("pr_auc")(prediction), 4)
    0.8333
    """

    parameters = {
        "positive": POSITIVE,
        "average": ilk.Param(
            choices=("macro", "weighted"),
            none=True,
            doc="Over the classes: equally, or by their cases; None: the positive class.",
        ),
        "pooled": ilk.Param(bool, doc="Rank the cases of all folds of a repeat together."),
    }
    greater_is_better = True
    needs = "scores"

    def __init__(
        self,
        positive: Any = None,
        average: Literal["macro", "weighted"] | None = None,
        pooled: bool = False,
    ) -> None:
        self.positive = positive
        self.average = average
        self.pooled = pooled

    @classmethod
    def examples(cls) -> list[Self]:
        """The positive class, and the averages."""
        return [cls(), cls(average="macro"), cls(average="weighted")]

    def check_parameters(self) -> None:
        """Also refuse a positive class beside an average, which is over all of them."""
        super().check_parameters()
        if self.positive is not None and self.average is not None:
            raise self.parameter_error("positive", f"must be None with average={self.average!r}")

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the area."""
        self.check_parameters()
        name = ilk.display_name(self)

        def area(ranking: Ranking) -> float:
            return steps(*rates(ranking, name))

        if self.average is None:
            averages = self.parameters["average"].choices
            ranking, what = rank_class(prediction, self.positive, name, averages=averages)
            check_both_kinds(ranking, f"{name} ({what})")
            return area(ranking)
        truth, values = answered_scores(prediction, name)
        cases = occurring(truth, len(prediction.classes), name)
        return averaged(*one_against_rest(truth, values, cases, area), self.average)

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Say which classes the average leaves out."""
        if self.average is None:
            return ()
        cases = np.bincount(answered_truth(prediction), minlength=len(prediction.classes))
        return absent_remark(cases, np.asarray(prediction.classes).tolist())
