"""Nearest neighbours among the cases that remain, while others are removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk import take

if TYPE_CHECKING:
    from ilk_learners.editors.cases import Cases

_ROWS = 4096  # cases whose lists are read at a time


class Remaining:
    """The cases that remain, each with a list of neighbours that is long enough for a while.

    Neighbours are found once, more of them than are asked for; removed ones are skipped. Only
    where a list is used up, it is made anew from what remains.

    Parameters
    ----------
    cases : Cases
    reserve : int
        Length of the lists.

    Attributes
    ----------
    alive : ndarray of bool, shape (n,)
    """

    def __init__(self, cases: Cases, reserve: int) -> None:
        self.cases = cases
        self.alive = np.ones(len(cases), dtype=bool)
        self._lists = cases.neighbors(min(reserve, len(cases) - 1))[1].copy()

    def nearest(self, rows: np.ndarray, k: int) -> np.ndarray:
        """Numbers of the k remaining others that are nearest to each of some cases.

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
        chosen = there & (np.cumsum(there, axis=1) <= k)
        return np.asarray(self._lists[rows][chosen].reshape(len(rows), k))

    def _refill(self, rows: np.ndarray, k: int) -> None:
        """Fill lists with what remains, and with the case itself where that is too little."""
        left = np.flatnonzero(self.alive)
        length = min(self._lists.shape[1], len(left) - 1)
        targets, X = take(self.cases.X, left), self.cases.X
        _, found = self.cases.distance.kneighbors(take(X, rows), targets, length + 1)
        found = left[found]
        self._lists[rows] = rows[:, None]
        own = found == rows[:, None]
        own[~own.any(axis=1), -1] = True  # as many others are as near: the last is too many
        self._lists[rows, :length] = found[~own].reshape(len(rows), length)
