"""More than two classes at once: the softmax likelihood and its curvature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas
from scipy.special import log_softmax, softmax

from ilk_learners.gaussian_processes import triangles

_NUMBERS = 2**21  # in a block of columns


class Softmax:
    """``p(y | f) = prod_i exp(f_i[y_i]) / sum_c exp(f_i[c])``; f of shape (n_classes, n)."""

    def __init__(self, codes: np.ndarray, n_classes: int) -> None:
        self.indicators = np.equal.outer(np.arange(n_classes), codes).astype(float)
        self.shape = self.indicators.shape
        self._memory: list[np.ndarray] = []

    def log_likelihood(self, f: np.ndarray) -> float:
        """Logarithm of the probability of the labels."""
        return float(np.vdot(self.indicators, log_softmax(f, axis=0)))

    def gradient(self, f: np.ndarray) -> np.ndarray:
        """Of that logarithm."""
        return np.asarray(self.indicators - softmax(f, axis=0))

    def factorize(self, K: np.ndarray, f: np.ndarray) -> Curvatures:
        """Invert one matrix for each class and factor their sum, in the memory of the last."""
        if not self._memory:
            self._memory = [np.empty_like(K) for _ in range(len(f) + 1)]
        total, *parts = self._memory
        total[...] = 0
        half = 0.0
        for B, shares in zip(parts, softmax(f, axis=0), strict=True):
            root = np.sqrt(shares)
            triangles.weigh(K, root, B)
            L = triangles.factor(B)
            half += triangles.half_log_determinant(L)
            inverse = triangles.mirror(triangles.inverse(L))
            inverse *= root
            inverse *= root[:, None]
            total += inverse.T
        M = triangles.factor(total)
        half += triangles.half_log_determinant(M)
        return Curvatures([E.T for E in parts], M, half)


@dataclass
class Curvatures:
    """``R = E - E O (O' E O)^-1 O' E``, which is (3.47) of Rasmussen and Williams.

    E has a block ``E_c = D_c^1/2 (I + D_c^1/2 K D_c^1/2)^-1 D_c^1/2`` for each class, O stacks
    identities.

    Attributes
    ----------
    parts : list of ndarray of shape (n, n)
        E_c.
    M : ndarray of shape (n, n)
        Factor of their sum, in the lower triangle.
    half_log_determinant : float
        Half the logarithm of the determinant of ``I + K W``: of all factors, M among them (which
        the printed algorithm 3.3 leaves out).
    """

    parts: list[np.ndarray]
    M: np.ndarray
    half_log_determinant: float

    def apply(self, v: np.ndarray) -> np.ndarray:
        """``R v`` for v of shape (n_classes, n)."""
        own = np.stack([E @ each for E, each in zip(self.parts, v, strict=True)])
        common = triangles.solve(self.M, own.sum(axis=0))
        return np.asarray(own - np.stack([E @ common for E in self.parts]))

    def covariances(self, own: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Covariances of the latent values of each object, algorithm 3.4.

        Parameters
        ----------
        own : ndarray of shape (m,)
            Prior variances.
        k : ndarray of shape (m, n)
            Covariances with training.

        Returns
        -------
        ndarray of shape (m, n_classes, n_classes)
        """
        found = np.empty((len(k), len(self.parts), len(self.parts)))
        step = max(_NUMBERS // (k.shape[1] * len(self.parts)), 1)
        for first in range(0, len(k), step):
            rows = slice(first, first + step)
            halves, drops = [], []
            for E in self.parts:
                product = np.asfortranarray(E @ k[rows].T)
                drops.append(np.einsum("ij,ji->i", k[rows], product))
                halves.append(triangles.half_solve(self.M, product))
            T = np.stack(halves)
            found[rows] = np.einsum("cji,dji->icd", T, T, optimize=True)
            for c, drop in enumerate(drops):
                found[rows, c, c] += own[rows] - drop
        return found

    def derivative(self, K: np.ndarray, a: np.ndarray, f: np.ndarray) -> np.ndarray:
        """Derivatives of the log evidence for the entries of K, the same for all classes.

        ``sum_c (a_c a_c' - R_cc + u_c a_c' + a_c u_c') / 2`` with ``u = (I - R K) s``, where s
        are the derivatives for f of minus half the log determinant.

        Returns
        -------
        ndarray of shape (n, n)
            Symmetric, in the lower triangle.
        """
        s = self._slopes(K, softmax(f, axis=0))
        u = s - self.apply(s @ K)
        result = np.zeros_like(K).T
        for E, a_c, u_c in zip(self.parts, a, u, strict=True):
            half = triangles.half_solve(self.M, np.array(E, order="F"))
            result = blas.dsyrk(0.5, half, beta=1.0, c=result, trans=1, lower=1, overwrite_c=1)
            result -= 0.5 * E
            result = blas.dsyr2(0.5, a_c / 2 + u_c, a_c, lower=1, a=result, overwrite_a=1)
        return np.asarray(result)

    def _slopes(self, K: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Derivatives of minus half the log determinant for f."""
        V = self.covariances(np.diagonal(K), K)
        q = np.einsum("icc->ci", V) - 2 * np.einsum("icd,di->ci", V, shares)
        return np.asarray(-0.5 * shares * (q - (shares * q).sum(axis=0)))
