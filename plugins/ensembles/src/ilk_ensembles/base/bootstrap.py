"""Draw the training rows of ensemble members, with or without replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ilk import Component


def check_share(owner: Component, argument: str, value: float) -> None:
    """Raise a ParameterError for a float above 1; whole numbers count rows and pass."""
    if not isinstance(value, int | np.integer) and value > 1:
        raise owner.parameter_error(
            argument, f"must be a share of at most 1 or a whole number, got {value!r}"
        )


def how_many(share: float, n: int) -> int:
    """Turn a share of n into a count of at least 1; a whole number is returned unchanged."""
    if isinstance(share, int | np.integer):
        return int(share)
    return max(round(float(share) * n), 1)


def draw_size(
    owner: Component, share: float, available: int, *, replace: bool, at_least: int = 1
) -> int:
    """Turn ``max_samples`` into the number of rows drawn for each member.

    Parameters
    ----------
    owner : Component
        Named in errors.
    share : float or int
    available : int
        Number of rows to draw from.
    replace : bool
    at_least : int
        Number of classes, if every class must be drawn.

    Raises
    ------
    ParameterError
        If more rows are requested than are available without replacement, or fewer rows than
        classes.
    """
    size = how_many(share, available)
    if size > available and not replace:
        raise owner.parameter_error(
            "max_samples", f"must be at most {available} without replacement, got {share!r}"
        )
    if size < at_least:
        raise owner.parameter_error(
            "max_samples",
            f"must give a row for each of {at_least} classes, got {share!r}, which is {size} of "
            f"{available} rows",
        )
    return size


def bootstrap_rows(
    rng: np.random.RandomState,
    n: int,
    size: int,
    *,
    replace: bool = True,
    codes: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Draw rows at random.

    Parameters
    ----------
    rng : RandomState
    n : int
        Number of rows to draw from.
    size : int
        Rows to draw; without replacement at most the number of rows of positive weight.
    replace : bool
        True: draws are independent. False: rows are returned in ascending order.
    codes : ndarray of int, shape (n,), optional
        Classes to draw from in turn, each in proportion to its share and at least once, so
        that no class is lost; `size` must be at least the number of classes.
    weights : ndarray of shape (n,), optional
        With replacement, the probability of a row is proportional to its weight: a row of
        weight 2 is drawn as often as two rows of weight 1. Without replacement, rows of weight
        0 are never drawn and the others are equally likely; the learner must then use the
        weights.

    Returns
    -------
    ndarray of int, shape (size,)
    """
    if codes is None:
        if weights is None:
            return _draw(rng, None, n, size, replace, None)
        rows = np.flatnonzero(weights)
        return _draw(rng, rows, len(rows), size, replace, weights)
    rows = np.arange(n) if weights is None else np.flatnonzero(weights)
    present = codes[rows]
    counts = np.bincount(present)
    # without replacement weights only exclude rows: classes are shared by their counts
    heavy = weights if replace else None
    mass = np.bincount(present, None if heavy is None else heavy[rows] / heavy.max())
    ends = np.cumsum(counts)
    grouped = rows[np.argsort(present, kind="stable")]
    drawn = [
        _draw(rng, grouped[end - count : end], count, share, replace, weights)
        for count, end, share in zip(counts, ends, class_shares(mass, size), strict=True)
        if count
    ]
    positions = np.concatenate(drawn)
    if not replace:
        return np.sort(positions)
    rng.shuffle(positions)
    return positions


def class_shares(mass: np.ndarray, size: int) -> np.ndarray:
    """Divide a number of draws among classes in proportion to their mass, at least one each.

    Largest-remainder rounding: leftover draws go to the largest remainders. Where `size` is
    at most the total of `mass`, as without replacement, no class of integer mass gets more
    draws than its mass.

    Parameters
    ----------
    mass : array of shape (C,)
        Weight, or number of cases, of each class; a class of mass 0 gets no draws.
    size : int
        At least the number of classes with positive mass.

    Returns
    -------
    ndarray of int, shape (C,)
        Sums to `size`.
    """
    there = np.asarray(mass) > 0
    exact = np.asarray(mass, dtype=float) / np.sum(mass) * size
    # the tolerance keeps whole shares whole; each class present gets at least one draw
    shares: np.ndarray = np.maximum(np.floor(exact + 1e-9), there).astype(int)
    # the rounded shares need not add up: single draws make up for it
    while (over := int(shares.sum()) - size) != 0:
        step = -1 if over > 0 else 1
        # the draw goes to, or comes from, the class farthest from its exact share
        need = np.where(shares > 1 if step < 0 else there, step * (exact - shares), -np.inf)
        shares[need.argmax()] += step
    return shares


def _draw(
    rng: np.random.RandomState,
    rows: np.ndarray | None,
    count: int,
    size: int,
    replace: bool,
    weights: np.ndarray | None,
) -> np.ndarray:
    """Draw positions from `rows`, or from ``range(n)`` where `rows` is None."""
    if not replace:
        chosen = np.arange(count) if size >= count else np.sort(rng.permutation(count)[:size])
    elif weights is None:
        # floor(uniform * n) is faster than an integer draw, and biased by less than n / 2^53
        chosen = (rng.random_sample(size) * count).astype(np.intp)
    else:
        mass = weights if rows is None else weights[rows]
        ends = np.cumsum(mass / mass.max())  # scaled, so that the sum cannot overflow
        # inversion of the cumulative weights; `side` skips rows of weight 0
        places = np.searchsorted(ends, rng.random_sample(size) * ends[-1], side="right")
        chosen = np.minimum(places, count - 1)
    return np.asarray(chosen if rows is None else rows[chosen])
