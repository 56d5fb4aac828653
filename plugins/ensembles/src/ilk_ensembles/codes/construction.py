"""Build code matrices by name; random codes are searched for large separation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk_ensembles.codes.bch import LENGTHS, bch_code, usual_length
from ilk_ensembles.codes.matrices import (
    best_of,
    every_sparse,
    exhaustive,
    one_against_all,
    one_against_one,
    oriented,
    possible_bits,
    usual_bits,
)

if TYPE_CHECKING:
    from ilk import Component

_LISTED = 1 << 14  # up to so many possible columns are enumerated and drawn from
_CELLS = 1 << 20  # numbers drawn at a time
Draw = Callable[[np.ndarray, int], np.ndarray]
"""Draws codes, of shape (k, C, L), of distinct random columns that include the given ones."""
CODES = ("ova", "ovo", "exhaustive", "dense_random", "sparse_random", "bch")
MOST = 4096
"""Maximum number of columns."""


def random_code(
    n_classes: int, n_bits: int, rng: np.random.RandomState, *, sparse: bool, n_draws: int
) -> np.ndarray:
    """Draw codes and return the one of largest row separation, then column separation.

    No two columns of a draw are equal or complementary, and each column has both sides. A draw
    is rejected if two classes are opposed in no column. If all draws are rejected, as happens
    for `n_bits` near ``log2 C``, draws start from columns that separate all classes.

    Parameters
    ----------
    n_classes, n_bits : int
        In the range of `possible_bits`.
    rng : RandomState
    sparse : bool
        An entry is 0 with probability 1/2, else -1 or 1.
    n_draws : int

    Returns
    -------
    ndarray of -1, 0 and 1, shape (C, n_bits)
    """
    draw, block = _drawing(n_classes, n_bits, rng, sparse=sparse)
    if n_bits == possible_bits(n_classes, sparse)[1]:
        n_draws = 1  # only one code exists
    nothing = np.empty((n_classes, 0), dtype=np.int8)
    best = best_of(lambda k: draw(nothing, k), n_draws, block=block)
    # random columns may not separate many classes: let a few that do lead each draw
    if best is None:
        best = best_of(lambda k: draw(_parting(n_classes, rng), k), n_draws)
    assert best is not None
    return best


def _parting(n_classes: int, rng: np.random.RandomState) -> np.ndarray:
    """The fewest columns that separate the classes: binary digits of their shuffled numbers."""
    numbers = rng.permutation(n_classes)
    bits = numbers[:, None] >> np.arange((n_classes - 1).bit_length()) & 1
    return oriented((2 * bits - 1).astype(np.int8))


def _drawing(
    n_classes: int, n_bits: int, rng: np.random.RandomState, *, sparse: bool
) -> tuple[Draw, int]:
    """How to draw, and how many codes at a time."""
    if possible_bits(n_classes, sparse)[1] <= _LISTED:
        columns = every_sparse(n_classes) if sparse else exhaustive(n_classes)
        return _from_list(columns, n_bits, rng), max(_CELLS // columns.shape[1], 1)
    return _from_entries(n_classes, n_bits, rng, sparse=sparse), 1


def _from_list(columns: np.ndarray, n_bits: int, rng: np.random.RandomState) -> Draw:
    """Draw listed columns without replacement by the Gumbel trick: the smallest noisy keys."""
    # log probability of a column up to a constant: entries are 0 with 1/2, -1 and 1 with 1/4 each
    likely = np.log(0.5) * np.count_nonzero(columns, axis=0)
    alike = (likely == likely[0]).all()
    known = {column.tobytes(): place for place, column in enumerate(columns.T.copy())}

    def draw(given: np.ndarray, k: int) -> np.ndarray:
        size = k, columns.shape[1]
        # Gumbel's numbers fall with the uniform ones that they are made of: the same choice
        keys = rng.random_sample(size) if alike else -likely - rng.gumbel(size=size)
        # given columns come first
        keys[:, [known[column.tobytes()] for column in given.T.copy()]] = -np.inf
        chosen = np.sort(np.argpartition(keys, n_bits - 1)[:, :n_bits])
        return columns[:, chosen].swapaxes(0, 1)

    return draw


def _from_entries(n_classes: int, n_bits: int, rng: np.random.RandomState, *, sparse: bool) -> Draw:
    """Draw columns entry by entry; reject duplicates."""
    # of sparse codes, half of the entries are 0
    values = np.array([-1, 1, 0, 0] if sparse else [-1, 1], dtype=np.int8)

    def one(given: np.ndarray) -> np.ndarray:
        # each column once, in the order of arrival: the given ones first
        columns_by_bytes = {column.tobytes(): column for column in given.T.copy()}
        while len(columns_by_bytes) < n_bits:
            size = n_classes, n_bits - len(columns_by_bytes)
            fresh = oriented(values[rng.randint(len(values), size=size)])
            columns_by_bytes.update((column.tobytes(), column) for column in fresh.T.copy())
        return np.array(list(columns_by_bytes.values())[:n_bits]).T

    return lambda given, k: np.stack([one(given) for _ in range(k)])


def named_code(owner: Any, n_classes: int, rng: np.random.RandomState) -> np.ndarray:
    """Build the code that `owner` specifies by ``code``, ``n_bits`` and ``n_draws``.

    Returns
    -------
    ndarray of -1, 0 and 1, shape (n_classes, L)

    Raises
    ------
    ParameterError
        If none exists for this number of classes; states how many columns are possible.
    """
    if owner.code == "ova":
        return one_against_all(n_classes)
    if owner.code == "ovo":
        return one_against_one(n_classes)
    if owner.code == "exhaustive":
        return _exhaustive(owner, n_classes)
    if owner.code == "bch":
        return _bch(owner, n_classes, rng)
    return _random(owner, n_classes, rng)


def _exhaustive(owner: Component, n_classes: int) -> np.ndarray:
    n_bits = 2 ** (n_classes - 1) - 1
    if n_bits > MOST:
        raise owner.parameter_error(
            "code",
            f"must not be 'exhaustive' for {n_classes} classes, there would be {n_bits} "
            f"columns; take 'dense_random' or 'bch'",
        )
    return exhaustive(n_classes)


def _random(owner: Any, n_classes: int, rng: np.random.RandomState) -> np.ndarray:
    sparse = owner.code == "sparse_random"
    least, most = possible_bits(n_classes, sparse)
    n_bits = usual_bits(n_classes, sparse) if owner.n_bits is None else owner.n_bits
    if not least <= n_bits <= most:
        raise owner.parameter_error(
            "n_bits",
            f"must be from {least} to {most} for {n_classes} classes, if neither rows nor "
            f"columns are to be equal, got {n_bits}",
        )
    return random_code(n_classes, n_bits, rng, sparse=sparse, n_draws=owner.n_draws)


def _bch(owner: Any, n_classes: int, rng: np.random.RandomState) -> np.ndarray:
    possible = [n for n in LENGTHS if n <= possible_bits(n_classes, sparse=False)[1]]
    if not possible:
        raise owner.parameter_error(
            "code",
            f"must not be 'bch' for {n_classes} classes: even {LENGTHS[0]} bits would make "
            f"equal columns; take 'exhaustive'",
        )
    n_bits = owner.n_bits
    if n_bits is None:
        n_bits = min(usual_length(n_classes), possible[-1])
    if n_bits not in possible:
        raise owner.parameter_error(
            "n_bits", f"must be one of {possible} for {n_classes} classes, got {n_bits}"
        )
    code = bch_code(n_classes, n_bits, rng, n_draws=owner.n_draws)
    if code is None:
        raise owner.parameter_error(
            "n_bits",
            f"must be another for {n_classes} classes: no {n_classes} words of a BCH code of "
            f"{n_bits} bits were found whose columns all differ",
        )
    return code
