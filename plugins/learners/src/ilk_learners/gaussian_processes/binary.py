"""Two classes: the logistic likelihood, its curvature, and the gradient of the evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas
from scipy.special import expit

from ilk_learners.gaussian_processes import triangles


class Logistic:
    """``p(y | f) = prod_i 1 / (1 + exp(-s_i f_i))`` for signs s."""

    def __init__(self, signs: np.ndarray) -> None:
        self.signs = signs
        self.shape = signs.shape
        self._memory: np.ndarray | None = None

    def log_likelihood(self, f: np.ndarray) -> float:
        """Logarithm of the probability of the signs."""
        return -float(np.logaddexp(0, -self.signs * f).sum())

    def gradient(self, f: np.ndarray) -> np.ndarray:
        """Of that logarithm."""
        return np.asarray(self.signs * expit(-self.signs * f))

    def factorize(self, K: np.ndarray, f: np.ndarray) -> Curvature:
        """Factor ``B = I + W^1/2 K W^1/2``, in the memory of the last one."""
        root = np.sqrt(expit(f) * expit(-f))
        B = np.empty_like(K) if self._memory is None else self._memory
        self._memory = B
        triangles.weigh(K, root, B)
        return Curvature(root, triangles.factor(B))


@dataclass
class Curvature:
    """``R = (K + W^-1)^-1 = W^1/2 B^-1 W^1/2`` with ``B = I + W^1/2 K W^1/2 = L L'``.

    Attributes
    ----------
    root : ndarray of shape (n,)
        Of the diagonal W.
    L : ndarray of shape (n, n)
        In the lower triangle.
    """

    root: np.ndarray
    L: np.ndarray

    @property
    def half_log_determinant(self) -> float:
        """Half the logarithm of the determinant of ``I + K W``."""
        return triangles.half_log_determinant(self.L)

    def apply(self, v: np.ndarray) -> np.ndarray:
        """``R v``."""
        return np.asarray(self.root * triangles.solve(self.L, self.root * v))

    def variances(self, own: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Variances of latent values, for their prior variances and covariances with training.

        Parameters
        ----------
        own : ndarray of shape (m,)
        k : ndarray of shape (m, n)
            Overwritten.

        Returns
        -------
        ndarray of shape (m,)
        """
        k *= self.root
        v = triangles.half_solve(self.L, k.T)
        return np.asarray(np.maximum(own - np.einsum("ij,ij->j", v, v), 0))

    def derivative(self, K: np.ndarray, a: np.ndarray, f: np.ndarray) -> np.ndarray:
        """Derivatives of the log evidence for the entries of K; in the memory of L.

        Equations (5.21) to (5.24) of Rasmussen and Williams, as one matrix
        ``M = (aa' - R + ua' + au') / 2`` with ``u = (I - R K) s``, where s are the derivatives
        for f: ``s_i = -(1 - (B^-1)_ii) (1 - 2 pi_i) / 2``.

        Returns
        -------
        ndarray of shape (n, n)
            Symmetric, in the lower triangle.
        """
        inverse = triangles.inverse(self.L)
        s = -0.5 * (1 - np.diagonal(inverse)) * (expit(-f) - expit(f))
        u = s - self.root * triangles.times(inverse, self.root * (s @ K))
        inverse *= -0.5 * self.root[:, None]
        inverse *= self.root
        return np.asarray(blas.dsyr2(0.5, a / 2 + u, a, lower=1, a=inverse, overwrite_a=1))
