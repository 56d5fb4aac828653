"""Measure: scores a prediction."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ilk.component import Component

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from ilk.interfaces.prediction import Prediction

Needs = Literal[
    "labels",
    "numbers",
    "scores",
    "probabilities",
    "rejected",
    "seconds",
    "reduction",
    "clusters",
]


class Measure(Component):
    """Scores a prediction.

    Attributes
    ----------
    greater_is_better : bool
    needs : str
        The parts of a prediction that the measure needs: ``"labels"``; ``"numbers"``, numeric
        labels; ``"scores"``, or else probabilities; ``"probabilities"``; ``"rejected"``, the
        mask of rejected cases; ``"seconds"``; ``"reduction"``; ``"clusters"``, numbers of
        clusters, which are no classes.
    pooled : bool
        Scored once over the test cases of all splits of a repeat, instead of per split.
    predictors : tuple of str
        Kinds of the predictors that it scores; others are refused before the first fit.
    """

    kind: ClassVar[str] = "measure"
    greater_is_better: ClassVar[bool] = False

    @property
    def predictors(self) -> tuple[str, ...]:
        """Kinds of the predictors that it scores."""
        return ("classifier", "detector")

    @property
    def needs(self) -> Needs:
        """The parts of a prediction that the measure needs."""
        return "labels"

    @property
    def pooled(self) -> bool:
        """Whether the folds of a repeat are scored together."""
        return False

    @abstractmethod
    def __call__(self, prediction: Prediction) -> float:
        """Return the score.

        Measures over labels divide by the number of answered cases, and are NaN without any.

        Raises
        ------
        InputError
            If the score is undefined for the prediction, or a required part is missing; the
            experiment then has NaN, with a note on the reason.
        """

    def positive_class(self, classes: np.ndarray) -> Any:
        """Return the class, of two, that the measure takes as positive by itself; None: none."""
        return None

    def remarks(self, prediction: Prediction) -> Sequence[str]:
        """Return a remark on the score, such as a class that an average ignores."""
        return ()
