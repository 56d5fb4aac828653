"""Codes by name, for a number of classes; or why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ilk_ensembles.codes.bch import LENGTHS, bch_code, usual_length
from ilk_ensembles.codes.fixed import exhaustive, one_against_all, one_against_one
from ilk_ensembles.codes.random_codes import possible_bits, random_code, usual_bits

if TYPE_CHECKING:
    import numpy as np

CODES = ("ova", "ovo", "exhaustive", "dense_random", "sparse_random", "bch")
MOST = 4096
"""Columns at most."""


def named_code(owner: Any, n_classes: int, rng: np.random.RandomState) -> np.ndarray:
    """Return the code that `owner` names by ``code``, ``n_bits`` and ``n_draws``.

    Returns
    -------
    ndarray of -1, 0 and 1, shape (n_classes, L)

    Raises
    ------
    ParameterError
        If there is none for so many classes: says how many columns are possible.
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


def _exhaustive(owner: Any, n_classes: int) -> np.ndarray:
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
