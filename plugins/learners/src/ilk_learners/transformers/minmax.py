"""minmax: every feature to a given interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from ilk import Param, Transformer, check_vectors


class MinMax(OneToOneFeatureMixin, Transformer):
    """Shift and scale every feature to the interval from `low` to `high`.

    z = low + (high - low) (x - min) / (max - min) with the extremes of the training rows,
    whose values never leave the interval by rounding. A feature that is constant there
    becomes `low`, hence 0 by default.

    Parameters
    ----------
    low, high : float, default=0 and 1
        Ends of the interval.
    clip : bool, default=False
        Whether values beyond the training extremes are brought back into the interval.

    Attributes
    ----------
    min_, max_ : ndarray of shape (p,)
        Extremes of the training rows.

    Raises
    ------
    ParameterError
        If `low` is not below `high`.
    InputError
        If X has nominal columns, a missing or an infinite value.

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

    parameters: ClassVar[Mapping[str, Param]] = {
        "low": Param(float, doc="Lower end of the interval."),
        "high": Param(float, doc="Upper end of the interval."),
        "clip": Param(bool, doc="Whether values beyond the training extremes are clipped."),
    }

    def __init__(self, low: float = 0.0, high: float = 1.0, clip: bool = False) -> None:
        self.low = low
        self.high = high
        self.clip = clip

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(low=-1.0, clip=True)]

    def check_parameters(self) -> None:
        """Check each parameter, and that `low` is below `high`."""
        super().check_parameters()
        if not self.low < self.high:
            raise self.parameter_error("low", f"must be below high ({self.high}), got {self.low}")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the extremes of every feature; y is ignored."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True)
        self.min_, self.max_ = X.min(axis=0), X.max(axis=0)
        return self

    def transform(self, X: Any) -> Any:
        """Scaled rows; array of shape (n, p)."""
        check_is_fitted(self)
        X = check_vectors(self, X, reset=False)
        result = X - self.min_.astype(X.dtype, copy=False)
        result /= self._width().astype(X.dtype, copy=False)
        if self.clip:
            np.clip(result, 0, 1, out=result)
        # This form is exact at both ends: 1 gives `high`, 0 gives `low`.
        return self.high * result + self.low * (1 - result)

    def inverse_transform(self, X: Any) -> Any:
        """Take scaled rows back; array of shape (n, p)."""
        check_is_fitted(self)
        X = check_vectors(self, X)
        share = (X - self.low) / (self.high - self.low)
        return share * self._width().astype(X.dtype) + self.min_.astype(X.dtype)

    def _width(self) -> np.ndarray:
        width = self.max_ - self.min_
        return np.asarray(np.where(width == 0, np.ones_like(width), width))
