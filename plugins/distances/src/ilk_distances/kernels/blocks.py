"""Gram matrices that need not fit into memory: block by block, row by row, or as a product."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

import ilk

BLOCK_BYTES = 32 * 2**20


def gram_blocks(
    kernel: Any, X: Any, Y: Any = None, *, block_bytes: int = BLOCK_BYTES
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield a Gram matrix in blocks of whole rows, in order.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X, Y : data of n and m rows
        Y is X itself if left out.
    block_bytes : int
        Bound on the bytes of a block of float64 (but a block has at least one row).

    Yields
    ------
    rows : slice
        Which rows of X.
    block : ndarray of shape (len(rows), m)

    Examples
    --------
    >>> import ilk, numpy as np
    >>> X = np.arange(6.0)[:, None]
    >>> for rows, block in gram_blocks(ilk.kernel("linear"), X, block_bytes=4 * 6 * 8):
    ...     print(rows, block.sum())
    slice(0, 4, None) 90.0
    slice(4, 6, None) 135.0
    """
    Y = X if Y is None else Y
    n, step = ilk.n_rows(X), max(block_bytes // (8 * max(ilk.n_rows(Y), 1)), 1)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        yield rows, np.asarray(kernel.gram(part(X, rows), Y))


def gram_product(
    kernel: Any, X: Any, V: Any, Y: Any = None, *, block_bytes: int = BLOCK_BYTES
) -> np.ndarray:
    """Multiply a Gram matrix by a vector or matrix without holding it.

    It is what decision functions, conjugate gradients and means in the feature space need.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X, Y : data of n and m rows
    V : array of shape (m,) or (m, r)
    block_bytes : int

    Returns
    -------
    ndarray of shape (n,) or (n, r)

    Examples
    --------
    >>> import ilk
    >>> gram_product(ilk.kernel("linear"), [[1.0], [2.0]], [1.0, 1.0])
    array([3., 6.])
    """
    V = np.asarray(V)
    blocks = gram_blocks(kernel, X, Y, block_bytes=block_bytes)
    return np.concatenate([block @ V for _, block in blocks])


class GramRows:
    """Rows of a Gram matrix on demand; those used last are kept.

    A solver that works on a few rows at a time (SMO) asks for the same ones again and again.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X : data of n rows
    cache_bytes : int
        Bound on the bytes of the rows that are kept (but one row always is).

    Attributes
    ----------
    diagonal : ndarray of shape (n,)
        k(x, x) of every row.
    n_computed : int
        How many rows have been computed so far.

    Examples
    --------
    >>> import ilk
    >>> rows = GramRows(ilk.kernel("linear"), [[1.0], [2.0], [3.0]])
    >>> rows[[0, 2]]
    array([[1., 2., 3.],
           [3., 6., 9.]])
    >>> rows[2], rows.n_computed
    (array([3., 6., 9.]), 2)
    """

    def __init__(self, kernel: Any, X: Any, *, cache_bytes: int = 8 * BLOCK_BYTES) -> None:
        self.kernel = kernel
        self.X = X
        self.diagonal = np.asarray(kernel.diagonal(X))
        self.n_computed = 0
        self._room = max(cache_bytes // max(self.diagonal.itemsize * len(self), 1), 1)
        self._kept: OrderedDict[int, np.ndarray] = OrderedDict()

    def __len__(self) -> int:
        return len(self.diagonal)

    def __getitem__(self, rows: Any) -> np.ndarray:
        """One row, for its number; or several as a new array, for a sequence of numbers."""
        if isinstance(rows, int | np.integer):
            return self._of([rows])[0]
        return np.stack(self._of(rows))

    def _of(self, rows: Any) -> list[np.ndarray]:
        numbers = [self._checked(row) for row in rows]
        found = {i: self._kept[i] for i in numbers if i in self._kept}
        missing = [i for i in dict.fromkeys(numbers) if i not in found]
        if missing:
            block = np.asarray(self.kernel.gram(ilk.take(self.X, np.array(missing)), self.X))
            self.n_computed += len(missing)
            found.update((i, row.copy()) for i, row in zip(missing, block, strict=True))
        for i in dict.fromkeys(numbers):
            found[i].flags.writeable = False  # it is handed out more than once
            self._kept[i] = found[i]
            self._kept.move_to_end(i)
        while len(self._kept) > self._room:
            self._kept.popitem(last=False)
        return [found[i] for i in numbers]

    def _checked(self, row: Any) -> int:
        n = len(self)
        if not -n <= row < n:
            raise IndexError(f"row {row} of a Gram matrix of {n} rows")
        return int(row) % n


def part(X: Any, rows: slice) -> Any:
    """Consecutive rows of an array, sparse matrix, data frame or list."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
