"""rt1, rt2, rt3: reduction techniques that ask the associates of a case whether they need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ilk import IndexLike, RandomState, param, slot, take
from ilk_learners.editors.agreement import without_noise
from ilk_learners.editors.cases import (
    RANDOM_STATE,
    CaseEditor,
    Cases,
    Order,
    presented,
)

if TYPE_CHECKING:
    from ilk_learners.editors.pruning import Associates


_AMONG_THE_LEFT: Any = slot(
    "index",
    default="brute",
    doc="How neighbours are found, among all cases and among those that are left.",
)


class RT1(CaseEditor):
    """Remove cases without which their associates are classified as well (RT1, DROP1).

    Every case knows its k + 1 nearest neighbours among the cases that are left; the associates
    of a case are those that have it among them. A case is removed if at least as many of its
    associates are classified rightly without it as with it, by the k nearest that are left.
    Then each of its associates finds another neighbour, and it is no associate any more itself.

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
    If classes share the most votes, the nearest of their neighbours decides; who has no
    neighbour left is classified wrongly. Ties of distance go to the earlier case. By the rule
    the last case of all may go; here it stays. Lists of candidates make it quick to find another
    neighbour: memory for about (50 + 7k) n numbers, and a block of distances.

    References
    ----------
    .. [1] D. R. Wilson and T. R. Martinez, "Instance pruning techniques", ICML, 1997.
    .. [2] D. R. Wilson and T. R. Martinez, "Reduction techniques for instance-based learning
       algorithms", Machine Learning 38, 2000 (DROP1 to DROP3).
    .. [3] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.4.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [6.0], [7.0], [8.0], [9.0]]
    >>> editor = ilk.editor("rt1", k=1)
    >>> X_kept, y_kept = editor.fit_resample(X, list("aaaabbbb"))
    >>> editor.sample_indices_.tolist()
    [2, 3, 6, 7]
    """

    k: int = param(default=3, ge=1, doc="How many neighbours classify.")
    index: IndexLike = _AMONG_THE_LEFT
    order: Order = param(
        default="given",
        choices=("given", "random", "nun"),
        doc="In which order the cases are looked at, once: as they come; shuffled; or those "
        "first that are nearest to a case of another class, ties as they come.",
    )
    random_state: RandomState = RANDOM_STATE

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(k=2, order="nun"), cls(k=1, order="random", random_state=0)]

    def _kept(self, cases: Cases) -> np.ndarray:
        order = presented(cases, self.order, self.random_state)
        return _reduced(cases, self.k, order, forget=True)


class RT2(CaseEditor):
    """Remove what no associate, removed or not, needs, the furthest from other classes first.

    Every case knows its k + 1 nearest neighbours among the cases that are left; the associates
    of a case are those that have it among them. A case is removed if at least as many of its
    associates are classified rightly without it as with it, by the k nearest that are left.
    Then each of its associates finds another neighbour. Other than in rt1

    - the removed case goes on having neighbours, and being the associate of these: what is left
      has to classify all the cases, not only those that are left;
    - cases are looked at in the order of their distance to the nearest case of another class,
      the furthest first, so that the border is kept; ties as they come.

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
    The reading is that of DROP2 in the later paper: associates are never given up, but do
    change, as those of a removed case become associates of others. (Cunningham et al. say that
    the original associates are used, which could also be read as that they never change.)
    Ties, the last case and memory are as in rt1. Where classes are large and well apart, every
    removal leaves many associates to find another neighbour far away; in few dimensions
    ``index="kd_tree"`` does that several times faster than brute force.

    References
    ----------
    .. [1] D. R. Wilson and T. R. Martinez, "Instance pruning techniques", ICML, 1997.
    .. [2] D. R. Wilson and T. R. Martinez, "Reduction techniques for instance-based learning
       algorithms", Machine Learning 38, 2000 (DROP2).

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [6.0], [7.0], [8.0], [9.0]]
    >>> editor = ilk.editor("rt2", k=1)
    >>> X_kept, y_kept = editor.fit_resample(X, list("aaaabbbb"))
    >>> editor.sample_indices_.tolist()
    [2, 3, 4, 5]
    """

    k: int = param(default=3, ge=1, doc="How many neighbours classify.")
    index: IndexLike = _AMONG_THE_LEFT

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(k=1), cls(k=4)]

    def _kept(self, cases: Cases) -> np.ndarray:
        return _reduced(cases, self.k, _inward(cases, np.arange(len(cases))), forget=False)


class RT3(RT2):
    """Remove noise, then what no associate needs, the furthest from other classes first.

    First one pass of edited nearest neighbours (the editor enn with the same k) removes cases
    that disagree with their k nearest neighbours. The rest is the training set of rt2: noise is
    nobody's neighbour, associate or nearest case of another class.

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
    In the pass for noise, a tie of votes keeps the case; the rest is as in rt2.

    References
    ----------
    .. [1] D. R. Wilson and T. R. Martinez, "Instance pruning techniques", ICML, 1997.
    .. [2] D. R. Wilson and T. R. Martinez, "Reduction techniques for instance-based learning
       algorithms", Machine Learning 38, 2000 (DROP3).

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [6.0], [7.0], [8.0], [9.0]]
    >>> editor = ilk.editor("rt3", k=1)
    >>> X_kept, y_kept = editor.fit_resample(X, list("aabaabbb"))
    >>> editor.sample_indices_.tolist()
    [0, 1, 6, 7]
    """

    def _kept(self, cases: Cases) -> np.ndarray:
        cases.neighbors(_list_length(cases, self.k))  # found once, for both steps
        rows = without_noise(cases, self.k, "enn")
        return _reduced(cases, self.k, _inward(cases, rows), forget=False)


_RESERVE = 48  # candidates beyond the k neighbours, in each list
_ENOUGH = 16  # of them, where some lists are made anew anyway


def _list_length(cases: Cases, k: int) -> int:
    """How many neighbours of each case are found at first."""
    return max(k, min(k + _RESERVE, len(cases) - 1))


def _inward(cases: Cases, rows: np.ndarray) -> np.ndarray:
    """Some cases in the order of falling distance to the nearest of another class among them."""
    return rows[np.argsort(-cases.only(rows).nun[0], kind="stable")]


def _reduced(cases: Cases, k: int, order: np.ndarray, *, forget: bool) -> np.ndarray:
    """Numbers of the cases that stay, ascending.

    Parameters
    ----------
    k : int
        How many neighbours classify.
    order : ndarray of int
        The cases there are, in the order in which they are looked at.
    forget : bool
        Whether a removed case is no associate any more.
    """
    from ilk_learners.editors.pruning import remove, renew, short

    n, width = len(cases), _list_length(cases, k)
    S = _associates(cases, k, width + 1, order)
    renew(order, cases.neighbors(width)[1][order], width == n - 1, S)
    start = 0
    while start < len(order):
        rows, left = short(_ENOUGH, S), np.flatnonzero(S.alive)
        if len(rows):
            renew(rows, _nearest(cases, rows, left, width + 1), len(left) <= width + 1, S)
        start = remove(order, start, forget, S)
    return np.flatnonzero(S.alive)


def _nearest(cases: Cases, rows: np.ndarray, left: np.ndarray, width: int) -> np.ndarray:
    """The cases left that are nearest to each of some rows; -1 for the row itself."""
    index, width = cases.only(left).index, min(width, len(left))
    found = left[index.kneighbors(take(cases.X, rows), width)[1]]
    found[found == rows[:, None]] = -1
    return np.asarray(found)


def _associates(cases: Cases, k: int, width: int, rows: np.ndarray) -> Associates:
    """Empty lists for the cases in some rows; the others are taken for removed."""
    from ilk_learners.editors.pruning import Associates

    n = len(cases)
    alive = np.zeros(n, dtype=bool)
    alive[rows] = True
    return Associates(
        codes=cases.codes,
        alive=alive,
        followed=alive.copy(),
        listed=np.full((n, width), -1, dtype=np.int32),
        whole=np.zeros(n, dtype=bool),
        place=np.zeros(n, dtype=np.int32),
        slots=np.full((n, k + 1), -1, dtype=np.int32),
        ranks=np.full((n, k + 1), -1, dtype=np.int32),
        first=np.full(n, -1),
        before=np.full(n * (k + 1), -1),
        after=np.full(n * (k + 1), -1),
        votes=np.zeros(cases.n_classes, dtype=np.int32),
    )
