"""Which rows members of an ensemble learn from: drawn with or without replacement."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_share(owner: Any, argument: str, value: float) -> None:
    """Raise a ParameterError for a share above 1; whole numbers are no shares."""
    if not isinstance(value, int | np.integer) and value > 1:
        raise owner.parameter_error(
            argument, f"must be a share of at most 1 or a whole number, got {value!r}"
        )


def how_many(share: float, n: int) -> int:
    """A share of n things, at least 1; a whole number is itself."""
    if isinstance(share, int | np.integer):
        return int(share)
    return max(round(float(share) * n), 1)


def draw_size(owner: Any, share: float, available: int, *, replace: bool, at_least: int = 1) -> int:
    """How many rows are drawn for each member; ``max_samples`` says which share.

    Parameters
    ----------
    owner : Component
        Named in errors.
    share : float or int
    available : int
        Rows there are to draw from.
    replace : bool
    at_least : int
        Where every class is to be drawn, their number.

    Raises
    ------
    ParameterError
        If there are fewer rows than are to be drawn without replacement, or fewer are to be
        drawn than there are classes.
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
        Rows there are.
    size : int
        Rows to draw; without replacement at most as many as weigh something.
    replace : bool
        With replacement each draw is independent. Without, rows come in ascending order.
    codes : ndarray of int, shape (n,), optional
        Classes to draw from in turn, each by its share of all and at least once, so that none
        is lost; `size` must not be below their number.
    weights : ndarray of shape (n,), optional
        With replacement the chance of a row is proportional to its weight, so that a row of
        weight 2 is drawn as two rows would be. Without, rows of weight 0 are left out and the
        others are drawn alike; whoever learns from them is to look at their weights.

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
    own = codes[rows]
    counts = np.bincount(own)
    heavy = weights if replace else None
    mass = np.bincount(own, None if heavy is None else heavy[rows] / heavy.max())
    ends = np.cumsum(counts)
    grouped = rows[np.argsort(own, kind="stable")]
    drawn = [
        _draw(rng, grouped[end - count : end], count, share, replace, weights)
        for count, end, share in zip(counts, ends, class_shares(mass, size), strict=True)
        if count
    ]
    found = np.concatenate(drawn)
    if not replace:
        return np.sort(found)
    rng.shuffle(found)
    return found


def class_shares(mass: np.ndarray, size: int) -> np.ndarray:
    """Divide a number of draws among classes by their mass, at least one for each.

    What whole draws leave over goes to the largest remainders. Where `size` is at most the
    total of `mass`, as without replacement, no class of whole mass gets more than it has.

    Parameters
    ----------
    mass : array of shape (C,)
        Weight, or number of cases, of each class; a class of none gets none.
    size : int
        Not below the number of classes that have some.

    Returns
    -------
    ndarray of int, shape (C,)
        Sums to `size`.
    """
    there = np.asarray(mass) > 0
    exact = np.asarray(mass, dtype=float) / np.sum(mass) * size
    shares: np.ndarray = np.maximum(np.floor(exact + 1e-9), there).astype(int)
    while (over := int(shares.sum()) - size) != 0:
        step = -1 if over > 0 else 1
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
    """Draw from some rows, which are so many; from the first ones if not told which."""
    if not replace:
        chosen = np.arange(count) if size >= count else np.sort(rng.permutation(count)[:size])
    elif weights is None:
        chosen = (rng.random_sample(size) * count).astype(np.intp)
    else:
        own = weights if rows is None else weights[rows]
        ends = np.cumsum(own / own.max())  # whose sum cannot overflow
        places = np.searchsorted(ends, rng.random_sample(size) * ends[-1], side="right")
        chosen = np.minimum(places, count - 1)
    return np.asarray(chosen if rows is None else rows[chosen])
