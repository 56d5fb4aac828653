"""Base of linear metric learners.

The linear map, its initialization, minimisation of smooth and nonsmooth losses by L-BFGS, and the
report of the nearest neighbour's error before and after.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ilk import (
    Array,
    InputError,
    MetricLearner,
    check_fitted,
    check_labels,
    check_same_length,
    check_vectors,
    display_name,
    param,
)
from ilk.neighbors import Euclidean
from ilk_learners.numerics import (
    common_deviations,
    finite,
    fix_signs,
    holds_numbers,
    significant,
    spectrum,
    within,
)

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

    from ilk import Cases, Labels


class LinearMetricLearner(MetricLearner):
    """A metric learner whose `fit` sets ``components_``."""

    report: bool = param(
        default=True, doc="Whether `fit` measures the error before and after, where it is given y."
    )

    def transform(self, X: Cases) -> Any:
        """Transformed rows, ``X @ components_.T``; array of shape (n, d)."""
        check_fitted(self)
        X = check_vectors(self, X, reset=False)
        return self._mapped(X)

    def _mapped(self, X: np.ndarray) -> np.ndarray:
        """Map each row separately: the rounding of a matrix product depends on the other rows.

        Otherwise a query equal to a training row might not be at distance 0 from it.
        """
        rows, L = (np.ascontiguousarray(each, dtype=float) for each in (X, self.components_))
        with np.errstate(over="ignore", invalid="ignore"):
            # in float64: large terms of float32 would cancel down to their rounding errors
            return finite(self, np.einsum("ij,kj->ik", rows, L).astype(X.dtype, copy=False))


_FEW = 1 << 14  # distances
MOST_QUERIES = 500  # rows that are left out one by one; the others are looked at all the same


class MetricWarning(UserWarning):
    """A learned metric classifies its own training rows worse than the Euclidean one."""


@dataclass(frozen=True)
class Report:
    """Leave-one-out error of the nearest neighbour on the training rows.

    Attributes
    ----------
    before, after : float
        With the Euclidean and the learned distance: the share of rows whose nearest other row is
        of another class; for numeric targets the mean squared difference.
    n_queries : int
        Number of left-out rows, evenly spread over the training rows.
    """

    before: float
    after: float
    n_queries: int


def report(owner: object, X: np.ndarray, Z: np.ndarray, y: np.ndarray) -> Report:
    """Compare the rows X with the transformed rows Z.

    Warns
    -----
    MetricWarning
        If the error after is larger by more than two standard errors of the difference.
    """
    return compare(owner, X, y, lambda queries: _nearest_others(Z, queries))


def compare(
    owner: object, X: np.ndarray, y: np.ndarray, nearest: Callable[[np.ndarray], np.ndarray]
) -> Report:
    """Compare the Euclidean distance of rows X with another search for neighbours.

    Parameters
    ----------
    nearest : callable
        Maps row numbers to the nearest other row of each.

    Warns
    -----
    MetricWarning
        If the error after is larger by more than two standard errors of the difference.
    """
    queries = np.unique(np.linspace(0, len(X) - 1, min(len(X), MOST_QUERIES)).astype(int))
    neighbors = _nearest_others(X, queries), nearest(queries)
    exponent = int(np.frexp(np.abs(y).max())[1]) if y.dtype.kind == "f" else 0
    scaled = np.ldexp(y, -exponent) if exponent else y  # squares neither overflow nor underflow
    losses = [_losses(queries, rows, scaled) for rows in neighbors]
    before, after = (float(each.mean()) for each in losses)
    # the standard error of paired differences
    doubt = float((losses[1] - losses[0]).std() / np.sqrt(len(queries)))
    if after - before > 2 * doubt:
        warnings.warn(
            f"{display_name(owner)}: the learned metric is worse than the Euclidean distance, by "
            f"the leave-one-out error of the nearest neighbour on the training rows (see report_)",
            MetricWarning,
            stacklevel=4,
        )
    with np.errstate(over="ignore"):
        before, after = (float(np.ldexp(error, 2 * exponent)) for error in (before, after))
    return Report(before, after, len(queries))


def _losses(queries: np.ndarray, nearest: np.ndarray, y: np.ndarray) -> np.ndarray:
    if y.dtype.kind == "f":
        return np.asarray((y[queries] - y[nearest]) ** 2)
    return np.asarray(y[queries] != y[nearest], dtype=float)


def _nearest_others(X: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Return the nearest other row of each selected row, ties by lower index."""
    if len(queries) * len(X) <= _FEW:  # as fast, and no search need be compiled
        D = Euclidean().pairwise(X[queries], X)
        D[np.arange(len(queries)), queries] = np.inf
        nearest = D.argmin(axis=1)
        # all other rows may be infinitely far
        return np.where(nearest == queries, 1, nearest)
    _, indices = Euclidean().nearest(X[queries], X, 2)
    # an equal row of lower index may come first
    return np.where(indices[:, 0] == queries, indices[:, 1], indices[:, 0])


