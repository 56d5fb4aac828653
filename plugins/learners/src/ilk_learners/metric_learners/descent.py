"""Metric learners by gradient descent: initialization, a loss with its gradient, and a solver."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from ilk import InputError, check_vectors, display_name, library_threads, param
from ilk_learners.metric_learners.linear import (
    LinearMetricLearner,
    check_components,
    initial_map,
    report,
)
from ilk_learners.numerics import common_deviations, map_back, rounding

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

    from ilk import Cases, Labels

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""Loss of a linear map, and its gradient of the same shape."""

_FLAT = 1e-10  # slopes below this, relative to the loss, are rounding errors
SOLVERS: Mapping[str, str] = {"lbfgs": "L-BFGS-B", "cg": "CG"}


N_COMPONENTS: Any = param(
    default=None,
    type=int,
    ge=1,
    doc="Rows of L: dimensions of the space that is learned; as many as features if left out.",
)
SOLVER: Any = param(
    default="lbfgs",
    choices=tuple(SOLVERS),
    doc="L-BFGS, or conjugate gradients (Polak and Ribiere).",
)


@dataclass(frozen=True)
class Descent:
    """Result of a solver.

    Attributes
    ----------
    L : ndarray
    curve : list of float
        The loss at the start, then after each iteration.
    n_iter : int
    stopped : bool
        Whether it converged: it neither reached `max_iter` nor failed in the first step.
    moved : bool
        Whether the gradient was not 0 at the start.
    """

    L: np.ndarray
    curve: list[float]
    n_iter: int
    stopped: bool
    moved: bool


