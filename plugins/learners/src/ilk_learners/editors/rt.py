"""rt1, rt2, rt3: reduction techniques that test whether associates need a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ilk import IndexLike, RandomState, param, slot, take
from ilk_learners.editors.agreement import without_noise
from ilk_learners.editors.case_editor import (
    RANDOM_STATE,
    CaseEditor,
    EditedCases,
    Order,
    presented,
)

if TYPE_CHECKING:
    from ilk_learners.editors.pruning import Associates


_AMONG_THE_LEFT: Any = slot(
    "index",
    default="brute",
    doc="Search for neighbours, among all cases and among the remaining ones.",
)


class RT1(CaseEditor):
    """Remove cases whose associates are classified as well without them (RT1, DROP1).

    Every case has its k + 1 nearest neighbours among the remaining cases. The associates of a case
    are the cases with it among their neighbours. A case is removed if at least as many of its
    associates are classified correctly without it as with it, by the k nearest remaining cases.
    Then each associate gets another neighbour, and the removed case stops being an associate.

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
    Ties of votes go to the nearest neighbour of the tied classes; a case without neighbours counts
    as misclassified. Ties of distance go to the earlier case. The rule may remove the very last
    case; here it stays. Lists of candidates make it fast to find another neighbour: memory for
    about (50 + 7k) n numbers, and a block of distances.

    References
    ----------
    .. [1] D. R. Wilson and T. R. Martinez, "Instance pruning techniques", ICML, 1997.
    .. [2] D. R. Wilson and T. R. Martinez, "Reduction techniques for instance-based learning
       algorithms", Machine Learning 38, 2000 (DROP1 to DROP3).
    .. [3] Cunningham 2008: section 2.4.4.2.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [6.0], [7.0], [8.0], [9.0]]
    >>> editor = ilk.editor("rt1", k=1)
    >>> X_kept, y_kept = editor.fit_resample(X, list("aaaabbbb"))
    >>> editor.sample_indices_.tolist()
    [2, 3, 6, 7]
    """

    k: int = param(default=3, ge=1, doc="Number of neighbours that classify a case.")
    index: IndexLike = _AMONG_THE_LEFT
    order: Order = param(
        default="given",
        choices=("given", "random", "nun"),
        doc="Order of examination of the cases, once: data order; shuffled; or by the distance to "
        "the nearest case of another class, ties in data order.",
    )
    random_state: RandomState = RANDOM_STATE

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(k=2, order="nun"), cls(k=1, order="random", random_state=0)]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        order = presented(cases, self.order, self.random_state)
        return _reduced(cases, self.k, order, forget=True)


class RT2(CaseEditor):
    """Remove cases that no associate needs, removed ones included, far from the border first.

    Every case has its k + 1 nearest neighbours among the remaining cases. The associates of a case
    are the cases with it among their neighbours. A case is removed if at least as many of its
    associates are classified correctly without it as with it, by the k nearest remaining cases.
    Then each associate gets another neighbour. Differences from rt1:

    - a removed case keeps its neighbours and stays their associate: the remaining cases must
      classify all cases, not only themselves;
    - cases are examined by decreasing distance to the nearest case of another class, which keeps
      the border; ties in data order.

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
    This follows DROP2 in the later paper: associates are never dropped but do change, as those of
    a removed case become associates of others. (Cunningham et al. say that the original associates
    are used, which could also mean that they never change.) Ties, the last case and memory are as
    in rt1. With large and well-separated classes, after every removal many associates need another,
    distant neighbour; in few dimensions ``index="kd_tree"`` finds it several times faster than
    brute force.

    References
    ----------
    .. [1] D. R. Wilson and T. R. Martinez, "Instance pruning techniques", ICML, 1997.
    .. [2] D. R. Wilson and T. R. Martinez, "Reduction techniques for instance-based learning
       algorithms", Machine Learning 38, 2000 (DROP2).
    .. [3] Cunningham 2008: section 2.4.4.2.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [6.0], [7.0], [8.0], [9.0]]
    >>> editor = ilk.editor("rt2", k=1)
    >>> X_kept, y_kept = editor.fit_resample(X, list("aaaabbbb"))
    >>> editor.sample_indices_.tolist()
    [2, 3, 4, 5]
    """

    k: int = param(default=3, ge=1, doc="Number of neighbours that classify a case.")
    index: IndexLike = _AMONG_THE_LEFT

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(k=1), cls(k=4)]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        return _reduced(cases, self.k, _inward(cases, np.arange(len(cases))), forget=False)


class RT3(RT2):
    """Remove noise, then cases that no associate needs, far from the border first.

    First, one pass of edited nearest neighbours (the editor enn with the same k) removes cases
    that disagree with their k nearest neighbours. The rest is the training set of rt2: noise is
    never a neighbour, an associate or a nearest case of another class.

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
    In the noise filter, a tie of votes keeps the case; the rest is as in rt2.

    References
    ----------
    .. [1] D. R. Wilson and T. R. Martinez, "Instance pruning techniques", ICML, 1997.
    .. [2] D. R. Wilson and T. R. Martinez, "Reduction techniques for instance-based learning
       algorithms", Machine Learning 38, 2000 (DROP3).
    .. [3] Cunningham 2008: section 2.4.4.2.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [6.0], [7.0], [8.0], [9.0]]
    >>> editor = ilk.editor("rt3", k=1)
    >>> X_kept, y_kept = editor.fit_resample(X, list("aabaabbb"))
    >>> editor.sample_indices_.tolist()
    [0, 1, 6, 7]
    """

    def _kept(self, cases: EditedCases) -> np.ndarray:
        cases.neighbors(_list_length(cases, self.k))  # one search, cached for both steps
        # noisy cases are near another class, so they would be removed last, and mislead until then
        rows = without_noise(cases, self.k, "enn")
        return _reduced(cases, self.k, _inward(cases, rows), forget=False)


_RESERVE = 48  # candidates per list beyond the k neighbours: new searches are then rare
_ENOUGH = 16  # when some lists are rebuilt, shorter ones than this are rebuilt too


def _list_length(cases: EditedCases, k: int) -> int:
    """Length of the initial lists of neighbours."""
    return max(k, min(k + _RESERVE, len(cases) - 1))


def _inward(cases: EditedCases, rows: np.ndarray) -> np.ndarray:
    """Sort cases by decreasing distance to the nearest one of another class among them."""
    # cases in the interior of a class go first, those at the border, which decide, last
    return rows[np.argsort(-cases.only(rows).nun[0], kind="stable")]


def _reduced(cases: EditedCases, k: int, order: np.ndarray, *, forget: bool) -> np.ndarray:
    """Numbers of the remaining cases, ascending.

    Parameters
    ----------
    k : int
        Number of neighbours that classify.
    order : ndarray of int
        The cases in their order of examination.
    forget : bool
        Whether a removed case stops being an associate.
    """
    from ilk_learners.editors.pruning import ALIVE, remove, renew, short

    n, width = len(cases), _list_length(cases, k)
    S = _associates(cases, k, width + 1, order)
    renew(order, cases.neighbors(width)[1][order], width == n - 1, S)
    start = 0
    while start < len(order):
        # lists that are nearly exhausted are rebuilt together, as one search costs less than many
        rows, left = short(_ENOUGH, S), np.flatnonzero(S.cases[:, ALIVE])
        if len(rows):
            renew(rows, _nearest(cases, rows, left, width + 1), len(left) <= width + 1, S)
        start = remove(order, start, forget, S)
    return np.flatnonzero(S.cases[:, ALIVE])


def _nearest(cases: EditedCases, rows: np.ndarray, left: np.ndarray, width: int) -> np.ndarray:
    """The nearest remaining cases of each row; -1 for the row itself."""
    index, width = cases.only(left).index, min(width, len(left))
    neighbors = left[index.kneighbors(take(cases.X, rows), width)[1]]
    neighbors[neighbors == rows[:, None]] = -1
    return np.asarray(neighbors)


def _associates(cases: EditedCases, k: int, width: int, rows: np.ndarray) -> Associates:
    """Empty lists for the cases in `rows`; all others count as removed."""
    from ilk_learners.editors.pruning import ALIVE, CODE, FIRST, FOLLOWED, Associates

    n = len(cases)
    state = np.zeros((n, 6), dtype=np.int64)
    state[:, CODE], state[:, FIRST] = cases.codes, -1
    state[rows, ALIVE] = state[rows, FOLLOWED] = 1
    return Associates(
        cases=state,
        listed=np.full((n, width), -1, dtype=np.int32),
        slots=np.full((n * (k + 1), 4), -1),
        votes=np.zeros(cases.n_classes, dtype=np.int64),
    )
