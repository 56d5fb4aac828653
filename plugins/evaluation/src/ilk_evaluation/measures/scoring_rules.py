"""Scoring rules for probabilities: Brier score and logarithmic loss."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self

import numpy as np

import ilk
from ilk_evaluation.measures.answered_values import IMPOSSIBLE, answered_probabilities

if TYPE_CHECKING:
    from collections.abc import Sequence


class Brier(ilk.Measure):
    """Brier score: mean squared distance of the probabilities from the one-hot true class.

    ``(1/2n) sum_i sum_c (p_i(c) - [y_i = c])^2`` over the answered cases, from 0 to 1; NaN if
    there are none. For two classes it is the familiar ``(1/n) sum_i (p_i - y_i)^2``.

    Raises
    ------
    InputError
        If the pipeline gives no probabilities, or they do not sum to 1.

    References
    ----------
    Brier (1950), Verification of forecasts expressed in terms of probability.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, P = np.array([0, 1]), np.array([[0.5, 0.5], [0.75, 0.25]])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> ilk.measure("brier")(prediction)  # (1/4 + 9/16) / 2
    0.40625
    """

    halved: bool = ilk.param(
        default=True,
        doc="Whether to divide by 2. Brier's own score does not, and goes from 0 to 2.",
    )
    greater_is_better = False
    needs = "probabilities"

    @classmethod
    def examples(cls) -> list[Self]:
        """Both scales."""
        return [cls(), cls(halved=False)]

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the score."""
        self.check_parameters()
        truth, P = answered_probabilities(prediction, ilk.display_name(self))
        if not len(truth):
            return math.nan
        gaps = P.copy()
        gaps[np.arange(len(truth)), truth] -= 1
        total = min(float(np.square(gaps).sum(axis=1).mean()), 2.0)  # rounding can exceed 2
        return total / 2 if self.halved else total


class LogLoss(ilk.Measure):
    """Log loss: mean negative log probability of the true class, in nats.

    ``(1/n) sum_i -ln p_i(y_i)`` over the answered cases; NaN if there are none. It is infinite if
    a true class has probability 0: the pipeline was certain and wrong; `remarks` reports this.
    `clip` sets a lower limit of the probability. Nearest neighbours that vote by majority give
    probability 0 to a class without a vote.

    Raises
    ------
    InputError
        If the pipeline gives no probabilities, or they do not sum to 1.

    References
    ----------
    Cunningham 2008: section 2.2.1 (the logarithmic loss).

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, P = np.array([0, 1]), np.array([[0.5, 0.5], [0.75, 0.25]])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> round(ilk.measure("log_loss")(prediction), 4)  # (ln 2 + ln 4) / 2
    1.0397
    """

    clip: float | None = ilk.param(
        default=None,
        type=float,
        gt=0,
        lt=1,
        doc="Lower limit of the probability of the true class; above 0. None: "
        "the loss can be infinite. Classes unseen in training have probability 0.",
    )
    greater_is_better = False
    needs = "probabilities"

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the mean loss."""
        self.check_parameters()
        truth, P = answered_probabilities(prediction, ilk.display_name(self))
        if not len(truth):
            return math.nan
        likelihood = P[np.arange(len(truth)), truth]
        if self.clip is not None:
            likelihood = np.maximum(likelihood, self.clip)
        with np.errstate(divide="ignore"):
            return float(-np.log(likelihood).mean()) + 0.0

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Explain an infinite loss."""
        there = prediction.probabilities is not None
        return (IMPOSSIBLE,) if there and math.isinf(self(prediction)) else ()
