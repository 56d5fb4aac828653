"""enn, renn and all_knn, edited nearest neighbours; class_outliers, a bound on other classes."""

from __future__ import annotations

from typing import Self

import numpy as np

from ilk import IndexLike, param
from ilk_learners.editors.agreement import Remaining, Rule, Ties, agree, edited
from ilk_learners.editors.case_editor import INDEX, CaseEditor, EditedCases
from ilk_learners.neighbors import n_of_other_classes


class _WilsonEditor(CaseEditor):
    """Removes cases that disagree with their nearest neighbours."""

    k: int = param(default=3, ge=1, doc="Number of neighbours.")
    index: IndexLike = INDEX
    rule: Rule = param(
        default="plurality",
        choices=("plurality", "all"),
        doc="Removed when the class most frequent among the neighbours is another (Wilson's "
        "rule), or already when any neighbour is of another class.",
    )
    ties: Ties = param(
        default="keep",
        choices=("keep", "remove", "nearest"),
        doc='Treatment, under "plurality", of a case whose class ties with another for the most '
        "votes: keep it, remove it, or let the nearest neighbour of the tied classes decide.",
    )


class ENN(_WilsonEditor):
    """Remove the cases that disagree with their neighbours (edited nearest neighbours).

    Every case is compared with its k nearest neighbours among all other cases. Cases that disagree
    are removed together at the end, so the order of the cases matters only for ties of distance
    (they go to the earlier case). A case is not its own neighbour; a duplicate of it may be. With
    a single class, all are kept.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Numbers of the kept cases, ascending.
    n_cases_ : int
        Number of input cases.
    reduction_ : float
        Removed share of the cases.

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
    .. [1] D. L. Wilson, "Asymptotic properties of nearest neighbor rules using edited data", IEEE
       Transactions on Systems, Man and Cybernetics 2(3), 1972.
    .. [2] Cunningham 2008: section 2.4.4.1.

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

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(rule="all"), cls(k=2, ties="nearest"), cls(k=2, ties="remove")]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        others = cases.codes[cases.neighbors(self.k)[1]]
        return np.flatnonzero(agree(cases.codes, others, cases.n_classes, self.rule, self.ties))


class RENN(_WilsonEditor):
    """Remove the cases that disagree with their neighbours, until none does.

    Applies edited nearest neighbours (see the editor enn) to the remaining cases until a fixed
    point: no kept case disagrees with its k nearest kept neighbours.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Numbers of the kept cases, ascending.
    n_cases_ : int
        Number of input cases.
    reduction_ : float
        Removed share of the cases.
    n_passes_ : int
        Number of passes; the last one removed nothing, unless max_passes ended it.

    Raises
    ------
    InputError
        If there are not more than k cases to begin with.

    Notes
    -----
    One search finds 4k neighbours: memory for 4kn numbers. A class may vanish, as the rule demands
    (imbalanced-learn stops when a class becomes smaller than the others).

    References
    ----------
    .. [1] I. Tomek, "An experiment with the edited nearest-neighbor rule", IEEE Transactions on
       Systems, Man and Cybernetics 6(6), 1976.
    .. [2] Cunningham 2008: section 2.4.4.1.

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

    k: int = param(
        default=3,
        ge=1,
        doc="Number of neighbours; all others if fewer remain.",
    )
    max_passes: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Maximal number of passes; None: until the fixed point.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(rule="all"), cls(k=2, ties="nearest"), cls(max_passes=1)]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        kept, self.n_passes_ = edited(cases, self.k, self.rule, self.ties, self.max_passes)
        return kept


class AllKNN(_WilsonEditor):
    """Remove the cases that disagree with their 1, 2, ... or k nearest neighbours (all k-NN).

    A case is flagged if it disagrees with its k' nearest neighbours among all others for any k'
    from 1 to k. The flagged cases are removed together at the end.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Numbers of the kept cases, ascending.
    n_cases_ : int
        Number of input cases.
    reduction_ : float
        Removed share of the cases.

    Raises
    ------
    InputError
        If there are not more than k cases.

    References
    ----------
    .. [1] I. Tomek, "An experiment with the edited nearest-neighbor rule", IEEE Transactions on
       Systems, Man and Cybernetics 6(6), 1976.
    .. [2] Cunningham 2008: section 2.4.4.1 (which does not say whether removals wait for the end).

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

    k: int = param(default=3, ge=1, doc="Largest number of neighbours.")
    sequential: bool = param(
        default=False,
        doc="Whether to remove the cases flagged for one k' before trying the next, as "
        "imbalanced-learn does.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(rule="all"), cls(k=4, ties="nearest"), cls(sequential=True)]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        near, codes = cases.neighbors(self.k)[1], cases.codes
        if self.sequential:
            return self._kept_by_turns(cases)
        kept = np.ones(len(cases), dtype=bool)
        for k in range(1, self.k + 1):
            kept &= agree(codes, codes[near[:, :k]], cases.n_classes, self.rule, self.ties)
        return np.flatnonzero(kept)

    def _kept_by_turns(self, cases: EditedCases) -> np.ndarray:
        remaining, codes = Remaining(cases, 2 * self.k), cases.codes
        for k in range(1, self.k + 1):
            rows = np.flatnonzero(remaining.alive)
            if len(rows) <= k:
                break
            others = codes[remaining.nearest(rows, k)]
            agreed = agree(codes[rows], others, cases.n_classes, self.rule, self.ties)
            remaining.alive[rows[~agreed]] = False
        return np.flatnonzero(remaining.alive)


class ClassOutliers(CaseEditor):
    """Remove the cases with more than r cases of other classes among their k nearest neighbours.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Numbers of the kept cases, ascending.
    n_cases_ : int
        Number of input cases.
    reduction_ : float
        Removed share of the cases.

    Raises
    ------
    ParameterError
        If r is not less than k: no case could be an outlier.
    InputError
        If there are not more than k cases.

    References
    ----------
    .. [1] Arras: K-NN Learning.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    >>> y = ["a", "a", "b", "a", "b", "b", "b", "b"]
    >>> editor = ilk.editor("class_outliers", k=3, r=2)
    >>> X_kept, y_kept = editor.fit_resample(X, y)
    >>> editor.sample_indices_.tolist()
    [0, 1, 3, 4, 5, 6, 7]
    """

    k: int = param(
        default=5,
        ge=1,
        doc="Number of neighbours, without the case itself.",
    )
    r: int | None = param(
        default=None,
        type=int,
        ge=0,
        doc="Most neighbours of other classes for a kept case; less than k. None: k // 2.",
    )
    index: IndexLike = INDEX

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(k=3, r=0), cls(k=4, r=3)]

    def check_parameters(self) -> None:
        """Check each parameter, and that r is less than k."""
        super().check_parameters()
        if self.r is not None and self.r >= self.k:
            raise self.parameter_error("r", f"must be less than k = {self.k}, got {self.r}")

    def _kept(self, cases: EditedCases) -> np.ndarray:
        most = self.k // 2 if self.r is None else self.r
        strange = n_of_other_classes(cases.codes, cases.neighbors(self.k)[1])
        return np.flatnonzero(strange <= most)
