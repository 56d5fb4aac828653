"""How much the vote of a neighbour weighs, by its distance."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ilk import Param

Vote = Literal["majority", "inverse_distance", "shepard", "gaussian", "epanechnikov"]
Width = float | Literal["next_neighbor", "last_neighbor"]
ZeroDistance = Literal["decides", "votes"]

_BY_WIDTH = ("shepard", "gaussian", "epanechnikov")
VOTE = Param(choices=("majority", "inverse_distance", *_BY_WIDTH), doc="Weight of a vote.")
POWER = Param(float, gt=0, doc="Exponent of inverse distances.")
WIDTH = Param(
    float,
    gt=0,
    choices=("next_neighbor", "last_neighbor"),
    doc="Of the other weights: a distance, or that of the first row that has no vote, or of the "
    "last that has one.",
)
ZERO_DISTANCE = Param(
    choices=("decides", "votes"), doc="Whether rows at distance zero silence the others."
)


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
        See `ilk_learners.nearest.Nearest`.
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
