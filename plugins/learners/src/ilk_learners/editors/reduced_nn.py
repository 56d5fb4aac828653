"""reduced_nn: reduced nearest neighbour."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from ilk import RandomState, param, take
from ilk_learners.editors.case_editor import (
    RANDOM_STATE,
    CaseEditor,
    EditedCases,
    Order,
    presented,
)
from ilk_learners.editors.cnn import Store

_RESERVE = 8  # nearest kept cases listed per case: new searches are then rare


class ReducedNN(CaseEditor):
    """Remove cases while the nearest remaining one classifies every case as well (Gates).

    The cases of a set, the condensed one or all, are tried one after the other. A case is removed
    if every training case that was classified correctly by its nearest kept case still is. A
    consistent set stays consistent (its nearest member classifies every case correctly, as with
    the editor cnn). Ties of distance go to the first case. With a single class, one case is kept.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Numbers of the kept cases, ascending.
    n_cases_ : int
        Number of input cases.
    reduction_ : float
        Removed share of the cases.

    Notes
    -----
    Each case has a list of its eight nearest kept cases, rebuilt when it is exhausted: memory for
    8n numbers.

    References
    ----------
    .. [1] G. W. Gates, "The reduced nearest neighbor rule", IEEE Transactions on Information Theory
       18(3), 1972.
    .. [2] Cunningham 2008: section 2.4.4.1.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> editor = ilk.editor("reduced_nn")
    >>> X_kept, y_kept = editor.fit_resample(X, ["a", "a", "a", "b", "b", "b"])
    >>> editor.sample_indices_.tolist()
    [2, 3]
    """

    start: Literal["cnn", "all"] = param(
        default="cnn",
        choices=("cnn", "all"),
        doc="The initial set: that of the editor cnn, as in Gates, in the same order; or all "
        "cases, as in Cunningham et al.",
    )
    order: Order = param(
        default="given",
        choices=("given", "random", "nun"),
        doc="Order of the trials: data order; shuffled; or by the distance to the nearest case of "
        "another class, ties in data order.",
    )
    check_self: bool = param(
        default=True,
        doc="Whether the removed case itself must be classified correctly too. If not (the words "
        'are "any other training case"), the set need not be consistent.',
    )
    random_state: RandomState = RANDOM_STATE

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(start="all"),
            cls(start="all", order="nun", check_self=False),
            cls(order="random", random_state=0),
        ]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        order = presented(cases, self.order, self.random_state)
        kept = np.ones(len(cases), dtype=bool)
        if self.start == "cnn":
            store = Store(cases)
            # passes of condensing, until one adds no case
            while store.see(order):
                pass
            kept = store.kept
        shrinking = _Shrinking(cases, kept)
        for case in order[kept[order]].tolist():
            shrinking.try_without(case, check_self=self.check_self)
        return np.flatnonzero(shrinking.kept)


class _Shrinking:
    """The kept cases, and the nearest kept cases of each case."""

    def __init__(self, cases: EditedCases, kept: np.ndarray) -> None:
        self.cases = cases
        self.kept = kept.copy()
        self.left = int(kept.sum())
        self._lists = np.full((len(cases), min(_RESERVE, self.left)), -1, dtype=np.intp)
        self._fill(np.arange(len(cases)))
        # only the cases that a member serves can change when it goes
        nearest = self._lists[:, 0]
        self._right = cases.codes[nearest] == cases.codes
        self._served: list[set[int]] = [set() for _ in range(len(cases))]
        for case, member in enumerate(nearest.tolist()):
            self._served[member].add(case)

    def try_without(self, member: int, *, check_self: bool) -> None:
        """Remove a kept case if all cases it is nearest to stay correctly classified."""
        # the last case remains, to classify
        if self.left == 1:
            return
        served = np.array(sorted(self._served[member]), dtype=np.intp)
        self.kept[member] = False
        codes, nearest = self.cases.codes, self._nearest(served)
        right = codes[nearest] == codes[served]
        # a case that was wrong already may stay wrong
        asked = self._right[served]
        if not check_self:
            asked = asked & (served != member)
        if (asked & ~right).any():
            self.kept[member] = True
            return
        self.left -= 1
        self._right[served] = right
        for case, other in zip(served.tolist(), nearest.tolist(), strict=True):
            self._served[other].add(case)

    def _nearest(self, rows: np.ndarray) -> np.ndarray:
        """Nearest kept case of each case in `rows`."""
        there = self._there(rows)
        # all listed cases have been removed since the search
        empty = ~there.any(axis=1)
        if empty.any():
            self._fill(rows[empty])
            there = self._there(rows)
        return np.asarray(self._lists[rows, there.argmax(axis=1)])

    def _there(self, rows: np.ndarray) -> np.ndarray:
        lists = self._lists[rows]
        return np.asarray((lists >= 0) & self.kept[lists])

    def _fill(self, rows: np.ndarray) -> None:
        """List the nearest kept cases of each case in `rows`."""
        members, X = np.flatnonzero(self.kept), self.cases.X
        length = min(self._lists.shape[1], len(members))
        targets = take(X, members)
        _, indices = self.cases.distance.kneighbors(take(X, rows), targets, length)
        self._lists[rows] = -1
        self._lists[rows, :length] = members[indices]
