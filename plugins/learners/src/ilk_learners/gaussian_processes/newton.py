"""The mode of the posterior of latent values, by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

_CHORDS = 16  # chord steps per factorization: more gain less than a new one costs
_HALVINGS = 10  # bisections for the multiple of a start: 0.1 % is enough
_STALLED = 1e-5  # below this, rounding may keep the decrement from falling


class Likelihood(Protocol):
    """Labels, given latent values f of shape (n,), or (n_classes, n)."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of f."""

    def log_likelihood(self, f: np.ndarray) -> float:
        """Logarithm of the probability of the labels."""

    def gradient(self, f: np.ndarray) -> np.ndarray:
        """Gradient of that logarithm."""

    def factorize(self, K: np.ndarray, f: np.ndarray) -> Any:
        """Return a representation of ``R = (K + W^-1)^-1``, where W is minus the Hessian at f.

        It may overwrite the previous result.
        """


@dataclass
class Mode:
    """The mode ``f = K a``, where ``a`` is the gradient of the log-likelihood.

    Attributes
    ----------
    a, f : ndarray
    curvature : object
        Result of `Likelihood.factorize` at f.
    log_evidence : float
        Laplace's approximation of the log marginal likelihood.
    n_iter : int
        Number of factorizations.
    converged : bool
    """

    a: np.ndarray
    f: np.ndarray
    curvature: Any
    log_evidence: float
    n_iter: int
    converged: bool


class _Climb:
    """A point of the maximisation of ``psi(a) = log p(y | f) - a'f / 2`` with ``f = K a``."""

    def __init__(self, likelihood: Likelihood, K: np.ndarray, start: np.ndarray | None) -> None:
        self.likelihood, self.K = likelihood, K
        self._put(np.zeros(likelihood.shape), np.zeros(likelihood.shape))
        if start is not None:
            f = start @ K
            part = self._best_part(start, f)
            self._put(part * start, part * f)

    def _psi(self, a: np.ndarray, f: np.ndarray) -> float:
        return self.likelihood.log_likelihood(f) - 0.5 * float(np.vdot(a, f))

    def _best_part(self, a: np.ndarray, f: np.ndarray) -> float:
        """The c in [0, 1] that maximises ``psi(c a)``, a concave function of c."""

        def slope(c: float) -> float:
            return float(np.vdot(self.likelihood.gradient(c * f), f) - c * np.vdot(a, f))

        # psi still rises at the whole start: keep it
        if slope(1.0) >= 0:
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if slope(middle) > 0 else (low, middle)
        return low

    def _put(self, a: np.ndarray, f: np.ndarray) -> None:
        self.a, self.f, self.psi = a, f, self._psi(a, f)

    def newton(self, curvature: Any) -> tuple[np.ndarray, np.ndarray, float]:
        """Newton step of a and of f, and Newton's decrement."""
        rest = self.likelihood.gradient(self.f) - self.a  # 0 at the mode
        # (K^-1 + W)^-1 rest = K (I - R K) rest, without an inverse of K, which may be singular
        step = rest - curvature.apply(rest @ self.K)
        climb = step @ self.K
        # the decrement: the root of gradient' (negative Hessian)^-1 gradient
        return step, climb, float(np.sqrt(max(np.vdot(rest, climb), 0.0)))

    def move(self, step: np.ndarray, climb: np.ndarray) -> bool:
        """Line search: take the step, or half, a quarter, ... of it, that does not lower psi."""
        # psi is concave, so a short enough part of the step never lowers it but for rounding
        least = self.psi - 1e-13 * max(1.0, abs(self.psi))  # equal up to rounding
        part = 1.0
        while part > 1e-10:
            a, f = self.a + part * step, self.f + part * climb
            if self._psi(a, f) >= least:
                self._put(a, f)
                return True
            part /= 2
        return False


def find_mode(
    likelihood: Likelihood,
    K: np.ndarray,
    start: np.ndarray | None = None,
    *,
    tol: float,
    max_iter: int,
) -> Mode:
    """Find the mode; the curvature is that at the mode itself, not at the previous step.

    Each factorization is reused for several (chord) steps while they converge fast; steps after
    the first cost only O(n^2).

    Parameters
    ----------
    likelihood : Likelihood
    K : ndarray of shape (n, n)
        Symmetric.
    start : ndarray, optional
        The `a` of a similar problem; its best multiple is the start. None: 0.
    tol : float
        Newton's decrement (the root of twice the remaining increase) at which to stop.
    max_iter : int
        Maximal number of factorizations.

    Raises
    ------
    numpy.linalg.LinAlgError
        If K is not positive semi-definite.
    """
    climb = _Climb(likelihood, K, start)
    before, done, n_iter = np.inf, False, 0
    while True:
        curvature = likelihood.factorize(K, climb.f)
        n_iter += 1
        step, rise, decrement = climb.newton(curvature)
        # a small decrement that no longer halves is rounding: better cannot be reached
        done = decrement <= tol or (decrement < _STALLED and decrement > before / 2)
        if done or n_iter == max_iter:
            break
        before = decrement
        if not climb.move(step, rise):
            # no part of the step helps: this is the mode, up to rounding, only if the decrement is
            # small
            done = decrement < _STALLED
            break
        _chords(climb, curvature, decrement, tol)
    log_evidence = climb.psi - curvature.half_log_determinant
    return Mode(climb.a, climb.f, curvature, log_evidence, n_iter, done)


def _chords(climb: _Climb, curvature: Any, decrement: float, tol: float) -> None:
    """Chord steps: reuse the curvature of a previous point while they converge fast."""
    for _ in range(_CHORDS):
        step, rise, now = climb.newton(curvature)
        # below a third, chord steps converge fast enough to save a factorization of O(n^3)
        if now > decrement / 3 or not climb.move(step, rise) or now <= tol:
            return
        decrement = now
