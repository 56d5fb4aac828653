"""Widths of kernels taken from training data, as all kernels of a distance do it."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2
from typing import Any

import numpy as np

import ilk

_PAIRS = 2**22  # distances held at once


def measured(
    owner: Any, distance: Any, X: Any, how: str, n_neighbors: int, *, argument: str, power: int = 2
) -> float:
    """Return the width that training rows suggest.

    Parameters
    ----------
    owner : Component
        Named in errors.
    distance : Distance
        Fitted.
    X : data of n rows
        As `distance.check_input` returns it.
    how : {"mean_distance", "neighbors"}
        The root of the mean of ``d^power`` over the pairs of different rows, or the mean of
        ``d^(power / 2)`` to the `n_neighbors` nearest other rows.
    n_neighbors : int
    argument : str
        What the width is called.
    power : {1, 2}
        What makes a distance the square of something: 2, or 1 if it is a square already.

    Raises
    ------
    InputError
        If there are fewer than two rows, or all are equal, or a distance is not finite.
    """
    name, n = ilk.display_name(owner), ilk.n_rows(X)
    if n < 2:
        raise ilk.InputError(f"{name}: {argument} {how!r} needs at least 2 rows of X, got {n}")
    if how == "mean_distance":
        width = _root_of_mean(distance, X, n, power)
    else:
        near = neighbor_distances(distance, X, min(int(n_neighbors), n - 1))
        width = float((near if power == 2 else np.sqrt(near)).mean(dtype=float))
    if width == 0:
        raise ilk.InputError(
            f"{name}: {argument} {how!r} is 0, as every row of X has the rows it is compared "
            f"with at distance 0; give {argument} as a number"
        )
    if not np.isfinite(width):
        raise ilk.InputError(f"{name}: {argument} {how!r} is {width}: a distance is not finite")
    return width


def neighbor_distances(distance: Any, X: Any, k: int) -> np.ndarray:
    """Distances of the n rows to their k nearest other rows, as an array of n * k values."""
    D, indices = distance.kneighbors(X, X, k + 1)
    own = indices == np.arange(len(D))[:, None]
    own[~own.any(axis=1), -1] = True  # a row pushed out by k + 1 others that are as near
    return np.asarray(D[~own])


def mean_local_width(distance: Any, X: Any) -> float:
    """Root of the mean over the rows of sigma_i^2, the mean squared distance to a few others.

    They are the nearest ``max(1, floor(k / 2))`` other rows with ``k = floor(log2 n)``.
    """
    n = ilk.n_rows(X)
    near = neighbor_distances(distance, X, max(int(log2(n)) // 2, 1))
    unit = float(near.max()) or 1.0  # squares stay in range
    return float(unit * np.sqrt(np.mean(np.square(near / unit), dtype=float)))


def row_blocks(n: int, size: int) -> Iterator[np.ndarray]:
    """Yield the numbers of n rows, `size` at a time."""
    for start in range(0, n, size):
        yield np.arange(start, min(start + size, n))


def _root_of_mean(distance: Any, X: Any, n: int, power: int) -> float:
    """Root of the mean power of the distance over the pairs of different rows."""
    unit = float(distance.pairwise(ilk.take(X, [0]), X).max()) or 1.0  # squares stay in range
    if not np.isfinite(unit):
        return unit
    total, n_pairs = 0.0, 0
    for rows in row_blocks(n, max(_PAIRS // n, 1)):
        first = int(rows[0]) if distance.symmetric else 0
        D = distance.pairwise(ilk.take(X, rows), ilk.take(X, np.arange(first, n)))
        D = np.asarray(D, dtype=float)
        if distance.symmetric:
            D = D[np.triu_indices(len(D), 1, D.shape[1])]
        else:
            D = D[rows[:, None] != np.arange(n)]
        D = D / unit
        total += float(D @ D) if power == 2 else float(D.sum())
        n_pairs += len(D)
    return (unit if power == 2 else float(np.sqrt(unit))) * float(np.sqrt(total / n_pairs))
