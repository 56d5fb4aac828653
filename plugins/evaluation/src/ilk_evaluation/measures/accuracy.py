"""Accuracy, error, and reject rate, overall and by class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

import ilk
from ilk_evaluation.confusion import answered_truth, confusion_matrix, ratio
from ilk_evaluation.intervals import total_error_variance
from ilk_evaluation.measures.class_codes import absent_remark, by_class

if TYPE_CHECKING:
    import pandas as pd


class Error(ilk.Measure):
    """Error rate: share of the answered cases whose label is wrong.

    ``error = #{i answered: label_i != truth_i} / #{i answered}``; NaN if no case was
    answered. The measure reject_rate gives the share of unanswered cases.

    References
    ----------
    Evaluation slides: Error Counting Technique (rejected cases are left out).

    Ntoutsi 2015: Classification error.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array([0, 1]))
    >>> ilk.measure("error")(prediction)
    0.25
    """

    greater_is_better = False

    def __call__(self, prediction: ilk.Prediction) -> float:
        return _share(~_hits(prediction))


class Accuracy(ilk.Measure):
    """Accuracy: share of the answered cases whose label is correct.

    ``accuracy = #{i answered: label_i = truth_i} / #{i answered}``; NaN if no case was
    answered.

    References
    ----------
    Evaluation slides: Error Counting Technique (rejected cases are left out).

    Ntoutsi 2015: Classification error.

    Arras: Error Types.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array([0, 1]))
    >>> ilk.measure("accuracy")(prediction)
    0.75
    """

    greater_is_better = True

    def __call__(self, prediction: ilk.Prediction) -> float:
        return _share(_hits(prediction))


class MeanClassAccuracy(ilk.Measure):
    """Balanced accuracy: mean over the classes of the share of their cases labelled correctly.

    ``(1/C) sum_c M_cc / N_c``, with M the confusion matrix (rows true) and N_c the answered
    cases of class c. C counts the classes with answered cases; `remarks` names the others.
    NaN if no case was answered.

    References
    ----------
    Zaidi 2011: section 4.3.2; equation 4.17 (which prints ``sum_i M_ij / N_c`` without the mean).

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([0, 1, 1, 1, 1]), np.array([1, 1, 1, 1, 1])
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array([0, 1]))
    >>> ilk.measure("mean_class_accuracy")(prediction)
    0.5
    """

    greater_is_better = True

    def __call__(self, prediction: ilk.Prediction) -> float:
        truth = answered_truth(prediction)
        cases, right = np.bincount(truth), np.bincount(truth, _hits(prediction))
        return float(np.mean(right[cases > 0] / cases[cases > 0])) if len(truth) else math.nan

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Name the classes left out of the mean."""
        cases = np.bincount(answered_truth(prediction), minlength=len(prediction.classes))
        return absent_remark(cases, prediction.classes)


def _hits(prediction: ilk.Prediction) -> np.ndarray:
    """Mask of the answered cases that are labelled correctly."""
    answered = prediction.answered
    truth, labels = np.asarray(prediction.truth), np.asarray(prediction.labels)
    return np.asarray(truth[answered] == labels[answered])


def _share(hits: np.ndarray) -> float:
    return float(np.mean(hits)) if len(hits) else math.nan


