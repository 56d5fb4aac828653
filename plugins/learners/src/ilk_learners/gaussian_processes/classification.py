"""One Gaussian process classification problem: its fitted form, and hyper-parameters for it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ilk import InputError, display_name
from ilk_learners.gaussian_processes import triangles
from ilk_learners.gaussian_processes.evidence import maximize
from ilk_learners.gaussian_processes.newton import Likelihood, Mode, find_mode
from ilk_learners.gaussian_processes.parameters import gram

if TYPE_CHECKING:
    from ilk_learners.gaussian_processes.covariance import Covariance


@dataclass
class Solved:
    """A problem solved for one covariance.

    Attributes
    ----------
    a : ndarray of shape (n,) or (n_classes, n)
        Latent means are ``k(x)' a``.
    f : ndarray of the same shape
        The mode.
    curvature : object
        Gives latent variances.
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
    owner: Any, likelihood: Likelihood, K: np.ndarray, start: np.ndarray | None = None
) -> Solved:
    """Find the mode for a covariance, whose diagonal may be given jitter in place.

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
        If it is not positive semi-definite.

    Warns
    -----
    ConvergenceWarning
        If the mode was not reached.
    """
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

    The first is that of the signal variance, the others are those of the kernel. Each mode is
    sought from the last one.
    """

    def __init__(
        self, owner: Any, likelihood: Likelihood, covariance: Covariance, X: Any, variance: float
    ) -> None:
        self._owner, self._likelihood, self._covariance = owner, likelihood, covariance
        self._X, self._variance = X, variance
        self._last: np.ndarray | None = None

    def parameters(self, theta: np.ndarray) -> tuple[Any, float]:
        """Kernel, fitted, and signal variance."""
        return self._covariance.kernel(theta[1:]), float(self._variance * np.exp(theta[0]))

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient."""
        kernel, variance = self.parameters(theta)
        K = gram(kernel, variance, self._X)
        mode, _ = triangles.with_jitter(
            K, lambda: _mode(self._owner, self._likelihood, K, self._last)
        )
        self._last = mode.a
        M = mode.curvature.derivative(K, mode.a, mode.f)
        return mode.log_evidence, self._covariance.gradient(kernel, M, K, variance)

    def maximum(self) -> tuple[Any, float, Solved]:
        """Kernel and signal variance where it is largest, and what is solved there."""
        theta = maximize(self._owner, self, self._covariance.size + 1)
        kernel, variance = self.parameters(theta)
        K = gram(kernel, variance, self._X)
        return kernel, variance, solve(self._owner, self._likelihood, K, self._last)
