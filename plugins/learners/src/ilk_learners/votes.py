"""Votes of neighbours: their weights by distance, the counts of each class, and the winner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

_ROUNDING = 1e-12  # sums of the same weights in another order differ by less


def tally(codes: np.ndarray, weights: np.ndarray | None, n_classes: int) -> np.ndarray:
    """Sum the votes for each class.

    Parameters
    ----------
    codes : ndarray of int, shape (m, k)
        Class of each neighbour of each query.
    weights : ndarray of shape (m, k) or None
        Its vote; None: one each.
    n_classes : int

    Returns
    -------
    ndarray of shape (m, n_classes), float64
    """
    m = len(codes)
    cells = (codes + np.arange(m)[:, None] * n_classes).ravel()
    flat = None if weights is None else weights.ravel()
    counts = np.bincount(cells, flat, minlength=m * n_classes)
    return counts.reshape(m, n_classes).astype(float, copy=False)


def leaders(votes: np.ndarray) -> np.ndarray:
    """Mask of the classes with the most votes in each row, equal up to rounding."""
    return np.asarray(votes >= votes.max(axis=1, keepdims=True) * (1 - _ROUNDING))


def first_voter(mask: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Class of the first neighbour in each row whose class is in the mask."""
    among = np.take_along_axis(mask, codes, axis=1)
    return np.take_along_axis(codes, among.argmax(axis=1)[:, None], axis=1)[:, 0]


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


Vote = Literal["majority", "inverse_distance", "shepard", "gaussian", "epanechnikov"]
Width = float | Literal["next_neighbor", "last_neighbor"]
ZeroDistance = Literal["decides", "votes"]
_BY_WIDTH = ("shepard", "gaussian", "epanechnikov")


def n_asked(k: int, vote: Vote, width: Width) -> int:
    """How many neighbours must be found for k to vote."""
    return int(k) + int(vote in _BY_WIDTH and width == "next_neighbor")


def vote_weights(
    near: np.ndarray,
    k: int,
    vote: Vote,
    *,
    power: float = 1.0,
    width: Width = "next_neighbor",
    zero_decides: bool = True,
) -> np.ndarray | None:
    """Vote of each of the k nearest, in relation to the nearest one's, which is 1.

    So none of them overflows or vanishes but in comparison with the others. Where no neighbour
    is within the width of "epanechnikov", those as near as the nearest one vote, which is the
    limit of a width that shrinks to their distance.

    Parameters
    ----------
    near : ndarray of shape (m, n_asked(k, vote, width))
        Distances, ascending.
    k : int
    vote, power, width
        See `ilk_learners.neighbors.Nearest`.
    zero_decides : bool
        Whether only rows at distance 0 vote where there are some. Of inverse distances they
        always do.

    Returns
    -------
    ndarray of shape (m, k), or None
        None: all the same.
    """
    voters = near[:, :k]
    nearest = voters[:, :1]
    weights: np.ndarray | None = None
    if vote != "majority":
        d = voters.astype(float, copy=False)
        with np.errstate(all="ignore"):  # what is no number is that of the nearest, set below
            if vote == "inverse_distance":
                weights = (d[:, :1] / d) ** power
            else:
                weights = _KERNELS[vote](d, d[:, :1], _widths(near, k, width))
        weights[np.isinf(d)] = 0.0
        weights = np.where(voters == nearest, 1.0, weights)
    zero = nearest == 0
    if zero_decides and vote != "inverse_distance" and zero.any():
        weights = np.where(zero, voters == 0, 1.0 if weights is None else weights)
    return weights


def _widths(near: np.ndarray, k: int, width: Width) -> np.ndarray:
    if width == "next_neighbor":
        return near[:, k : k + 1].astype(float)
    if width == "last_neighbor":
        return near[:, k - 1 : k].astype(float)
    return np.asarray(float(width))


def _shepard(d: np.ndarray, nearest: np.ndarray, width: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(-((d - nearest) / width)))


def _gaussian(d: np.ndarray, nearest: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Of a difference of squares, factored."""
    return np.asarray(np.exp(-((d - nearest) / width) * (d / width / 2 + nearest / width / 2)))


def _epanechnikov(d: np.ndarray, nearest: np.ndarray, width: np.ndarray) -> np.ndarray:
    weights, most = _parabola(d, width), _parabola(nearest, width)
    return np.where(most > 0, weights / most, 0.0)


def _parabola(d: np.ndarray, width: np.ndarray) -> np.ndarray:
    """1 - (d / width)^2 or 0, factored, as the difference of numbers that are close is exact."""
    left = np.where(np.isinf(width), 1.0, (width - d) / width)
    return np.asarray(np.maximum(left, 0.0) * (1 + np.minimum(d / width, 1.0)))


_KERNELS = {"shepard": _shepard, "gaussian": _gaussian, "epanechnikov": _epanechnikov}