class DescentLearner(LinearMetricLearner):
    """A metric learner that minimises a differentiable loss of L.

    Data are centred and scaled by a power of two; the solver works on L in units of `_scale`. So
    results do not depend on units. A named initialization is divided by `_scale`, so that the loss
    has a gradient there; an array is used unchanged.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L.
    loss_curve_ : list of float
        The loss at the start, then after each iteration; never rising.
    n_iter_ : int
        Iterations, at most `max_iter`.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None if not requested.

    Warns
    -----
    ConvergenceWarning
        If the solver has not converged, or L stays at its initial value.
    """

    max_iter: int = param(default=100, ge=1, doc="Most iterations.")
    tol: float = param(
        default=1e-06,
        ge=0,
        doc="Stop if an iteration improves the loss by less than this share (L-BFGS; of 1 if the "
        "loss is smaller), or if no slope is steeper (CG).",
    )
    warm_start: bool = param(
        default=False,
        doc="Whether to start from the result of the previous fit.",
    )

    @abstractmethod
    def _targets(self, X: np.ndarray, y: Labels | None) -> np.ndarray:
        """Check y; return class codes (integers) or numbers (floats)."""

    @abstractmethod
    def _objective(self, X: np.ndarray, y: np.ndarray) -> Objective:
        """Return the loss for centred rows in the common unit."""

    def _scale(self, X: np.ndarray) -> float:
        """A typical length on which the loss depends, in the common unit."""
        return 1.0

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn L from rows X and targets y."""
        self._learn(X, y)
        return self

    def _fit_transform(self, X: Any, y: Labels | None) -> np.ndarray:
        rows, mapped = self._learn(X, y)
        return self._mapped(rows) if mapped is None else mapped

    def _learn(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """Learn L; return the rows checked, and transformed if the report needed this."""
        self.n_components: int | None
        self.init: Any
        self.solver: Literal["lbfgs", "cg"]
        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        targets = self._targets(X, y)
        _, rows, exponent = common_deviations(np.ascontiguousarray(X))
        if not rows.any():
            raise InputError(f"{display_name(self)}: X has no variance: all rows are equal")
        with library_threads(1):  # our own threads run the blocks
            scale = self._scale(rows)
            start = self._start(rows, targets, exponent, scale, rounding(X, exponent))
            descent = self._descend(self._objective(rows, targets), start, scale)
        self._record(descent)
        self.components_ = map_back(self, self._map(descent.L, rows), exponent, X.dtype)
        self.report_ = mapped = None
        if self.report and len(targets):  # none if only triplets are given
            mapped = self._mapped(X)
            self.report_ = report(self, X, mapped, targets)
        return X, mapped

    def _map(self, L: np.ndarray, X: np.ndarray) -> np.ndarray:
        """The result as a matrix; signs of diagonal weights do not affect distances."""
        return np.diag(np.abs(L)) if L.ndim == 1 else L

    def _start(
        self, X: np.ndarray, y: np.ndarray, exponent: int, scale: float, noise: np.ndarray
    ) -> np.ndarray:
        """The initial map, in the common unit."""
        d = check_components(self, self.n_components, X.shape[1])
        before: Any = getattr(self, "components_", None) if self.warm_start else None
        if before is not None and before.shape == (d, X.shape[1]):
            return np.asarray(np.ldexp(before.astype(float), exponent))
        groups = y if y.dtype.kind in "iu" else None
        L = initial_map(self, X, groups, d, noise)
        given = not isinstance(self.init, str)
        # an array is in the units of the data, so it is brought to the common unit
        return np.ldexp(L, exponent) if given else self._sized(L, X, y, scale)

    def _sized(self, L: np.ndarray, X: np.ndarray, y: np.ndarray, scale: float) -> np.ndarray:
        """A named initialization, at the scale where the loss has a gradient."""
        return L / scale

    def _descend(self, objective: Objective, start: np.ndarray, scale: float) -> Descent:
        """Minimise from a start."""
        return self._solve(objective, start, scale, self.max_iter)

    def _solve(
        self, objective: Objective, start: np.ndarray, scale: float, max_iter: int
    ) -> Descent:
        """Run the solver once; the loss at the end is at most that at the start."""
        from scipy.optimize import minimize

        curve: list[float] = []
        slopes: list[float] = []

        def flat(values: np.ndarray) -> tuple[float, np.ndarray]:
            loss, gradient = objective(values.reshape(start.shape) / scale)
            # the chain rule: the solver's variables are L times scale
            gradient = np.asarray(gradient, dtype=float).ravel() / scale
            if not curve:
                curve.append(float(loss))
                slopes.append(float(np.abs(gradient).max()))
            return float(loss), gradient

        def keep(intermediate_result: OptimizeResult) -> None:
            curve.append(float(intermediate_result.fun))

        solve: Any = minimize  # its stubs know no shapes
        solution = solve(
            flat,
            start.ravel() * scale,
            jac=True,
            method=SOLVERS[self.solver],
            callback=keep,
            options=self._options(max_iter),
        )
        # a line search may end at a worse point: then L stays where it started
        L = solution.x.reshape(start.shape) / scale if solution.fun <= curve[0] else start
        stopped = bool(solution.success) or 0 < solution.nit < max_iter
        return Descent(np.asarray(L), curve, int(solution.nit), stopped, slopes[0] > _FLAT)

    def _solve_in_rounds(
        self, anew: Callable[[np.ndarray], Objective], start: np.ndarray, scale: float, length: int
    ) -> Descent:
        """Run the solver in rounds of `length` iterations, each on the loss rebuilt at L.

        It ends when the rebuilt loss no longer decreases.
        """
        objective, L, left = anew(start), start, self.max_iter
        curve: list[float] = []
        while True:
            descent = self._solve(objective, L, scale, min(length, left))
            left -= descent.n_iter
            curve = curve or descent.curve[:1]
            objective = anew(descent.L)
            loss = float(objective(descent.L)[0])
            falls = loss < curve[-1]
            if falls:
                L = descent.L
                # the last loss of the round belongs to the old objective: replace it by the rebuilt
                # one
                curve += [*descent.curve[1:-1], loss]
            if not falls or left == 0:
                n_iter = self.max_iter - left
                return Descent(L, curve, n_iter, descent.stopped or not falls, descent.moved)

    def _record(self, descent: Descent) -> None:
        self.loss_curve_, self.n_iter_ = descent.curve, descent.n_iter
        if not descent.moved:
            problem = "nothing to learn: the loss has no slope where L starts, and L stays"
        elif descent.n_iter == 0:
            problem = "the solver finds no step that lowers the loss, and L stays"
        elif not descent.stopped:
            problem = f"not converged after {descent.n_iter} iterations (max_iter)"
        else:
            return
        _warn(f"{display_name(self)}: {problem}")

    def _options(self, max_iter: int) -> dict[str, Any]:
        if self.solver == "cg":
            return {"maxiter": max_iter, "gtol": self.tol}
        # iterations are limited, not evaluations of a line search
        return {"maxiter": max_iter, "ftol": min(self.tol, 1.0), "gtol": _FLAT, "maxfun": 10**6}


def _warn(message: str) -> None:
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(message, ConvergenceWarning, stacklevel=5)
