"""Gaussian process classification: logistic and softmax likelihoods, evidence, and gradients."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import InputError, display_name
from ilk_learners.gaussian_processes import triangles
from ilk_learners.gaussian_processes.marginal_likelihood import gram, is_trivial, maximize
from ilk_learners.gaussian_processes.newton import Likelihood, Mode, find_mode

if TYPE_CHECKING:
    from ilk import Cases
    from ilk_learners.gaussian_processes.covariance import Covariance


@dataclass
class Solved:
    """Solution of a problem for one covariance.

    Attributes
    ----------
    a : ndarray of shape (n,) or (n_classes, n)
        Weights of the latent means ``k(x)' a``.
    f : ndarray of the same shape
        The mode.
    curvature : object
        Computes latent variances.
    log_evidence : float
    n_iter : int
    jitter : float
    """

    a: np.ndarray
    f: np.ndarray
    curvature: Any
    log_evidence: float
    n_iter: int
    jitter: float


def solve(
    owner: object, likelihood: Likelihood, K: np.ndarray, start: np.ndarray | None = None
) -> Solved:
    """Find the mode for a covariance; jitter may be added to its diagonal in place.

    Parameters
    ----------
    owner : Component
        Named in errors and warnings, with `tol` and `max_iter`.
    likelihood : Likelihood
    K : ndarray of shape (n, n)
    start : ndarray, optional
        The `a` of a similar problem.

    Raises
    ------
    InputError
        If K is not positive semi-definite.

    Warns
    -----
    ConvergenceWarning
        If the mode was not reached.
    """
    from sklearn.exceptions import ConvergenceWarning

    try:
        mode, jitter = triangles.with_jitter(K, lambda: _mode(owner, likelihood, K, start))
    except np.linalg.LinAlgError:
        raise InputError(
            f"{display_name(owner)}: the kernel is not positive semi-definite on X, even with "
            f"1e-3 of its mean added to its diagonal; the kernel substitution can repair that"
        ) from None
    if not mode.converged:
        warnings.warn(
            f"{display_name(owner)}: the mode was not reached in {mode.n_iter} iterations; raise "
            f"max_iter",
            ConvergenceWarning,
            stacklevel=4,
        )
    return Solved(mode.a, mode.f, mode.curvature, mode.log_evidence, mode.n_iter, jitter)


def _mode(owner: Any, likelihood: Likelihood, K: np.ndarray, start: np.ndarray | None) -> Mode:
    return find_mode(likelihood, K, start, tol=owner.tol, max_iter=int(owner.max_iter))


class Evidence:
    """The log marginal likelihood of a problem as a function of logarithms of factors.

    The first factor is that of the signal variance, the others are those of the kernel. Each search
    for a mode starts from the previous mode (warm start).
    """

    def __init__(
        self,
        owner: object,
        likelihood: Likelihood,
        covariance: Covariance,
        X: Cases,
        variance: float,
    ) -> None:
        self._owner, self._likelihood, self._covariance = owner, likelihood, covariance
        self._X, self._variance = X, variance
        self._last: np.ndarray | None = None

    def parameters(self, theta: np.ndarray) -> tuple[Any, float]:
        """Fitted kernel and signal variance."""
        return self._covariance.kernel(theta[1:]), float(self._variance * np.exp(theta[0]))

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient."""
        kernel, variance = self.parameters(theta)
        K = gram(kernel, variance, self._X)
        mode, _ = triangles.with_jitter(
            K, lambda: _mode(self._owner, self._likelihood, K, self._last)
        )
        # the next mode is searched from this one, which is near
        self._last = mode.a
        M = mode.curvature.derivative(K, mode.a, mode.f)
        return mode.log_evidence, self._covariance.gradient(kernel, M, K, variance)

    def maximum(self) -> tuple[Any, float, Solved]:
        """Kernel and signal variance at the maximum, and the solution there."""

        def trivial(theta: np.ndarray) -> bool:  # the logistic function varies on a scale of 1
            return is_trivial(gram(*self.parameters(theta), self._X), 1.0)

        theta = maximize(self._owner, self, (1, self._covariance.size), trivial)
        kernel, variance = self.parameters(theta)
        K = gram(kernel, variance, self._X)
        return kernel, variance, solve(self._owner, self._likelihood, K, self._last)


