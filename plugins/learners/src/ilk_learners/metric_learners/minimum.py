"""The least value of a smooth function of L, for learners whose problem is convex in L'L."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from sklearn.exceptions import ConvergenceWarning

from ilk import display_name
from ilk_learners.metric_learners.kinks import minimize_kinked

_ABNORMAL = 2  # status of a line search that finds no lower point
Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""Loss of a map, of any shape, and its gradient of the same shape."""


def minimum(owner: Any, objective: Objective, start: np.ndarray) -> np.ndarray:
    """Minimise by L-BFGS.

    Parameters
    ----------
    owner : Component
        With the parameters `max_iter` and `tol`; gets ``loss_curve_`` and ``n_iter_``.
    objective : callable
    start : ndarray

    Warns
    -----
    ConvergenceWarning
        If more than `max_iter` iterations are needed.
    """
    curve: list[float] = []

    def flat(values: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = objective(values.reshape(start.shape))
        if not curve:
            curve.append(float(loss))
        return float(loss), gradient.ravel()

    def keep(intermediate_result: OptimizeResult) -> None:
        curve.append(float(intermediate_result.fun))

    solve: Any = minimize  # its stubs know no shapes
    found = solve(
        flat,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=keep,
        options={
            "maxiter": owner.max_iter,
            "maxfun": 10**6,
            "maxcor": 20,
            "ftol": min(owner.tol, 1.0),  # it is divided by rounding
            "gtol": 1e-10,
        },
    )
    L, n_iter, done = found.x, int(found.nit), bool(found.success)
    if found.status == _ABNORMAL:  # a steep wall is a kink to it
        rest = minimize_kinked(flat, L, owner.max_iter - n_iter, owner.tol)
        L, n_iter, done = rest.x, n_iter + len(rest.curve) - 1, rest.stopped
        curve += rest.curve[1:]
    owner.loss_curve_, owner.n_iter_ = curve, n_iter
    if not done and n_iter >= owner.max_iter:
        warnings.warn(
            f"{display_name(owner)}: not converged after {owner.n_iter_} iterations (max_iter)",
            ConvergenceWarning,
            stacklevel=4,
        )
    return np.asarray(L.reshape(start.shape))
