"""Rates from true and false positives and negatives: precision, recall, and others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk_evaluation.confusion import confusion_matrix, ratio
from ilk_evaluation.measures.class_codes import absent_remark, positive_code, second_of_two

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Rate(ilk.Measure):
    """A ratio of sums of true and false positives and negatives, defined by subclasses.

    `_numerator` and `_denominator` name the counts to add; a count named twice counts
    double. `_undefined_if` explains a denominator of 0.
    """

    _numerator: ClassVar[tuple[str, ...]]
    _denominator: ClassVar[tuple[str, ...]]
    _undefined_if: ClassVar[str]

    positive: str | float | bool | None = ilk.param(
        default=None,
        type=(str, int, float, bool),
        doc="The positive class; default: the second of two. Required for more classes, "
        "unless there is an `average`.",
    )
    average: Literal["macro", "micro", "weighted"] | None = ilk.param(
        default=None,
        choices=("macro", "micro", "weighted"),
        doc='Over the classes, each held against the rest. "macro": the mean of the rates of the '
        'classes to which an answered case belongs; "weighted": their mean weighted by those '
        'cases; "micro": the rate of the summed counts. Which classes an average leaves out is '
        "said in `remarks`, and so among the notes of an experiment.",
    )
    undefined: float | None = ilk.param(
        default=None,
        type=float,
        ge=0,
        le=1,
        doc="Value of the rate if its denominator is 0. By default that is an error, "
        "and NaN with a note in an experiment, rather than a silent 0.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """The positive class, and each average."""
        return [cls(), cls(average="macro"), cls(average="micro"), cls(average="weighted")]

    def check_parameters(self) -> None:
        """Also refuse a positive class with an average, which is over all classes."""
        super().check_parameters()
        if self.positive is not None and self.average is not None:
            raise self.parameter_error("positive", f"must be None with average={self.average!r}")

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the rate.

        Raises
        ------
        InputError
            If the rate is undefined, or `positive` is not a class.
        """
        self.check_parameters()
        name = ilk.display_name(self)
        classes = np.asarray(prediction.classes).tolist()
        code = None
        if self.average is None:
            averages = self.parameters["average"].choices
            code = positive_code(prediction.classes, self.positive, name, averages=averages)
        matrix = confusion_matrix(prediction)
        if not matrix.sum():
            return math.nan
        counts = _counts(matrix)
        if code is not None:
            return self._rates(counts, [code], classes)[0]
        cases = matrix.sum(axis=1)
        if self.average == "micro":
            summed = {name: np.atleast_1d(count.sum()) for name, count in counts.items()}
            return self._rates(summed, [0], ["any"])[0]
        occur = np.flatnonzero(cases)
        rates = self._rates(counts, occur, classes)
        weights = None if self.average == "macro" else cases[occur]
        return float(np.average(rates, weights=weights))

    def _rates(
        self, counts: Mapping[str, np.ndarray], codes: Any, classes: list[Any]
    ) -> list[float]:
        """Rates of some classes; `undefined`, or an error, where the denominator is 0."""
        part = np.sum([counts[name] for name in self._numerator], axis=0)
        denominators = np.sum([counts[name] for name in self._denominator], axis=0)
        rates = ratio(part, denominators)[codes]
        empty = np.flatnonzero(np.isnan(rates))
        if len(empty) and self.undefined is None:
            label = classes[codes[empty[0]]]
            raise ilk.InputError(
                f"{ilk.display_name(self)}: not defined for class {label!r}: {self._undefined_if} "
                f"(the parameter undefined sets a value for this case)"
            )
        return [float(self.undefined or 0.0) if math.isnan(r) else float(r) for r in rates]

    def positive_class(self, classes: np.ndarray) -> Any:
        """The second of two classes, unless `positive` or an average is set."""
        return second_of_two(self, classes)

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Name the classes left out of an average."""
        if self.average not in {"macro", "weighted"}:
            return ()
        cases = confusion_matrix(prediction).sum(axis=1)
        return absent_remark(cases, prediction.classes)


class Precision(Rate):
    """Precision (positive predictive value): share of the predicted positives that are positive.

    ``TP / (TP + FP)``, of the answered cases. With ``average="micro"`` it is the accuracy.

    Raises
    ------
    InputError
        If the rate is undefined, or `positive` is not a class or is missing.

    References
    ----------
    Arras: Precision and Recall.

    Evaluation slides: Measuring Error.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(list("nnnyyyy")), np.array(list("nyynyyy"))
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["n", "y"]))
    >>> round(ilk.measure("precision")(prediction), 4)
    0.6
    """

    greater_is_better = True
    _numerator = ("tp",)
    _denominator = ("tp", "fp")
    _undefined_if = "no answered case was predicted to be of it"


class Recall(Rate):
    """Recall (sensitivity, true positive rate): share of the positives that are predicted so.

    ``TP / (TP + FN)``, of the answered cases. With ``average="micro"`` it is the accuracy.

    Raises
    ------
    InputError
        If the rate is undefined, or `positive` is not a class or is missing.

    References
    ----------
    Arras: Precision and Recall.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(list("nnnyyyy")), np.array(list("nyynyyy"))
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["n", "y"]))
    >>> round(ilk.measure("recall")(prediction), 4)
    0.75
    """

    greater_is_better = True
    _numerator = ("tp",)
    _denominator = ("tp", "fn")
    _undefined_if = "no answered case belongs to it"


class Specificity(Rate):
    """Specificity (true negative rate): share of the negatives that are predicted so.

    ``TN / (TN + FP)``, of the answered cases.

    Raises
    ------
    InputError
        If the rate is undefined, or `positive` is not a class or is missing.

    References
    ----------
    Evaluation slides: Measuring Error.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(list("nnnyyyy")), np.array(list("nyynyyy"))
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["n", "y"]))
    >>> round(ilk.measure("specificity")(prediction), 4)
    0.3333
    """

    greater_is_better = True
    _numerator = ("tn",)
    _denominator = ("tn", "fp")
    _undefined_if = "all answered cases belong to it"


class FalsePositiveRate(Rate):
    """False positive rate (false alarms, fall-out): share of the negatives predicted as positive.

    ``FP / (FP + TN) = 1 - specificity``, of the answered cases.

    Raises
    ------
    InputError
        If the rate is undefined, or `positive` is not a class or is missing.

    References
    ----------
    Arras: ROC Curves.

    Evaluation slides: Measuring Error.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(list("nnnyyyy")), np.array(list("nyynyyy"))
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["n", "y"]))
    >>> round(ilk.measure("false_positive_rate")(prediction), 4)
    0.6667
    """

    greater_is_better = False
    _numerator = ("fp",)
    _denominator = ("tn", "fp")
    _undefined_if = "all answered cases belong to it"


class F1(Rate):
    """Harmonic mean of precision and recall.

    ``2 PR / (P + R) = 2 TP / (2 TP + FP + FN)``, of the answered cases. With
    ``average="micro"`` it is the accuracy.

    Raises
    ------
    InputError
        If the rate is undefined, or `positive` is not a class or is missing.

    References
    ----------
    Arras: F-Measure.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(list("nnnyyyy")), np.array(list("nyynyyy"))
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["n", "y"]))
    >>> round(ilk.measure("f1")(prediction), 4)
    0.6667
    """

    greater_is_better = True
    _numerator = ("tp", "tp")
    _denominator = ("tp", "tp", "fp", "fn")
    _undefined_if = "no answered case belongs to it or was predicted to"


def _counts(matrix: np.ndarray) -> dict[str, np.ndarray]:
    """True and false positives and negatives of each class against the rest."""
    tp = np.diag(matrix)
    fp, fn = matrix.sum(axis=0) - tp, matrix.sum(axis=1) - tp
    return {"tp": tp, "fp": fp, "fn": fn, "tn": matrix.sum() - tp - fp - fn}
