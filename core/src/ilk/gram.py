"""Checks of Gram matrices: of real numbers, square, finite, symmetric; positive or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk.errors import InputError


def check_gram(matrix: Any, what: str = "a Gram matrix") -> np.ndarray:
    """Return a matrix as floats.

    Parameters
    ----------
    matrix : array of shape (n, n)
    what : str
        What errors call it.

    Returns
    -------
    ndarray of float, shape (n, n)
        Not copied if it is one.

    Raises
    ------
    InputError
        If it is not of real numbers, square, finite and symmetric (up to rounding).

    Examples
    --------
    >>> import ilk
    >>> ilk.check_gram([[2, 1], [1, 2]])
    array([[2., 1.],
           [1., 2.]])
    """
    given = np.asarray(matrix)
    if given.dtype.kind not in "biuf":
        raise InputError(f"{what} must be of real numbers, got type {given.dtype}")
    K: np.ndarray = given.astype(float, copy=False)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not K.size:
        raise InputError(f"{what} must be square, got shape {K.shape}")
    if not np.isfinite(K).all():
        i, j = np.argwhere(~np.isfinite(K))[0]
        raise InputError(f"{what} must be finite, got {K[i, j]} at [{i}, {j}]")
    if not np.allclose(K, K.T, rtol=1e-6, atol=1e-9 * float(np.abs(K).max())):
        i, j = np.unravel_index(np.argmax(np.abs(K - K.T)), K.shape)
        raise InputError(
            f"{what} must be symmetric, got {K[i, j]} at [{i}, {j}] but {K[j, i]} at [{j}, {i}]"
        )
    return K


def is_positive_semidefinite(K: np.ndarray, tol: float = 1e-10, *, check: bool = True) -> bool:
    """Tell whether a symmetric matrix has no negative eigenvalue, up to rounding.

    Parameters
    ----------
    K : array of shape (n, n)
    tol : float
        An eigenvalue counts as negative below ``-tol`` times the Frobenius norm of K.
    check : bool
        Whether to look at K first, by `check_gram`; not needed for a finite array of floats that
        is symmetric to the last bit.

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
    >>> import ilk
    >>> ilk.is_positive_semidefinite([[1, 1], [1, 1]])
    True
    >>> ilk.is_positive_semidefinite([[1, 2], [2, 1]])
    False
    """
    from scipy.linalg import LinAlgError, cholesky

    K = check_gram(K) if check else K
    with np.errstate(over="ignore", under="ignore"):
        norm = float(np.linalg.norm(K))
    if not 1e-150 < norm < np.inf:  # its square is out of range
        K = K / (float(np.abs(K).max()) or 1.0)
        norm = float(np.linalg.norm(K))
    if norm == 0:
        return True
    lifted = K / norm
    lifted.flat[:: len(K) + 1] += tol
    try:
        cholesky(lifted, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True
