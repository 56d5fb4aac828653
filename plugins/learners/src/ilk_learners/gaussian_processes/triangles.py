"""Symmetric matrices, factored and inverted in place; only one triangle counts afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy.linalg import blas, lapack

if TYPE_CHECKING:
    from collections.abc import Callable

_LEAST, _MOST = 1e-12, 1e-3  # jitter, in units of the mean of the diagonal
_Result = TypeVar("_Result")


def weigh(K: np.ndarray, root: np.ndarray, B: np.ndarray) -> None:
    """Put ``I + D K D`` into B, for the diagonal D of these roots."""
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
        The same memory: L in the lower triangle, the upper is not cleared.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is not positive definite.
    """
    L, info = lapack.dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
    if info:
        raise np.linalg.LinAlgError(f"not positive definite from row {info} on")
    return np.asarray(L)


def inverse(L: np.ndarray) -> np.ndarray:
    """Replace a factor by the inverse of what was factored, in the lower triangle."""
    return np.asarray(lapack.dpotri(L, lower=1, overwrite_c=1)[0])


def half_log_determinant(L: np.ndarray) -> float:
    """Half the logarithm of the determinant of what was factored."""
    return float(np.log(np.diagonal(L)).sum())


def solve(L: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``(L L')^-1 b`` for a vector b."""
    return np.asarray(blas.dtrsv(L, blas.dtrsv(L, b, lower=1), lower=1, trans=1))


def half_solve(L: np.ndarray, B: np.ndarray) -> np.ndarray:
    """``L^-1 B`` for a matrix B in Fortran order, in its place."""
    return np.asarray(blas.dtrsm(1.0, L, B, lower=1, overwrite_b=1))


def times(A: np.ndarray, v: np.ndarray) -> np.ndarray:
    """``A v`` for a symmetric A of which the lower triangle counts."""
    return np.asarray(blas.dsymv(1.0, A, v, lower=1))


def mirror(A: np.ndarray) -> np.ndarray:
    """Copy the lower triangle of A to its upper one, some rows at a time."""
    n = len(A)
    for first in range(0, n, _ROWS):
        last = min(first + _ROWS, n)
        A[first:last, last:] = A[last:, first:last].T
        block = A[first:last, first:last]
        block[...] = np.tril(block) + np.tril(block, -1).T
    return A


_ROWS = 128


def with_jitter(K: np.ndarray, work: Callable[[], _Result]) -> tuple[_Result, float]:
    """Do work on K, with as little added to its diagonal as makes it positive definite.

    At first nothing is added, then ``1e-12`` times the mean of the diagonal, which grows tenfold
    until the work succeeds.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Its diagonal is changed in place.
    work : callable
        Raises LinAlgError where K is not positive definite enough.

    Returns
    -------
    result
        Of the work.
    jitter : float
        What was added.

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
            jitter = max(10 * jitter, _LEAST)
            if jitter > _MOST * 1.5:
                raise
            np.fill_diagonal(K, diagonal + jitter * unit)
