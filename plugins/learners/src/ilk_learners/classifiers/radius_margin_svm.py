"""radius_margin_svm: a support vector machine with features scaled by its radius-margin bound."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Capabilities, Classifier, check_fitted, check_vectors, display_name, param
from ilk_learners.classifiers.training_cases import check_cases
from ilk_learners.numerics import check_finite_parameters, deviations, finite
from ilk_learners.svm.gram import gram_matrix
from ilk_learners.svm.machines import class_scores, dense_coefficients, problems, solve, winners

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scipy.optimize import OptimizeResult

    from ilk import Cases, Labels
    from ilk_learners.svm.machines import Machine


_FARTHEST = np.log(1e3)  # bounds of a log scale and of log C around the start: no overflow
_LEAST_C = 1e-8  # beyond [1e-8, 1e8], K or I / C is lost in rounding
_CELLS = 2**22  # kernel values held at once when predicting: 32 MiB


class RadiusMarginSVM(Classifier):
    """Support vector machine whose feature scales and C minimise the radius-margin bound.

    The kernel is Gaussian with a scale s_f per feature (the thesis's matrix A is diagonal),

        k(x, z) = exp(-sum_f s_f^2 (x_f - z_f)^2 / 2)

    and slack is squared, so the machine has a hard margin under ``K~ = K + I / C``. Its number of
    leave-one-out errors is at most ``T = R^2 |w|^2``: R is the radius of the smallest sphere around
    the training rows and ``1 / |w|`` the margin, both in the space of K~. Each step solves for the
    machine and the sphere, then L-BFGS lowers T along its gradient for the logarithms of the s_f
    and of C:

    ``dT = |w|^2 dR^2 + R^2 d|w|^2``, ``d|w|^2 = -sum_ij a_i a_j y_i y_j dK~_ij``,
    ``dR^2 = sum_i b_i dK~_ii - sum_ij b_i b_j dK~_ij``

    for the coefficients a of the machine and b of the centre of the sphere.

    The initialization is ``s_f = 1 / (sd_f sqrt(2 p))`` for the standard deviations sd_f of the p
    features that vary: the kernel rbf on standardized features. So the units of features do not
    matter. (The thesis says "some random value".) A constant feature has the scale 0.

    More than two classes: one machine for each class against the rest, all with the same scales,
    and ``T = R^2 sum_c |w_c|^2``.

    Time and memory for n rows: a Gram matrix, two quadratic programs on it and
    ``O(n_support^2 p)`` for each step; four matrices of n x n.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    scales_ : ndarray of shape (n_features,)
        s_f.
    C_ : float
    bound_curve_ : list of float
        T at the start, then after each step; decreasing.
    n_iter_ : int
    radius_ : float
    margin_ : ndarray of shape (n_machines,)
        ``1 / |w|`` of each machine.
    support_ : ndarray of int, shape (n_support,)
    support_vectors_ : ndarray of shape (n_support, n_features)
    dual_coef_ : ndarray of shape (n_machines, n_support)
    intercept_ : ndarray of shape (n_machines,)
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If a tolerance is not finite, or `solver_tol` is above 2: libsvm would end at its start.
    InputError
        If there are fewer than two classes.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` is reached, or libsvm gives up after a million iterations.

    Notes
    -----
    T is a bound, not an estimate: it can far exceed the number of rows, and a lower bound need not
    mean fewer errors. In the thesis it is as good as cross-validation, and faster.

    References
    ----------
    .. [1] O. Chapelle, V. Vapnik, O. Bousquet and S. Mukherjee, "Choosing multiple parameters for
       support vector machines", *Machine Learning* 46, 2002.
    .. [2] Zaidi 2011: section 7.1; equations 7.2-7.3.

    Examples
    --------
    The class is the sign of the first feature; the second one is noise:

    >>> import ilk, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> svm = ilk.classifier("radius_margin_svm").fit(X, X[:, 0] > 0)
    >>> bool(svm.scales_[0] > 5 * svm.scales_[1])
    True
    >>> svm.bound_curve_[-1] < svm.bound_curve_[0] / 2
    True
    """

    C: float = param(
        default=10.0,
        ge=_LEAST_C,
        le=1 / _LEAST_C,
        doc="Initial C: cost of half of a squared slack; from 1e-8 to 1e8, beyond which K or I / "
        "C is lost in rounding.",
    )
    tune_C: bool = param(default=True, doc="Whether to optimise C too.")
    max_iter: int = param(default=50, ge=0, doc="Maximal steps; 0: keep the initial values.")
    tol: float = param(default=0.0001, ge=0, doc="Stop at this relative decrease of log T.")
    solver_tol: float = param(
        default=1e-06,
        gt=0,
        doc="Tolerance of libsvm; the gradient is as exact as the solutions.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities()

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(C=1.0, tune_C=False, tol=1e-2)]

    def check_parameters(self) -> None:
        """Check each parameter, and that the numbers are finite."""
        super().check_parameters()
        check_finite_parameters(self, "tol", "solver_tol")
        if self.solver_tol > 2:
            raise self.parameter_error(
                "solver_tol", f"must be at most 2, libsvm's start, got {self.solver_tol}"
            )

    def fit(self, X: Cases, y: Labels) -> Self:
        """Minimise the bound and keep the best machines.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        """
        self.check_parameters()
        cases = check_cases(self, X, y)
        self.classes_ = cases.classes
        self._mean, rows, exponents = deviations(cases.X)
        spread = np.sqrt(np.mean(np.square(rows), axis=0))
        varying = spread > 0
        # in this unit the mean squared distance of rows is 1, so that the kernel starts neither
        # flat nor diagonal
        unit = np.where(varying, spread, 1.0) * np.sqrt(2 * max(int(varying.sum()), 1))
        signs = [s for _, s in problems(cases.codes, len(cases.classes), "ova")]
        descent = _Descent(RadiusMargin(rows / unit, signs, self.solver_tol), self.C)
        n_iter = descent.run(self.tune_C, self.max_iter, self.tol) if self.max_iter else 0
        self._warn(descent, n_iter)
        with np.errstate(over="ignore"):
            scales = np.ldexp(np.where(varying, descent.best_scales / unit, 0.0), -exponents)
        self.scales_ = finite(self, scales, "X varies so little that scales_")
        self.C_, self.n_iter_, self.bound_curve_ = descent.best_C, n_iter, descent.curve
        self._collect(descent.best, cases.X)
        return self

    def _warn(self, descent: _Descent, n_iter: int) -> None:
        from sklearn.exceptions import ConvergenceWarning

        what = ""
        if self.max_iter and n_iter >= self.max_iter:
            what = f"not converged after {n_iter} steps (max_iter)"
        elif not all(machine.converged for machine in descent.best.machines):
            what = "libsvm has not converged; lower C, or raise solver_tol"
        if what:
            warnings.warn(f"{display_name(self)}: {what}", ConvergenceWarning, stacklevel=3)

    def _collect(self, bound: Bound, X: np.ndarray) -> None:
        """Combine the machines."""
        dense = dense_coefficients(bound.machines, len(X))
        self.support_ = np.flatnonzero(dense.any(axis=0))
        self.dual_coef_ = dense[:, self.support_]
        self.intercept_ = np.array([machine.intercept for machine in bound.machines])
        self.margin_ = np.array([machine.margin for machine in bound.machines])
        self.radius_ = float(np.sqrt(bound.squared_radius))
        self.support_vectors_ = X[self.support_]
        self._support = self._scaled(self.support_vectors_)

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return finite(self, (X.astype(float) - self._mean) * self.scales_, "X * scales_")

    def decision_function(self, X: Cases) -> np.ndarray:
        """Decision values of the machines; array of shape (m, n_classes), or (m,) for two."""
        check_fitted(self)
        Z = self._scaled(check_vectors(self, X, reset=False))
        kernel, step = _unit_kernel(self._support), max(_CELLS // max(len(self._support), 1), 1)
        parts = [Z[start : start + step] for start in range(0, len(Z), step)]
        K = (kernel.gram(part, self._support) @ self.dual_coef_.T for part in parts)
        return class_scores(np.concatenate(list(K)) + self.intercept_, len(self.classes_), "ova")

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        best = winners(self.decision_function(X))
        return self.classes_[best]


class _Descent:
    """Minimisation of the bound from scales of 1, and the best point so far."""

    def __init__(self, bound: RadiusMargin, C: float) -> None:
        self.bound = bound
        self.C = C
        self.best_scales, self.best_C = np.ones(bound.Z.shape[1]), C
        self.best = bound(self.best_scales, C)
        self.curve = [self.best.value]

    def run(self, tune_C: bool, max_iter: int, tol: float) -> int:
        """Minimise; return the number of steps."""
        from scipy.optimize import minimize

        def log_bound(logarithms: np.ndarray) -> tuple[float, np.ndarray]:
            scales, C = np.exp(logarithms[:-1]), self.C * float(np.exp(logarithms[-1]))
            point = self.bound(scales, C)
            if point.value < self.best.value:
                self.best, self.best_scales, self.best_C = point, scales, C
            return float(np.log(point.value)), point.gradient

        def keep(intermediate_result: OptimizeResult) -> None:
            self.curve.append(float(np.exp(intermediate_result.fun)))

        p = self.bound.Z.shape[1]
        ends = -np.log(self.C * np.array([1 / _LEAST_C, _LEAST_C]))
        span = tuple(np.clip(ends, -_FARTHEST, _FARTHEST)) if tune_C else (0.0, 0.0)
        solve: Any = minimize  # its stubs know no shapes
        solution = solve(
            log_bound,
            np.zeros(p + 1),
            jac=True,
            method="L-BFGS-B",
            bounds=[(-_FARTHEST, _FARTHEST)] * p + [span],
            callback=keep,
            options={"maxiter": max_iter, "ftol": tol, "gtol": 1e-6},
        )
        # line searches also evaluate worse points; the curve shows the best so far
        self.curve = np.minimum.accumulate(self.curve).tolist()
        return int(solution.nit)


_ITERATIONS = 1_000_000  # of libsvm for one machine: limits the time of a step
_FREE = 1e12  # box bound for libsvm, never active: squared slack needs none


@dataclass(frozen=True)
class Bound:
    """The bound and its gradient at one point.

    Attributes
    ----------
    value : float
        ``R^2 sum_c |w_c|^2``.
    gradient : ndarray of shape (p + 1,)
        Derivatives of log value by the logarithm of each scale, then by that of C.
    squared_radius : float
    machines : tuple of Machine
        Solutions with ``K + I / C``.
    """

    value: float
    gradient: np.ndarray
    squared_radius: float
    machines: tuple[Machine, ...]


@dataclass(eq=False, repr=False)
class RadiusMargin:
    """The bound for rows Z with the kernel ``exp(-|s * (z - z')|^2 / 2)`` for scales s.

    With squared slack, ``|w|^2 / 2 + (C / 2) sum_i xi_i^2`` is the objective of a hard margin under
    ``K~ = K + I / C``; radius and margin are measured under K~. With the solutions a of the machine
    (signs included) and b of the sphere

        d|w|^2 = -sum_ij a_i a_j dK~_ij,    dR^2 = sum_i b_i dK~_ii - sum_ij b_i b_j dK~_ij

    Parameters
    ----------
    Z : ndarray of shape (n, p)
    signs : sequence of ndarray of shape (n,)
        -1 or 1, one for each machine.
    tol : float
        Tolerance of libsvm.
    """

    Z: np.ndarray
    signs: Sequence[np.ndarray]
    tol: float

    def __call__(self, scales: np.ndarray, C: float) -> Bound:
        """The bound and its gradient."""
        Z = self.Z * scales
        K = gram_matrix(_unit_kernel(Z), Z)
        # squared slack is a hard margin under K + I / C
        K.flat[:: len(K) + 1] += 1 / C
        free = np.full(len(K), _FREE)
        machines = tuple(solve(K, signs, free, tol=self.tol, max_iter=None) for signs in self.signs)
        # at the optimum the dual objective is |w|^2 / 2
        squares = 2 * sum(machine.objective for machine in machines)
        squared_radius, weights = enclosing_sphere(K, tol=self.tol)
        K.flat[:: len(K) + 1] -= 1 / C
        of_margin, of_radius = np.zeros(Z.shape[1] + 1), np.zeros(Z.shape[1] + 1)
        # machines and sphere are optimal, so only K~ moves at first order (envelope theorem)
        for machine in machines:
            of_margin -= _slopes(K, Z, machine.rows, machine.coef, C)
        some = np.flatnonzero(weights)
        of_radius -= _slopes(K, Z, some, weights[some], C)
        # the first term of the radius, sum_i b_i k~(x_i, x_i), contains 1 / C and weights that sum
        # to 1
        of_radius[-1] -= 1 / C
        # the gradient of the logarithm of the product
        gradient = of_margin / squares + of_radius / squared_radius
        return Bound(squares * squared_radius, gradient, squared_radius, machines)


def _unit_kernel(Z: np.ndarray) -> Any:
    """The kernel of scaled rows."""
    return ilk.kernel("ilk-distances/rbf", sigma=1.0).fit(Z[:1])


def _slopes(K: np.ndarray, Z: np.ndarray, rows: np.ndarray, v: np.ndarray, C: float) -> np.ndarray:
    """``sum_ij v_i v_j dK~_ij`` for the logarithm of each scale, then that of C.

    Along a scale ``dK_ij = -K_ij (z_i - z_j)^2``; along C it is ``-I / C``.
    """
    Z = Z[rows] - Z[rows].mean(axis=0)
    P = K[np.ix_(rows, rows)] * np.outer(v, v)
    # - sum_ij P_ij (z_i - z_j)^2 = 2 (z'Pz - sum_i p_i z_i^2) with the row sums p of P
    of_scales = 2 * (np.einsum("if,if->f", Z, P @ Z) - P.sum(axis=1) @ np.square(Z))
    return np.append(of_scales, -float(v @ v) / C)


def enclosing_sphere(K: np.ndarray, *, tol: float = 1e-6) -> tuple[float, np.ndarray]:
    """Squared radius of the smallest sphere, and the weight of each row in its centre.

    The weights maximise ``sum_i b_i k(x_i, x_i) - sum_ij b_i b_j k(x_i, x_j)`` over ``b >= 0``
    that sum to 1; the maximum is the squared radius. Replace the kernel by minus half of the
    squared distances in its space: the first sum becomes 0 and the objective stays the same. Then
    libsvm's one-class machine with nu = 1/n solves the problem.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Kernel values of n >= 2 rows.
    tol : float
        Of libsvm.

    Returns
    -------
    squared_radius : float
    weights : ndarray of shape (n,)
    """
    import sklearn
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import OneClassSVM

    n, diagonal = len(K), np.diagonal(K)
    # minus half of the squared distances: k(x, z) - k(x, x) / 2 - k(z, z) / 2
    apart = K - diagonal / 2
    apart -= diagonal[:, None] / 2
    machine = OneClassSVM(kernel="precomputed", nu=1 / n, tol=tol)
    settings = {"assume_finite": True, "skip_parameter_validation": True}
    with warnings.catch_warnings(), sklearn.config_context(**settings):
        warnings.simplefilter("ignore", ConvergenceWarning)  # no limit is set
        machine.fit(apart)
    weights = np.zeros(n)
    weights[machine.support_] = machine.dual_coef_[0]
    weights /= weights.sum()
    return max(-float(weights @ apart @ weights), 0.0), weights
