"""Whether a Gram matrix is positive semi-definite, and what can be done if it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, eigvalsh

import ilk

TOLERANCE = 1e-10  # of the norm of a matrix: eigenvalues below are taken for rounding


def is_positive_semidefinite(K: Any, tol: float = TOLERANCE) -> bool:
    """Tell whether a symmetric matrix has no negative eigenvalue, up to rounding.

    Parameters
    ----------
    K : array of shape (n, n)
    tol : float
        An eigenvalue counts as negative below ``-tol`` times the Frobenius norm of K.

    Returns
    -------
    bool
        From a Cholesky decomposition, which takes a tenth of the time of eigenvalues.

    Raises
    ------
    InputError
        If K is not square, not symmetric or not finite.

    Examples
    --------
    >>> is_positive_semidefinite([[1, 1], [1, 1]]), is_positive_semidefinite([[1, 2], [2, 1]])
    (True, False)
    """
    K = check_gram(K)
    lifted = K / (float(np.abs(K).max()) or 1.0)  # squares stay in range
    norm = float(np.linalg.norm(lifted))
    if norm == 0:
        return True
    lifted /= norm
    lifted.flat[:: len(K) + 1] += tol
    try:
        cholesky(lifted, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def least_eigenvalue(K: Any) -> float:
    """Return the least eigenvalue of a symmetric matrix.

    Examples
    --------
    >>> round(least_eigenvalue([[1, 2], [2, 1]]), 12)
    -1.0
    """
    return float(eigvalsh(check_gram(K), subset_by_index=[0, 0], check_finite=False)[0])


def positive_part(K: Any, tol: float = TOLERANCE) -> tuple[np.ndarray, np.ndarray]:
    """Return the positive eigenvalues of a symmetric matrix, and their eigenvectors.

    Returns
    -------
    values : ndarray of shape (r,)
        Ascending; those above ``tol`` times the Frobenius norm of K.
    vectors : ndarray of shape (n, r)
    """
    K = check_gram(K)
    values, vectors = eigh(K, check_finite=False)
    kept = values > tol * np.linalg.norm(K)
    return values[kept], vectors[:, kept]


def check_gram(matrix: Any, what: str = "a Gram matrix") -> np.ndarray:
    """Return a matrix as floats.

    Raises
    ------
    InputError
        If it is not of numbers, square, finite and symmetric.
    """
    given = np.asarray(matrix)
    if given.dtype.kind not in "biuf":
        raise ilk.InputError(f"{what} must be of real numbers, got type {given.dtype}")
    K: np.ndarray = given.astype(float, copy=False)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not K.size:
        raise ilk.InputError(f"{what} must be square, got shape {K.shape}")
    if not np.isfinite(K).all():
        i, j = np.argwhere(~np.isfinite(K))[0]
        raise ilk.InputError(f"{what} must be finite, got {K[i, j]} at [{i}, {j}]")
    if not np.allclose(K, K.T, rtol=1e-6, atol=1e-9 * float(np.abs(K).max())):
        i, j = np.unravel_index(np.argmax(np.abs(K - K.T)), K.shape)
        raise ilk.InputError(
            f"{what} must be symmetric, got {K[i, j]} at [{i}, {j}] but {K[j, i]} at [{j}, {i}]"
        )
    return K
