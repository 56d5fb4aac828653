"""Symmetric matrices, factored and inverted in place; results are in one triangle."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

_LEAST, _MOST = 1e-12, 1e-3  # jitter, in units of the mean of the diagonal
_Result = TypeVar("_Result")


def weigh(K: np.ndarray, root: np.ndarray, B: np.ndarray) -> None:
    """Write ``I + D K D`` into B, where D is the diagonal matrix of the roots."""
    np.multiply(K, root, out=B)
    B *= root[:, None]
    B.ravel()[:: len(B) + 1] += 1


def factor(A: np.ndarray) -> np.ndarray:
    """Replace a symmetric matrix by its factor L with ``A = L L'``.

    Parameters
    ----------
    A : ndarray of shape (n, n), float64, C-contiguous
        Overwritten.

    Returns
    -------
    ndarray of shape (n, n)
        The same memory with L in the lower triangle; the upper one is not cleared.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is not positive definite.
    """
    from scipy.linalg import lapack

    # the transpose is the same matrix in Fortran order, so LAPACK works in place
    L, info = lapack.dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
    if info:
        raise np.linalg.LinAlgError(f"not positive definite from row {info} on")
    return np.asarray(L)


def inverse(L: np.ndarray) -> np.ndarray:
    """Replace a factor L by ``(L L')^-1``, in the lower triangle."""
    from scipy.linalg import lapack

    return np.asarray(lapack.dpotri(L, lower=1, overwrite_c=1)[0])


def half_log_determinant(L: np.ndarray) -> float:
    """Half the logarithm of the determinant of ``L L'``."""
    return float(np.log(np.diagonal(L)).sum())


# forward, then backward substitution
def solve(L: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``(L L')^-1 b`` for a vector b."""
    from scipy.linalg import blas

    return np.asarray(blas.dtrsv(L, blas.dtrsv(L, b, lower=1), lower=1, trans=1))


def half_solve(L: np.ndarray, B: np.ndarray) -> np.ndarray:
    """``L^-1 B`` for a matrix B in Fortran order, in place."""
    from scipy.linalg import blas

    return np.asarray(blas.dtrsm(1.0, L, B, lower=1, overwrite_b=1))


def times(A: np.ndarray, v: np.ndarray) -> np.ndarray:
    """``A v`` for a symmetric A given by its lower triangle."""
    from scipy.linalg import blas

    return np.asarray(blas.dsymv(1.0, A, v, lower=1))


def mirror(A: np.ndarray) -> np.ndarray:
    """Copy the lower triangle of A to the upper one, block by block."""
    n = len(A)
    for first in range(0, n, _ROWS):
        last = min(first + _ROWS, n)
        A[first:last, last:] = A[last:, first:last].T
        block = A[first:last, first:last]
        block[...] = np.tril(block) + np.tril(block, -1).T
    return A


_ROWS = 128  # rows per block: it stays in the cache


def with_jitter(K: np.ndarray, work: Callable[[], _Result]) -> tuple[_Result, float]:
    """Apply `work` to K, with the smallest jitter on its diagonal for which it succeeds.

    The jitter is first 0, then ``1e-12`` times the mean of the diagonal, then grows tenfold until
    `work` succeeds.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Its diagonal is modified in place.
    work : callable
        Raises LinAlgError if K is not positive definite enough.

    Returns
    -------
    result
        Result of `work`.
    jitter : float
        The added number.

    Raises
    ------
    numpy.linalg.LinAlgError
        If ``1e-3`` times the mean is not enough.
    """
    diagonal = np.diagonal(K).copy()
    unit, jitter = float(np.abs(diagonal).mean()), 0.0
    while True:
        try:
            return work(), jitter * unit
        except np.linalg.LinAlgError:
            # tenfold steps: few factorizations, and a jitter at most ten times too large
            jitter = max(10 * jitter, _LEAST)
            # the growing jitter is a product of rounded tens: 1.5 tells the last step from the next
            if jitter > _MOST * 1.5:
                raise
            np.fill_diagonal(K, diagonal + jitter * unit)
