"""The majority voting rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Param
from ilk_ensembles.combiners.passes import combined, combined_labels, shaped
from ilk_ensembles.combiners.support import THRESHOLD, TIES, check_support, too_few, winners


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

    needs = "labels"
    parameters: ClassVar[Mapping[str, Param]] = {
        "threshold": THRESHOLD,
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
        from ilk_ensembles.combiners.vote_kernels import ballots

        self.check_parameters()
        outputs = shaped(self, outputs)
        return combined(self, outputs, ballots, _alike(len(outputs)))

    def combine_labels(self, codes: Any, n_classes: int, X: Any = None) -> np.ndarray:
        from ilk_ensembles.combiners.vote_kernels import label_ballots

        self.check_parameters()
        return combined_labels(self, codes, n_classes, label_ballots, _alike(len(codes)))

    def decide(self, combined: Any) -> tuple[np.ndarray, np.ndarray]:
        self.check_parameters()
        votes = check_support(self, combined)
        codes, tied, most = winners(self, votes)
        rejected = too_few(most, self.threshold)
        return codes, rejected | (tied & (self.ties == "reject"))


def _alike(n_members: int) -> np.ndarray:
    return np.full(n_members, 1 / max(n_members, 1))
