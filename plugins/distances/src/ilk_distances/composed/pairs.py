"""Pairs of training rows: some of all there are, of equal and of different classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import ilk

N_PAIRS = ilk.Param(int, ge=2, doc="At most about how many pairs of training rows are compared.")
SHARED = 16  # pairs that share a row, so that distances are computed several at a time


class Pairs(NamedTuple):
    """Positions of two rows each, those of one first row together; whether their classes differ."""

    first: np.ndarray
    second: np.ndarray
    differ: np.ndarray


def any_pairs(n: int, n_pairs: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of n rows, or about `n_pairs` of them drawn at random, none twice from one row."""
    if n * (n - 1) // 2 <= n_pairs:
        return np.triu_indices(n, 1)
    first = _first(np.arange(n), n_pairs, rng)
    second = rng.randint(n - 1, size=len(first))
    return first, second + (second >= first)


def labelled_pairs(
    owner: object, codes: np.ndarray, n_pairs: int, rng: np.random.RandomState
) -> Pairs:
    """All pairs of rows, or about `n_pairs` drawn at random, half of them of equal class.

    Raises
    ------
    InputError
        If no class has two rows.
    """
    n, counts = len(codes), np.bincount(codes)
    if counts.max() < 2:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: y has no class of two rows, so there is no pair of equal "
            f"class to learn from"
        )
    if n * (n - 1) // 2 <= n_pairs:
        first, second = np.triu_indices(n, 1)
        return Pairs(first, second, codes[first] != codes[second])
    order = np.argsort(codes, kind="stable")
    place = np.empty(n, dtype=int)
    place[order] = np.arange(n)
    begin = np.cumsum(counts) - counts
    alike = _first(np.flatnonzero(counts[codes] > 1), n_pairs // 2, rng)
    within = place[alike] - begin[codes[alike]]
    step = 1 + rng.randint(0, counts[codes[alike]] - 1)
    same = order[begin[codes[alike]] + (within + step) % counts[codes[alike]]]
    unlike = _first(np.arange(n), n_pairs // 2, rng)
    own = codes[unlike]
    other = order[(begin[own] + counts[own] + rng.randint(0, n - counts[own])) % n]
    return Pairs(
        np.concatenate([alike, unlike]),
        np.concatenate([same, other]),
        np.repeat([False, True], [len(alike), len(unlike)]),
    )


def _first(rows: np.ndarray, n_pairs: int, rng: np.random.RandomState) -> np.ndarray:
    """First rows of pairs: some of the rows given, each several times."""
    size = min(len(rows), -(-n_pairs // SHARED))
    chosen = np.sort(rng.choice(rows, size, replace=False))
    return np.repeat(chosen, max(n_pairs // size, 1))


def distances_of(distance: Any, X: Any, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Distances of pairs of rows, computed together where they share the first."""
    if not len(first):  # there is one row
        return np.zeros(0)
    rows, columns = np.unique(first), np.unique(second)
    if len(rows) * len(columns) <= _SPARE * len(first):
        D = distance.pairwise(ilk.take(X, rows), ilk.take(X, columns))
        return np.asarray(D[np.searchsorted(rows, first), np.searchsorted(columns, second)])
    found = np.empty(len(first))
    ends = np.flatnonzero(np.diff(first)) + 1
    for start, stop in zip([0, *ends], [*ends, len(first)], strict=True):
        one, others = ilk.take(X, first[start : start + 1]), ilk.take(X, second[start:stop])
        found[start:stop] = distance.pairwise(one, others)[0]
    return found


_SPARE = 4  # distances for each wanted one, up to which a whole matrix is computed
