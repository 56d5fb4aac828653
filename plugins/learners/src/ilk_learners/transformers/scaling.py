"""standardize, minmax, maxabs: scale every feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    Capabilities,
    InputTypeError,
    OneToOneFeatureMixin,
    Transformer,
    check_fitted,
    check_vectors,
    display_name,
    is_sparse,
    param,
)
from ilk_learners.numerics import check_finite_parameters, deviations, finite, halves

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
    InputTypeError
        If X has sparse rows and `with_mean` is set: subtracting a mean fills in the zeros.

    References
    ----------
    T. Hastie, R. Tibshirani and J. Friedman, *The Elements of Statistical Learning*, 2nd ed.,
    Springer, 2009, section 14.3.

    Zaidi 2011: sections 2.4.1, 4.3.1.

    Examples
    --------
    >>> import ilk
    >>> ilk.transformer("standardize").fit_transform([[1.0, 7.0], [3.0, 7.0]])
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    with_mean: bool = param(
        default=True, doc="Whether to subtract the mean. Without it sparse rows stay sparse."
    )
    with_std: bool = param(default=True, doc="Whether to divide by the standard deviation.")
    capabilities: ClassVar[Capabilities] = Capabilities(sparse=True)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(with_std=False), cls(with_mean=False)]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn means and standard deviations; y is ignored."""
        self._learn(X)
        return self

    def transform(self, X: Cases) -> Any:
        """Standardized rows; array of shape (n, p), or CSR for sparse rows."""
        check_fitted(self)
        return self._standardized(self._checked(X, reset=False))

    def _fit_transform(self, X: Any, y: Labels | None) -> Any:
        return self._standardized(self._learn(X))

    def _checked(self, X: Cases, *, reset: bool | None) -> Any:
        """Rows as floats, sparse ones only where no mean is subtracted."""
        if self.with_mean and (is_sparse(X) or hasattr(X, "sparse")):
            raise InputTypeError(
                f"{display_name(self)}: X has sparse rows, but subtracting the mean makes them "
                f"dense; with_mean=False takes them, or give a dense X if it is small"
            )
        return check_vectors(self, X, reset=reset, sparse=True)

    def _learn(self, X: Any) -> Any:
        """Learn from rows; return them checked."""
        self.check_parameters()
        rows = self._checked(X, reset=True)
        mean, scale = _moments(rows)
        self.mean_ = mean if self.with_mean else np.zeros_like(mean)
        self.scale_ = scale if self.with_std else np.ones_like(scale)
        return rows

    def _standardized(self, X: Any) -> Any:
        if is_sparse(X):
            with np.errstate(over="ignore"):
                return finite(self, _with_data(X, X.data / self.scale_.astype(X.dtype)[X.indices]))
        # halves of both, as the difference of large numbers may overflow; the factor cancels
        half = halves(self.scale_)
        with np.errstate(over="ignore"):
            result = X * half
            result -= self.mean_ * half
            result /= self.scale_ * half
            return finite(self, result.astype(X.dtype, copy=False))

    def inverse_transform(self, X: Cases) -> Any:
        """Invert the standardization; array of shape (n, p), or CSR for sparse rows."""
        check_fitted(self)
        rows = self._checked(X, reset=None)
        if is_sparse(rows):
            with np.errstate(over="ignore"):
                back = _with_data(rows, rows.data * self.scale_.astype(rows.dtype)[rows.indices])
                return finite(self, back, "X, taken back,")
        # halves of both, as the difference of large numbers may overflow; the factor cancels
        half = halves(self.scale_)
        with np.errstate(over="ignore"):
            result = (rows * (self.scale_ * half) + self.mean_ * half) / half
            return finite(self, result.astype(rows.dtype, copy=False), "X, taken back,")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.with_mean
        return tags


