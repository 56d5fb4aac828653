"""cnn and ib2: condensed nearest neighbour, and its variant of one pass."""

from __future__ import annotations

from typing import Self

import numpy as np

from ilk import RandomState, param, take
from ilk_learners.editors.cases import (
    ORDER,
    RANDOM_STATE,
    CaseEditor,
    Cases,
    Order,
    presented,
)

_BLOCK = 256  # cases that are looked at together
_ROWS = 4096  # cases that are compared with those that were added, at a time


class CNN(CaseEditor):
    """Keep the cases that those kept before them classify wrongly (condensed nearest neighbour).

    The cases are seen one after the other. One that its nearest kept case does not classify
    as it should is kept too, beginning with the first. They are seen again and again, until
    none is added: then the nearest of the kept cases classifies *every* case rightly (ties of
    distance go to the case that comes first in the data). Only where equal cases are of
    different classes no set can do that: of those, all that are found wrong are kept. Of a
    single class, the first case that is seen is kept.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Cases that were kept, ascending.
    n_cases_ : int
        Cases there were.
    reduction_ : float
        Share of the cases that was removed.
    n_passes_ : int
        How often the cases were seen; nothing was added the last time.

    Notes
    -----
    For m cases kept of n it takes ``m n`` distances and memory for n numbers and a block.

    References
    ----------
    .. [1] P. E. Hart, "The condensed nearest neighbor rule", IEEE Transactions on Information
       Theory 14(3), 1968.
    .. [2] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.4.

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
        doc="In which order the cases are seen: as they come; shuffled; or those first that "
        "are nearest to a case of another class (their nearest unlike neighbour), ties as "
        "they come.",
    )
    random_state: RandomState = RANDOM_STATE

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(order="nun"), cls(order="random", random_state=0)]

    def _kept(self, cases: Cases) -> np.ndarray:
        order = presented(cases, self.order, self.random_state)
        store = Store(cases)
        self.n_passes_ = 1
        while store.see(order):
            self.n_passes_ += 1
        return np.flatnonzero(store.kept)


class Store:
    """The cases kept so far, and the nearest of them to every other case.

    Attributes
    ----------
    kept : ndarray of bool, shape (n,)
    near, nearest : ndarray of shape (n,)
        Distance to the nearest kept case, and its number (infinity and -1 while there is none),
        of cases that are not kept.
    """

    def __init__(self, cases: Cases) -> None:
        self.cases = cases
        self.kept = np.zeros(len(cases), dtype=bool)
        self.near = np.full(len(cases), np.inf)
        self.nearest = np.full(len(cases), -1, dtype=np.intp)

    @property
    def wrong(self) -> np.ndarray:
        """Mask of the cases that are not kept and not classified rightly."""
        codes = self.cases.codes
        return np.asarray(~self.kept & ((self.nearest < 0) | (codes[self.nearest] != codes)))

    def see(self, order: np.ndarray) -> bool:
        """Show every case once, in this order; tell whether any was added."""
        from ilk_learners.editors.admission import admit

        distance, codes = self.cases.distance, self.cases.codes
        before = np.count_nonzero(self.kept)
        start = 0
        while True:
            ahead = np.flatnonzero(self.wrong[order[start:]])
            if not len(ahead):  # nothing can be added before something is
                return bool(np.count_nonzero(self.kept) > before)
            start += ahead[0]
            block = order[start : start + _BLOCK]
            X = take(self.cases.X, block)
            D = np.asarray(distance.pairwise(X))
            admit(block, D, self.near, self.nearest, codes, self.kept)
            self._update(block[self.kept[block]])
            start += len(block)

    def _update(self, added: np.ndarray) -> None:
        """Compare the cases that are not kept with those that were added."""
        added = np.sort(added)  # the first of equally near ones counts
        targets, left = take(self.cases.X, added), np.flatnonzero(~self.kept)
        for start in range(0, len(left), _ROWS):
            rows = left[start : start + _ROWS]
            D = np.asarray(self.cases.distance.pairwise(take(self.cases.X, rows), targets))
            found = D.argmin(axis=1)
            near, numbers = D[np.arange(len(rows)), found], added[found]
            old, first = self.near[rows], self.nearest[rows]
            closer = (first < 0) | (near < old) | ((near == old) & (numbers < first))
            self.near[rows] = np.where(closer, near, old)
            self.nearest[rows] = np.where(closer, numbers, first)


class IB2(CaseEditor):
    """Store, in one pass, the cases that the nearest stored case classifies wrongly.

    The cases are seen once, one after the other. The first is stored, and then each one that is
    of another class than the nearest of those stored so far. It is the first pass of condensed
    nearest neighbour (the editor cnn), so cases seen early may be wrong in the end; noise is
    stored almost always.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Cases that were stored, ascending.
    n_cases_ : int
        Cases there were.
    reduction_ : float
        Share of the cases that was not stored.

    Notes
    -----
    Of stored cases that are equally near, the one that comes first in the data decides.

    References
    ----------
    .. [1] D. W. Aha, D. Kibler and M. K. Albert, "Instance-based learning algorithms", Machine
       Learning 6, 1991.

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

    def _kept(self, cases: Cases) -> np.ndarray:
        store = Store(cases)
        store.see(presented(cases, self.order, self.random_state))
        return np.flatnonzero(store.kept)
