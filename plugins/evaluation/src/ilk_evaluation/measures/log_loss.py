"""log_loss: how surprised a pipeline is by the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import ilk
from ilk_evaluation.measures.probabilities import IMPOSSIBLE, answered_probabilities


class LogLoss(ilk.Measure):
    """Mean of the negative logarithm of the probability of the true class, in nats.

    ``(1/n) sum_i -ln p_i(y_i)`` over the answered cases; NaN if there are none. A probability of
    0 for the class that is true makes it infinite, as it should: such a pipeline was sure of
    something wrong, and `remarks` says it. With `clip` probabilities count as at least that much.
    Nearest neighbours that vote by majority give a class without a vote the probability 0.

    Parameters
    ----------
    clip : float, optional
        The least that the probability of the true class counts as; above 0. None: infinity
        stays. A class that was absent from the training cases has probability 0.

    Raises
    ------
    InputError
        If the pipeline gives no probabilities, or none that sum to 1.

    References
    ----------
    Cunningham, Cord & Delany (2008), sec. 2.2.1: the loss -log f(x).

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, P = np.array([0, 1]), np.array([[0.5, 0.5], [0.75, 0.25]])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> round(ilk.measure("log_loss")(prediction), 4)  # (ln 2 + ln 4) / 2
    1.0397
    """

    parameters = {
        "clip": ilk.Param(
            float, gt=0, lt=1, none=True, doc="Least probability that counts; None: infinity stays."
        ),
    }
    greater_is_better = False
    needs = "probabilities"

    def __init__(self, clip: float | None = None) -> None:
        self.clip = clip

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the mean loss."""
        self.check_parameters()
        truth, P = answered_probabilities(prediction, ilk.display_name(self))
        if not len(truth):
            return math.nan
        own = P[np.arange(len(truth)), truth]
        if self.clip is not None:
            own = np.maximum(own, self.clip)
        with np.errstate(divide="ignore"):
            return float(-np.log(own).mean()) + 0.0

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Say why the loss is infinite, if it is."""
        there = prediction.probabilities is not None
        return (IMPOSSIBLE,) if there and math.isinf(self(prediction)) else ()
