"""Hyper-parameters of Gaussian processes, and maximisation of the log marginal likelihood."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import InputError, check_seed, display_name, param, slot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ilk import Cases, Kernel

_REACH = np.log(1e5)  # bound of a log factor: beyond it kernels degenerate
_NEAR = np.log(1e2)  # range of the log factors of random restarts
_FAILED = 1e25  # objective of a failed evaluation: finite, so that the line search steps back
_FLAT = 1e-2  # slopes below this, relative to the value, need no warning
_SAME = 1e-2  # covariances of different rows that differ by less, in units of the noise, are equal


KERNEL: Any = slot(
    "kernel",
    default="rbf",
    doc="Covariance of latent values, up to their variance.",
)
N_RESTARTS: Any = param(
    default=0,
    ge=0,
    doc="More starts of the optimiser, drawn; the best counts.",
)
MAX_STEPS: Any = param(
    default=200,
    ge=1,
    doc="Most steps of the optimiser from each start. It keeps every factor between 1e-5 and 1e5.",
)


def maximize(
    owner: Any,
    function: Callable[[np.ndarray], tuple[float, np.ndarray]],
    sizes: tuple[int, int],
    trivial: Callable[[np.ndarray], bool],
) -> np.ndarray:
    """Maximise a function of logarithms of factors, by L-BFGS-B.

    Each factor stays between 1e-5 and 1e5. The first start has factors of 1; each of
    ``owner.n_restarts`` more draws factors between 0.01 and 100. If the best maximum is trivial,
    two more starts follow: a larger signal variance, or smaller numbers of the kernel.

    Parameters
    ----------
    owner : Component
        With `n_restarts`, `random_state` and `max_steps`.
    function : callable
        Maps logarithms to a value and its gradient.
    sizes : tuple of int
        Numbers of variances, of which the first is the signal's, and of factors of the kernel.
    trivial : callable
        Tells from the logarithms whether predictions do not depend on the rows there.

    Raises
    ------
    InputError
        If the function fails at every start.

    Warns
    -----
    ConvergenceWarning
        If the best start did not converge.
    """
    rng, size = check_seed(owner, owner.random_state) if owner.n_restarts else None, sum(sizes)
    starts = [np.zeros(size)]
    if rng is not None:
        starts += list(rng.uniform(-_NEAR, _NEAR, (int(owner.n_restarts), size)))
    best = min((_climb(owner, function, start) for start in starts), key=_cost)
    if best.fun < _FAILED and trivial(best.x):
        away = np.zeros((2, size))
        away[0, 0], away[1, sizes[0] :] = np.log(100), -np.log(10)
        best = min([best, *(_climb(owner, function, start) for start in away)], key=_cost)
    if best.fun >= _FAILED:
        raise InputError(
            f"{display_name(owner)}: the kernel is not positive semi-definite on X, even with "
            f"1e-3 of its mean added to its diagonal; the kernel substitution can repair that"
        )
    _warn(owner, best)
    return np.asarray(best.x)


def _cost(end: Any) -> float:
    return float(end.fun)


def is_trivial(K: np.ndarray, noise: float) -> bool:
    """Whether all covariances of different rows are equal up to a share of the noise.

    Then the latent values are constant, independent of each other, or 0. Overwrites the diagonal.
    """
    np.fill_diagonal(K, K[0, -1])
    return bool(np.ptp(K) <= _SAME * noise)


def _warn(owner: object, best: Any) -> None:
    """Warn if the steps did not suffice, or rounding stopped them on a slope."""
    from sklearn.exceptions import ConvergenceWarning

    slope = float(np.abs(best.jac).max())
    if best.success or slope <= _FLAT * max(1.0, abs(best.fun)):
        return
    limited = best.status == 1
    why = "raise max_steps" if limited else f"rounding stopped it where the slope is {slope:.2g}"
    warnings.warn(
        f"{display_name(owner)}: the marginal likelihood was not maximised in {best.nit} steps; "
        f"{why}",
        ConvergenceWarning,
        stacklevel=5,
    )


def _climb(owner: Any, function: Callable[..., tuple[float, np.ndarray]], start: np.ndarray) -> Any:
    from scipy.optimize import minimize

    def cost(theta: np.ndarray) -> tuple[float, np.ndarray]:
        try:
            value, gradient = function(theta)
        except (np.linalg.LinAlgError, InputError):  # the kernel overflows there
            return _FAILED, np.zeros_like(theta)
        return -value, -gradient

    return minimize(
        cost,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-_REACH, _REACH)] * len(start),
        options={"maxiter": int(owner.max_steps)},
    )


SMALL = 500
"""Up to so many cases one thread factors a matrix faster than several."""


def gram(kernel: Kernel, variance: float, X: Cases, Y: Cases | None = None) -> np.ndarray:
    """``variance k(x, z)``, as a new array in double precision."""
    K = kernel.gram(X) if Y is None else kernel.gram(X, Y)
    # a kernel may return a matrix that is shared or read-only
    K = np.array(K, dtype=float, order="C", copy=None)
    if not K.flags.writeable:
        K = K.copy()
    K *= variance
    return K


def blocks(m: int, n: int) -> Iterator[np.ndarray]:
    """Yield blocks of the numbers of m rows, with 2^21 covariances with n others per block."""
    step = max(_NUMBERS // n, 1)
    for first in range(0, m, step):
        yield np.arange(first, min(first + step, m))


_NUMBERS = 2**21  # covariances held at once: 16 MiB
