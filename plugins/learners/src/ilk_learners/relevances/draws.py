"""Rows sorted by class, those that are drawn of them, and sums over these in threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import ilk
from ilk import InputError, Param, check_seed, display_name

N_DRAWS = Param(int, ge=1, none=True, doc="Rows whose neighbours are looked at; None: all.")
_BLOCK = 32  # drawn rows that are summed up in one


class Sorted(NamedTuple):
    """Rows sorted by class.

    Attributes
    ----------
    rows, columns : ndarrays of shape (n, p) and (p, n)
        The same numbers in both layouts.
    starts : ndarray of int, shape (C + 1,)
        Where each class begins.
    paired : ndarray of int
        Rows that are not alone in their class, in the order they had.
    """

    rows: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    paired: np.ndarray


def by_class(owner: object, X: np.ndarray, y: np.ndarray) -> Sorted:
    """Sort rows by class.

    Raises
    ------
    InputError
        If no class has two rows.
    """
    order = np.argsort(y, kind="stable")
    sizes = np.bincount(y)
    place = np.empty(len(y), dtype=np.int64)
    place[order] = np.arange(len(y))
    paired = place[sizes[y] > 1]
    if not len(paired):
        raise InputError(
            f"{display_name(owner)}: y has no class of two rows, so no row has a neighbour of its "
            f"class"
        )
    rows = np.ascontiguousarray(X[order])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return Sorted(rows, np.ascontiguousarray(rows.T), starts, paired)


def draw(owner: Any, rows: np.ndarray) -> np.ndarray:
    """Return `n_draws` of some rows, no one twice; all of them if there are no more."""
    number = owner.n_draws
    if number is None or number >= len(rows):
        return rows
    return np.asarray(check_seed(owner, owner.random_state).permutation(rows)[:number])


def summed(
    add: Callable[[np.ndarray, np.ndarray], object], drawn: np.ndarray, shape: tuple[int, ...]
) -> np.ndarray:
    """Sum what `add` puts into an array for drawn rows, in threads that change no bit."""
    parts = np.zeros((-(-len(drawn) // _BLOCK), *shape))
    ilk.in_blocks(
        lambda start, stop: add(drawn[start:stop], parts[start // _BLOCK]), len(drawn), _BLOCK
    )
    return np.asarray(parts.sum(axis=0))