class Logistic:
    """``p(y | f) = prod_i 1 / (1 + exp(-s_i f_i))`` for signs s."""

    def __init__(self, signs: np.ndarray) -> None:
        self.signs = signs
        self.shape = signs.shape
        self._memory: np.ndarray | None = None

    def log_likelihood(self, f: np.ndarray) -> float:
        """Logarithm of the probability of the signs."""
        # log(1 + e^-sf) without overflow
        return -float(np.logaddexp(0, -self.signs * f).sum())

    def gradient(self, f: np.ndarray) -> np.ndarray:
        """Gradient of that logarithm."""
        from scipy.special import expit

        return np.asarray(self.signs * expit(-self.signs * f))

    def factorize(self, K: np.ndarray, f: np.ndarray) -> Curvature:
        """Factor ``B = I + W^1/2 K W^1/2``, reusing the memory of the last factor."""
        from scipy.special import expit

        # W = pi (1 - pi), with both factors computed without cancellation
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
        Square root of the diagonal W.
    L : ndarray of shape (n, n)
        Lower triangular.
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

    def variances(self, prior: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Variances of latent values, from prior variances and covariances with training rows.

        Parameters
        ----------
        prior : ndarray of shape (m,)
        k : ndarray of shape (m, n)
            Overwritten.

        Returns
        -------
        ndarray of shape (m,)
        """
        # k'R k = |L^-1 W^1/2 k|^2; rounding may bring the difference slightly below 0
        k *= self.root
        v = triangles.half_solve(self.L, k.T)
        return np.asarray(np.maximum(prior - np.einsum("ij,ij->j", v, v), 0))

    def derivative(self, K: np.ndarray, a: np.ndarray, f: np.ndarray) -> np.ndarray:
        """Derivatives of the log evidence by the entries of K; overwrites L.

        Equations (5.21) to (5.24) of Rasmussen and Williams, as one matrix
        ``M = (aa' - R + ua' + au') / 2`` with ``u = (I - R K) s``, where s are the derivatives
        by f: ``s_i = -(1 - (B^-1)_ii) (1 - 2 pi_i) / 2``.

        Returns
        -------
        ndarray of shape (n, n)
            Symmetric, in the lower triangle.
        """
        from scipy.linalg import blas
        from scipy.special import expit

        # s: the derivative of -log |B| / 2 by f, that is -[(K^-1 + W)^-1]_ii dW_ii / df_i / 2, with
        # dW / df = W (1 - 2 pi)
        inverse = triangles.inverse(self.L)
        # 1 - 2 pi, again without cancellation
        s = -0.5 * (1 - np.diagonal(inverse)) * (expit(-f) - expit(f))
        # the mode moves with K by (I + K W)^-1 dK a; u = (I - R K) s
        u = s - self.root * triangles.times(inverse, self.root * (s @ K))
        inverse *= -0.5 * self.root[:, None]
        inverse *= self.root
        # a rank-2 update: the symmetric part of (a + 2u) a' / 2, in the lower triangle only
        return np.asarray(blas.dsyr2(0.5, a / 2 + u, a, lower=1, a=inverse, overwrite_a=1))


_NUMBERS = 2**21  # numbers in a block of columns: 16 MiB


class Softmax:
    """``p(y | f) = prod_i exp(f_i[y_i]) / sum_c exp(f_i[c])``; f of shape (n_classes, n)."""

    def __init__(self, codes: np.ndarray, n_classes: int) -> None:
        self.indicators = np.equal.outer(np.arange(n_classes), codes).astype(float)
        self.shape = self.indicators.shape
        self._memory: list[np.ndarray] = []

    def log_likelihood(self, f: np.ndarray) -> float:
        """Logarithm of the probability of the labels."""
        from scipy.special import log_softmax

        return float(np.vdot(self.indicators, log_softmax(f, axis=0)))

    def gradient(self, f: np.ndarray) -> np.ndarray:
        """Gradient of that logarithm."""
        from scipy.special import softmax

        return np.asarray(self.indicators - softmax(f, axis=0))

    def factorize(self, K: np.ndarray, f: np.ndarray) -> Curvatures:
        """Invert one matrix per class and factor their sum, reusing the memory of the last call."""
        from scipy.special import softmax

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
            # E_c = D_c^1/2 B_c^-1 D_c^1/2
            inverse = triangles.mirror(triangles.inverse(L))
            inverse *= root
            inverse *= root[:, None]
            total += inverse.T
        # the determinant of I + K W is the product of those of all B_c and of M = sum_c E_c
        M = triangles.factor(total)
        half += triangles.half_log_determinant(M)
        return Curvatures([E.T for E in parts], M, half)


@dataclass
class Curvatures:
    """``R = E - E O (O' E O)^-1 O' E``, equation (3.47) of Rasmussen and Williams.

    E has a block ``E_c = D_c^1/2 (I + D_c^1/2 K D_c^1/2)^-1 D_c^1/2`` for each class, O stacks
    identities.

    Attributes
    ----------
    parts : list of ndarray of shape (n, n)
        E_c.
    M : ndarray of shape (n, n)
        Lower triangular factor of their sum.
    half_log_determinant : float
        Half the logarithm of the determinant of ``I + K W``, from all factors including M (which
        the printed algorithm 3.3 leaves out).
    """

    parts: list[np.ndarray]
    M: np.ndarray
    half_log_determinant: float

    def apply(self, v: np.ndarray) -> np.ndarray:
        """``R v`` for v of shape (n_classes, n)."""
        products = np.stack([E @ each for E, each in zip(self.parts, v, strict=True)])
        common = triangles.solve(self.M, products.sum(axis=0))
        return np.asarray(products - np.stack([E @ common for E in self.parts]))

    def covariances(self, prior: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Covariances of the latent values of each object, algorithm 3.4.

        Parameters
        ----------
        prior : ndarray of shape (m,)
            Prior variances.
        k : ndarray of shape (m, n)
            Covariances with training rows.

        Returns
        -------
        ndarray of shape (m, n_classes, n_classes)
        """
        covariances = np.empty((len(k), len(self.parts), len(self.parts)))
        step = max(_NUMBERS // (k.shape[1] * len(self.parts)), 1)
        for first in range(0, len(k), step):
            rows = slice(first, first + step)
            halves, drops = [], []
            for E in self.parts:
                # Fortran order: the triangular solver then works in place
                product = np.asfortranarray(E @ k[rows].T)
                drops.append(np.einsum("ij,ji->i", k[rows], product))
                halves.append(triangles.half_solve(self.M, product))
            T = np.stack(halves)
            # the classes share M: they covary by k'E_c M^-1 E_d k
            covariances[rows] = np.einsum("cji,dji->icd", T, T, optimize=True)
            for c, drop in enumerate(drops):
                covariances[rows, c, c] += prior[rows] - drop
        return covariances

    def derivative(self, K: np.ndarray, a: np.ndarray, f: np.ndarray) -> np.ndarray:
        """Derivatives of the log evidence by the entries of K, common to all classes.

        ``sum_c (a_c a_c' - R_cc + u_c a_c' + a_c u_c') / 2`` with ``u = (I - R K) s``, where s
        are the derivatives by f of minus half the log determinant.

        Returns
        -------
        ndarray of shape (n, n)
            Symmetric, in the lower triangle.
        """
        from scipy.linalg import blas
        from scipy.special import softmax

        s = self._slopes(K, softmax(f, axis=0))
        u = s - self.apply(s @ K)
        result = np.zeros_like(K).T
        for E, a_c, u_c in zip(self.parts, a, u, strict=True):
            # half' half = E M^-1 E, the second term of R_cc
            half = triangles.half_solve(self.M, np.array(E, order="F"))
            result = blas.dsyrk(0.5, half, beta=1.0, c=result, trans=1, lower=1, overwrite_c=1)
            result -= 0.5 * E
            result = blas.dsyr2(0.5, a_c / 2 + u_c, a_c, lower=1, a=result, overwrite_a=1)
        return np.asarray(result)

    def _slopes(self, K: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Derivatives of minus half the log determinant by f."""
        # the derivative by f of -1/2 sum_i tr(V_i W_i) with V_i fixed and W_i = diag(pi_i) - pi_i
        # pi_i'
        V = self.covariances(np.diagonal(K), K)
        q = np.einsum("icc->ci", V) - 2 * np.einsum("icd,di->ci", V, shares)
        return np.asarray(-0.5 * shares * (q - (shares * q).sum(axis=0)))
