"""cost: what wrong answers cost, where some cost more than others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

import ilk
from ilk_evaluation.confusion import confusion_matrix
from ilk_evaluation.measures.table import code_named


class Cost(ilk.Measure):
    """Mean cost of an answer by a table of costs: the risk with unequal losses.

    ``(1/n) sum_ab costs[a, b] M_ab`` with M the confusion matrix of the n answered cases: what
    it costs to take class a for class b. NaN if none was answered. With `reject_cost` cases that
    were not answered cost that much, and n counts all cases.

    Parameters
    ----------
    costs : array of shape (C, C), or table of tables, optional
        Rows true, columns predicted, in the order of the sorted classes; or
        ``{true: {predicted: cost}}``, where a pair that is not named costs 1, and a right
        answer 0. None: that of all pairs, which makes it the error.
    reject_cost : float, optional
        Of a case that was not answered, finite; None: such cases do not count.

    Raises
    ------
    InputError
        If the costs do not fit the classes.

    Notes
    -----
    Smaller is better; a cost below 0 is a gain.

    References
    ----------
    System Evaluation slides, cost-sensitive learning and risk; Chow (1970), On optimum
    recognition error and reject tradeoff, for the cost of a rejection.

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

    parameters = {
        "costs": ilk.Param(
            (ilk.Array, dict),
            none=True,
            doc="Rows true, columns predicted, by sorted classes; or {true: {predicted: cost}}.",
        ),
        "reject_cost": ilk.Param(
            float, none=True, doc="Of a case that was not answered; None: it does not count."
        ),
    }
    greater_is_better = False

    def __init__(self, costs: Any = None, reject_cost: float | None = None) -> None:
        self.costs = costs
        self.reject_cost = reject_cost

    @classmethod
    def examples(cls) -> list[Self]:
        """Costs of two classes."""
        return [cls(), cls([[0, 1], [5, 0]]), cls([[0.0, 2.5], [1.0, 0.0]])]

    def check_parameters(self) -> None:
        """Also check that the costs are a square of finite numbers, or tables of them."""
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
        """The costs for classes: rows true, columns predicted."""
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
