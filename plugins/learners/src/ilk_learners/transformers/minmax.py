"""minmax: scale every feature to a given interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ilk import OneToOneFeatureMixin, Transformer, check_fitted, check_vectors, param
from ilk_learners.numerics import check_finite_parameters, finite, halves

if TYPE_CHECKING:
    from ilk import Cases, Labels


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
    The division by the range is that of P. Cunningham, M. Cord and S. J. Delany, "Supervised
    Learning", in *Machine Learning Techniques for Multimedia*, Springer, 2008, equation (2.14).

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
