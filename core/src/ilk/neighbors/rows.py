"""Blocks of rows, and tiles of distances, in the form for compiled kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

FEW_ROWS = 4  # queries up to which rows need not be transposed for squared Euclidean distances
UNROLLED = 4  # features in one turn of a kernel's loop
MAX_FLOAT32_FEATURES = 2048  # number of features above which sums in float32 lose too many digits


@dataclass(frozen=True)
class Rows:
    """Some rows of a data set, prepared for comparison.

    Attributes
    ----------
    values : ndarray of shape (n, n_features)
        The numbers to compare, feature by feature.
    given : ndarray of shape (n, n_features)
        The original rows.
    extras : dict of ndarray of shape (n,)
        Numbers of each row: sums, logarithms.
    """

    values: np.ndarray
    given: np.ndarray
    extras: dict[str, np.ndarray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def padded(self) -> np.ndarray:
        """The rows (at least two), zero-padded to a multiple of four features."""
        n, p = self.values.shape
        if n > 1 and p % UNROLLED == 0:
            return np.ascontiguousarray(self.values)
        padded = np.zeros((max(n, 2), padded_width(p)), dtype=self.values.dtype)
        padded[:n, :p] = self.values
        return padded

    @cached_property
    def columns(self) -> np.ndarray:
        """The transposed rows, with the same padding: a feature's values are contiguous."""
        n, p = self.values.shape
        columns = np.zeros((padded_width(p), n), dtype=self.values.dtype)
        columns[:p] = self.values.T
        return columns


@dataclass(frozen=True)
class Tile:
    """A rectangle of a matrix of distances.

    Attributes
    ----------
    matrix : ndarray of shape (n, m)
        Contiguous.
    row, column : int
        First row and column of the rectangle.
    shape : (int, int)
    """

    matrix: np.ndarray
    row: int
    column: int
    shape: tuple[int, int]

    @property
    def view(self) -> np.ndarray:
        """The rectangle as a view of the matrix."""
        n, m = self.shape
        return self.matrix[self.row : self.row + n, self.column : self.column + m]


Kernel = Callable[[np.ndarray, np.ndarray, np.ndarray, int, int], Any]
"""Fills ``out[base + i * stride + j]`` for the rows i of X, (n, p), and the columns j of YT,
(p, m): n is at least 2, p a multiple of 4, and ``out`` a flat matrix of `stride` columns."""


def fill_tile(kernel: Kernel, X: Rows, Y: Rows, tile: Tile) -> None:
    """Fill a tile by a kernel for each row of X and each row of Y."""
    from ilk.neighbors import sums

    if kernel is sums.squared_euclidean and len(X) <= FEW_ROWS and len(Y) >= 2 * UNROLLED:
        sums.few_squares(np.ascontiguousarray(X.values), np.ascontiguousarray(Y.values), tile.view)
    elif len(X) > 1:
        width = tile.matrix.shape[1]
        start = tile.row * width + tile.column
        kernel(X.padded, Y.columns, tile.matrix.reshape(-1), start, width)
    else:
        # kernels take two rows at a time: the second one repeats the padding and is dropped
        both = np.empty((2, len(Y)), dtype=tile.matrix.dtype)
        kernel(X.padded, Y.columns, both.reshape(-1), 0, len(Y))
        tile.view[...] = both[:1]


def padded_width(n_features: int) -> int:
    """Return the number of features of zero-padded rows: a multiple of four."""
    return -(-n_features // UNROLLED) * UNROLLED
