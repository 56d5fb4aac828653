"""Wilson editing: agreement of cases with their neighbours, in repeated passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ilk import param, take
from ilk_learners.votes import first_voter, leaders, tally

if TYPE_CHECKING:
    from ilk_learners.editors.case_editor import EditedCases


Rule = Literal["plurality", "all"]
Ties = Literal["keep", "remove", "nearest"]


NOISE: Any = param(
    default="enn",
    choices=("enn", "renn", "none"),
    doc="Noise filter applied first: one pass of edited nearest neighbours, passes until no case "
    "disagrees with its neighbours, or none.",
)


def agree(
    codes: np.ndarray, others: np.ndarray, n_classes: int, rule: Rule, ties: Ties
) -> np.ndarray:
    """Mask of the cases whose neighbours agree with their class.

    Parameters
    ----------
    codes : ndarray of int, shape (m,)
        Class of each case.
    others : ndarray of int, shape (m, k)
        Classes of its neighbours, the nearest first.
    n_classes : int
    rule : {"plurality", "all"}
        Agreement if no other class is more frequent, or if all neighbours are of the same class.
    ties : {"keep", "remove", "nearest"}
        Under "plurality", if its class ties with another: agreement; disagreement; or the nearest
        neighbour of the tied classes decides.
    """
    if rule == "all":
        return np.asarray((others == codes[:, None]).all(axis=1))
    best = leaders(tally(others, None, n_classes))
    if ties == "nearest":
        return np.asarray(first_voter(best, others) == codes)
    # a case agrees if its class is among those of the most votes
    among = np.take_along_axis(best, codes[:, None], axis=1)[:, 0]
    return np.asarray(among if ties == "keep" else among & (best.sum(axis=1) == 1))


_ROWS = 4096  # cases per block when reading lists: bounds memory


class Remaining:
    """The remaining cases, each with a list of neighbours longer than needed.

    One search finds more neighbours than requested; removed ones are skipped later. Only an
    exhausted list is rebuilt, from the remaining cases.

    Parameters
    ----------
    cases : Cases
    reserve : int
        Length of the lists.

    Attributes
    ----------
    alive : ndarray of bool, shape (n,)
    """

    def __init__(self, cases: EditedCases, reserve: int) -> None:
        self.cases = cases
        self.alive = np.ones(len(cases), dtype=bool)
        self._lists = cases.neighbors(min(reserve, len(cases) - 1))[1].copy()

    def nearest(self, rows: np.ndarray, k: int) -> np.ndarray:
        """The k nearest remaining others of each case in `rows`.

        Parameters
        ----------
        rows : ndarray of int, shape (m,)
        k : int
            At most the number of remaining others.

        Returns
        -------
        ndarray of int, shape (m, k)
            Nearest first, ties by lower number.
        """
        blocks = [self._some(rows[i : i + _ROWS], k) for i in range(0, len(rows), _ROWS)]
        return np.concatenate([np.empty((0, k), dtype=np.intp), *blocks])

    def _some(self, rows: np.ndarray, k: int) -> np.ndarray:
        there = self.alive[self._lists[rows]] & (self._lists[rows] != rows[:, None])
        short = there.sum(axis=1) < k
        if short.any():
            self._refill(rows[short], k)
            there = self.alive[self._lists[rows]] & (self._lists[rows] != rows[:, None])
        # the first k remaining ones of each list
        chosen = there & (np.cumsum(there, axis=1) <= k)
        return np.asarray(self._lists[rows][chosen].reshape(len(rows), k))

    def _refill(self, rows: np.ndarray, k: int) -> None:
        """Rebuild lists from the remaining cases, padded with the case itself."""
        left = np.flatnonzero(self.alive)
        length = min(self._lists.shape[1], len(left) - 1)
        targets, X = take(self.cases.X, left), self.cases.X
        _, indices = self.cases.distance.kneighbors(take(X, rows), targets, length + 1)
        indices = left[indices]
        self._lists[rows] = rows[:, None]
        itself = indices == rows[:, None]
        itself[~itself.any(axis=1), -1] = True  # many duplicates hid the case itself: drop the last
        self._lists[rows, :length] = indices[~itself].reshape(len(rows), length)


_RESERVE = 4  # lists of 4k neighbours: most survive all passes without a new search


def edited(
    cases: EditedCases, k: int, rule: Rule, ties: Ties, max_passes: int | None
) -> tuple[np.ndarray, int]:
    """Repeat: remove the cases that disagree with their neighbours, until none does.

    Parameters
    ----------
    cases : Cases
        More than k.
    k : int
        Number of neighbours; all others if fewer remain.
    rule, ties
        As in `agree`.
    max_passes : int or None
        Maximal number of passes; None: until the fixed point.

    Returns
    -------
    kept : ndarray of int
        Numbers of the remaining cases, ascending.
    n_passes : int

    Raises
    ------
    InputError
        If there are not more than k cases.
    """
    cases.neighbors(k)  # raises if there are too few
    remaining = Remaining(cases, k if max_passes == 1 else _RESERVE * k)
    codes, n_passes = cases.codes, 0
    while n_passes != max_passes:
        n_passes += 1
        rows = np.flatnonzero(remaining.alive)
        asked = min(k, len(rows) - 1)
        if asked < 1:
            break
        # all cases of a pass are judged before any is removed: their order does not matter
        others = codes[remaining.nearest(rows, asked)]
        gone = ~agree(codes[rows], others, cases.n_classes, rule, ties)
        if not gone.any():
            break
        remaining.alive[rows[gone]] = False
    return np.flatnonzero(remaining.alive), n_passes


Noise = Literal["enn", "renn", "none"]


def without_noise(cases: EditedCases, k: int, noise: Noise) -> np.ndarray:
    """Numbers of the cases kept by the editor enn or renn, ascending.

    The rule is "plurality"; ties keep a case.

    Parameters
    ----------
    k : int
        Number of neighbours.
    """
    if noise == "none":
        cases.neighbors(k)  # raises if there are too few, as the other filters do
        return np.arange(len(cases))
    return edited(cases, k, "plurality", "keep", 1 if noise == "enn" else None)[0]
