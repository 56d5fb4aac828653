"""Parameters of Gaussian processes, and the maximum of the log marginal likelihood over them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ilk import InputError, check_seed, display_name, param, slot
from ilk_learners.validation import check_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_REACH = np.log(1e5)  # how far from the start
_NEAR = np.log(1e2)  # how far from it a restart begins
_FAILED = 1e25
_FLAT = 1e-2  # a slope, relative to the value, that is not worth a warning


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
    owner: Any, function: Callable[[np.ndarray], tuple[float, np.ndarray]], size: int
) -> np.ndarray:
    """Find the logarithms of factors that maximise a function, by L-BFGS-B.

    Each factor stays between 1e-5 and 1e5. The first start is at factors of 1, each of
    ``owner.n_restarts`` more at factors drawn between 0.01 and 100.

    Parameters
    ----------
    owner : Component
        With `n_restarts`, `random_state` and `max_steps`.
    function : callable
        From logarithms to a value and its gradient.
    size : int

    Raises
    ------
    InputError
        If there is no value at any start.

    Warns
    -----
    ConvergenceWarning
        If the best start did not converge.
    """
    rng = check_seed(owner, owner.random_state) if owner.n_restarts else None
    starts = [np.zeros(size)]
    if rng is not None:
        starts += list(rng.uniform(-_NEAR, _NEAR, (int(owner.n_restarts), size)))
    best = min((_climb(owner, function, start) for start in starts), key=lambda r: float(r.fun))
    if best.fun >= _FAILED:
        raise InputError(
            f"{display_name(owner)}: the kernel is not positive semi-definite on X, even with "
            f"1e-3 of its mean added to its diagonal; the kernel substitution can repair that"
        )
    _warn(owner, best)
    return np.asarray(best.x)


def _warn(owner: Any, best: Any) -> None:
    """Warn where the steps did not suffice, or rounding stopped them on a slope."""
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
    def cost(theta: np.ndarray) -> tuple[float, np.ndarray]:
        try:
            value, gradient = function(theta)
        except (np.linalg.LinAlgError, InputError):  # a kernel that overflows there
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
"""Up to how many cases threads would take longer than one over a factor."""


def read_rows(owner: Any, kernel: Any, X: Any, *, reset: bool) -> Any:
    """Return X as the kernel takes it; vectors in double precision, which factors need."""
    X = check_objects(owner, kernel, X, reset=reset)
    return X.astype(float) if getattr(X, "dtype", None) == np.float32 else X


def gram(kernel: Any, variance: float, X: Any, Y: Any = None) -> np.ndarray:
    """``variance k(x, z)``, in double precision, new."""
    K = kernel.gram(X) if Y is None else kernel.gram(X, Y)
    K = np.array(K, dtype=float, order="C", copy=None)
    if not K.flags.writeable:
        K = K.copy()
    K *= variance
    return K


def blocks(m: int, n: int) -> Iterator[np.ndarray]:
    """Yield the numbers of m rows, as many at a time as have 2^21 covariances with n others."""
    step = max(_NUMBERS // n, 1)
    for first in range(0, m, step):
        yield np.arange(first, min(first + step, m))


_NUMBERS = 2**21