def report_where_known(owner: Any, X: np.ndarray, y: Labels | None) -> Report | None:
    """Report of a learner from X alone or from pairs: None unless y is valid."""
    if not owner.report or y is None:
        return None
    check_same_length(owner, X, y)
    try:
        targets = np.asarray(y, dtype=float) if holds_numbers(y) else check_labels(owner, y, X)[1]
    except InputError:  # this learner does not need a valid y
        return None
    if targets.ndim > 1:
        return None
    _, rows, _ = common_deviations(X)
    L = owner.components_.astype(float)  # scaled to length 1: the order of neighbours is the same
    return report(owner, rows, rows @ (L / (np.abs(L).max() or 1.0)).T, targets)


INIT: Any = param(
    default="identity",
    type=Array,
    choices=("identity", "pca", "lda"),
    form='{"identity", "pca", "lda"} or array of shape (n_components, p)',
    doc="The initial map; an array has the form of ``components_``.",
)


def initial_map(
    owner: Any, X: np.ndarray, groups: np.ndarray | None, d: int, noise: np.ndarray
) -> np.ndarray:
    """The initial map, for deviations X in the unit of `owner`.

    "identity" keeps the first d features. "pca" projects on the d directions of largest variance.
    "lda" projects on the directions that separate classes best (each of length one, ordered by
    Fisher's criterion); from the number of classes on, directions of the largest remaining
    variance follow. An array is used unchanged.

    Parameters
    ----------
    owner : Component
        With a parameter `init`; named in errors.
    X : ndarray of shape (n, p)
        Centred.
    groups : ndarray of int, shape (n,), or None
        Classes, for "lda".
    d : int
    noise : ndarray of shape (p,)
        Rounding errors of X, see `ilk_learners.numerics.rounding`.

    Returns
    -------
    ndarray of shape (d, p), float64

    Raises
    ------
    ParameterError
        If an array does not have the shape (d, p), or is not finite.
    """
    p = X.shape[1]
    if not isinstance(owner.init, str):
        return _given(owner, d, p)
    if owner.init == "identity":
        return np.eye(d, p)
    if owner.init == "pca":
        return fix_signs(spectrum(X)[1][:d])
    if groups is None:
        raise owner.parameter_error("init", "must not be 'lda' where y holds no classes")
    return _discriminating(X, groups, d, noise)


def check_components(owner: object, wanted: int | None, p: int) -> int:
    """Return the requested number of dimensions, by default the number of features.

    Raises
    ------
    InputError
        If it exceeds the number of features.
    """
    if wanted is not None and wanted > p:
        raise InputError(
            f"{display_name(owner)}: n_components must be at most {p}, the number of features, "
            f"got {wanted}"
        )
    return p if wanted is None else int(wanted)


def _given(owner: Any, d: int, p: int) -> np.ndarray:
    L = np.array(owner.init, dtype=float)
    if L.shape != (d, p):
        raise owner.parameter_error("init", f"must be of shape {(d, p)}, got {L.shape}")
    if not np.isfinite(L).all():
        raise owner.parameter_error("init", "must be finite, got NaN or infinity")
    return L


def _discriminating(X: np.ndarray, groups: np.ndarray, d: int, noise: np.ndarray) -> np.ndarray:
    """Directions of Fisher's criterion within the span of X, completed by principal directions."""
    n_groups = int(groups.max()) + 1
    values, axes = spectrum(X)
    kept = significant(values, axes, len(X), noise)
    kept[0] = True
    axes, scale = axes[kept], values[kept] / np.sqrt(len(X))
    # whitening turns Fisher's criterion into an ordinary one: the axes of the class means
    whitened = X @ (axes.T / scale)
    means, _, _ = within(whitened, groups, n_groups)
    shares = np.sqrt(np.bincount(groups, minlength=n_groups) / len(groups))
    _, directions = spectrum(means * shares[:, None])
    number = min(d, n_groups - 1, len(axes))
    directions = directions[:number] / scale @ axes
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    if number < d:
        directions = np.vstack([directions, _rest(X, directions)[: d - number]])
    return fix_signs(directions)


