"""enn: edited nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk_learners.editors.agreement import RULE, TIES, K, Rule, Ties, agree
from ilk_learners.editors.cases import DISTANCE, INDEX, CaseEditor, Cases

if TYPE_CHECKING:
    from ilk import Param


class ENN(CaseEditor):
    """Remove the cases that disagree with their neighbours (edited nearest neighbours).

    Every case is compared with its k nearest among all the other cases of the whole set;
    those that disagree are removed at the end, in one go, so that the order of the cases
    does not matter beyond ties of distance (which go to the earlier case). A case is left
    out of its own neighbours by its number: a twin, equal to it, stays among them. Of a
    single class, all are kept.

    Parameters
    ----------
    k : int, default=3
        How many neighbours are asked.
    distance : distance, default="euclidean"
        Any; it is fitted on the cases.
    index : index, default="brute"
        How neighbours are found.
    rule : {"plurality", "all"}, default="plurality"
        Removed when the class most frequent among the neighbours is another (Wilson's rule),
        or already when any neighbour is of another class.
    ties : {"keep", "remove", "nearest"}, default="keep"
        What becomes, under "plurality", of a case whose class shares the most votes with
        another: it stays; it goes; or the nearest neighbour of the classes that share them
        decides.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Cases that were kept, ascending.
    n_cases_ : int
        Cases there were.
    reduction_ : float
        Share of the cases that was removed.

    Raises
    ------
    InputError
        If there are not more than k cases.

    Notes
    -----
    imbalanced-learn's EditedNearestNeighbours has "all" as its default; its
    ``kind_sel="mode"`` gives ties to the class that comes first.

    References
    ----------
    .. [1] D. L. Wilson, "Asymptotic properties of nearest neighbor rules using edited data",
       IEEE Transactions on Systems, Man and Cybernetics 2(3), 1972.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    >>> y = ["a", "a", "b", "a", "b", "b", "b", "b"]
    >>> editor = ilk.editor("enn")
    >>> X_kept, y_kept = editor.fit_resample(X, y)
    >>> editor.sample_indices_.tolist(), editor.reduction_
    ([0, 1, 3, 4, 5, 6, 7], 0.125)
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "k": K,
        "distance": DISTANCE,
        "index": INDEX,
        "rule": RULE,
        "ties": TIES,
    }

    def __init__(
        self,
        k: int = 3,
        distance: Any = "euclidean",
        index: Any = "brute",
        rule: Rule = "plurality",
        ties: Ties = "keep",
    ) -> None:
        self.k = k
        self.distance = distance
        self.index = index
        self.rule = rule
        self.ties = ties

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(rule="all"), cls(k=2, ties="nearest"), cls(k=2, ties="remove")]

    def _kept(self, cases: Cases) -> np.ndarray:
        others = cases.codes[cases.neighbors(self.k)[1]]
        return np.flatnonzero(agree(cases.codes, others, cases.n_classes, self.rule, self.ties))
