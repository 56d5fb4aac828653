"""Random codes: of many draws, the one whose rows, then columns, are farthest apart."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ilk_ensembles.codes.fixed import every_sparse, exhaustive, oriented
from ilk_ensembles.codes.separation import column_distances, row_distances, separation

_LISTED = 1 << 14  # columns, if there are no more, are listed and drawn from

Draw = Callable[[np.ndarray], np.ndarray]
"""Distinct random columns, those given among them."""


def possible_bits(n_classes: int, sparse: bool) -> tuple[int, int]:
    """Fewest and most columns of a code without equal rows or equal or complementary columns.

    Fewer than ``log2 C`` columns cannot tell C classes apart. There are ``2^(C-1) - 1`` ways to
    part them in two, and ``(3^C - 2^(C+1) + 1) / 2`` where some may be left out.
    """
    most = 2 ** (n_classes - 1) - 1
    if sparse:
        most = (3**n_classes - 2 ** (n_classes + 1) + 1) // 2
    return (n_classes - 1).bit_length(), most


def usual_bits(n_classes: int, sparse: bool) -> int:
    """``10 log2 C`` columns, or ``15 log2 C`` where there are zeros; no more than are possible."""
    wanted = math.ceil((15 if sparse else 10) * math.log2(n_classes))
    return min(wanted, possible_bits(n_classes, sparse)[1])


def random_code(
    n_classes: int, n_bits: int, rng: np.random.RandomState, *, sparse: bool, n_draws: int
) -> np.ndarray:
    """Draw codes and return the one of largest row separation, then column separation.

    No two columns of a draw are equal or complementary, and each has both sides. A draw where
    two classes are opposed in no column is passed over; if all are, which happens where
    `n_bits` is near ``log2 C``, draws begin with columns that part the classes.

    Parameters
    ----------
    n_classes, n_bits : int
        Within `possible_bits`.
    rng : RandomState
    sparse : bool
        An entry is 0 with probability 1/2, else -1 or 1.
    n_draws : int

    Returns
    -------
    ndarray of -1, 0 and 1, shape (C, n_bits)
    """
    draw = _drawing(n_classes, n_bits, rng, sparse=sparse)
    if n_bits == possible_bits(n_classes, sparse)[1]:
        n_draws = 1  # there is but one
    nothing = np.empty((n_classes, 0), dtype=np.int8)
    best = best_of(lambda: draw(nothing), n_draws)
    if best is None:
        best = best_of(lambda: draw(_parting(n_classes, rng)), n_draws)
    assert best is not None
    return best


def best_of(
    draw: Callable[[], np.ndarray], n_draws: int, tries: int | None = None
) -> np.ndarray | None:
    """Of n codes without constant columns, that of largest row, then column separation, not 0.

    Parameters
    ----------
    draw : callable
        Returns a code.
    n_draws : int
    tries : int, optional
        Draw on, up to so many, while there is none.

    Returns
    -------
    ndarray or None
        None where there is no such code.
    """
    best, reached = None, (0, 0)
    for number in range(max(n_draws, tries or 0)):
        if best is not None and number >= n_draws:
            break
        code = draw()
        split = (code == 1).any(axis=0) & (code == -1).any(axis=0)
        rows = separation(row_distances(code)) or 0
        if not split.all() or rows < max(reached[0], 1):
            continue
        columns = separation(column_distances(code))
        found = rows, len(code) if columns is None else columns
        if columns != 0 and found > reached:
            best, reached = code, found
    return best


def _parting(n_classes: int, rng: np.random.RandomState) -> np.ndarray:
    """As few columns as tell the classes apart: the binary digits of their shuffled numbers."""
    numbers = rng.permutation(n_classes)
    bits = numbers[:, None] >> np.arange((n_classes - 1).bit_length()) & 1
    return oriented((2 * bits - 1).astype(np.int8))


def _drawing(n_classes: int, n_bits: int, rng: np.random.RandomState, *, sparse: bool) -> Draw:
    if possible_bits(n_classes, sparse)[1] <= _LISTED:
        columns = every_sparse(n_classes) if sparse else exhaustive(n_classes)
        return _from_list(columns, n_bits, rng)
    return _from_entries(n_classes, n_bits, rng, sparse=sparse)


def _from_list(columns: np.ndarray, n_bits: int, rng: np.random.RandomState) -> Draw:
    """Without replacement, likely as their entries are: keys with Gumbel noise, the largest."""
    likely = np.log(0.5) * np.count_nonzero(columns, axis=0)
    known = {column.tobytes(): place for place, column in enumerate(columns.T.copy())}

    def draw(given: np.ndarray) -> np.ndarray:
        keys = likely + rng.gumbel(size=columns.shape[1])
        keys[[known[column.tobytes()] for column in given.T.copy()]] = np.inf
        return columns[:, np.sort(np.argpartition(-keys, n_bits - 1)[:n_bits])]

    return draw


def _from_entries(n_classes: int, n_bits: int, rng: np.random.RandomState, *, sparse: bool) -> Draw:
    """Entry by entry; columns that are there already are passed over."""
    values = np.array([-1, 1, 0, 0] if sparse else [-1, 1], dtype=np.int8)

    def draw(given: np.ndarray) -> np.ndarray:
        found = {column.tobytes(): column for column in given.T.copy()}
        while len(found) < n_bits:
            size = n_classes, n_bits - len(found)
            fresh = oriented(values[rng.randint(len(values), size=size)])
            found.update((column.tobytes(), column) for column in fresh.T.copy())
        return np.array(list(found.values())[:n_bits]).T

    return draw
