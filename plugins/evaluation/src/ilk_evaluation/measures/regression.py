"""Measures of predicted numbers: squared and absolute error, R squared, rank correlation."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

import ilk
from ilk_evaluation.measures.answered_values import answered_numbers


class _OfNumbers(ilk.Measure):
    """A measure of regressors."""

    needs = "numbers"
    predictors = ("regressor",)


class _Pooled(_OfNumbers):
    """A measure that needs cases of different truth."""

    pooled: bool = ilk.param(
        default=False,
        doc="Whether to score the cases of all folds of a repeat together, as leave-one-out needs.",
    )
    greater_is_better = True

    @classmethod
    def examples(cls) -> list[Self]:
        """By fold, and over all cases."""
        return [cls(), cls(pooled=True)]

    def answered(self, prediction: ilk.Prediction) -> tuple[np.ndarray, np.ndarray]:
        """Return truth and predictions of the answered cases.

        Raises
        ------
        InputError
            If the truth is the same for all of them.
        """
        self.check_parameters()
        name = ilk.display_name(self)
        truth, labels = answered_numbers(prediction, name)
        if len(truth) and np.ptp(truth) == 0:
            raise ilk.InputError(
                f"{name}: not defined, as the truth of all answered cases is the same number; "
                f"with pooled = true the folds of a repeat are scored together"
            )
        return truth, labels


class RootMeanSquaredError(_OfNumbers):
    """Root mean squared error (RMSE) of predicted numbers, in the unit of the target.

    ``sqrt((1/n) sum_i (label_i - truth_i)^2)`` over the answered cases; NaN if there are none.
    An estimate is the mean of the roots of the splits.

    Raises
    ------
    InputError
        If truth or predictions are not finite numbers.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, sec. 7.2.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([1.0, 2.0]), np.array([1.0, 4.0])
    >>> prediction = ilk.Prediction(truth, labels, np.array([]), predictor="regressor")
    >>> round(ilk.measure("rmse")(prediction), 4)
    1.4142
    """

    greater_is_better = False

    def __call__(self, prediction: ilk.Prediction) -> float:
        truth, labels = answered_numbers(prediction, ilk.display_name(self))
        with np.errstate(over="ignore"):
            return math.sqrt(np.square(labels - truth).mean()) if len(truth) else math.nan


class AbsoluteError(_OfNumbers):
    """Mean absolute error (MAE) of predicted numbers, in the unit of the target.

    ``(1/n) sum_i |label_i - truth_i|`` over the answered cases; NaN if there are none.

    Raises
    ------
    InputError
        If truth or predictions are not finite numbers.

    References
    ----------
    Willmott & Matsuura (2005), Advantages of the mean absolute error (MAE) over the root mean
    square error (RMSE) in assessing average model performance, Climate Research 30.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([1.0, 2.0]), np.array([1.0, 4.0])
    >>> prediction = ilk.Prediction(truth, labels, np.array([]), predictor="regressor")
    >>> ilk.measure("absolute_error")(prediction)
    1.0
    """

    greater_is_better = False

    def __call__(self, prediction: ilk.Prediction) -> float:
        truth, labels = answered_numbers(prediction, ilk.display_name(self))
        with np.errstate(over="ignore"):
            return float(np.abs(labels - truth).mean()) if len(truth) else math.nan


class R2(_Pooled):
    """Coefficient of determination: 1 is perfect, 0 is no better than the mean of the test cases.

    ``R^2 = 1 - sum_i (truth_i - label_i)^2 / sum_i (truth_i - mean)^2`` over the answered cases,
    with the mean of their truth; negative for predictions worse than that mean. NaN if no case
    was answered.

    Raises
    ------
    InputError
        If truth or predictions are not finite numbers, or the truth of all answered cases is
        equal, as that of a single case is.

    References
    ----------
    Draper & Smith (1998), Applied Regression Analysis, sec. 1.3.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0])
    >>> prediction = ilk.Prediction(truth, labels, np.array([]), predictor="regressor")
    >>> ilk.measure("r2")(prediction)
    0.5
    """

    def __call__(self, prediction: ilk.Prediction) -> float:
        truth, labels = self.answered(prediction)
        if not len(truth):
            return math.nan
        unit = np.ptp(truth)  # so that squares of large numbers stay finite
        errors, deviations = (truth - labels) / unit, (truth - truth.mean()) / unit
        with np.errstate(over="ignore"):
            return float(1 - np.square(errors).sum() / np.square(deviations).sum())


class RankCorrelation(_Pooled):
    """Spearman's rank correlation of predicted numbers and the truth: 1 for the same order.

    The correlation coefficient of the ranks of the answered cases, where equal numbers share
    their mean rank. NaN if no case was answered.

    Raises
    ------
    InputError
        If truth or predictions are not finite numbers, or all answered cases have the same
        truth or the same prediction.

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things, American
    Journal of Psychology 15.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0])
    >>> prediction = ilk.Prediction(truth, labels, np.array([]), predictor="regressor")
    >>> ilk.measure("rank_correlation")(prediction)
    0.5
    """

    def __call__(self, prediction: ilk.Prediction) -> float:
        from scipy.stats import rankdata

        truth, labels = self.answered(prediction)
        if not len(truth):
            return math.nan
        if np.ptp(labels) == 0:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: not defined, as all predictions are the same number"
            )
        a, b = (2 * rankdata(values) - len(truth) - 1 for values in (truth, labels))
        return float(a @ b / math.sqrt((a @ a) * (b @ b)))
