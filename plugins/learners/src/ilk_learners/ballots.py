"""Votes of training rows on their classes: counted, and the winner found, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ilk_learners.votes import first_voter, leaders, tally

Ties = Literal["nearest", "random", "prior", "reject"]

_CELLS = 2**20  # votes, of queries times classes, that are counted at once


@dataclass(frozen=True)
class Ballot:
    """The training rows that may vote, and how ties are broken.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Class of each training row, 0 .. n_classes - 1.
    n_classes : int
    ties : {"nearest", "random", "prior", "reject"}
    lots : ndarray of shape (n,) or None
        Of each row, for ties by lot: the lowest wins.
    """

    codes: np.ndarray
    n_classes: int
    ties: Ties
    lots: np.ndarray | None = None

    def shares(self, rows: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        """Share of the votes of each class.

        Parameters
        ----------
        rows : ndarray of int, shape (m, k)
            Those who vote on each query, nearest first.
        weights : ndarray of shape (m, k) or None
            What their votes weigh; None: the same.

        Returns
        -------
        ndarray of shape (m, n_classes)
        """
        votes = tally(self.codes[rows], weights, self.n_classes)
        votes /= rows.shape[1] if weights is None else weights.sum(axis=1, keepdims=True)
        return votes

    def winners(
        self, rows: np.ndarray, weights: np.ndarray | None, *, left_out: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The class that wins each query, and whether another has as many votes.

        Parameters
        ----------
        rows, weights
            As in `shares`.
        left_out : bool
            Whether the queries are the training rows, each as if it had not been one.

        Returns
        -------
        codes : ndarray of int, shape (m,)
            Where votes are tied under "reject", that of the nearest.
        tied : ndarray of bool, shape (m,)
        """
        m, size = len(rows), max(_CELLS // self.n_classes, 1)
        codes, tied = np.empty(m, dtype=np.intp), np.empty(m, dtype=bool)
        for start in range(0, m, size):
            block = slice(start, start + size)
            some = None if weights is None else weights[block]
            own = np.arange(m)[block] if left_out else None
            codes[block], tied[block] = self._winners(rows[block], some, own)
        return codes, tied

    def _winners(
        self, rows: np.ndarray, weights: np.ndarray | None, own: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        codes = self.codes[rows]
        best = leaders(tally(codes, weights, self.n_classes))
        tied = best.sum(axis=1) > 1
        if self.ties == "random" and tied.any():
            among = np.take_along_axis(best, codes, axis=1)
            drawn = np.where(among, self._lots_of(rows, own), np.inf).argmin(axis=1)
            return np.take_along_axis(codes, drawn[:, None], axis=1)[:, 0], tied
        if self.ties == "prior" and tied.any():
            counts = np.where(best, self._counts(own), 0)
            best &= counts == counts.max(axis=1, keepdims=True)
        return first_voter(best, codes), tied

    def _lots_of(self, rows: np.ndarray, own: np.ndarray | None) -> np.ndarray:
        """Lots of the rows; without one, those after it draw the lot of the row before."""
        assert self.lots is not None
        return np.asarray(self.lots[rows if own is None else rows - (rows > own[:, None])])

    def _counts(self, own: np.ndarray | None) -> np.ndarray:
        """Rows of each class; for each query, where each lacks another row."""
        counts = np.bincount(self.codes, minlength=self.n_classes)
        if own is None:
            return counts
        without = np.tile(counts, (len(own), 1))
        without[np.arange(len(own)), self.codes[own]] -= 1
        return without