class MinMax(OneToOneFeatureMixin, Transformer):
    """Shift and scale every feature to the interval from `low` to `high`.

    z = low + (high - low) (x - min) / (max - min) with the extremes of the training rows. Rounding
    never moves training values out of the interval. A feature that is constant in training becomes
    `low`, 0 by default.

    Attributes
    ----------
    min_, max_ : ndarray of shape (p,)
        Extremes of the training rows.

    Raises
    ------
    ParameterError
        If `low` is not below `high`, or one of them is infinite.
    InputError
        If X has nominal columns, a missing or an infinite value, or the result overflows.

    References
    ----------
    Cunningham 2008: equation 2.14 (division by the range).

    Arras: Feature Scaling.

    Examples
    --------
    >>> import ilk
    >>> ilk.transformer("minmax").fit_transform([[1.0, 7.0], [2.0, 7.0], [5.0, 7.0]])
    array([[0.  , 0.  ],
           [0.25, 0.  ],
           [1.  , 0.  ]])
    """

    low: float = param(default=0.0, doc="Lower end of the interval.")
    high: float = param(default=1.0, doc="Upper end of the interval.")
    clip: bool = param(
        default=False,
        doc="Whether to clip values beyond the training extremes to the interval.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(low=-1.0, clip=True)]

    def check_parameters(self) -> None:
        """Check each parameter, and that `low` is below `high`."""
        super().check_parameters()
        check_finite_parameters(self, "low", "high")
        if not self.low < self.high:
            raise self.parameter_error("low", f"must be below high ({self.high}), got {self.low}")

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn the extremes of every feature; y is ignored."""
        self._learn(X)
        return self

    def transform(self, X: Cases) -> Any:
        """Scaled rows; array of shape (n, p)."""
        check_fitted(self)
        return self._scaled(check_vectors(self, X, reset=False))

    def _fit_transform(self, X: Any, y: Labels | None) -> np.ndarray:
        return self._scaled(self._learn(X))

    def _learn(self, X: Any) -> np.ndarray:
        """Learn from rows; return them checked."""
        self.check_parameters()
        rows: np.ndarray = check_vectors(self, X, reset=True)
        self.min_, self.max_ = rows.min(axis=0), rows.max(axis=0)
        return rows

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        half, width = self._width()
        with np.errstate(over="ignore", invalid="ignore"):
            share = X * half
            share -= self.min_ * half
            share /= width
            if self.clip:
                np.clip(share, 0, 1, out=share)
            # This form is exact at both ends: 1 gives `high`, 0 gives `low`.
            result = self.high * share + self.low * (1 - share)
            return finite(self, result.astype(X.dtype, copy=False))

    def inverse_transform(self, X: Cases) -> Any:
        """Invert the scaling; array of shape (n, p)."""
        check_fitted(self)
        X = check_vectors(self, X)
        half, width = self._width()
        with np.errstate(over="ignore"):
            part = 0.5 if self.high - self.low > 1 else 1.0
            share = (X * part - self.low * part) / (self.high * part - self.low * part)
            result = (share * width + self.min_ * half) / half
            return finite(self, result.astype(X.dtype, copy=False), "X, taken back,")

    def _width(self) -> tuple[np.ndarray, np.ndarray]:
        """Factors (1/2 or 1) and each feature's range times these (1 for a constant feature)."""
        with np.errstate(over="ignore"):
            half = halves(self.max_ - self.min_)
        width = self.max_ * half - self.min_ * half
        return half, np.where(width == 0, np.ones_like(width), width)


class MaxAbs(OneToOneFeatureMixin, Transformer):
    """Divide every feature by its largest absolute value, so that it lies between -1 and 1.

    ``z = x / max |x|`` over the training rows. Nothing is shifted: zeros stay zeros, and sparse
    rows stay sparse. A feature that is 0 in all training rows is left as it is.

    Attributes
    ----------
    scale_ : ndarray of shape (p,)
        The divisor; 1 for features of zeros.

    Raises
    ------
    InputError
        If X has nominal columns, a missing or an infinite value, or the result overflows.

    Examples
    --------
    >>> import ilk
    >>> ilk.transformer("maxabs").fit_transform([[1.0, 0.0], [-4.0, 0.0]])
    array([[ 0.25,  0.  ],
           [-1.  ,  0.  ]])
    """

    capabilities: ClassVar[Capabilities] = Capabilities(sparse=True)

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn the largest absolute value of every feature; y is ignored."""
        self.check_parameters()
        ends: Any = abs(check_vectors(self, X, reset=True, sparse=True)).max(axis=0)
        largest = np.ravel(ends.toarray() if is_sparse(ends) else ends)
        self.scale_ = np.where(largest > 0, largest, largest.dtype.type(1))
        return self

    def transform(self, X: Cases) -> Any:
        """Scaled rows; array of shape (n, p), or CSR for sparse rows."""
        check_fitted(self)
        rows: Any = check_vectors(self, X, reset=False, sparse=True)
        scale = self.scale_.astype(rows.dtype)
        with np.errstate(over="ignore"):
            if not is_sparse(rows):
                return finite(self, rows / scale)
            return finite(self, _with_data(rows, rows.data / scale[rows.indices]))

    def inverse_transform(self, X: Cases) -> Any:
        """Invert the scaling; array of shape (n, p), or CSR for sparse rows."""
        check_fitted(self)
        rows: Any = check_vectors(self, X, sparse=True)
        scale = self.scale_.astype(rows.dtype)
        with np.errstate(over="ignore"):
            if not is_sparse(rows):
                return finite(self, rows * scale, "X, taken back,")
            return finite(self, _with_data(rows, rows.data * scale[rows.indices]), "X, taken back,")


def _with_data(X: Any, values: np.ndarray) -> Any:
    """CSR with other stored values."""
    return type(X)((values, X.indices, X.indptr), shape=X.shape)


def _moments(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each column (1 for a constant one), in the type of X."""
    if is_sparse(X):
        mean, squares, exponents = _sparse_deviations(X)
    else:
        mean, near_one, exponents = deviations(X)
        squares = np.einsum("ij,ij->j", near_one, near_one)
    spread = np.sqrt(squares / X.shape[0])
    smallest = np.nextafter(0, 1, dtype=X.dtype)
    # a tiny deviation must not become 0 in single precision
    scale = np.where(spread > 0, np.maximum(np.ldexp(spread, exponents), smallest), 1.0)
    return mean.astype(X.dtype), scale.astype(X.dtype)


def _sparse_deviations(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `deviations`, but of CSR, and with the sum of squared deviations of each column."""
    n, p = X.shape
    low, high = (end(axis=0).toarray().ravel().astype(float) for end in (X.min, X.max))
    _, exponents = np.frexp(np.maximum(high, -low))
    near_one = np.ldexp(X.data.astype(float), -exponents[X.indices])
    mean = np.bincount(X.indices, near_one, minlength=p) / n
    mean = np.clip(mean, np.ldexp(low, -exponents), np.ldexp(high, -exponents))
    zeros = n - np.bincount(X.indices, minlength=p)
    squares = np.bincount(X.indices, np.square(near_one - mean[X.indices]), minlength=p)
    return np.ldexp(mean, exponents), squares + zeros * np.square(mean), exponents
