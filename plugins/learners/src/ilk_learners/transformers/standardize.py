"""standardize: scale every feature to mean 0 and standard deviation 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ilk import OneToOneFeatureMixin, Transformer, check_fitted, check_vectors, param
from ilk_learners.numerics import deviations, finite, halves

if TYPE_CHECKING:
    from ilk import Cases, Labels


class Standardize(OneToOneFeatureMixin, Transformer):
    """Shift and scale every feature to mean 0 and standard deviation 1.

    z = (x - mean) / s with the mean and the standard deviation s (divided by n) of the training
    rows. A feature that is constant in training has s = 1, so its training values become exactly 0.
    The moments are accurate at any magnitude, 1e-300 and 1e300 alike.

    Attributes
    ----------
    mean_ : ndarray of shape (p,)
        The subtracted mean; zeros without `with_mean`.
    scale_ : ndarray of shape (p,)
        The divisor; ones without `with_std`.

    Raises
    ------
    InputError
        If X has nominal columns, a missing or an infinite value.

    References
    ----------
    T. Hastie, R. Tibshirani and J. Friedman, *The Elements of Statistical Learning*, 2nd ed.,
    Springer, 2009, section 14.3.

    Examples
    --------
    >>> import ilk
    >>> ilk.transformer("standardize").fit_transform([[1.0, 7.0], [3.0, 7.0]])
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    with_mean: bool = param(default=True, doc="Whether to subtract the mean.")
    with_std: bool = param(default=True, doc="Whether to divide by the standard deviation.")

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(with_std=False), cls(with_mean=False)]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn means and standard deviations; y is ignored."""
        self._learn(X)
        return self

    def transform(self, X: Cases) -> Any:
        """Standardized rows; array of shape (n, p)."""
        check_fitted(self)
        return self._standardized(check_vectors(self, X, reset=False))

    def _fit_transform(self, X: Any, y: Labels | None) -> np.ndarray:
        return self._standardized(self._learn(X))

    def _learn(self, X: Any) -> np.ndarray:
        """Learn from rows; return them checked."""
        self.check_parameters()
        rows: np.ndarray = check_vectors(self, X, reset=True)
        mean, scale = _moments(rows)
        self.mean_ = mean if self.with_mean else np.zeros_like(mean)
        self.scale_ = scale if self.with_std else np.ones_like(scale)
        return rows

    def _standardized(self, X: np.ndarray) -> np.ndarray:
        # halves of both, as the difference of large numbers may overflow; the factor cancels
        half = halves(self.scale_)
        with np.errstate(over="ignore"):
            result = X * half
            result -= self.mean_ * half
            result /= self.scale_ * half
            return finite(self, result.astype(X.dtype, copy=False))

    def inverse_transform(self, X: Cases) -> Any:
        """Invert the standardization; array of shape (n, p)."""
        check_fitted(self)
        X = check_vectors(self, X)
        # halves of both, as the difference of large numbers may overflow; the factor cancels
        half = halves(self.scale_)
        with np.errstate(over="ignore"):
            result = (X * (self.scale_ * half) + self.mean_ * half) / half
            return finite(self, result.astype(X.dtype, copy=False), "X, taken back,")


def _moments(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each column (1 for a constant one), in the type of X."""
    mean, near_one, exponents = deviations(X)
    spread = np.sqrt(np.einsum("ij,ij->j", near_one, near_one) / len(X))
    smallest = np.nextafter(0, 1, dtype=X.dtype)
    # a tiny deviation must not become 0 in single precision
    scale = np.where(spread > 0, np.maximum(np.ldexp(spread, exponents), smallest), 1.0)
    return mean.astype(X.dtype), scale.astype(X.dtype)
