"""Areas under ROC and precision-recall curves, and the precision at a given recall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

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
from ilk_evaluation.measures.class_codes import absent_remark

POOLED: Any = ilk.param(
    default=False,
    doc="Whether to rank the cases of all folds of a repeat together, as leave-one-out "
    "needs: scores of different models are taken to be comparable then.",
)


class RocAuc(ilk.Measure):
    """Area under the ROC curve: how often a case of a class outranks one that is not of it.

    ``AUC = (#{(i, j): s_i > s_j} + #{(i, j): s_i = s_j} / 2) / (P N)`` over the P positive
    cases i and the N negative cases j, exact also with ties. For more than two classes it is
    Hand and Till's M by default, ``2 / (C (C - 1)) sum_{a < b} (A(a|b) + A(b|a)) / 2``, where
    A(a|b) is the area of class a against class b by the scores of a; or the mean over the
    classes, each against the rest.

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

    positive: str | float | bool | None = ilk.param(
        default=None,
        type=(str, int, float, bool),
        doc="Held against all others. Without it, two classes have one area and more are averaged.",
    )
    multiclass: Literal["ovo", "ovr"] = ilk.param(
        default="ovo",
        choices=("ovo", "ovr"),
        doc="What is averaged over more than two classes: one against one (Hand and Till), or "
        "one against the rest.",
    )
    average: Literal["macro", "weighted"] = ilk.param(
        default="macro",
        choices=("macro", "weighted"),
        doc="Equally, or by the cases of the pair or class.",
    )
    pooled: bool = POOLED
    greater_is_better = True
    needs = "scores"

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
        cases = _cases_of_classes(truth, len(prediction.classes), name)
        if self.multiclass == "ovo":
            return _average(*_one_against_one(truth, values, cases), self.average)
        return _average(*_one_against_rest(truth, values, cases, mann_whitney), self.average)

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Say which of more than two classes the average leaves out."""
        if self.positive is not None or len(prediction.classes) == 2:
            return ()
        cases = np.bincount(answered_truth(prediction), minlength=len(prediction.classes))
        return absent_remark(cases, prediction.classes)


class PrAuc(ilk.Measure):
    """Area under the precision-recall curve by steps: average precision.

    ``AP = sum_k (R_k - R_(k-1)) P_k`` over the scores that occur as thresholds, falling, cases
    of equal score at once. Points are joined by steps: the precision of a point holds back to
    the recall of the one before. Straight lines would flatter. A ranking by chance has about
    the share of positive cases.

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

    positive: str | float | bool | None = ilk.param(
        default=None,
        type=(str, int, float, bool),
        doc="The second of two classes by default. Of more classes it must be named, unless "
        "there is an `average`.",
    )
    average: Literal["macro", "weighted"] | None = ilk.param(
        default=None,
        choices=("macro", "weighted"),
        doc="Over the classes, each against the rest: equally, or by their cases.",
    )
    pooled: bool = POOLED
    greater_is_better = True
    needs = "scores"

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
        cases = _cases_of_classes(truth, len(prediction.classes), name)
        return _average(*_one_against_rest(truth, values, cases, area), self.average)

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Say which classes the average leaves out."""
        if self.average is None:
            return ()
        cases = np.bincount(answered_truth(prediction), minlength=len(prediction.classes))
        return absent_remark(cases, prediction.classes)


class PrecisionAtRecall(ilk.Measure):
    """Highest precision of the thresholds that find at least a given share of the cases.

    ``max {precision(t): recall(t) >= r}`` over the scores t that occur as thresholds.

    Raises
    ------
    InputError
        If no answered case is positive, if the pipeline gives neither scores nor probabilities,
        or if `positive` is no class.

    References
    ----------
    Arras, Supervised Learning part 3, F-measure: "precision at recall of 0.75".

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
        doc="The second of two classes by default; of more it must be named.",
    )
    pooled: bool = ilk.param(
        default=False,
        doc="Whether to rank the cases of all folds of a repeat together, as leave-one-out needs.",
    )
    greater_is_better = True
    needs = "scores"

    @classmethod
    def examples(cls) -> list[Self]:
        """Some cases to be found, and all."""
        return [cls(), cls(recall=1.0)]

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the precision."""
        self.check_parameters()
        name = ilk.display_name(self)
        ranking, what = rank_class(prediction, self.positive, name)
        precision, recall = rates(ranking, f"{name} ({what})")
        return float(precision[recall >= self.recall * (1 - 1e-12)].max())


_Area = Callable[[Ranking], float]


def _cases_of_classes(truth: np.ndarray, n_classes: int, name: str) -> np.ndarray:
    """Cases of each class.

    Raises
    ------
    InputError
        If they all belong to one: there is nothing to tell apart.
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
    """Area of each class that occurs against all others, and its share of the cases."""
    codes = np.flatnonzero(cases)
    areas = [area(rank_cases(values[:, code], truth == code)) for code in codes.tolist()]
    return areas, [float(cases[code]) for code in codes.tolist()]


def _one_against_one(
    truth: np.ndarray, values: np.ndarray, cases: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean ROC area of each pair of classes that occur, by either's scores, and their cases."""
    codes = np.flatnonzero(cases)
    areas = np.array(
        [_against_each(values[:, code], truth, code, cases)[codes] for code in codes.tolist()]
    )
    a, b = np.triu_indices(len(codes), 1)
    return (areas[a, b] + areas[b, a]) / 2, (cases[codes][a] + cases[codes][b]).astype(float)


def _against_each(
    scores: np.ndarray, truth: np.ndarray, code: int, cases: np.ndarray
) -> np.ndarray:
    """Area of one class against each, by one sort: how often a case of it has more score.

    Every case of another class adds twice the cases of this one above it, and once those of the
    same score: whole numbers, of which nothing is rounded.
    """
    order = np.argsort(scores)
    ranked, classes = scores[order], truth[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]) + 1, len(ranked))
    up_to = np.cumsum(classes == code)[ends - 1]
    below = np.append(0, up_to[:-1])
    twice = np.repeat(2 * up_to[-1] - below - up_to, np.diff(ends, prepend=0))
    sums = np.bincount(classes, twice, minlength=len(cases))
    return np.asarray(sums / (2 * cases[code] * np.maximum(cases, 1)))


def _average(areas: Any, weights: Any, average: str) -> float:
    """Mean of areas, equally or by weights."""
    return float(np.average(areas, weights=weights if average == "weighted" else None))
