"""The distance in the feature space of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import KernelLike, slot
from ilk_distances.kernels.checks import check_n_features, check_values, n_features
from ilk_distances.kernels.feature_space import squared_distances

if TYPE_CHECKING:
    from ilk import Cases, Labels


class KernelDistance(ilk.Distance):
    """Distance in a kernel's feature space: ``d(x, y) = sqrt(k(x, x) - 2 k(x, y) + k(y, y))``.

    A pseudo-metric if the kernel is positive semi-definite: different objects may be at
    distance 0. For an indefinite kernel, negative values under the root count as 0. It is
    symmetric, up to the rounding of matrix products.

    Equal objects are at distance exactly 0. The kernels of this distribution (all but the
    sigmoid and a shifted or clipped substitution) compute distances from differences of
    objects, which keeps nearly all digits of small distances. For other kernels the three terms
    are subtracted, with an error of about ``1e-8 sqrt(k(x, x))`` in distances near 0. Single
    precision is computed in double.

    `fit` fits the kernel. With a frozen kernel, which stays as it is, the distance needs no fit.

    Attributes
    ----------
    kernel_ : kernel
        Fitted.
    width_ : int or None
        Number of features; None for data without features.

    Raises
    ------
    NotFittedError
        Before `fit`, if the kernel is not frozen.
    InputError
        If values of the kernel are too large for floats.

    References
    ----------
    .. [1] B. Schölkopf and A. J. Smola, *Learning with Kernels*, MIT Press, 2002, section 1.1.
    .. [2] Zaidi 2011: section 2.1.2; equation 2.6.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("kernel", kernel={"use": "polynomial", "degree": 2}).fit([[0.0]])
    >>> d.between([1.0], [2.0])  # the root of 4 - 2 * 9 + 25
    3.3166247903554
    """

    kernel: KernelLike = slot("kernel", default="rbf", doc="Kernel of the feature space.")
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("vectors", "histograms", "tables", "strings", "signatures", "sets"),
        symmetric=True,
        needs_fit=True,
        sparse=True,
    )

    @classmethod
    def examples(cls) -> list[KernelDistance]:
        """Return distances by subtraction, from differences, and of an indefinite kernel."""
        return [
            cls(),
            cls(kernel="linear"),
            cls(kernel={"use": "polynomial", "degree": 2}),
            cls(kernel="rational"),
            cls(kernel="sigmoid"),
        ]

    @property
    def metric(self) -> bool:
        """Whether the kernel declares ``induces_metric``: it separates different objects."""
        kernel = self.kernel_ if hasattr(self, "kernel_") else self.resolve_slot("kernel")
        return bool(getattr(kernel, "induces_metric", False))

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit the kernel on X and y."""
        self.check_parameters()
        self.width_ = n_features(ilk.as_table(X))
        self.kernel_ = ilk.fit_component(self.resolve_slot("kernel"), X, y)
        return self

    def pairwise(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        kernel = self._ready()
        X, Y = self.check_input(X), None if Y is None else self.check_input(Y, "Y")
        single = _is_single(X) and (Y is None or _is_single(Y))
        # differences of nearly equal kernel values need all digits of float64
        D = squared_distances(kernel, _in_double(X), None if Y is None else _in_double(Y))
        np.sqrt(D, out=D)
        check_values(self, D, "the distance of rows")
        with np.errstate(over="ignore"):
            return D.astype(np.float32) if single else D

    def check_input(self, X: Cases, argument: str = "X") -> Any:
        """Return X unchanged after a check of its number of features; the kernel validates it."""
        X = ilk.as_table(X)
        if hasattr(self, "kernel_"):
            check_n_features(self, X, self.width_, argument)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        kernel = self.kernel_ if hasattr(self, "kernel_") else self.resolve_slot("kernel")
        tags.input_tags.sparse = kernel.__sklearn_tags__().input_tags.sparse
        return tags

    def _ready(self) -> Any:
        from sklearn.exceptions import NotFittedError

        if hasattr(self, "kernel_"):
            return self.kernel_
        kernel = self.resolve_slot("kernel")
        if not ilk.is_frozen(kernel):
            raise NotFittedError(
                f"{ilk.display_name(self)}: call fit first, or give a frozen kernel"
            )
        return kernel


def _is_single(X: Cases) -> bool:
    return bool(getattr(X, "dtype", None) == np.float32)


def _in_double(X: Any) -> Any:
    numeric = isinstance(X, np.ndarray) or ilk.is_sparse(X)
    return X.astype(float) if numeric and X.dtype == np.float32 else X
