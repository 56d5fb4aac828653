"""Votes of neighbours: weights by distance, counts per class, and the winner."""

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
        Weights of the votes; None: 1 each.
    n_classes : int

    Returns
    -------
    ndarray of shape (m, n_classes), float64
    """
    m = len(codes)
    # one count over (query, class) cells instead of a loop over queries
    cells = (codes + np.arange(m)[:, None] * n_classes).ravel()
    flat = None if weights is None else weights.ravel()
    counts = np.bincount(cells, flat, minlength=m * n_classes)
    return counts.reshape(m, n_classes).astype(float, copy=False)


def leaders(votes: np.ndarray) -> np.ndarray:
    """Mask of the classes with the most votes in each row, ties up to rounding."""
    return np.asarray(votes >= votes.max(axis=1, keepdims=True) * (1 - _ROUNDING))


def first_voter(mask: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Class of the first neighbour in each row whose class is in the mask."""
    among = np.take_along_axis(mask, codes, axis=1)
    return np.take_along_axis(codes, among.argmax(axis=1)[:, None], axis=1)[:, 0]


Ties = Literal["nearest", "random", "prior", "reject"]
_CELLS = 2**20  # counts (queries times classes) held at once: 8 MiB


@dataclass(frozen=True)
class Ballot:
    """The voting training rows, and the rule for ties.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Class of each training row, 0 .. n_classes - 1.
    n_classes : int
    ties : {"nearest", "random", "prior", "reject"}
    lots : ndarray of shape (n,) or None
        Random number of each row, for random ties: the lowest wins.
    of_cases : ndarray of shape (n,) or None
        Weight of each row, for the frequencies of the classes; None: 1 each.
    """

    codes: np.ndarray
    n_classes: int
    ties: Ties
    lots: np.ndarray | None = None
    of_cases: np.ndarray | None = None

    def shares(self, rows: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        """Share of the votes of each class.

        Parameters
        ----------
        rows : ndarray of int, shape (m, k)
            Voters on each query, nearest first.
        weights : ndarray of shape (m, k) or None
            Weights of their votes; None: equal.

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
        """The winning class of each query, and whether it is tied.

        Parameters
        ----------
        rows, weights
            As in `shares`.
        left_out : bool
            Whether the queries are the training rows, each left out for itself.

        Returns
        -------
        codes : ndarray of int, shape (m,)
            With a tie under "reject", the class of the nearest.
        tied : ndarray of bool, shape (m,)
        """
        m, size = len(rows), max(_CELLS // self.n_classes, 1)
        codes, tied = np.empty(m, dtype=np.intp), np.empty(m, dtype=bool)
        for start in range(0, m, size):
            block = slice(start, start + size)
            some = None if weights is None else weights[block]
            excluded = np.arange(m)[block] if left_out else None
            codes[block], tied[block] = self._winners(rows[block], some, excluded)
        return codes, tied

    def _winners(
        self, rows: np.ndarray, weights: np.ndarray | None, excluded: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        codes = self.codes[rows]
        best = leaders(tally(codes, weights, self.n_classes))
        tied = best.sum(axis=1) > 1
        if self.ties == "random" and tied.any():
            among = np.take_along_axis(best, codes, axis=1)
            # the voter of the smallest lot among those of the tied classes
            drawn = np.where(among, self._lots_of(rows, excluded), np.inf).argmin(axis=1)
            return np.take_along_axis(codes, drawn[:, None], axis=1)[:, 0], tied
        if self.ties == "prior" and tied.any():
            counts = np.where(best, self._counts(excluded), 0)
            best &= counts == counts.max(axis=1, keepdims=True)
        return first_voter(best, codes), tied

    def _lots_of(self, rows: np.ndarray, excluded: np.ndarray | None) -> np.ndarray:
        """Lots of the rows; later rows than a left-out one take their predecessor's lot."""
        assert self.lots is not None
        return np.asarray(
            self.lots[rows if excluded is None else rows - (rows > excluded[:, None])]
        )

    def _counts(self, excluded: np.ndarray | None) -> np.ndarray:
        """Frequency of each class; with left-out rows, per query without its excluded row.

        Leave-one-out predictions have no weights of cases.
        """
        counts = np.bincount(self.codes, self.of_cases, minlength=self.n_classes)
        if excluded is None:
            return counts
        without = np.tile(counts, (len(excluded), 1))
        without[np.arange(len(excluded)), self.codes[excluded]] -= 1
        return without


Vote = Literal["majority", "inverse_distance", "shepard", "gaussian", "epanechnikov"]
Width = float | Literal["next_neighbor", "last_neighbor"]
ZeroDistance = Literal["decides", "votes"]
_BY_WIDTH = ("shepard", "gaussian", "epanechnikov")


def n_asked(k: int, vote: Vote, width: Width) -> int:
    """Number of neighbours to search for so that k can vote."""
    return int(k) + int(vote in _BY_WIDTH and width == "next_neighbor")


def vote_weights(
    near: np.ndarray,
    k: int,
    vote: Vote,
    *,
    power: float = 1.0,
    width: Width = "next_neighbor",
    zero_decides: bool = False,
) -> np.ndarray | None:
    """Vote weight of each of the k nearest, relative to the nearest one's, which is 1.

    So weights overflow or underflow only relative to each other. If no neighbour is within the
    bandwidth of "epanechnikov", those at the smallest distance vote: the limit of a bandwidth that
    shrinks to this distance.

    Parameters
    ----------
    near : ndarray of shape (m, n_asked(k, vote, width))
        Distances, ascending.
    k : int
    vote, power, width
        See `ilk_learners.neighbors.Nearest`.
    zero_decides : bool
        Whether rows at distance 0, if any, exclude the others. With inverse distances they always
        do.

    Returns
    -------
    ndarray of shape (m, k), or None
        None: all equal.
    """
    voters = near[:, :k]
    nearest = voters[:, :1]
    weights: np.ndarray | None = None
    if vote != "majority":
        d = voters.astype(float, copy=False)
        with np.errstate(all="ignore"):  # NaN occurs only for the nearest, set below
            if vote == "inverse_distance":
                # a ratio of distances: powers of single distances could overflow
                weights = (d[:, :1] / d) ** power
            else:
                weights = _KERNELS[vote](d, d[:, :1], _widths(near, k, width))
        weights[np.isinf(d)] = 0.0
        # the nearest has weight 1, where the formulas have 0 / 0 or infinite distances
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
    # relative to the nearest one, whose weight does not underflow
    return np.asarray(np.exp(-((d - nearest) / width)))


def _gaussian(d: np.ndarray, nearest: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Factored difference of squares, against cancellation."""
    return np.asarray(np.exp(-((d - nearest) / width) * (d / width / 2 + nearest / width / 2)))


def _epanechnikov(d: np.ndarray, nearest: np.ndarray, width: np.ndarray) -> np.ndarray:
    weights, most = _parabola(d, width), _parabola(nearest, width)
    return np.where(most > 0, weights / most, 0.0)


def _parabola(d: np.ndarray, width: np.ndarray) -> np.ndarray:
    """max(1 - (d / width)^2, 0), factored: the difference of close numbers is exact."""
    # under an infinite width all have the weight 1
    left = np.where(np.isinf(width), 1.0, (width - d) / width)
    return np.asarray(np.maximum(left, 0.0) * (1 + np.minimum(d / width, 1.0)))


_KERNELS = {"shepard": _shepard, "gaussian": _gaussian, "epanechnikov": _epanechnikov}
