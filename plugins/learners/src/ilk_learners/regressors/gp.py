"""gp: Gaussian process regression."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from scipy.linalg import lapack

from ilk import (
    Capabilities,
    IlkError,
    InputError,
    KernelLike,
    RandomState,
    Regressor,
    Seed,
    check_fitted,
    display_name,
    fit_component,
    n_rows,
    param,
    take,
)
from ilk_learners.gaussian_processes import triangles
from ilk_learners.gaussian_processes.covariance import Covariance, is_rbf
from ilk_learners.gaussian_processes.marginal_likelihood import (
    KERNEL,
    MAX_STEPS,
    N_RESTARTS,
    SMALL,
    blocks,
    gram,
    is_trivial,
    maximize,
)
from ilk_learners.numerics import check_finite_parameters, single_threaded
from ilk_learners.validation import learns, read_numbers, read_rows, with_input_tags

if TYPE_CHECKING:
    from ilk import Cases, Labels


class GPRegressor(Regressor):
    """Gaussian process regression: the posterior mean of functions, given noisy targets.

    The prior of function values is Gaussian with covariance ``v k(x, z)``. Targets are function
    values plus noise of variance s. With ``C = v K + s I`` on the training rows,

        mean(x) = k(x)' C^-1 y,      variance(x) = v k(x, x) - k(x)' C^-1 k(x),

    where ``k(x)`` are the covariances of x with the training rows (equation (E.39) of [1]_).
    Targets are first standardized to mean 0 and variance 1. So v and s are in units of their
    variance, and predictions far from all rows are the mean of the targets.

    The hyper-parameters of the kernel, v and s can be optimised to maximise the log marginal
    likelihood

    ``log p(y) = -y' C^-1 y / 2 - log |C| / 2 - n log(2 pi) / 2``

    by its analytic gradient. (Equation (9.1) of [1]_ has no noise term in it.) A maximum at which
    all rows have the same mean is left for two more starts.

    It accepts the input of its kernel. It takes O(n^3) time and memory for two n x n matrices. With
    `optimize`, kernels other than rbf over a Euclidean distance need one more matrix for each
    hyper-parameter.

    Attributes
    ----------
    kernel_ : kernel
        Fitted, with the chosen hyper-parameters.
    signal_variance_, noise_variance_ : float
        In units of the variance of y.
    jitter_ : float
        Added to the diagonal of ``v K`` if C was singular to working precision: 0, or 1e-12 times
        the mean of that diagonal, or 10, 100, ... times as much, up to 1e-3.
    log_marginal_likelihood_ : float
        For the standardized targets.
    n_features_in_ : int
        Where the rows are vectors or tables.

    Raises
    ------
    ParameterError
        If the kernel has no hyper-parameter to optimise, or no gradient.
    InputError
        If the kernel is not positive semi-definite, or y is not finite numbers.

    Warns
    -----
    ConvergenceWarning
        If the optimiser has not converged.

    References
    ----------
    .. [1] Zaidi 2011: section 9.1; appendix E; equations 2.27-2.28, 9.1, E.31-E.39.
    .. [2] C. E. Rasmussen and C. K. I. Williams, *Gaussian Processes for Machine Learning*, MIT
       Press, 2006, algorithm 2.1, equation (5.9), and section 5.4.2 for leaving one out.

    Examples
    --------
    >>> import ilk
    >>> import numpy as np
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> gp = ilk.regressor("gp", optimize="isotropic").fit(X, np.sin(X[:, 0]))
    >>> mean, std = gp.predict([[1.5], [60.0]], return_std=True)
    >>> mean.round(2).tolist()[0], bool(std[0] < std[1])
    (1.0, True)
    """

    kernel: KernelLike = KERNEL
    signal_variance: float = param(default=1.0, gt=0, doc="v, where it starts if it is optimised.")
    noise_variance: float = param(
        default=0.1,
        ge=0,
        doc="s; the start if it is optimised. With 0, which stays 0, targets are interpolated "
        "exactly.",
    )
    optimize: Literal["none", "isotropic", "ard"] = param(
        default="none",
        choices=("none", "isotropic", "ard"),
        doc="Hyper-parameters to optimise: none; v, s and each number of the kernel (isotropic: "
        "for rbf a common factor of its bandwidths); or, for rbf over a Euclidean distance of "
        "vectors, also a bandwidth for each feature.",
    )
    n_restarts: int = N_RESTARTS
    max_steps: int = MAX_STEPS
    random_state: RandomState = param(default=None, type=Seed, doc="For restarts.")
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "histograms", "tables", "strings", "signatures", "sets", "views"),
        fast_leave_one_out=True,
        sparse=True,
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(kernel={"use": "rbf", "sigma": 2.0}),
            cls(),
            cls(optimize="isotropic"),
            cls(optimize="ard", n_restarts=1, max_steps=25, random_state=0),
            cls(kernel={"use": "polynomial", "degree": 2}, noise_variance=0.5),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that variances are finite."""
        super().check_parameters()
        check_finite_parameters(self, "signal_variance", "noise_variance")

    def fit(self, X: Cases, y: Labels) -> Self:
        """Factor the covariance of the training targets.

        Parameters
        ----------
        X : data of n rows, of any kind that the kernel takes
        y : array of shape (n,)
        """
        self.check_parameters()
        kernel: Any = self.seeded_slot("kernel")
        X = read_rows(self, kernel, X, reset=True)
        y = read_numbers(self, y, X)
        # the prior mean is 0, and variances are in units of that of the targets
        targets, self._mean, self._scale = _standardized(y)
        self.kernel_ = fit_component(kernel, X, y)
        self.signal_variance_ = float(self.signal_variance)
        self.noise_variance_ = float(self.noise_variance)
        memory = np.empty((len(y), len(y)))
        with single_threaded(when=len(y) <= SMALL):
            if self.optimize != "none":
                self._optimize(X, targets, memory)
            K = gram(self.kernel_, self.signal_variance_, X)
            self.regression_, self.jitter_ = self._regressed(K, targets, memory)
        self.log_marginal_likelihood_ = self.regression_.log_evidence
        self._rows = X
        return self

    def _regressed(
        self, K: np.ndarray, targets: np.ndarray, memory: np.ndarray
    ) -> tuple[Regression, float]:
        try:
            return triangles.with_jitter(
                K, lambda: regress(K, targets, self.noise_variance_, memory)
            )
        except np.linalg.LinAlgError:
            raise InputError(
                f"{display_name(self)}: the kernel is not positive semi-definite on X, even with "
                f"1e-3 of its mean added to its diagonal; the kernel substitution can repair that"
            ) from None

    def _optimize(self, X: Cases, targets: np.ndarray, memory: np.ndarray) -> None:
        covariance = Covariance(self, self.kernel_, X, targets, self.optimize)
        start = np.array([self.signal_variance_, self.noise_variance_])

        # in logarithms, so that variances stay positive
        def parts(theta: np.ndarray) -> tuple[Any, float, float, np.ndarray]:
            variance, noise = (start * np.exp(theta[:2])).tolist()
            kernel = covariance.kernel(theta[2:])
            return kernel, variance, noise, gram(kernel, variance, X)

        def trivial(theta: np.ndarray) -> bool:
            _, _, noise, K = parts(theta)
            return is_trivial(K, noise)

        def evidence(theta: np.ndarray) -> tuple[float, np.ndarray]:
            kernel, variance, noise, K = parts(theta)
            regression, _ = triangles.with_jitter(K, lambda: regress(K, targets, noise, memory))
            M = regression.derivative()
            # dC / d log s = s I
            of_noise = noise * float(np.trace(M))
            gradient = covariance.gradient(kernel, M, K, variance)
            # theta: signal variance, noise variance, then the kernel's numbers
            return regression.log_evidence, np.insert(gradient, 1, of_noise)

        theta = maximize(self, evidence, (2, covariance.size), trivial)
        self.kernel_, self.signal_variance_, self.noise_variance_, _ = parts(theta)

    def predict(self, X: Cases, return_std: bool = False) -> Any:
        """Mean of the function value of each row; array of shape (m,).

        Parameters
        ----------
        X : data of m rows
        return_std : bool, default=False
            Whether to return the standard deviations of the function values (without noise) as a
            second array.
        """
        check_fitted(self)
        X = read_rows(self, self.kernel_, X, reset=False)
        means, variances = np.empty(n_rows(X)), np.empty(n_rows(X))
        for rows in blocks(n_rows(X), len(self.regression_.alpha)):
            Q = take(X, rows)
            k = gram(self.kernel_, self.signal_variance_, Q, self._rows)
            means[rows] = k @ self.regression_.alpha
            if return_std:
                prior = self.signal_variance_ * np.asarray(self.kernel_.diagonal(Q), dtype=float)
                variances[rows] = self.regression_.variances(prior, k)
        means = self._mean + self._scale * means
        return (means, self._scale * np.sqrt(variances)) if return_std else means

    @property
    def fast_leave_one_out(self) -> bool:
        """Whether `leave_one_out` is available with the present parameters."""
        try:
            return self._in_the_way() is None
        except IlkError:  # `fit` reports it
            return False

    def _in_the_way(self) -> tuple[str, str] | None:
        """Parameter that forces a refit for each row, and its required value."""
        if self.optimize != "none":
            return "optimize", "must be 'none'"
        if _learns(self.resolve_slot("kernel")):
            what = (
                "must be one that learns nothing from training rows (rbf with a number), or frozen"
            )
            return "kernel", what
        return None

    def leave_one_out(self, X: Cases, y: Labels) -> np.ndarray:
        """Prediction for each row by a regressor fitted on all the others; array of shape (n,).

        One matrix gives the result of refitting for each row, up to rounding:
        ``y_i - (r_i - m_i e_i) / (C^-1)_ii`` for ``r = C^-1 y``, ``e = C^-1 1`` and the mean m_i of
        the other targets. It needs parameters that do not depend on the rows (see
        `fast_leave_one_out`).

        Raises
        ------
        ParameterError
            If a parameter must be learned again for each row; the message names it.
        InputError
            If there are fewer than two rows, or C is singular to working precision.
        """
        self.check_parameters()
        problem = self._in_the_way()
        if problem is not None:
            name, what = problem
            raise self.parameter_error(
                name,
                f"{what}, for leave_one_out, got {getattr(self, name)!r}; the resampling of that "
                f"name fits anew without each row",
            )
        if n_rows(X) < 2:
            raise InputError(f"{display_name(self)}: X has {n_rows(X)} row, 2 are needed")
        return copy.copy(self).fit(X, y)._left_out(y)  # noqa: SLF001  # one of this class

    def _left_out(self, y: Labels) -> np.ndarray:
        if self.jitter_:
            raise InputError(
                f"{display_name(self)}: the covariance of the targets is singular to working "
                f"precision; raise noise_variance for leave_one_out"
            )
        targets = _standardized(read_numbers(self, y, self._rows))[0]
        n = len(targets)
        # the mean that a regressor without row i would subtract
        others = (targets.sum() - targets) / (n - 1)
        ones = triangles.solve(self.regression_.L, np.ones(n))
        of_rest = self.regression_.alpha - others * ones
        diagonal = np.diagonal(triangles.inverse(self.regression_.L))
        # y_i - [C^-1 y]_i / [C^-1]_ii, equation (5.12) of Rasmussen and Williams
        return np.asarray(self._mean + self._scale * (targets - of_rest / diagonal))

    def __sklearn_tags__(self) -> Any:
        """Take the input tags of the kernel; a bandwidth for each feature needs dense rows."""
        tags = with_input_tags(self, "kernel", super().__sklearn_tags__())
        tags.input_tags.sparse &= self.optimize != "ard"
        return tags


