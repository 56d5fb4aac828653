"""snn: selective nearest neighbour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from ilk import take
from ilk_learners.editors.case_editor import CaseEditor, EditedCases

if TYPE_CHECKING:
    from collections.abc import Iterator


_CELLS = 2**20  # distances held at once: 8 MiB
_CANDIDATES = 256  # best candidates whose coverage is held at once: bounds memory


class SNN(CaseEditor):
    """Keep a set that covers every case nearer than all cases of other classes (selective).

    A case j *covers* a case i of its class if it is nearer to i than i's nearest unlike
    neighbour: ``d(i, j) < min d(i, l)`` over all cases l of other classes. The kept set covers
    every case, so its nearest member classifies each case correctly. As unlike neighbours are
    taken from all data, the set keeps away from the border.

    Ritter et al. search for the smallest such set, in time exponential in the number of cases. Here
    the choice is greedy: next comes the case that covers most uncovered cases, ties to the first.
    Such a set is at most about ln n times as large as the smallest. The order of the cases matters
    only for ties.

    A case equal to a case of another class cannot be covered and is ignored; a class of only such
    cases is left out. With a single class, the first case is kept.

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
    It takes about ``2 n_c^2`` distances for a class of n_c cases, and ``n^2`` for the unlike
    neighbours; memory for n numbers and a block. The coverage matrix is held only for a few hundred
    columns at a time: the cases that cover most.

    References
    ----------
    .. [1] G. L. Ritter, H. B. Woodruff, S. R. Lowry and T. L. Isenhour, "An algorithm for a
       selective nearest neighbor decision rule", IEEE Transactions on Information Theory 21(6),
       1975.
    .. [2] Cunningham 2008: section 2.4.4.1.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]]
    >>> editor = ilk.editor("snn")
    >>> X_kept, y_kept = editor.fit_resample(X, ["a", "a", "a", "b", "b", "b"])
    >>> editor.sample_indices_.tolist()
    [1, 3]
    """

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(distance="manhattan")]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        chosen = [_cover(cases, np.flatnonzero(cases.codes == c)) for c in range(cases.n_classes)]
        return np.sort(np.concatenate(chosen))


def _cover(cases: EditedCases, members: np.ndarray) -> np.ndarray:
    """Choose cases of one class, given by number, that cover all its coverable cases."""
    reach = cases.nun[0][members]
    # a case with an equal case of another class cannot be covered
    open_ = reach > 0
    counts = np.zeros(len(members), dtype=np.intp)
    for covers in _covers(cases, members, reach, np.flatnonzero(open_)):
        counts += covers.sum(axis=0)
    chosen: list[int] = []
    while counts.max() > 0:
        best, rows = np.argsort(-counts, kind="stable"), np.flatnonzero(open_)
        few, others = np.sort(best[:_CANDIDATES]), best[_CANDIDATES:]
        # the best candidate that is not held: greedy choices are right while they beat it
        rival = max([(0, 0), *((int(counts[i]), -int(i)) for i in others[:1])])
        covers = np.concatenate(list(_covers(cases, members, reach, rows, few)))
        picked, left = _greedy(covers, few, counts[few], rival)
        chosen += picked
        open_[rows] = left
        # covered cases count no longer, for any candidate
        for covers in _covers(cases, members, reach, rows[~left]):
            counts -= covers.sum(axis=0)
        counts[picked] = 0  # rounding must not let a case be chosen twice
    return members[chosen]


def _greedy(
    covers: np.ndarray, few: np.ndarray, counts: np.ndarray, rival: tuple[int, int]
) -> tuple[list[int], np.ndarray]:
    """Choose greedily among a few candidates while no other case can cover more.

    Parameters
    ----------
    covers : ndarray of bool, shape (m, f)
        Whether an uncovered case (row) is covered by a candidate (column).
    few : ndarray of int, shape (f,)
        Positions of the candidates in the class, ascending.
    counts : ndarray of int, shape (f,)
        Number of uncovered cases that each candidate covers.
    rival : pair of int
        Upper bound of the coverage of all other cases, and minus the position of the best one.

    Returns
    -------
    picked : list of int
        Positions in the class, in the order of choice.
    left : ndarray of bool, shape (m,)
        Mask of the cases that remain uncovered.
    """
    by_case = np.ascontiguousarray(covers.T)
    left = np.ones(len(covers), dtype=bool)
    picked: list[int] = []
    while True:
        i = int(counts.argmax())
        if (int(counts[i]), -int(few[i])) <= rival:
            return picked, left
        picked.append(int(few[i]))
        newly = np.flatnonzero(left & by_case[i])
        counts = counts - covers[newly].sum(axis=0)
        counts[i] = 0
        left[newly] = False


def _covers(
    cases: EditedCases,
    members: np.ndarray,
    reach: np.ndarray,
    rows: np.ndarray,
    few: np.ndarray | slice = slice(None),
) -> Iterator[np.ndarray]:
    """Yield blocks of the coverage matrix: rows of a class covered by columns of it."""
    targets = take(cases.X, members[few])
    for part in _parts(rows, len(members[few])):
        D = cases.distance.pairwise(take(cases.X, members[part]), targets)
        yield reach[part, None] > D


def _parts(rows: np.ndarray, width: int) -> Iterator[np.ndarray]:
    step = max(_CELLS // width, 1)
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
