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
    _check("gram_blocks", kernel, block_bytes=block_bytes)
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
    V, m = np.asarray(V), ilk.n_rows(X if Y is None else Y)
    if V.ndim not in {1, 2} or len(V) != m or V.dtype.kind not in "biuf":
        raise ilk.InputError(
            f"gram_product: V must have one number, or one row of numbers, for each of {m} rows, "
            f"got shape {V.shape} and type {V.dtype}"
        )
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
        _check("GramRows", kernel, cache_bytes=cache_bytes)
        self.kernel = kernel
        self.X = X
        self.diagonal = np.asarray(kernel.diagonal(X))
        self.n_computed = 0
        self._room = max(cache_bytes // max(self.diagonal.itemsize * len(self), 1), 1)
        self._kept: OrderedDict[int, np.ndarray] = OrderedDict()

    def __len__(self) -> int:
        return len(self.diagonal)

    def __getitem__(self, rows: Any) -> np.ndarray:
        """One row, for its number; or several as a new array, for numbers, a slice or a mask."""
        numbers = np.arange(len(self))[rows]  # as numpy has it, errors included
        if numbers.ndim > 1:
            raise IndexError(f"rows must be a number or a sequence of numbers, got {rows!r}")
        if numbers.ndim == 0:
            return self._of([int(numbers)])[0]
        return np.array(self._of(numbers.tolist())).reshape(-1, len(self))

    def _of(self, numbers: list[int]) -> list[np.ndarray]:
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


def _check(name: str, kernel: Any, **sizes: Any) -> None:
    """Raise unless a kernel is one, and sizes are whole numbers of at least 1."""
    if getattr(kernel, "kind", None) != "kernel":
        raise ilk.InputTypeError(f"{name}: kernel must be a fitted kernel, got {kernel!r}")
    for argument, size in sizes.items():
        problem = ilk.Param(int, ge=1).problem(size)
        if problem:
            raise ilk.InputError(f"{name}: {argument} {problem}")


def part(X: Any, rows: slice) -> Any:
    """Consecutive rows of an array, sparse matrix, data frame or list."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