class PerClassError(ilk.Measure):
    """Total probability of error: the error rates of the classes, weighted by their priors.

    ``P_hat = sum_c P(c) k_c / N_c``, with k_c errors among the N_c answered cases of class c;
    from 0 to 1. It is unbiased if the priors are those of the population, whatever the class
    proportions among the test cases; `variance` and `table` quantify its uncertainty.

    Raises
    ------
    InputError
        If a class with positive prior has no answered case, or priors do not match the classes.

    References
    ----------
    Evaluation slides: Error Counting Technique.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(list("aaaabb")), np.array(list("aaabba"))
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["a", "b"]))
    >>> measure = ilk.measure("per_class_error", priors={"a": 0.9, "b": 0.1})
    >>> round(measure(prediction), 3)  # 0.9 * 1/4 + 0.1 * 1/2
    0.275
    >>> round(measure.variance(prediction), 5)
    0.03922
    """

    priors: str | Sequence[float] | Mapping[str, float] = ilk.param(
        default="estimated",
        type=(list, dict),
        choices=("estimated", "equal"),
        items=ilk.Param(float, ge=0, le=1),
        form='"estimated", "equal", list of float, or table of float',
        doc='Priors of the classes. "estimated": their shares of the answered cases, which gives '
        'the plain error. "equal": equal over the classes that occur, which gives 1 minus '
        "mean_class_accuracy. Or numbers that sum to 1, in the order of the sorted classes or "
        "by their names.",
    )
    greater_is_better = False

    @classmethod
    def examples(cls) -> list[Self]:
        """Each way to specify priors."""
        return [cls(), cls(priors="equal"), cls(priors=[0.25, 0.75])]

    def check_parameters(self) -> None:
        """Also check that priors sum to 1."""
        super().check_parameters()
        if isinstance(self.priors, str):
            return
        given = self.priors.values() if isinstance(self.priors, Mapping) else self.priors
        total = math.fsum(given)
        if abs(total - 1) > 1e-6:
            raise self.parameter_error("priors", f"must sum to 1, got a sum of {total:g}")

    def __call__(self, prediction: ilk.Prediction) -> float:
        errors, cases, priors = self._counted(prediction)
        if not cases.sum():
            return math.nan
        used = priors > 0
        return min(float(np.dot(priors[used], errors[used] / cases[used])), 1.0)

    def variance(self, prediction: ilk.Prediction) -> float:
        """Variance of the total: ``sum_c P(c)^2 P_c (1 - P_c) / N_c``, of estimated P_c."""
        errors, cases, priors = self._counted(prediction)
        return total_error_variance(errors, cases, priors)

    def table(self, prediction: ilk.Prediction) -> pd.DataFrame:
        """One row per class: errors, cases, error (NaN without cases) and prior."""
        import pandas as pd

        errors, cases, priors = self._counted(prediction)
        columns = {"errors": errors, "cases": cases, "error": ratio(errors, cases), "prior": priors}
        return pd.DataFrame(columns, index=pd.Index(prediction.classes, name="class"))

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Name the classes without cases, if priors are equal."""
        if self.priors != "equal":
            return ()
        cases = confusion_matrix(prediction).sum(axis=1)
        return absent_remark(cases, prediction.classes)

    def _counted(self, prediction: ilk.Prediction) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Errors, cases and priors of the classes."""
        self.check_parameters()
        name = f"{ilk.display_name(self)}: priors"
        matrix = confusion_matrix(prediction)
        cases = matrix.sum(axis=1)
        errors = cases - np.diag(matrix)
        classes = np.asarray(prediction.classes).tolist()
        if isinstance(self.priors, str):
            weights = cases if self.priors == "estimated" else cases > 0
            return errors, cases, weights / max(int(weights.sum()), 1)
        priors = by_class(self.priors, classes, name)
        unseen = np.flatnonzero((cases == 0) & (priors > 0))
        if len(unseen) and cases.sum():
            raise ilk.InputError(
                f"{name}: class {classes[unseen[0]]!r} has the prior {priors[unseen[0]]:g}, but no "
                f"answered case: the total error is not defined"
            )
        return errors, cases, priors


class RejectRate(ilk.Measure):
    """Reject rate: share of the cases that the pipeline rejected.

    ``#{i rejected} / n``. Other measures use the answered cases only, which favours pipelines
    that answer only easy cases. NaN without any case.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, rejected = np.array([0, 1, 1, 0]), np.array([True, False, False, False])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), rejected=rejected)
    >>> ilk.measure("reject_rate")(prediction)
    0.25
    """

    greater_is_better = False
    needs = "rejected"

    def __call__(self, prediction: ilk.Prediction) -> float:
        rejected = np.asarray(prediction.rejected, dtype=bool)
        return float(rejected.mean()) if len(rejected) else math.nan
