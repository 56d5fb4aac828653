"""linear and bayesian_linear: planes through noisy targets."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    Capabilities,
    Regressor,
    check_fitted,
    check_vectors,
    check_weights,
    rows_of_weight,
)
from ilk_learners.numerics import common_deviations, difference, finite, rounding, significant
from ilk_learners.validation import read_numbers

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Labels

_LEAST = 1e-12  # ratio of variances tried, in units of the largest square of a singular value
_GRID = 100  # ratios tried before the best is refined


class _Plane(Regressor):
    """A plane ``y(x) = w_0 + w'x``, found by a singular value decomposition of centred rows.

    A subclass implements `_ridge`.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(sample_weight=True)

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Find coefficients, intercept and variances.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            A case of weight 2 counts as two.
        """
        from scipy.linalg import svd

        self.check_parameters()
        checked = check_vectors(self, X, reset=True)
        targets = read_numbers(self, y, checked)
        given = None if sample_weight is None else check_weights(self, sample_weight, checked)
        given, seen, targets = rows_of_weight(given, checked, targets)
        weights = np.ones(len(targets)) if given is None else given
        targets, self._height, self._scale = _centred(targets, weights)
        self._origin, rows, self._exponent = common_deviations(seen)
        self._shift = np.average(rows, axis=0, weights=weights)
        root = np.sqrt(weights)
        U, s, self._axes = svd((rows - self._shift) * root[:, None], full_matrices=False)
        noise = rounding(seen, self._exponent) * root.max()
        self._values = np.where(significant(s, self._axes, len(targets), noise), s, 0.0)
        parts = U.T @ (targets * root)
        rest = max(float(weights @ np.square(targets) - parts @ parts), 0.0)
        self._n = float(weights.sum())
        self._ratio, self._noise = self._ridge(self._values, parts, rest)
        self._slopes = _inverse(self._values, self._ratio) * self._values * parts @ self._axes
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            self.noise_variance_ = float(self._noise * np.square(self._scale))
            self.coef_ = np.ldexp(self._slopes, -self._exponent) * self._scale
            self.intercept_ = float(self._at(np.zeros((1, len(self._slopes))))[0])
        finite(self, self.coef_, "y varies so much, or X so little, that coef_")
        return self

    @abstractmethod
    def _ridge(self, s: np.ndarray, parts: np.ndarray, rest: float) -> tuple[float, float]:
        """Noise variance over the variance of w, and noise variance, in units of the fit.

        Parameters
        ----------
        s : ndarray of shape (k,)
            Singular values of the rows, 0 where they are rounding errors.
        parts : ndarray of shape (k,)
            Targets along the left singular vectors.
        rest : float
            Sum of squares of the targets that remains.
        """

    def _from_centre(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return difference(X.astype(float), self._origin, self._exponent) - self._shift

    def _at(self, X: np.ndarray) -> np.ndarray:
        # row by row: the rounding of a matrix product depends on the other rows
        with np.errstate(over="ignore", invalid="ignore"):
            heights = np.einsum("ij,j->i", self._from_centre(X), self._slopes)
            return np.asarray(self._height + self._scale * heights)

    def predict(self, X: Cases) -> Any:
        """Height of the plane at each row; array of shape (m,)."""
        check_fitted(self)
        X = check_vectors(self, X, reset=False)
        return finite(self, self._at(X), "X is so large that the prediction")


class Linear(_Plane):
    """Least squares: the plane with the smallest sum of squared errors.

    ``y(x) = w_0 + w'x`` minimises ``sum_i v_i (y_i - y(x_i))^2`` for the sample weights v. If the
    rows leave directions of w open (equal columns, fewer rows than features), w is the shortest of
    all solutions.

    Attributes
    ----------
    coef_ : ndarray of shape (p,)
        w.
    intercept_ : float
        w_0.
    noise_variance_ : float
        Mean squared error of the training rows, its maximum likelihood.
    n_features_in_ : int

    Raises
    ------
    InputError
        If y is not finite numbers, or X varies so little that a coefficient overflows.

    References
    ----------
    Zaidi 2011: equations E.7-E.18 (E.15 prints a transpose for the inverse of Phi'Phi).

    Examples
    --------
    >>> import ilk
    >>> line = ilk.regressor("linear").fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> line.coef_.round(6).tolist(), round(line.intercept_, 6)
    ([2.0], 1.0)
    >>> line.predict([[10.0]]).round(6).tolist()
    [21.0]
    """

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls()]

    def _ridge(self, s: np.ndarray, parts: np.ndarray, rest: float) -> tuple[float, float]:
        return 0.0, (rest + float(parts[s == 0] @ parts[s == 0])) / self._n


class BayesianLinear(_Plane):
    """Bayesian linear regression, with the variances that maximise the evidence.

    Targets are ``y_i = w_0 + w'x_i + e_i`` with Gaussian noise of variance s. The prior of w is
    Gaussian with covariance v I. The posterior of w, for centred rows X and targets t, is Gaussian
    with mean ``S X't / s`` and covariance ``S = (I / v + X'X / s)^-1``. s and v maximise the log
    marginal likelihood of t, Gaussian with covariance ``s I + v XX'`` in the n - 1 directions that
    are left by w_0, whose prior is flat. It depends, after s is eliminated, on s / v only, and its
    maximum over that is found on a grid and refined. The prior depends on the units of the
    features: standardize them first.

    Attributes
    ----------
    coef_ : ndarray of shape (p,)
        Posterior mean of w.
    intercept_ : float
        Posterior mean of w_0.
    noise_variance_, weight_variance_ : float
        s and v; v may overflow to infinity or underflow to 0.
    log_marginal_likelihood_ : float
        For targets in units of their largest deviation from the mean.
    n_features_in_ : int

    Raises
    ------
    InputError
        If y is not finite numbers, or X varies so little that a coefficient overflows.

    References
    ----------
    Zaidi 2011: equations E.19-E.26 (misprinted).

    D. J. C. MacKay, "Bayesian interpolation", *Neural Computation* 4, 1992.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("diabetes").load().Xy
    >>> model = ilk.regressor("bayesian_linear").fit(X, y)
    >>> round(model.score(X, y), 2)
    0.49
    >>> mean, std = model.predict(X[:1], return_std=True)
    >>> mean.round().tolist(), std.round().tolist()
    ([205.0], [7.0])
    """

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls()]

    def _ridge(self, s: np.ndarray, parts: np.ndarray, rest: float) -> tuple[float, float]:
        from scipy.optimize import minimize_scalar

        squares, unit = np.square(s), float(np.square(s[0])) or 1.0
        n = max(self._n - 1, np.finfo(float).eps)  # w_0 takes one

        def variance(ratio: Any) -> Any:
            # t' (I + XX' / ratio)^-1 t / n, for one ratio or a column of them
            shares = np.square(parts) * ratio / (squares + ratio)
            return np.maximum((rest + shares.sum(axis=-1)) / n, np.finfo(float).tiny)

        def cost(logarithm: Any) -> Any:
            ratio = unit * np.exp(logarithm)
            growth = np.log1p(squares / ratio).sum(axis=-1)
            return (n * np.log(variance(ratio)) + growth) / 2

        ends = np.linspace(np.log(_LEAST), -np.log(_LEAST), _GRID)
        best = int(np.argmin(cost(ends[:, None])))
        around = ends[max(best - 1, 0)], ends[min(best + 1, _GRID - 1)]
        found = minimize_scalar(cost, bounds=around, method="bounded", options={"xatol": 1e-10})
        ratio = unit * float(np.exp(found.x))
        noise = float(variance(ratio))
        self.log_marginal_likelihood_ = -float(found.fun) - n * (np.log(2 * np.pi) + 1) / 2
        with np.errstate(over="ignore", under="ignore"):
            size = np.sqrt(noise / ratio) * self._scale
            self.weight_variance_ = float(np.square(np.ldexp(size, -self._exponent)))
        return ratio, noise

    def predict(self, X: Cases, return_std: bool = False) -> Any:
        """Height of the mean plane at each row; array of shape (m,).

        Parameters
        ----------
        X : array of shape (m, p)
        return_std : bool, default=False
            Whether to return the standard deviations of the heights (without noise) as a second
            array: those of targets are ``sqrt(std^2 + noise_variance_)``.
        """
        means = super().predict(X)
        if not return_std:
            return means
        rows = self._from_centre(check_vectors(self, X, reset=False))
        with np.errstate(over="ignore"):
            along = np.square(np.einsum("ij,kj->ik", rows, self._axes))
            # directions without training rows keep their prior variance
            across = np.maximum(np.einsum("ij,ij->i", rows, rows) - along.sum(axis=1), 0)
            spread = along @ _inverse(self._values, self._ratio) + across / self._ratio
            std = self._scale * np.sqrt(self._noise * (spread + 1 / self._n))
        return means, finite(self, std, "X is so large that the deviation")


def _centred(y: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Targets around their weighted mean in units of the largest, that mean, and the unit."""
    if (y == y[0]).all():
        return np.zeros_like(y), float(y[0]), 1.0
    unit = float(np.abs(y).max())  # sums stay in range
    z = y / unit
    mean = float(np.average(z, weights=weights))
    z -= mean
    largest = float(np.abs(z).max())
    return z / largest, mean * unit, largest * unit


def _inverse(s: np.ndarray, ratio: float) -> np.ndarray:
    """``1 / (s^2 + ratio)``, 0 where both are 0."""
    total = np.square(s) + ratio
    return np.where(total > 0, 1 / np.where(total > 0, total, 1.0), 0.0)
