"""squared_error: for labels that are numbers."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

import ilk
from ilk_evaluation.measures.numeric import answered_numbers


class SquaredError(ilk.Measure):
    """Mean squared difference of predicted and true numbers.

    ``(1/n) sum_i (label_i - truth_i)^2`` over the answered cases; NaN if there are none.

    Parameters
    ----------
    root : bool, default=False
        Whether to take the square root, which has the unit of the labels.

    Raises
    ------
    InputError
        If labels are no finite numbers.

    References
    ----------
    Cunningham, Cord & Delany (2008), sec. 2.2.1: the quadratic loss.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([1.0, 2.0]), np.array([1.0, 4.0])
    >>> prediction = ilk.Prediction(truth, labels, classes=truth)
    >>> ilk.measure("squared_error")(prediction)
    2.0
    """

    parameters = {"root": ilk.Param(bool, doc="Take the square root.")}
    greater_is_better = False
    needs = "numbers"

    def __init__(self, root: bool = False) -> None:
        self.root = root

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
