"""Measure: scores a prediction."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

from ilk.component import Component

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk.interfaces.prediction import Prediction

Needs = Literal["labels", "numbers", "scores", "probabilities", "rejected", "seconds", "reduction"]


class Measure(Component):
    """Scores a prediction.

    Attributes
    ----------
    greater_is_better : bool
    needs : str
        What of a prediction the measure reads: ``"labels"``; ``"numbers"``, numeric labels;
        ``"scores"``, or else probabilities; ``"probabilities"``; ``"rejected"``, which cases
        were not answered; ``"seconds"``; ``"reduction"``.
    pooled : bool
        Scored once over the test cases of all splits of a repeat, instead of per split.
    """

    kind: ClassVar[str] = "measure"
    greater_is_better: ClassVar[bool] = False

    @property
    def needs(self) -> Needs:
        """What of a prediction the measure reads."""
        return "labels"

    @property
    def pooled(self) -> bool:
        """Whether the folds of a repeat are scored together."""
        return False

    @abstractmethod
    def __call__(self, prediction: Prediction) -> float:
        """Return the score.

        Measures over labels divide by the number of answered cases and are NaN if there is none.

        Raises
        ------
        InputError
            If the score is not defined for the prediction, or something it needs is missing;
            an experiment has NaN then, and a note that says why.
        """

    def remarks(self, prediction: Prediction) -> Sequence[str]:
        """Return what must be said beside the score: a class that an average leaves out, say."""
        return ()
