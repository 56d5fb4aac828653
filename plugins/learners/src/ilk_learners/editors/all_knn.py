"""all_knn: edited nearest neighbours for every number of neighbours up to k."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ilk import Param
from ilk_learners.editors.agreement import RULE, TIES, K, Rule, Ties, agree
from ilk_learners.editors.cases import DISTANCE, INDEX, CaseEditor, Cases
from ilk_learners.editors.remaining import Remaining


class AllKNN(CaseEditor):
    """Remove the cases that disagree with their 1, 2, ... or k nearest neighbours (all k-NN).

    Each case is flagged if it disagrees with its k' nearest among all others for any k' from 1
    to k; the flagged ones are removed at the end, in one go.

    Parameters
    ----------
    k : int, default=3
        The most neighbours that are asked.
    distance : distance, default="euclidean"
        Any; it is fitted on the cases.
    index : index, default="brute"
        How neighbours are found.
    rule, ties
        As in the editor enn.
    sequential : bool, default=False
        Whether the cases that are flagged for one k' are removed before the next k' is tried,
        on what remains. It is what imbalanced-learn does.

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

    References
    ----------
    .. [1] I. Tomek, "An experiment with the edited nearest-neighbor rule", IEEE Transactions on
       Systems, Man and Cybernetics 6(6), 1976.
    .. [2] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.4 (which does not say whether
       removals wait for the end).

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    >>> y = ["a", "a", "b", "a", "b", "b", "b", "b"]
    >>> editor = ilk.editor("all_knn")
    >>> X_kept, y_kept = editor.fit_resample(X, y)
    >>> editor.sample_indices_.tolist()
    [0, 1, 4, 5, 6, 7]
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "k": K,
        "distance": DISTANCE,
        "index": INDEX,
        "rule": RULE,
        "ties": TIES,
        "sequential": Param(bool, doc="Remove before the next number of neighbours is tried."),
    }

    def __init__(
        self,
        k: int = 3,
        distance: Any = "euclidean",
        index: Any = "brute",
        rule: Rule = "plurality",
        ties: Ties = "keep",
        sequential: bool = False,
    ) -> None:
        self.k = k
        self.distance = distance
        self.index = index
        self.rule = rule
        self.ties = ties
        self.sequential = sequential

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(rule="all"), cls(k=4, ties="nearest"), cls(sequential=True)]

    def _kept(self, cases: Cases) -> np.ndarray:
        near, codes = cases.neighbors(self.k)[1], cases.codes
        if self.sequential:
            return self._kept_by_turns(cases)
        kept = np.ones(len(cases), dtype=bool)
        for k in range(1, self.k + 1):
            kept &= agree(codes, codes[near[:, :k]], cases.n_classes, self.rule, self.ties)
        return np.flatnonzero(kept)

    def _kept_by_turns(self, cases: Cases) -> np.ndarray:
        remaining, codes = Remaining(cases, 2 * self.k), cases.codes
        for k in range(1, self.k + 1):
            rows = np.flatnonzero(remaining.alive)
            if len(rows) <= k:
                break
            others = codes[remaining.nearest(rows, k)]
            agreed = agree(codes[rows], others, cases.n_classes, self.rule, self.ties)
            remaining.alive[rows[~agreed]] = False
        return np.flatnonzero(remaining.alive)
