"""snn: selective nearest neighbour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from ilk import take
from ilk_learners.editors.cases import CaseEditor, Cases

if TYPE_CHECKING:
    from collections.abc import Iterator


_CELLS = 2**20  # distances at a time
_CANDIDATES = 256  # cases that are looked at together, as those that may be chosen next


class SNN(CaseEditor):
    """Keep a set in which each case has one of its class nearer than any of another (selective).

    A case j *covers* a case i of its class if it is nearer to i than i's nearest unlike
    neighbour is: ``d(i, j) < min d(i, l)`` over all cases l of other classes. The set that is
    kept covers every case, so that its nearest member classifies each of them rightly, and, as
    the unlike neighbours are those of the whole data, it keeps away from the border.

    Ritter et al. look for the smallest such set by reductions and a search that takes time
    exponential in the number of cases. Here it is chosen greedily: the case that covers most of
    those not yet covered comes next, of several the first. Such a set is at most about ln n
    times as large as the smallest. The order of the cases matters for ties only.

    A case with an equal case of another class cannot be covered, and asks for nothing: a class
    of which every case has one is left out. Of a single class, the first case is kept.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Cases that were kept, ascending.
    n_cases_ : int
        Cases there were.
    reduction_ : float
        Share of the cases that was removed.

    Notes
    -----
    It takes about ``2 n_c^2`` distances for a class of n_c cases, and ``n^2`` for the unlike
    neighbours; memory for n numbers and a block. Of what covers what only the columns of some
    hundred cases, those that cover most, are held at a time.

    References
    ----------
    .. [1] G. L. Ritter, H. B. Woodruff, S. R. Lowry and T. L. Isenhour, "An algorithm for a
       selective nearest neighbor decision rule", IEEE Transactions on Information Theory 21(6),
       1975.
    .. [2] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.4.

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

    def _kept(self, cases: Cases) -> np.ndarray:
        chosen = [_cover(cases, np.flatnonzero(cases.codes == c)) for c in range(cases.n_classes)]
        return np.sort(np.concatenate(chosen))


def _cover(cases: Cases, own: np.ndarray) -> np.ndarray:
    """Choose cases of one class, given by their numbers, that cover all of it that can be."""
    reach = cases.nun[0][own]
    open_ = reach > 0
    counts = np.zeros(len(own), dtype=np.intp)
    for covers in _covers(cases, own, reach, np.flatnonzero(open_)):
        counts += covers.sum(axis=0)
    chosen: list[int] = []
    while counts.max() > 0:
        best, rows = np.argsort(-counts, kind="stable"), np.flatnonzero(open_)
        few, others = np.sort(best[:_CANDIDATES]), best[_CANDIDATES:]
        rival = max([(0, 0), *((int(counts[i]), -int(i)) for i in others[:1])])
        covers = np.concatenate(list(_covers(cases, own, reach, rows, few)))
        picked, left = _greedy(covers, few, counts[few], rival)
        chosen += picked
        open_[rows] = left
        for covers in _covers(cases, own, reach, rows[~left]):
            counts -= covers.sum(axis=0)
        counts[picked] = 0  # whatever rounding says: none is chosen twice
    return own[chosen]


def _greedy(
    covers: np.ndarray, few: np.ndarray, counts: np.ndarray, rival: tuple[int, int]
) -> tuple[list[int], np.ndarray]:
    """Choose among a few cases as long as none of the others can cover more.

    Parameters
    ----------
    covers : ndarray of bool, shape (m, f)
        Which cases that are not yet covered each of the few covers.
    few : ndarray of int, shape (f,)
        Their places in the class, ascending.
    counts : ndarray of int, shape (f,)
        How many each covers.
    rival : pair of int
        How many the best of all others covers at most, and its place, negative.

    Returns
    -------
    picked : list of int
        Places in the class, in the order in which they were chosen.
    left : ndarray of bool, shape (m,)
        What none of them covers.
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
    cases: Cases,
    own: np.ndarray,
    reach: np.ndarray,
    rows: np.ndarray,
    few: np.ndarray | slice = slice(None),
) -> Iterator[np.ndarray]:
    """Mask of which of some cases of a class (rows) others of it (columns) cover, in blocks."""
    targets = take(cases.X, own[few])
    for part in _parts(rows, len(own[few])):
        D = cases.distance.pairwise(take(cases.X, own[part]), targets)
        yield reach[part, None] > D


def _parts(rows: np.ndarray, width: int) -> Iterator[np.ndarray]:
    step = max(_CELLS // width, 1)
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
