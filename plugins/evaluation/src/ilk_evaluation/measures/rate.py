"""What precision, recall and their kin have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

import ilk
from ilk_evaluation.confusion import confusion_matrix, ratio
from ilk_evaluation.measures.averages import POSITIVE, absent_remark
from ilk_evaluation.measures.codes import positive_code


@dataclass(frozen=True)
class Counts:
    """Answered cases: true and false positives, false and true negatives, by class or summed."""

    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    tn: np.ndarray


Parts = tuple[np.ndarray, np.ndarray]


class Rate(ilk.Measure):
    """A share that is made of true and false positives and negatives."""

    parameters = {
        "positive": POSITIVE,
        "average": ilk.Param(
            choices=("macro", "micro", "weighted"),
            none=True,
            doc="How the rates of the classes become one; None: that of the positive class.",
        ),
        "undefined": ilk.Param(
            float, ge=0, le=1, none=True, doc="What a rate of nothing counts as; None: an error."
        ),
    }

    def __init__(
        self,
        positive: Any = None,
        average: Literal["macro", "micro", "weighted"] | None = None,
        undefined: float | None = None,
    ) -> None:
        self.positive = positive
        self.average = average
        self.undefined = undefined

    @classmethod
    def examples(cls) -> list[Self]:
        """The positive class, and each average."""
        return [cls(), cls(average="macro"), cls(average="micro"), cls(average="weighted")]

    def check_parameters(self) -> None:
        """Also refuse a positive class beside an average, which is over all of them."""
        super().check_parameters()
        if self.positive is not None and self.average is not None:
            raise self.parameter_error("positive", f"must be None with average={self.average!r}")

    @abstractmethod
    def _parts(self, counts: Counts) -> Parts:
        """What the rate counts, and of how many cases."""

    @abstractmethod
    def _nothing(self) -> str:
        """Of which cases there is none where the rate is not defined."""

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the rate.

        Raises
        ------
        InputError
            If the rate is not defined, or the positive class is none.
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
            return self._defined(*self._parts(counts), [code], classes)[0]
        cases = matrix.sum(axis=1)
        if self.average == "micro":
            summed = Counts(*(np.atleast_1d(part.sum()) for part in vars(counts).values()))
            return self._defined(*self._parts(summed), [0], ["any"])[0]
        occur = np.flatnonzero(cases)
        rates = self._defined(*self._parts(counts), occur, classes)
        weights = None if self.average == "macro" else cases[occur]
        return float(np.average(rates, weights=weights))

    def _defined(
        self, part: np.ndarray, whole: np.ndarray, codes: Any, classes: list[Any]
    ) -> list[float]:
        """Rates of some classes; `undefined` for one of nothing, or an error."""
        rates = ratio(part, whole)[codes]
        empty = np.flatnonzero(np.isnan(rates))
        if len(empty) and self.undefined is None:
            label = classes[codes[empty[0]]]
            raise ilk.InputError(
                f"{ilk.display_name(self)}: not defined for class {label!r}: {self._nothing()} "
                f"(the parameter undefined says what to count it as)"
            )
        return [float(self.undefined or 0.0) if math.isnan(r) else float(r) for r in rates]

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Say which classes an average leaves out."""
        if self.average not in {"macro", "weighted"}:
            return ()
        cases = confusion_matrix(prediction).sum(axis=1)
        return absent_remark(cases, np.asarray(prediction.classes).tolist())


def _counts(matrix: np.ndarray) -> Counts:
    tp = np.diag(matrix)
    fp, fn = matrix.sum(axis=0) - tp, matrix.sum(axis=1) - tp
    return Counts(tp, fp, fn, matrix.sum() - tp - fp - fn)
