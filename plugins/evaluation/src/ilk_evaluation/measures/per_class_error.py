"""per_class_error: the error of each class, put together by the priors of the classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import pandas as pd

import ilk
from ilk_evaluation.confusion import confusion_matrix, ratio
from ilk_evaluation.intervals import total_error_variance
from ilk_evaluation.measures.averages import absent_remark
from ilk_evaluation.measures.table import by_class


class PerClassError(ilk.Measure):
    """Total probability of error: the errors of the classes, weighted by their priors.

    ``P_hat = sum_c P(c) k_c / N_c`` with k_c errors among the N_c answered cases of class c, from
    0 to 1.
    It is unbiased if the priors are those of the population, whatever the proportions of the
    classes in the test cases are; `variance` and `table` say how sure it is.

    Parameters
    ----------
    priors : "estimated", "equal", list of float, or table of float; default="estimated"
        Of the classes: as often as they occur among the answered cases, which makes it the
        plain error; all equal, over the classes that occur, which makes it 1 less
        mean_class_accuracy; or given, in the order of the sorted classes or by their names.
        They sum to 1.

    Raises
    ------
    InputError
        If a class has a prior above 0 but no answered case, or priors do not fit the classes.

    References
    ----------
    System Evaluation slides, error counting technique.

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

    parameters = {
        "priors": ilk.Param(
            (list, dict),
            choices=("estimated", "equal"),
            items=ilk.Param(float, ge=0, le=1),
            doc="Of the classes, in their order or by name; or 'estimated' or 'equal'.",
        ),
    }
    greater_is_better = False

    def __init__(self, priors: str | Sequence[float] | Mapping[str, float] = "estimated") -> None:
        self.priors = priors

    @classmethod
    def examples(cls) -> list[Self]:
        """Each way to say the priors."""
        return [cls(), cls("equal"), cls([0.25, 0.75])]

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
        errors, cases, priors = self._counted(prediction)
        columns = {"errors": errors, "cases": cases, "error": ratio(errors, cases), "prior": priors}
        return pd.DataFrame(columns, index=pd.Index(prediction.classes, name="class"))

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Say which classes equal priors leave out."""
        if self.priors != "equal":
            return ()
        cases = confusion_matrix(prediction).sum(axis=1)
        return absent_remark(cases, np.asarray(prediction.classes).tolist())

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
