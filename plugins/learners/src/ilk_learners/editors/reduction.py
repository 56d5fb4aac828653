"""Removal of cases one by one, by what it does to those that have them as neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk import take

if TYPE_CHECKING:
    from ilk_learners.editors.cases import Cases
    from ilk_learners.editors.pruning import Associates

_RESERVE = 48  # candidates beyond the k neighbours, in each list
_ENOUGH = 16  # of them, where some lists are made anew anyway


def list_length(cases: Cases, k: int) -> int:
    """How many neighbours of each case are found at first."""
    return max(k, min(k + _RESERVE, len(cases) - 1))


def inward(cases: Cases, rows: np.ndarray) -> np.ndarray:
    """Some cases in the order of falling distance to the nearest of another class among them."""
    return rows[np.argsort(-cases.only(rows).nun[0], kind="stable")]


def reduced(cases: Cases, k: int, order: np.ndarray, *, forget: bool) -> np.ndarray:
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

    n, width = len(cases), list_length(cases, k)
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
