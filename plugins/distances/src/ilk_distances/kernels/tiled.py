"""Matrices of kernel values, computed tile by tile within the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import ilk
from ilk.neighbors import MAX_FLOAT32_FEATURES, Rows, Tile, fill_tile

if TYPE_CHECKING:
    from collections.abc import Callable


def apply(function: Callable[[np.ndarray], np.ndarray], D: np.ndarray) -> np.ndarray:
    """Replace the numbers of a matrix by a function of them, in place.

    The function receives some rows at a time, and may overwrite them.
    """
    m = max(D.shape[1], 1)
    step = max(_CACHED // m, 1)

    def work(start: int, stop: int) -> None:
        for first in range(start, stop, step):
            rows = D[first : min(first + step, stop)]
            values = function(rows)
            if values is not rows:
                rows[...] = values

    ilk.in_blocks(work, len(D), max(_SHARE // m, 1))
    return D


def can_tile(X: np.ndarray, Y: np.ndarray, sigma: float) -> bool:
    """Tell whether squares that underflow or overflow do not affect a Gaussian."""
    if not (isinstance(X, np.ndarray) and isinstance(Y, np.ndarray)):  # sparse
        return False
    if X.dtype == Y.dtype == np.float32:
        return X.shape[1] <= MAX_FLOAT32_FEATURES and 1e-10 < sigma < 1e16
    return 1e-120 < sigma < 1e140


def gaussians(X: np.ndarray, Y: np.ndarray, sigma: float) -> np.ndarray:
    """``exp(-|x - y|^2 / (2 sigma^2))`` of every row of X and of Y, from differences.

    Entries are computed independently: they depend neither on other entries nor on threads.

    Returns
    -------
    ndarray of shape (n, m)
        float32 if both are.
    """
    from ilk.neighbors import squared_euclidean

    dtype = np.float32 if X.dtype == Y.dtype == np.float32 else np.float64
    # in two divisions: sigma^2 might underflow or overflow
    factor = dtype(-0.5 / sigma / sigma)
    K = np.empty((len(X), len(Y)), dtype)

    width = max(min(_NUMBERS // max(X.shape[1], 1), _WIDEST), 32)
    firsts = range(0, len(Y), width)
    parts = [np.asarray(Y[first : first + width], dtype) for first in firsts]
    tiles = [(first, Rows(part, part)) for first, part in zip(firsts, parts, strict=True)]

    def work(start: int, stop: int) -> None:
        given = np.asarray(X[start:stop], dtype)
        rows = Rows(given, given)
        scratch = np.empty(len(rows) * min(width, len(Y)), dtype)
        for first, columns in tiles:
            shape = len(rows), len(columns)
            D = scratch[: shape[0] * shape[1]].reshape(shape)
            with np.errstate(over="ignore", under="ignore"):
                fill_tile(squared_euclidean, rows, columns, Tile(D, 0, 0, shape))
                D *= factor
                np.exp(D, out=K[start:stop, first : first + shape[1]])

    threads = 1 if K.size <= _BRIEF else ilk.n_threads()
    ilk.in_blocks(work, len(X), max(min(_ROWS, -(-len(X) // threads)), 2))
    return K


_ROWS, _WIDEST = 128, 384  # shape of a reused tile that stays in the cache
_NUMBERS = 3 * 2**13  # numbers of Y in a tile: they stay in the cache
_CACHED = 2**15  # numbers replaced at a time: they stay in the cache
_SHARE = 2**20  # numbers in a thread's block: large beside the cost of its start
_BRIEF = 2**12  # Gaussians that take about as long as the start of a thread