def _rest(X: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Complete orthonormal directions to a basis, by descending variance."""
    from scipy.linalg import svd

    _, _, basis = svd(directions)
    others = basis[len(directions) :]
    return np.asarray(spectrum(X @ others.T)[1] @ others)


Function = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""Value, at least 0, and gradient at a vector."""
_MEMORY = 10  # steps in the L-BFGS recursion, as in scipy
_DECREASE, _SLOPE = 1e-4, 0.9  # constants of the Wolfe conditions, the usual ones for L-BFGS
_TRIALS = 40  # bisections of a step length: down to 1e-12
_PATIENCE = 2  # consecutive steps of little gain before stopping
_FIRST = 0.1  # the first step aims at this relative decrease
_CURVED = 1e-10  # a smaller relative curvature is rounding: skip the BFGS update


class Found(NamedTuple):
    """Result of the minimisation.

    Attributes
    ----------
    x : ndarray of shape (m,)
    curve : list of float
        Values at the start and after each step; decreasing.
    stopped : bool
        Whether it converged, after a step or because the gradient is 0.
    """

    x: np.ndarray
    curve: list[float]
    stopped: bool


class _Point(NamedTuple):
    x: np.ndarray
    value: float
    gradient: np.ndarray


def minimize_nonsmooth(function: Function, x: np.ndarray, max_iter: int, tol: float) -> Found:
    """Minimise by L-BFGS, with a bisection line search for the weak Wolfe conditions.

    At a kink of the function the strong Wolfe conditions of other solvers cannot be met, and they
    stop. The weak ones can be met (Lewis and Overton, "Nonsmooth optimization via quasi-Newton
    methods", Mathematical Programming 141, 2013).

    Parameters
    ----------
    function : callable
        See `Function`.
    x : ndarray of shape (m,)
    max_iter : int
    tol : float
        Stop after two consecutive steps that each gain at most this share of the value.
    """
    here = _Point(x, *function(x))
    curve, idle = [here.value], 0
    steps: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=_MEMORY)
    while len(curve) <= max_iter:
        there = _step(function, here, _direction(here, steps))
        if there is None and steps:
            steps.clear()  # restart with steepest descent
            there = _step(function, here, _direction(here, steps))
        if there is None:
            return Found(here.x, curve, len(curve) > 1 or not here.gradient.any())
        _remember(steps, here, there)
        gain, here = here.value - there.value, there
        curve.append(here.value)
        # relative to the value; near a minimum of 0, relative to the start
        idle = idle + 1 if gain <= tol * max(here.value, tol * curve[0]) else 0
        if idle == _PATIENCE:
            return Found(here.x, curve, stopped=True)
    return Found(here.x, curve, stopped=False)


def _direction(here: _Point, steps: deque[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """L-BFGS direction: the two-loop recursion over the previous steps."""
    gradient = here.gradient
    if not steps:
        steepness = float(gradient @ gradient)
        # no curvature is known yet: a step that would lower the value by a tenth, were it linear
        return -gradient * (_FIRST * here.value / steepness if steepness > 0 else 1.0)
    direction, shares = -gradient, []
    # backward: the gradient without its parts along previous changes, newest first
    for step, change in reversed(steps):
        share = (step @ direction) / (step @ change)
        direction = direction - share * change
        shares.append(share)
    step, change = steps[-1]
    direction *= (step @ change) / (change @ change)  # initial Hessian: scaled identity
    # forward: add what the previous steps tell about the inverse Hessian, oldest first
    for (step, change), share in zip(steps, reversed(shares), strict=True):
        direction += step * (share - (change @ direction) / (step @ change))
    return direction


def _step(function: Function, here: _Point, direction: np.ndarray) -> _Point | None:
    """Line search: a point that satisfies the weak Wolfe conditions, or None."""
    slope = float(here.gradient @ direction)
    # `short` decreases enough but is too steep, `long` decreases too little; infinite: not yet
    # known
    if not slope < 0:
        return None
    short, long, length = 0.0, np.inf, 1.0
    lower: _Point | None = None
    for _ in range(_TRIALS):
        x = here.x + length * direction
        there = _Point(x, *function(x))
        if not there.value <= here.value + _DECREASE * length * slope:  # too little decrease
            long = length
        elif there.gradient @ direction < _SLOPE * slope:  # still steep: go further
            short, lower = length, there
        else:
            return there
        length = (short + long) / 2 if np.isfinite(long) else 2 * short
    # no point with both conditions, but one with sufficient decrease
    return lower


def _remember(steps: deque[tuple[np.ndarray, np.ndarray]], here: _Point, there: _Point) -> None:
    step, change = there.x - here.x, there.gradient - here.gradient
    # positive curvature keeps the approximate Hessian positive definite
    if step @ change > _CURVED * np.linalg.norm(step) * np.linalg.norm(change):
        steps.append((step, change))


_ABNORMAL = 2  # scipy's status if the line search finds no lower point
Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""Loss of a map, of any shape, and its gradient of the same shape."""


def minimize_smooth(owner: Any, objective: Objective, start: np.ndarray) -> np.ndarray:
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
        If it has not converged after `max_iter` iterations.
    """
    from scipy.optimize import minimize
    from sklearn.exceptions import ConvergenceWarning

    curve: list[float] = []

    def flat(values: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = objective(values.reshape(start.shape))
        if not curve:
            curve.append(float(loss))
        return float(loss), gradient.ravel()

    def keep(intermediate_result: OptimizeResult) -> None:
        curve.append(float(intermediate_result.fun))

    solve: Any = minimize  # its stubs know no shapes
    solution = solve(
        flat,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=keep,
        options={
            "maxiter": owner.max_iter,
            "maxfun": 10**6,
            "maxcor": 20,
            "ftol": min(owner.tol, 1.0),  # scipy divides it by the machine precision
            "gtol": 1e-10,
        },
    )
    L, n_iter, done = solution.x, int(solution.nit), bool(solution.success)
    if solution.status == _ABNORMAL:  # a steep barrier looks like a kink to the line search
        rest = minimize_nonsmooth(flat, L, owner.max_iter - n_iter, owner.tol)
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
