"""How far the rows and the columns of a code matrix are from each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def row_distances(code: np.ndarray) -> np.ndarray:
    """In how many columns two classes are on opposite sides.

    Without zeros that is the Hamming distance of their code words; with zeros, the number of
    members that learn to tell the two apart.

    Parameters
    ----------
    code : ndarray of -1, 0 and 1, shape (C, L)

    Returns
    -------
    ndarray of int, shape (C, C)
    """
    distances = np.zeros((len(code), len(code)), dtype=np.intp)
    for plus, minus in _sides(code):
        distances += np.bitwise_count(plus[:, None] & minus | minus[:, None] & plus)
    return distances


def column_distances(code: np.ndarray) -> np.ndarray:
    """In how many classes two columns differ, or one from the other's complement if that is less.

    Columns at distance 0 ask for the same member.

    Returns
    -------
    ndarray of int, shape (L, L)
    """
    n_bits = code.shape[1]
    equal = np.zeros((n_bits, n_bits), dtype=np.intp)
    complement = np.zeros_like(equal)
    for plus, minus in _sides(code.T):
        equal += np.bitwise_count((plus[:, None] ^ plus) | (minus[:, None] ^ minus))
        complement += np.bitwise_count((plus[:, None] ^ minus) | (minus[:, None] ^ plus))
    return np.minimum(equal, complement)


def separation(distances: np.ndarray) -> int | None:
    """Least of the distances between two; None where there is one alone."""
    if len(distances) < 2:
        return None
    return int(distances[~np.eye(len(distances), dtype=bool)].min())


def _sides(rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Eight entries of each row at a time, as bits: which are 1, and which are -1."""
    plus, minus = (np.packbits(rows == side, axis=1).T for side in (1, -1))
    return zip(plus, minus, strict=True)
