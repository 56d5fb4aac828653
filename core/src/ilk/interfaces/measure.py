"""Measure: scores a prediction."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

from ilk.component import Component

if TYPE_CHECKING:
    from ilk.interfaces.prediction import Prediction


class Measure(Component):
    """Scores a prediction.

    Attributes
    ----------
    greater_is_better : bool
    needs : {"labels", "scores", "probabilities", "seconds"}
        What of a prediction it looks at.
    pooled : bool
        Scored once over the test cases of all splits of a repeat, instead of per split.
    """

    kind: ClassVar[str] = "measure"
    greater_is_better: ClassVar[bool] = False
    needs: ClassVar[Literal["labels", "scores", "probabilities", "seconds"]] = "labels"
    pooled: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, prediction: Prediction) -> float:
        """Return the score.

        Measures over labels divide by the number of answered cases and are NaN if there is none.
        """