def _standardized(y: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Standardized targets, their mean and standard deviation (1 if they are all equal)."""
    if (y == y[0]).all():
        return np.zeros_like(y), float(y[0]), 1.0
    unit = float(np.abs(y).max())  # scaled, so that squares stay in range
    z = y / unit
    mean = float(z.mean())
    z -= mean
    deviation = float(z.std())
    return z / deviation, mean * unit, deviation * unit


def _learns(kernel: Any) -> bool:
    """Whether a kernel depends on training rows; rbf with a number for sigma does not."""
    if is_rbf(kernel) and not isinstance(kernel.sigma, str):
        return learns(kernel.resolve_slot("distance"))
    return learns(kernel)


_norm: Any = lapack.dlange  # its stubs lack an argument
_LEAST_CONDITION = 4 * np.finfo(float).eps  # reciprocal; below it no digit of alpha is right


@dataclass
class Regression:
    """``K + noise I = L L'`` and ``alpha = (K + noise I)^-1 y``.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
    L : ndarray of shape (n, n)
        Lower triangular.
    log_evidence : float
        ``-y' alpha / 2 - log |L| - n log(2 pi) / 2``.
    """

    alpha: np.ndarray
    L: np.ndarray
    log_evidence: float

    def variances(self, prior: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Variances of function values, from prior variances and covariances with training rows.

        Parameters
        ----------
        prior : ndarray of shape (m,)
        k : ndarray of shape (m, n)
            Overwritten.
        """
        # k(x, x) - k'C^-1 k with C = LL'; rounding may make it negative
        v = triangles.half_solve(self.L, k.T)
        return np.asarray(np.maximum(prior - np.einsum("ij,ij->j", v, v), 0))

    def derivative(self) -> np.ndarray:
        """``(alpha alpha' - (K + noise I)^-1) / 2``, in the lower triangle; overwrites L."""
        from scipy.linalg import blas

        inverse = triangles.inverse(self.L)
        inverse *= -0.5
        return np.asarray(blas.dsyr(0.5, self.alpha, lower=1, a=inverse, overwrite_a=1))


def regress(
    K: np.ndarray, y: np.ndarray, noise: float, memory: np.ndarray | None = None
) -> Regression:
    """Factor the covariance of targets.

    Parameters
    ----------
    K : ndarray of shape (n, n)
    y : ndarray of shape (n,)
    noise : float
        Variance of the noise.
    memory : ndarray of shape (n, n), optional
        Memory for L.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the covariance is not positive definite, or singular to working precision.
    """
    A = np.empty_like(K) if memory is None else memory
    np.copyto(A, K)
    A.ravel()[:: len(A) + 1] += noise
    # the factor overwrites A, so its norm is taken first
    # A is symmetric: its transpose has the columns that LAPACK reads, without a copy
    norm = _norm("1", A.T)
    L = triangles.factor(A)
    if lapack.dpocon(L, norm, uplo="L")[0] < _LEAST_CONDITION:
        raise np.linalg.LinAlgError("singular to working precision")
    alpha = triangles.solve(L, y)
    # log p(y) = -y'C^-1 y / 2 - log |C| / 2 - n log(2 pi) / 2
    fit = -0.5 * float(y @ alpha) - triangles.half_log_determinant(L)
    return Regression(alpha, L, fit - 0.5 * len(y) * float(np.log(2 * np.pi)))
