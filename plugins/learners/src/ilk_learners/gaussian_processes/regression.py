"""Gaussian process regression: the evidence of targets with noise, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack

from ilk_learners.gaussian_processes import triangles

_norm: Any = lapack.dlange  # its stubs lack an argument
_LEAST_CONDITION = 4 * np.finfo(float).eps


@dataclass
class Regression:
    """``K + noise I = L L'`` and ``alpha = (K + noise I)^-1 y``.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
    L : ndarray of shape (n, n)
        In the lower triangle.
    log_evidence : float
        ``-y' alpha / 2 - log |L| - n log(2 pi) / 2``.
    """

    alpha: np.ndarray
    L: np.ndarray
    log_evidence: float

    def variances(self, own: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Variances of function values, for prior variances and covariances with training.

        Parameters
        ----------
        own : ndarray of shape (m,)
        k : ndarray of shape (m, n)
            Overwritten.
        """
        v = triangles.half_solve(self.L, k.T)
        return np.asarray(np.maximum(own - np.einsum("ij,ij->j", v, v), 0))

    def derivative(self) -> np.ndarray:
        """``(alpha alpha' - (K + noise I)^-1) / 2``, in the lower triangle, in the memory of L."""
        inverse = triangles.inverse(self.L)
        inverse *= -0.5
        return np.asarray(blas.dsyr(0.5, self.alpha, lower=1, a=inverse, overwrite_a=1))


def regress(
    K: np.ndarray, y: np.ndarray, noise: float, memory: np.ndarray | None = None
) -> Regression:
    """Factor the covariance of targets.

    Parameters
    ----------
    K : ndarray of shape (n, n)
    y : ndarray of shape (n,)
    noise : float
        Its variance.
    memory : ndarray of shape (n, n), optional
        For L.

    Raises
    ------
    numpy.linalg.LinAlgError
        If it is not positive definite, or so nearly singular that nothing would be right.
    """
    A = np.empty_like(K) if memory is None else memory
    np.copyto(A, K)
    A.ravel()[:: len(A) + 1] += noise
    norm = _norm("1", A.T)
    L = triangles.factor(A)
    if lapack.dpocon(L, norm, uplo="L")[0] < _LEAST_CONDITION:
        raise np.linalg.LinAlgError("singular to working precision")
    alpha = triangles.solve(L, y)
    fit = -0.5 * float(y @ alpha) - triangles.half_log_determinant(L)
    return Regression(alpha, L, fit - 0.5 * len(y) * float(np.log(2 * np.pi)))
