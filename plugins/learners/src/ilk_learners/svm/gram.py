"""The Gram matrix of training rows, by matrix products where that is exact enough."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ilk import InputError, display_name, n_rows, take
from ilk_learners.svm.definiteness import IndefiniteKernelWarning, is_definite
from ilk_learners.svm.known import known_kernel

_CELLS = 2**22  # kernel values at a time: 32 MiB
_ROWS = 128  # at a time: their part of the matrix stays in the cache
_ERROR = 1e-11  # of an entry that is accepted for the sake of speed


def checked_gram(owner: Any, kernel: Any, X: Any) -> np.ndarray:
    """Gram matrix of training rows, within the owner's `memory` and fit for its solver.

    Parameters
    ----------
    owner : Component
        Has `memory`, in mebibytes, and `solver`; named in errors.
    kernel : Kernel
        Fitted.
    X : data of n rows

    Raises
    ------
    InputError
        If it is too large, or not finite; for solver="qp" also if it is indefinite.

    Warns
    -----
    IndefiniteKernelWarning
        If it is not positive semi-definite.
    """
    name, n, own = display_name(owner), n_rows(X), display_name(kernel)
    if exceeds_memory(owner, n):
        raise InputError(
            f"{name}: the Gram matrix of {n} rows under the kernel {own} takes "
            f"{8 * n * n / 2**20:.3g} MiB, more than memory={owner.memory:g}; raise memory"
        )
    K = gram_matrix(kernel, X)
    with np.errstate(over="ignore", invalid="ignore"):
        total = K.sum()  # finite unless a value is not, or the sum overflows
    if not np.isfinite(total) and not np.isfinite(K).all():
        i, j = np.argwhere(~np.isfinite(K))[0]
        raise InputError(
            f"{name}: the kernel {own} of rows {i} and {j} is {K[i, j]}; standardize X first"
        )
    if not is_definite(kernel, K):
        message = (
            f"{name}: the kernel {own} is not positive semi-definite on these rows, so that a "
            f"solution need not be the best; the kernel substitution repairs it"
        )
        if owner.solver == "qp":
            raise InputError(message)
        warnings.warn(message, IndefiniteKernelWarning, stacklevel=3)
    return K


def exceeds_memory(owner: Any, n: int) -> bool:
    """Tell whether the Gram matrix of n rows is larger than the owner's `memory`."""
    return bool(8 * n * n > owner.memory * 2**20)


def products(kernel: Any, X: Any, support: Any, coef: np.ndarray) -> np.ndarray:
    """Kernel values of rows with support vectors, times coefficients: 32 MiB of them at a time.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X, support : data of m and s rows
    coef : ndarray of shape (s,) or (s, k)

    Returns
    -------
    ndarray of shape (m,) or (m, k)
    """
    values = np.zeros((n_rows(X), *coef.shape[1:]))
    step = max(_CELLS // max(len(coef), 1), 1)
    for start in range(0, len(values) if len(coef) else 0, step):
        part = np.arange(start, min(start + step, len(values)))
        K = kernel.gram(take(X, part), support)
        values[part] = np.asarray(K, dtype=float) @ coef
    return values


def gram_matrix(kernel: Any, X: Any) -> np.ndarray:
    """Kernel values of all rows with one another.

    The radial basis function kernel over the Euclidean distance is made from products of rows,
    less their mean; unless these are so large beside its width that cancellation would show.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X : data of n rows

    Returns
    -------
    ndarray of shape (n, n), float64, C-contiguous
        Symmetric to the last bit.
    """
    known = known_kernel(kernel)
    if known is not None and known.name == "rbf" and isinstance(X, np.ndarray):
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            rows = known.rows(X)
            rows = rows - rows.mean(axis=0)
            squares = known.gamma * np.einsum("ip,ip->i", rows, rows)
        if 4 * squares.max() * np.finfo(float).eps < _ERROR:
            return _radial(rows, squares, known.gamma)
    return np.ascontiguousarray(kernel.gram(X), dtype=float)


def _radial(rows: np.ndarray, squares: np.ndarray, gamma: float) -> np.ndarray:
    """Make the squared distances of a block of rows in one product."""
    n, one = len(rows), np.ones((len(rows), 1))
    left = np.hstack([rows * (2 * gamma), -squares[:, None], one])
    right = np.hstack([rows, one, -squares[:, None]])
    K, space = np.empty((n, n)), np.empty(_ROWS * n)
    below = np.tri(min(_ROWS, n), k=-1, dtype=bool)
    for start in range(0, n, _ROWS):
        stop = min(start + _ROWS, n)
        block = space[: (stop - start) * (n - start)].reshape(stop - start, n - start)
        np.matmul(left[start:stop], right[start:].T, out=block)
        np.minimum(block, 0.0, out=block)
        with np.errstate(under="ignore"):
            np.exp(block, out=block)
        square = block[:, : stop - start]
        np.copyto(square, square.T, where=below[: stop - start, : stop - start])
        K[start:stop, start:] = block
        K[start:, start:stop] = block.T
    K.flat[:: n + 1] = 1.0
    return K
