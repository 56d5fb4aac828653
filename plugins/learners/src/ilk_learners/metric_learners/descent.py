"""Metric learners that walk downhill: a start, a loss with its gradient, a solver, a report."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from ilk import Param, check_vectors, display_name
from ilk_learners.linear import LinearMetricLearner
from ilk_learners.magnitude import common_deviations, map_back
from ilk_learners.metric_learners.report import REPORT, report
from ilk_learners.metric_learners.starts import INIT, check_components, starting_map

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""Loss of a linear map, and its gradient of the same shape."""

SOLVERS: Mapping[str, str] = {"lbfgs": "L-BFGS-B", "cg": "CG"}
DESCENT: Mapping[str, Param] = {
    "n_components": Param(int, ge=1, none=True, doc="Rows of L; as many as features if left out."),
    "init": INIT,
    "max_iter": Param(int, ge=1, doc="Most iterations of the solver."),
    "tol": Param(float, ge=0, doc="Relative improvement at which it stops."),
    "solver": Param(choices=tuple(SOLVERS), doc="L-BFGS or conjugate gradients."),
    "warm_start": Param(bool, doc="Whether to begin with the result of the fit before."),
    "report": REPORT,
}


class DescentLearner(LinearMetricLearner):
    """A metric learner that minimises a differentiable loss of L.

    Data are centred and brought to a common unit, a power of two: results do not depend on
    either. A start by name is divided by `_scale`, so that the loss begins where it can move
    whatever the units; an array is taken as it is.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L.
    loss_curve_ : list of float
        The loss at the start, then after each iteration; never rising.
    n_iter_ : int
        Iterations, at most `max_iter`.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None if not asked for.
    """

    parameters: ClassVar[Mapping[str, Param]] = DESCENT
    n_components: int | None
    init: Any
    max_iter: int
    tol: float
    solver: Literal["lbfgs", "cg"]
    warm_start: bool
    report: bool

    @abstractmethod
    def _targets(self, X: np.ndarray, y: Any) -> np.ndarray:
        """Return y as codes of classes (integers) or as numbers (floats), checked."""

    @abstractmethod
    def _objective(self, X: np.ndarray, y: np.ndarray) -> Objective:
        """Return what is minimised, for centred rows in the common unit."""

    def _scale(self, X: np.ndarray) -> float:
        """What the start is divided by, in the common unit."""
        return 1.0

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn L from rows X and targets y."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        targets = self._targets(X, y)
        _, rows, exponent = common_deviations(X)
        rows = rows.astype(X.dtype, copy=False)
        with threadpool_limits(1, user_api="blas"):  # blocks run in threads of ours
            start = self._start(rows, targets, exponent)
            L = self._descend(self._objective(rows, targets), start)
        self.components_ = map_back(self, _as_matrix(L), exponent, X.dtype)
        self.report_ = None
        if self.report:
            self.report_ = report(self, X, self.transform(X), targets)
        return self

    def _start(self, X: np.ndarray, y: np.ndarray, exponent: int) -> np.ndarray:
        """The map to begin with, in the common unit."""
        d = check_components(self, self.n_components, X.shape[1])
        before: Any = getattr(self, "components_", None) if self.warm_start else None
        if before is not None and before.shape == (d, X.shape[1]):
            return np.asarray(np.ldexp(before.astype(float), exponent))
        groups = y if y.dtype.kind in "iu" else None
        L = starting_map(self, X, groups, d)
        given = not isinstance(self.init, str)
        return np.ldexp(L, exponent) if given else L / self._scale(X)

    def _descend(self, objective: Objective, start: np.ndarray) -> np.ndarray:
        """Minimise from a start; sets `loss_curve_` and `n_iter_`."""

        def flat(values: np.ndarray) -> tuple[float, np.ndarray]:
            loss, gradient = objective(values.reshape(start.shape))
            return loss, np.asarray(gradient, dtype=float).ravel()

        self.loss_curve_ = [objective(start)[0]]

        def keep(intermediate_result: OptimizeResult) -> None:
            self.loss_curve_.append(float(intermediate_result.fun))

        solve: Any = minimize  # its stubs know no shapes
        found = solve(
            flat,
            start.ravel(),
            jac=True,
            method=SOLVERS[self.solver],
            callback=keep,
            options=self._options(),
        )
        self.n_iter_ = int(found.nit)
        if not found.success and self.n_iter_ >= self.max_iter:
            warnings.warn(
                f"{display_name(self)}: not converged after {self.n_iter_} iterations (max_iter)",
                ConvergenceWarning,
                stacklevel=3,
            )
        better = found.fun <= self.loss_curve_[0]
        return np.asarray(found.x.reshape(start.shape) if better else start)

    def _options(self) -> dict[str, Any]:
        if self.solver == "cg":
            return {"maxiter": self.max_iter, "gtol": self.tol}
        return {"maxiter": self.max_iter, "ftol": self.tol, "gtol": 1e-10, "maxfun": 10**6}


def _as_matrix(L: np.ndarray) -> np.ndarray:
    return np.diag(L) if L.ndim == 1 else L
