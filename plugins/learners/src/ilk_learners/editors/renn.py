"""renn: repeated edited nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ilk import Param
from ilk_learners.editors.agreement import RULE, TIES, K, Rule, Ties
from ilk_learners.editors.cases import DISTANCE, INDEX, CaseEditor, Cases
from ilk_learners.editors.passes import edited

if TYPE_CHECKING:
    import numpy as np


class RENN(CaseEditor):
    """Remove the cases that disagree with their neighbours, until none does.

    Edited nearest neighbours (see the editor enn), again and again on what remains, up to a
    fixed point: of the cases that are kept none disagrees with its k nearest among them.

    Parameters
    ----------
    k : int, default=3
        How many neighbours are asked; all others, where fewer remain.
    distance : distance, default="euclidean"
        Any; it is fitted on the cases.
    index : index, default="brute"
        How neighbours are found.
    rule, ties
        As in the editor enn.
    max_passes : int, default=None
        Stop after as many passes; None: at the fixed point.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Cases that were kept, ascending.
    n_cases_ : int
        Cases there were.
    reduction_ : float
        Share of the cases that was removed.
    n_passes_ : int
        Passes that were made; nothing was removed in the last one, unless max_passes ended it.

    Raises
    ------
    InputError
        If there are not more than k cases to begin with.

    Notes
    -----
    Neighbours are found once, 4k of them: memory for 4kn numbers. A class may vanish: that is
    what the rule says (imbalanced-learn stops when a class becomes smaller than the others).

    References
    ----------
    .. [1] I. Tomek, "An experiment with the edited nearest-neighbor rule", IEEE Transactions on
       Systems, Man and Cybernetics 6(6), 1976.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    >>> y = ["a", "a", "b", "a", "b", "b", "b", "b"]
    >>> editor = ilk.editor("renn")
    >>> X_kept, y_kept = editor.fit_resample(X, y)
    >>> editor.sample_indices_.tolist(), editor.n_passes_
    ([0, 1, 3, 4, 5, 6, 7], 2)
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "k": K,
        "distance": DISTANCE,
        "index": INDEX,
        "rule": RULE,
        "ties": TIES,
        "max_passes": Param(int, ge=1, none=True, doc="Stop after as many passes."),
    }

    def __init__(
        self,
        k: int = 3,
        distance: Any = "euclidean",
        index: Any = "brute",
        rule: Rule = "plurality",
        ties: Ties = "keep",
        max_passes: int | None = None,
    ) -> None:
        self.k = k
        self.distance = distance
        self.index = index
        self.rule = rule
        self.ties = ties
        self.max_passes = max_passes

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(rule="all"), cls(k=2, ties="nearest"), cls(max_passes=1)]

    def _kept(self, cases: Cases) -> np.ndarray:
        kept, self.n_passes_ = edited(cases, self.k, self.rule, self.ties, self.max_passes)
        return kept
