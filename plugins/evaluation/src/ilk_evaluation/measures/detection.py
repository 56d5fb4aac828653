"""Measures of detected outliers beside the areas under curves."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import ilk
from ilk_evaluation.curves.ranking import check_both_kinds, rank_class
from ilk_evaluation.measures.auc import POOLED
from ilk_evaluation.measures.class_codes import second_of_two


class PrecisionAtN(ilk.Measure):
    """Precision at n: share of positive cases among the n with the highest scores.

    By default n is the number of positive cases, so that a perfect ranking has 1 and a random one
    about the share of positive cases. Where cases of equal score straddle the n-th place, it is
    the mean over their orders.

    Raises
    ------
    InputError
        If no answered case is positive, or all are; if the pipeline gives neither scores nor
        probabilities; if `positive` is not a class, or `n` exceeds the number of answered cases.

    References
    ----------
    Campos et al. (2016), On the evaluation of unsupervised outlier detection: measures, datasets,
    and an empirical study, Data Mining and Knowledge Discovery 30.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth = np.array(["inlier", "outlier", "inlier", "outlier"])
    >>> score = np.array([-1.0, 3.0, 2.0, 1.0])
    >>> scores = np.column_stack([-score, score])
    >>> prediction = ilk.Prediction(truth, truth, np.array(["inlier", "outlier"]), scores=scores)
    >>> ilk.measure("precision_at_n")(prediction)
    0.5
    """

    n: int | None = ilk.param(
        default=None, type=int, ge=1, doc="None: the number of positive cases."
    )
    positive: str | float | bool | None = ilk.param(
        default=None,
        type=(str, int, float, bool),
        doc="Default: the second of two classes, which is the outliers; required for more.",
    )
    pooled: bool = POOLED
    greater_is_better = True
    needs = "scores"

    @classmethod
    def examples(cls) -> list[Self]:
        """As many as there are positive cases, and a fixed number."""
        return [cls(), cls(n=5)]

    def positive_class(self, classes: np.ndarray) -> Any:
        """The second of two classes, unless `positive` or an average is set."""
        return second_of_two(self, classes)

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the precision."""
        self.check_parameters()
        name = ilk.display_name(self)
        ranking, what = rank_class(prediction, self.positive, name)
        check_both_kinds(ranking, f"{name} ({what})")
        hits = np.concatenate([[0], ranking.true_positives])
        taken: Any = hits + np.concatenate([[0], ranking.false_positives])
        n = ranking.n_positive if self.n is None else self.n
        if n > taken[-1]:
            raise self.parameter_error("n", f"must be at most {taken[-1]} answered cases, got {n}")
        return float(np.interp(n, taken, hits) / n)  # within a tie, hits grow evenly on average
