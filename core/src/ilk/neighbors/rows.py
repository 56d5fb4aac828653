"""Blocks of rows as compiled kernels take them, and the tile of distances they fill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

UNROLLED = 4  # features a kernel takes at once
LONG = 2048  # features from which sums of float32 would lose digits


@dataclass(frozen=True)
class Rows:
    """Some rows of a data set, made ready to be compared.

    Attributes
    ----------
    values : ndarray of shape (n, n_features)
        What is compared, feature by feature.
    given : ndarray of shape (n, n_features)
        The rows as they came.
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
        """The rows, at least two, with zeros after the last feature up to a multiple of four."""
        n, p = self.values.shape
        if n > 1 and p % UNROLLED == 0:
            return np.ascontiguousarray(self.values)
        padded = np.zeros((max(n, 2), _padded(p)), dtype=self.values.dtype)
        padded[:n, :p] = self.values
        return padded

    @cached_property
    def columns(self) -> np.ndarray:
        """The rows transposed, padded likewise: points lie side by side."""
        n, p = self.values.shape
        columns = np.zeros((_padded(p), n), dtype=self.values.dtype)
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
        Where the rectangle begins.
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
"""Fills ``out[base + i * stride + j]`` for the rows i of X (an even number of features, two
rows at least) and the columns j of YT."""


def fill(kernel: Kernel, X: Rows, Y: Rows, tile: Tile) -> None:
    """Let a kernel fill a tile with what it makes of each row of X and each of Y."""
    if len(X) > 1:
        width = tile.matrix.shape[1]
        start = tile.row * width + tile.column
        kernel(X.padded, Y.columns, tile.matrix.reshape(-1), start, width)
    else:
        both = np.empty((2, len(Y)), dtype=tile.matrix.dtype)
        kernel(X.padded, Y.columns, both.reshape(-1), 0, len(Y))
        tile.view[...] = both[:1]


def _padded(n_features: int) -> int:
    return -(-n_features // UNROLLED) * UNROLLED
