"""Empirical risk for a loss, mean squared error, and mean cost by a cost matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import ilk
from ilk_evaluation.confusion import answered_codes, answered_truth, confusion_matrix
from ilk_evaluation.measures.answered_values import (
    IMPOSSIBLE,
    answered_numbers,
    answered_probabilities,
    class_columns,
)
from ilk_evaluation.measures.class_codes import code_named

if TYPE_CHECKING:
    from ilk import Needs


Loss = Callable[[Any, Any], Any]


class Risk(ilk.Measure):
    """Empirical risk: the mean loss of the answered cases.

    ``R_emp = (1/n) sum_i L(f(x_i), y_i)``; NaN if there are none. The losses:

    - ``zero_one``: 1 for a wrong label, which gives the error rate.
    - ``squared`` and ``absolute``: for numeric labels.
    - ``hinge``: ``max(0, 1 - y f(x))`` for two classes, where y is +1 for the second class and f
      half the difference of the decision values (the decision value itself if they are -f and
      f); for more classes ``max(0, 1 + max_{c != y} f_c(x) - f_y(x))``.
    - ``log``: ``-ln p(y)``, infinite for a probability of 0.

    Raises
    ------
    InputError
        If the pipeline lacks the input of the loss (decision values, probabilities, finite
        numbers), or a function does not return a number for each case.

    References
    ----------
    Cunningham 2008: sections 2.2.1-2.2.2; equations 2.1-2.2.

    Crammer & Singer (2001), for the hinge loss of more than two classes.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, f = np.array([0, 1]), np.array([-2.0, 0.5])
    >>> scores = np.column_stack([-f, f])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), scores=scores)
    >>> ilk.measure("risk", loss="hinge")(prediction)
    0.25
    """

    loss: str | Loss = ilk.param(
        default="zero_one",
        type=ilk.Function,
        choices=("zero_one", "squared", "absolute", "hinge", "log"),
        form="str or function",
        doc="One of the names above, or a function of two arrays, the true and the predicted "
        "labels of the answered cases, that returns the loss of each.",
    )
    greater_is_better = False

    @classmethod
    def examples(cls) -> list[Self]:
        """Each named loss."""
        return [cls(loss=name) for name in ("zero_one", "squared", "absolute", "hinge", "log")]

    @property
    def needs(self) -> Needs:
        """Parts of a prediction that the loss uses."""
        if callable(self.loss):
            return "labels"
        return _NEEDS.get(self.loss, "labels")

    @property
    def predictors(self) -> tuple[str, ...]:
        """Classifiers and detectors; regressors unless the loss is one of classes."""
        numbers = callable(self.loss) or self.loss in {"squared", "absolute"}
        return ("classifier", "detector", "regressor") if numbers else super().predictors

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the risk."""
        self.check_parameters()
        losses = self._losses(prediction, f"{ilk.display_name(self)}: the loss {self.loss!r}")
        with np.errstate(over="ignore"):
            return float(np.mean(losses)) if len(losses) else math.nan

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Explain an infinite log loss, if it is."""
        there = self.loss == "log" and prediction.probabilities is not None
        return (IMPOSSIBLE,) if there and math.isinf(self(prediction)) else ()

    def _losses(self, prediction: ilk.Prediction, name: str) -> np.ndarray:
        if callable(self.loss):
            return self._own(prediction, self.loss)
        if self.loss == "hinge":
            return _hinge(prediction, name)
        if self.loss == "log":
            codes, P = answered_probabilities(prediction, name)
            with np.errstate(divide="ignore"):
                return np.asarray(-np.log(np.minimum(P[np.arange(len(codes)), codes], 1.0)))
        if self.loss == "zero_one":
            true, predicted = answered_codes(prediction)
            return np.asarray(true != predicted)
        truth, labels = answered_numbers(prediction, name)
        with np.errstate(over="ignore"):
            gaps = np.asarray(np.abs(labels - truth))
            return gaps if self.loss == "absolute" else gaps**2

    def _own(self, prediction: ilk.Prediction, loss: Loss) -> np.ndarray:
        """Losses by a user's function."""
        answered = prediction.answered
        truth = np.asarray(prediction.truth)[answered]
        losses = np.asarray(loss(truth, np.asarray(prediction.labels)[answered]))
        if losses.shape != truth.shape or losses.dtype.kind not in "biuf":
            raise ilk.InputError(
                f"{ilk.display_name(self)}: loss must return a number for each of {len(truth)} "
                f"answered cases, got {losses.dtype} of shape {losses.shape}"
            )
        return losses.astype(float)


_NEEDS: dict[str, Needs] = {
    "squared": "numbers",
    "absolute": "numbers",
    "hinge": "scores",
    "log": "probabilities",
}


def _hinge(prediction: ilk.Prediction, name: str) -> np.ndarray:
    if prediction.scores is None:
        has = "labels and probabilities" if prediction.probabilities is not None else "labels"
        raise ilk.InputError(
            f"{name} needs decision values, but the pipeline gives {has} only (decision_function "
            f"is asked where there is no predict_proba)"
        )
    scores = class_columns(prediction.scores, prediction, name).astype(float, copy=False)
    if np.any(prediction.rejected):
        scores = scores[prediction.answered]
    if np.isnan(scores).any():
        raise ilk.InputError(f"{name}: a score is NaN")
    truth, rows = answered_truth(prediction), np.arange(len(scores))
    true_scores = scores[rows, truth]
    others = scores.copy()
    others[rows, truth] = -np.inf
    best = others.max(axis=1, initial=-np.inf)
    share = 0.5 if scores.shape[1] == 2 else 1.0
    with np.errstate(invalid="ignore", over="ignore"):
        margin = share * true_scores - share * best
    if np.isnan(margin).any():
        row = int(np.argmax(np.isnan(margin)))
        raise ilk.InputError(f"{name}: the scores of answered case {row} are both infinite")
    return np.asarray(np.maximum(0, 1 - margin))


