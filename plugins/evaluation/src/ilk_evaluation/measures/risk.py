"""risk: the empirical risk by any loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import ilk
from ilk_evaluation.confusion import answered_codes, answered_truth
from ilk_evaluation.measures.columns import class_columns
from ilk_evaluation.measures.numeric import answered_numbers
from ilk_evaluation.measures.probabilities import IMPOSSIBLE, answered_probabilities

if TYPE_CHECKING:
    from ilk.interfaces.measure import Needs

Loss = Callable[[Any, Any], Any]


class Risk(ilk.Measure):
    """Empirical risk: the mean loss of the answered cases.

    ``R_emp = (1/n) sum_i L(f(x_i), y_i)``; NaN if there are none. The losses:

    - ``zero_one``: 1 for a wrong label, which makes it the error.
    - ``squared`` and ``absolute``: of labels that are numbers.
    - ``hinge``: ``max(0, 1 - y f(x))`` for two classes, y being +1 for the second and f half
      the difference of the decision values, which is the decision value where they are -f and
      f; for more classes ``max(0, 1 + max_{c != y} f_c(x) - f_y(x))``.
    - ``log``: ``-ln p(y)``, infinite for a probability of 0.

    Parameters
    ----------
    loss : str or function, default="zero_one"
        One of the names above, or a function of the true and the predicted labels of the
        answered cases, two arrays, that returns the loss of each.

    Raises
    ------
    InputError
        If the pipeline lacks what the loss needs (decision values, probabilities, finite
        numbers), or a function returns something else than a number for each case.

    References
    ----------
    Cunningham, Cord & Delany (2008), sec. 2.2.1-2.2.2 (2.2); Crammer & Singer (2001), for the
    hinge loss of more than two classes.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, f = np.array([0, 1]), np.array([-2.0, 0.5])
    >>> scores = np.column_stack([-f, f])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), scores=scores)
    >>> ilk.measure("risk", loss="hinge")(prediction)
    0.25
    """

    parameters = {
        "loss": ilk.Param(
            ilk.Function,
            choices=("zero_one", "squared", "absolute", "hinge", "log"),
            doc="Of an answer: a name, or a function of true and predicted labels.",
        ),
    }
    greater_is_better = False

    def __init__(self, loss: str | Loss = "zero_one") -> None:
        self.loss = loss

    @classmethod
    def examples(cls) -> list[Self]:
        """Each loss that has a name."""
        return [cls(name) for name in ("zero_one", "squared", "absolute", "hinge", "log")]

    @property
    def needs(self) -> Needs:  # type: ignore[override]  # it depends on the loss
        """What of a prediction the loss looks at."""
        if callable(self.loss):
            return "labels"
        return _NEEDS.get(self.loss, "labels")

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the risk."""
        self.check_parameters()
        losses = self._losses(prediction, f"{ilk.display_name(self)}: the loss {self.loss!r}")
        with np.errstate(over="ignore"):
            return float(np.mean(losses)) if len(losses) else math.nan

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Say why the loss "log" is infinite, if it is."""
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
        """Losses by a given function."""
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
    own = scores[rows, truth]
    others = scores.copy()
    others[rows, truth] = -np.inf
    best = others.max(axis=1, initial=-np.inf)
    share = 0.5 if scores.shape[1] == 2 else 1.0
    with np.errstate(invalid="ignore", over="ignore"):
        margin = share * own - share * best
    if np.isnan(margin).any():
        row = int(np.argmax(np.isnan(margin)))
        raise ilk.InputError(f"{name}: the scores of answered case {row} are both infinite")
    return np.asarray(np.maximum(0, 1 - margin))
