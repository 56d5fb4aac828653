"""cnn and ib2: condensed nearest neighbour, and its one-pass variant."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ilk import RandomState, param, take
from ilk_learners.editors.case_editor import (
    ORDER,
    RANDOM_STATE,
    CaseEditor,
    EditedCases,
    Order,
    presented,
)

_BLOCK = 256  # cases per block: one distance matrix, few wasted comparisons
_CHEAP = 2**25  # differences of cells: the distances of all cases then take milliseconds
_FEW = 4  # cases whose distances to all others are computed faster than a search among them


class CNN(CaseEditor):
    """Keep each case that the cases kept before it misclassify (condensed nearest neighbour).

    The cases are presented one after the other. The first case is kept, then each case that its
    nearest kept case misclassifies. Passes repeat until none is added: then the nearest kept case
    classifies *every* case correctly (ties of distance go to the case that is first in the data).
    Exception: no set can do so for equal cases of different classes; of these, all misclassified
    ones are kept. For a single class, the first presented case is kept.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Numbers of the kept cases, ascending.
    n_cases_ : int
        Number of input cases.
    reduction_ : float
        Removed share of the cases.
    n_passes_ : int
        Number of passes; the last one added nothing.

    Notes
    -----
    Keeping m of n cases takes ``m n`` distances, and memory for n numbers and a block.

    References
    ----------
    .. [1] P. E. Hart, "The condensed nearest neighbor rule", IEEE Transactions on Information
       Theory 14(3), 1968.
    .. [2] Cunningham 2008: section 2.4.4.1.
    .. [3] Arras: K-NN Learning.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> editor = ilk.editor("cnn")
    >>> X_kept, y_kept = editor.fit_resample(X, ["a", "a", "a", "b", "b", "b"])
    >>> editor.sample_indices_.tolist(), editor.n_passes_
    ([0, 2, 3], 3)
    """

    order: Order = param(
        default="given",
        choices=("given", "random", "nun"),
        doc="Order of presentation: data order; shuffled; or by the distance to the nearest case "
        "of another class (the nearest unlike neighbour), ties in data order.",
    )
    random_state: RandomState = RANDOM_STATE

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(order="nun"), cls(order="random", random_state=0)]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        order = presented(cases, self.order, self.random_state)
        store = Store(cases)
        self.n_passes_ = 1
        while store.see(order):
            self.n_passes_ += 1
        return np.flatnonzero(store.kept)


class Store:
    """The kept cases, and the nearest of them to every other case.

    Attributes
    ----------
    kept : ndarray of bool, shape (n,)
    near, nearest : ndarray of shape (n,)
        For cases that are not kept: distance to the nearest kept case with which it was compared,
        and its number (infinity and -1 while there is none).
    """

    def __init__(self, cases: EditedCases) -> None:
        self.cases = cases
        self.kept = np.zeros(len(cases), dtype=bool)
        self.near = np.full(len(cases), np.inf)
        self.nearest = np.full(len(cases), -1, dtype=np.intp)
        self._added = np.empty(0, dtype=np.intp)  # kept cases as they came
        self._compared = np.zeros(len(cases), dtype=np.intp)  # how many of them
        self._D: np.ndarray | None = None  # distances of all cases, of few that are vectors
        X: Any = cases.X
        if isinstance(X, np.ndarray) and X.ndim == 2 and len(X) * X.size <= _CHEAP:
            self._D = np.asarray(cases.distance.pairwise(X))

    def see(self, order: np.ndarray) -> bool:
        """One pass over the cases in this order; return whether any was added."""
        from ilk_learners.editors.editing_kernels import admit, admit_each

        codes, before = self.cases.codes, len(self._added)
        if self._D is not None:
            added = np.resize(self._added, len(codes))
            state = self.near, self.nearest, self._compared
            self._added = added[
                : admit_each(order, self._D, *state, codes, self.kept, added, before)
            ]
            return len(self._added) > before
        for start in range(0, len(order), _BLOCK):
            block = order[start : start + _BLOCK]
            block = block[~self.kept[block]]
            if not len(block):
                continue
            if not self.misclassifies(block).any():
                continue
            # within a block too, because a case may be misclassified until another one of it is
            # added
            D = np.asarray(self.cases.distance.pairwise(take(self.cases.X, block)))
            added = np.zeros(len(block), dtype=bool)
            admit(block, D, self.near, self.nearest, codes, self.kept, added)
            self._added = np.concatenate([self._added, block[self.kept[block]]])
        return len(self._added) > before

    def misclassifies(self, block: np.ndarray) -> np.ndarray:
        """Tell which cases of a block, none of them kept, their nearest kept case misclassifies."""
        self._update(block)
        codes, nearest = self.cases.codes, self.nearest[block]
        # -1: nothing is kept yet
        return np.asarray((nearest < 0) | (codes[nearest] != codes[block]))

    def _update(self, block: np.ndarray) -> None:
        """Compare the cases of a block with those kept since they were last compared."""
        added = np.sort(self._added[self._compared[block].min(initial=len(self._added)) :])
        self._compared[block] = len(self._added)
        if not len(added):
            return
        distance = self.cases.distance
        X, targets = take(self.cases.X, block), take(self.cases.X, added)
        if len(added) <= _FEW:
            D = np.asarray(distance.pairwise(X, targets))
            columns = D.argmin(axis=1)[:, None]
            D = np.take_along_axis(D, columns, axis=1)
        else:
            D, columns = distance.kneighbors(X, targets, 1)
        near, numbers = D[:, 0], added[columns[:, 0]]
        old, first = self.near[block], self.nearest[block]
        # ties of distance go to the lower number, whichever was added first
        closer = (first < 0) | (near < old) | ((near == old) & (numbers < first))
        self.near[block] = np.where(closer, near, old)
        self.nearest[block] = np.where(closer, numbers, first)


class IB2(CaseEditor):
    """Store, in one pass, the cases that the nearest stored case misclassifies.

    The cases are presented once, one after the other. The first is stored, then each case whose
    nearest stored case is of another class. This is the first pass of condensed nearest neighbour
    (the editor cnn). So cases presented early may be misclassified in the end; noise is almost
    always stored.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Numbers of the stored cases, ascending.
    n_cases_ : int
        Number of input cases.
    reduction_ : float
        Share of the cases not stored.

    Notes
    -----
    Ties of distance go to the stored case that is first in the data.

    References
    ----------
    .. [1] D. W. Aha, D. Kibler and M. K. Albert, "Instance-based learning algorithms", Machine
       Learning 6, 1991.
    .. [2] Cunningham 2008: section 2.4.4.1.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> editor = ilk.editor("ib2")
    >>> X_kept, y_kept = editor.fit_resample(X, ["a", "a", "a", "b", "b", "b"])
    >>> editor.sample_indices_.tolist()  # 2 was seen before 3 was stored
    [0, 3]
    """

    order: Order = ORDER
    random_state: RandomState = RANDOM_STATE

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(order="nun"), cls(order="random", random_state=0)]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        store = Store(cases)
        store.see(presented(cases, self.order, self.random_state))
        return np.flatnonzero(store.kept)
