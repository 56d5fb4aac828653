"""The majority voting rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Param
from ilk_ensembles.combiners.support import TIES, check_support, winners

_ROUNDING = 1e-12


class Majority(ilk.Combiner):
    """Majority voting rule: decides if enough members agree on a label, else rejects.

    Each member has one vote, for its label: the class it gives most support. A member whose
    support is tied divides its vote among the tied classes. ``combined_k`` is the share of
    the L votes for class k. With threshold "half" at least ``l_c`` votes are needed::

        l_c = L/2 + 1 for even L, (L + 1)/2 for odd L

    Parameters
    ----------
    threshold : "half", "consensus" or float, default="half"
        "half": more than half of the votes. "consensus": all of them. A number between 0 and
        1: at least that share; 0 never rejects (plurality).
    ties : {"first", "reject"}, default="first"
        Where several classes have most votes, and enough: the first one, or rejection.

    Raises
    ------
    InputError
        If outputs have a wrong shape, a value that is negative or not finite, or a row of
        zeros.

    References
    ----------
    System Evaluation slides, "Combining Classifiers": majority voting rule.

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("majority")
    >>> combined = rule.combine([[[1, 0], [0.7, 0.3]], [[0, 1], [0.6, 0.4]]])
    >>> codes, rejected = rule.decide(combined)
    >>> combined.tolist(), rejected.tolist()
    ([[0.5, 0.5], [1.0, 0.0]], [True, False])
    """

    needs: ClassVar[Literal["labels", "probabilities"]] = "labels"
    parameters: ClassVar[Mapping[str, Param]] = {
        "threshold": Param(
            float,
            ge=0,
            le=1,
            choices=("half", "consensus"),
            doc="More than half of the votes, all of them, or at least this share.",
        ),
        "ties": TIES,
    }

    def __init__(self, threshold: float | str = "half", ties: str = "first") -> None:
        self.threshold = threshold
        self.ties = ties

    @classmethod
    def examples(cls) -> list[Self]:
        """The three kinds of threshold."""
        return [cls(), cls(threshold="consensus"), cls(threshold=0.3, ties="reject")]

    def combine(self, outputs: Any, X: Any = None) -> np.ndarray:
        self.check_parameters()
        support = ilk.check_outputs(self, outputs)
        most = support == support.max(axis=2, keepdims=True)
        return np.asarray((most / most.sum(axis=2, keepdims=True)).mean(axis=0))

    def decide(self, combined: Any) -> tuple[np.ndarray, np.ndarray]:
        self.check_parameters()
        votes = check_support(self, combined)
        codes, tied = winners(votes)
        rejected = self._too_few(votes.max(axis=1))
        return codes, rejected | (tied & (self.ties == "reject"))

    def _too_few(self, share: np.ndarray) -> np.ndarray:
        if self.threshold == "half":
            return np.asarray(share <= 0.5 + _ROUNDING)
        least = 1.0 if self.threshold == "consensus" else float(self.threshold)
        return np.asarray(share < least - _ROUNDING)