class SquaredError(ilk.Measure):
    """Mean squared error of numeric predictions.

    ``(1/n) sum_i (label_i - truth_i)^2`` over the answered cases; NaN if there are none.

    Raises
    ------
    InputError
        If labels are not finite numbers.

    References
    ----------
    Cunningham 2008: section 2.2.1 (the quadratic loss).

    Zaidi 2011: equation 4.6.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([1.0, 2.0]), np.array([1.0, 4.0])
    >>> prediction = ilk.Prediction(truth, labels, classes=truth)
    >>> ilk.measure("squared_error")(prediction)
    2.0
    """

    root: bool = ilk.param(
        default=False,
        doc="Whether to take the square root, which has the unit of the labels.",
    )
    greater_is_better = False
    needs = "numbers"
    predictors = ("regressor", "classifier")

    @classmethod
    def examples(cls) -> list[Self]:
        """Squared, and its root."""
        return [cls(), cls(root=True)]

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the error."""
        self.check_parameters()
        truth, labels = answered_numbers(prediction, ilk.display_name(self))
        if not len(truth):
            return math.nan
        with np.errstate(over="ignore"):
            mean = float(np.square(labels - truth).mean())
        return math.sqrt(mean) if self.root else mean


class Cost(ilk.Measure):
    """Mean misclassification cost by a cost matrix: the risk with unequal losses.

    ``(1/n) sum_ab costs[a, b] M_ab``, with M the confusion matrix of the n answered cases and
    costs[a, b] the cost of predicting class b for class a. NaN if none was answered. With
    `reject_cost`, rejected cases have this cost, and n counts all cases.

    Raises
    ------
    InputError
        If the costs do not match the classes.

    Notes
    -----
    Smaller is better; a cost below 0 is a gain.

    References
    ----------
    Evaluation slides: Algorithm Preference.

    Cunningham 2008: section 2.2.1.

    Chow (1970), On optimum recognition error and reject tradeoff, for the cost of a rejection.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(["ill", "ill", "well", "well"]), np.array(["well"] * 4)
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["ill", "well"]))
    >>> ilk.measure("cost", costs={"ill": {"well": 5}})(prediction)
    2.5
    >>> ilk.measure("cost", costs=[[0, 5], [1, 0]])(prediction)
    2.5
    """

    costs: ilk.ArrayLike | Mapping[str, Any] | None = ilk.param(
        default=None,
        type=(ilk.Array, dict),
        form="array of shape (C, C), or table of tables",
        doc="Rows true, columns predicted, in the order of the sorted classes; or ``{true: "
        "{predicted: cost}}``, where omitted pairs cost 1, and correct predictions "
        "0. None: the default costs for all pairs, which give the error rate.",
    )
    reject_cost: float | None = ilk.param(
        default=None,
        type=float,
        doc="Finite cost of a rejected case; None: rejected cases are ignored.",
    )
    greater_is_better = False

    @classmethod
    def examples(cls) -> list[Self]:
        """Costs of two classes."""
        return [cls(), cls(costs=[[0, 1], [5, 0]]), cls(costs=[[0.0, 2.5], [1.0, 0.0]])]

    def check_parameters(self) -> None:
        """Also check that the costs are a finite square matrix, or tables of finite numbers."""
        super().check_parameters()
        if self.reject_cost is not None and not math.isfinite(self.reject_cost):
            raise self.parameter_error("reject_cost", f"must be finite, got {self.reject_cost}")
        if self.costs is None:
            return
        if isinstance(self.costs, Mapping):
            for true, row in self.costs.items():
                if not isinstance(row, Mapping) or not all(map(_is_cost, row.values())):
                    raise self.parameter_error(
                        "costs", f"[{true!r}] must be a table of finite numbers, got {row!r}"
                    )
            return
        array = np.asarray(self.costs)
        if array.ndim != 2 or array.shape[0] != array.shape[1] or not np.isfinite(array).all():
            raise self.parameter_error(
                "costs", f"must be a square of finite numbers, got shape {array.shape}"
            )

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the mean cost."""
        self.check_parameters()
        costs = self.matrix(np.asarray(prediction.classes).tolist())
        counts = confusion_matrix(prediction)
        total, n = float(np.sum(costs * counts)), int(counts.sum())
        if self.reject_cost is not None:
            total += self.reject_cost * (len(prediction) - n)
            n = len(prediction)
        return total / n if n else math.nan

    def matrix(self, classes: Sequence[Any]) -> np.ndarray:
        """Cost matrix for the classes: rows true, columns predicted."""
        classes, name = list(classes), f"{ilk.display_name(self)}: costs"
        if self.costs is None or isinstance(self.costs, Mapping):
            costs = 1 - np.eye(len(classes))
            for true, row in (self.costs or {}).items():
                for predicted, cost in row.items():
                    at = code_named(true, classes, name), code_named(predicted, classes, name)
                    costs[at] = cost
            return costs
        costs = np.asarray(self.costs, dtype=float)
        if len(costs) != len(classes):
            raise ilk.InputError(
                f"{name} are for {len(costs)} classes, the data set has {len(classes)}"
            )
        return costs


def _is_cost(value: Any) -> bool:
    return ilk.Param(float).problem(value) is None and math.isfinite(value)
