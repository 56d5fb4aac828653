"""Areas under ROC and precision-recall curves, precision at a given recall or number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

import ilk
from ilk_evaluation.confusion import answered_truth
from ilk_evaluation.curves.ranking import (
    Ranking,
    answered_scores,
    check_both_kinds,
    mann_whitney,
    rank_cases,
    rank_class,
    rates,
    steps,
)
from ilk_evaluation.measures.class_codes import absent_remark, second_of_two

if TYPE_CHECKING:
    from ilk import ArrayLike

POOLED: Any = ilk.param(
    default=False,
    doc="Whether to rank the cases of all folds of a repeat together, as leave-one-out "
    "needs: scores of different models are taken to be comparable then.",
)


class RocAuc(ilk.Measure):
    """Area under the ROC curve: probability that a case of a class outranks one of another.

    ``AUC = (#{(i, j): s_i > s_j} + #{(i, j): s_i = s_j} / 2) / (P N)`` over the P positive
    cases i and the N negative cases j, exact also with ties. For more than two classes the default
    is Hand and Till's M, ``2 / (C (C - 1)) sum_{a < b} (A(a|b) + A(b|a)) / 2``, where A(a|b) is
    the area of class a against class b by the scores of a; the alternative is the mean over the
    classes, each against the rest.

    Raises
    ------
    InputError
        If the answered cases are all positive, or all negative, or of one class, so that there
        is no pair to compare. If the pipeline gives neither scores nor probabilities. If
        `positive` is not a class.

    Notes
    -----
    For two columns of decision values, cases are ranked by their difference. A class without
    answered cases is left out of an average; `remarks` names it.

    References
    ----------
    Arras: AUC and PR-Curves.

    Hand & Till (2001), A simple generalisation of the area under the ROC curve for multiple class
    classification problems, Machine Learning 45.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, chance = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> P = np.column_stack([1 - chance, chance])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> ilk.measure("roc_auc")(prediction)
    0.75
    """

    positive: str | float | bool | None = ilk.param(
        default=None,
        type=(str, int, float, bool),
        doc="Class against the rest. Default: the one area of two classes, an average for more.",
    )
    multiclass: Literal["ovo", "ovr"] = ilk.param(
        default="ovo",
        choices=("ovo", "ovr"),
        doc="Average for more than two classes: one against one (Hand and Till), or "
        "one against the rest.",
    )
    average: Literal["macro", "weighted"] = ilk.param(
        default="macro",
        choices=("macro", "weighted"),
        doc="Equal weights, or weights by the cases of the pair or class.",
    )
    pooled: bool = POOLED
    greater_is_better = True
    needs = "scores"

    @classmethod
    def examples(cls) -> list[Self]:
        """One against one and against the rest; by fold and over all cases."""
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
        cases = _cases_of_classes(truth, len(prediction.classes), name)
        if self.multiclass == "ovo":
            return _average(*_one_against_one(truth, values, cases), self.average)
        return _average(*_one_against_rest(truth, values, cases, mann_whitney), self.average)

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Name the classes left out of an average over more than two."""
        if self.positive is not None or len(prediction.classes) == 2:
            return ()
        cases = np.bincount(answered_truth(prediction), minlength=len(prediction.classes))
        return absent_remark(cases, prediction.classes)


class PrAuc(ilk.Measure):
    """Average precision: area under the precision-recall curve by steps.

    ``AP = sum_k (R_k - R_(k-1)) P_k`` over the distinct scores as thresholds, in descending order.
    Points are joined by steps: the precision of a point extends back to the previous recall,
    because linear interpolation is too optimistic. A random ranking has about the share of
    positive cases.

    Raises
    ------
    InputError
        If no answered case is positive, or all are, so that any ranking has area 1 (with an
        average: if all belong to one class); if the pipeline gives neither scores nor
        probabilities, or if `positive` is not a class.

    Notes
    -----
    A class without answered cases is left out of an average; `remarks` names it.

    References
    ----------
    Arras: AUC and PR-Curves.

    Davis & Goadrich (2006), The relationship between precision-recall and ROC curves.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, chance = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> P = np.column_stack([1 - chance, chance])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> round(ilk.measure("pr_auc")(prediction), 4)
    0.8333
    """

    positive: str | float | bool | None = ilk.param(
        default=None,
        type=(str, int, float, bool),
        doc="Default: the second of two classes. Required for more classes, unless "
        "there is an `average`.",
    )
    average: Literal["macro", "weighted"] | None = ilk.param(
        default=None,
        choices=("macro", "weighted"),
        doc="Average over the classes, each against the rest: unweighted, or weighted by cases.",
    )
    pooled: bool = POOLED
    greater_is_better = True
    needs = "scores"

    @classmethod
    def examples(cls) -> list[Self]:
        """The positive class, and the averages."""
        return [cls(), cls(average="macro"), cls(average="weighted")]

    def check_parameters(self) -> None:
        """Also refuse a positive class with an average, which is over all classes."""
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
        cases = _cases_of_classes(truth, len(prediction.classes), name)
        return _average(*_one_against_rest(truth, values, cases, area), self.average)

    def positive_class(self, classes: np.ndarray) -> Any:
        """The second of two classes, unless `positive` or an average is set."""
        return second_of_two(self, classes)

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Name the classes left out of the average."""
        if self.average is None:
            return ()
        cases = np.bincount(answered_truth(prediction), minlength=len(prediction.classes))
        return absent_remark(cases, prediction.classes)


class PrecisionAtRecall(ilk.Measure):
    """Highest precision at thresholds with at least the given recall.

    ``max {precision(t): recall(t) >= r}`` over the distinct scores t as thresholds.

    Raises
    ------
    InputError
        If no answered case is positive, if the pipeline gives neither scores nor probabilities,
        or if `positive` is not a class.

    References
    ----------
    Arras: F-Measure.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, chance = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> P = np.column_stack([1 - chance, chance])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> ilk.measure("precision_at_recall", recall=0.5)(prediction)
    1.0
    """

    recall: float = ilk.param(default=0.75, ge=0, le=1, doc="r, from 0 to 1.")
    positive: str | float | bool | None = ilk.param(
        default=None,
        type=(str, int, float, bool),
        doc="Default: the second of two classes; required for more.",
    )
    pooled: bool = ilk.param(
        default=False,
        doc="Whether to rank the cases of all folds of a repeat together, as leave-one-out needs.",
    )
    greater_is_better = True
    needs = "scores"

    @classmethod
    def examples(cls) -> list[Self]:
        """A recall below 1, and recall 1."""
        return [cls(), cls(recall=1.0)]

    def positive_class(self, classes: np.ndarray) -> Any:
        """The second of two classes, unless `positive` or an average is set."""
        return second_of_two(self, classes)

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the precision."""
        self.check_parameters()
        name = ilk.display_name(self)
        ranking, what = rank_class(prediction, self.positive, name)
        precision, recall = rates(ranking, f"{name} ({what})")
        return float(precision[recall >= self.recall * (1 - 1e-12)].max())


_Area = Callable[[Ranking], float]


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


def _cases_of_classes(truth: np.ndarray, n_classes: int, name: str) -> np.ndarray:
    """Number of cases of each class.

    Raises
    ------
    InputError
        If all belong to one class.
    """
    cases = np.bincount(truth, minlength=n_classes)
    if np.count_nonzero(cases) < 2:
        raise ilk.InputError(
            f"{name}: not defined, as all answered cases ({len(truth)}) belong to one class"
        )
    return cases


def _one_against_rest(
    truth: np.ndarray, values: np.ndarray, cases: np.ndarray, area: _Area
) -> tuple[list[float], list[float]]:
    """Area of each class that occurs against the rest, and its share of the cases."""
    codes = np.flatnonzero(cases)
    areas = [area(rank_cases(values[:, code], truth == code)) for code in codes.tolist()]
    return areas, [float(cases[code]) for code in codes.tolist()]


def _one_against_one(
    truth: np.ndarray, values: np.ndarray, cases: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean ROC area of each pair of classes that occur, by the scores of both; and their cases."""
    codes = np.flatnonzero(cases)
    areas = np.array(
        [_against_each(values[:, code], truth, code, cases)[codes] for code in codes.tolist()]
    )
    a, b = np.triu_indices(len(codes), 1)
    return (areas[a, b] + areas[b, a]) / 2, (cases[codes][a] + cases[codes][b]).astype(float)


def _against_each(
    scores: np.ndarray, truth: np.ndarray, code: int, cases: np.ndarray
) -> np.ndarray:
    """Area of one class against each other, by one sort.

    A case of another class counts 2 for each case of this class that scores higher, and 1 for
    each tie: the counts are integers, so nothing is rounded.
    """
    order = np.argsort(scores)
    ranked, classes = scores[order], truth[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]) + 1, len(ranked))
    # cases of the class with a score up to, and below, that of each run of ties
    up_to = np.cumsum(classes == code)[ends - 1]
    below = np.append(0, up_to[:-1])
    twice = np.repeat(2 * up_to[-1] - below - up_to, np.diff(ends, prepend=0))
    sums = np.bincount(classes, twice, minlength=len(cases))
    return np.asarray(sums / (2 * cases[code] * np.maximum(cases, 1)))


def _average(areas: Any, weights: ArrayLike, average: str) -> float:
    """Mean of areas, unweighted or weighted."""
    return float(np.average(areas, weights=weights if average == "weighted" else None))
