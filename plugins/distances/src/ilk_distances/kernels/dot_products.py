"""Kernels that are a function of the dot product: linear, polynomial, sigmoid."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import ilk
from ilk import param
from ilk_distances.kernels.checks import check_numbers, check_values
from ilk_distances.kernels.feature_space import (
    mended,
    products,
    row_products,
    square_differences,
    square_norms,
)
from ilk_distances.kernels.tiled import apply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk import Cases


class DotProductKernel(ilk.Kernel):
    """A kernel that is a function of ``x'y``; of dense vectors or sparse ones.

    BLAS computes the products: their last digits may depend on the number of rows. Of float32 the
    products are float64: rows far from the origin differ in digits that float32 lacks.
    """

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        symmetric=True, sparse=True, gram_gradient=True
    )

    @abstractmethod
    def _values(self, products: np.ndarray) -> np.ndarray:
        """The kernel at each dot product; may overwrite the products."""

    @property
    def induces_metric(self) -> bool:
        """Whether different objects are at a positive distance in the kernel's feature space."""
        return False

    def gram(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Kernel values of every row of X with every row of Y (X itself if left out)."""
        left, right = self._checked_pair(X, Y)
        P = products(left, right)
        with np.errstate(over="ignore"):
            # no value is beyond that of the largest possible product
            most = np.array([2.0 * left.shape[1] * _largest(left) * _largest(right)], P.dtype)
            if np.isfinite(most) and np.isfinite(self._quiet(most)):
                return apply(self._quiet, P)
        return self._checked_values(P, "the kernel of rows")

    def diagonal(self, X: Cases) -> np.ndarray:
        """k(x, x) of every row; array of shape (n,)."""
        X, _ = self._checked_pair(X)
        return self._checked_values(square_norms(X), "the kernel of a row with itself")

    def _checked_values(self, products: np.ndarray, what: str) -> np.ndarray:
        check_values(self, products, what)
        return check_values(self, apply(self._quiet, products), what)

    def _quiet(self, products: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return self._values(products)

    def _checked_pair(self, X: Cases, Y: Cases | None = None) -> tuple[Any, Any]:
        self.check_parameters()
        X = ilk.check_vectors(self, X, sparse=True).astype(float, copy=False)
        if Y is None:
            return X, X
        Y = ilk.check_vectors(self, Y, argument="Y", sparse=True).astype(float, copy=False)
        ilk.check_same_features(self, X, Y)
        return X, Y


class Linear(DotProductKernel):
    """Linear kernel: ``k(x, y) = x'y``, the dot product.

    Positive semi-definite, of rank at most the number of features. Takes sparse matrices.

    Raises
    ------
    InputError
        If X or Y has a NaN or an infinite value (names row and column), or their numbers of
        features differ; or a product of rows is too large for a float.

    References
    ----------
    .. [1] Cunningham 2008: section 2.3.3.
    .. [2] Evaluation slides: Dual Problem.

    Examples
    --------
    >>> import ilk
    >>> ilk.kernel("linear").gram([[1, 2], [3, 4]])
    array([[ 5., 11.],
           [11., 25.]])
    """

    capabilities: ClassVar[ilk.Capabilities] = replace(
        DotProductKernel.capabilities, gram_gradient=False
    )

    @property
    def induces_metric(self) -> bool:
        """Always true: the distance in the feature space is the Euclidean distance."""
        return True

    def squared_distances(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """``|x - y|^2``, from differences."""
        return square_differences(*self._checked_pair(X, Y))

    def _values(self, products: np.ndarray) -> np.ndarray:
        return products


class Polynomial(DotProductKernel):
    """Polynomial kernel: ``k(x, y) = (gamma x'y + coef0)^degree``.

    Positive semi-definite. Cunningham et al. use ``coef0=0``, the homogeneous kernel; with
    ``coef0=1``, the default, all products of up to `degree` features contribute. (One of the
    source texts prints the formulas of this kernel and of the radial basis function kernel
    swapped.)
    Takes sparse matrices.

    Raises
    ------
    ParameterError
        If a parameter is out of bounds or not finite.
    InputError
        If X or Y has a NaN or an infinite value (names row and column), or their numbers of
        features differ; or a kernel value is too large for a float.

    References
    ----------
    .. [1] Cunningham 2008: section 2.3.3.
    .. [2] Evaluation slides: Examples of Kernels; Inner Products in High Dimension.
    .. [3] Zaidi 2011: equation D.18.

    Examples
    --------
    >>> import ilk
    >>> ilk.kernel("polynomial", degree=2).gram([[1, 2], [3, 4]])
    array([[ 36., 144.],
           [144., 676.]])
    """

    degree: int = param(default=3, ge=1, le=1000, doc="1 to 1000.")
    coef0: float = param(
        default=1.0,
        ge=0,
        doc="At least 0; otherwise it would not be positive semi-definite.",
    )
    gamma: float = param(default=1.0, gt=0, doc="Greater than 0.")

    @classmethod
    def examples(cls) -> list[Polynomial]:
        """Return the default, a homogeneous one and one of another scale."""
        return [
            cls(),
            cls(degree=2, coef0=0.0),
            cls(degree=1, coef0=2.0, gamma=0.1),
            cls(degree=4, coef0=1.0, gamma=0.2),
        ]

    def check_parameters(self) -> None:
        """Check that no number is infinite."""
        super().check_parameters()
        check_numbers(self, "coef0", "gamma")

    @property
    def induces_metric(self) -> bool:
        """False if homogeneous of even degree, as ``k(x, x) = k(x, -x)``; else true."""
        return self.coef0 > 0 or self.degree % 2 == 1

    def gram_gradient(self, X: Cases) -> tuple[np.ndarray, np.ndarray]:
        """Gram matrix and its derivatives with respect to the logarithms of coef0 and gamma.

        Returns
        -------
        gram : ndarray of shape (n, n)
        gradient : ndarray of shape (n, n, 2)
        """
        gram = self.gram(X)
        P = products(*self._checked_pair(X))
        P *= self.gamma
        # d (P + coef0)^q = q (P + coef0)^(q - 1) dP, and dP by log gamma is P
        slopes = self.degree * (P + self.coef0) ** (self.degree - 1)
        return gram, np.stack([self.coef0 * slopes, P * slopes], axis=-1)

    def squared_distances(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """``k(x, x) - 2 k(x, y) + k(y, y)``, of near rows from their differences."""
        X, Y = self._checked_pair(X, Y)
        left, right = self.diagonal(X), self.diagonal(Y)
        D = self.gram(X, Y)
        # in place: k(x, x) - 2 k(x, y) + k(y, y)
        D *= -2
        D += left[:, None]
        D += right
        # where the subtraction cancels, `_apart` is exact
        return mended(D, left, right, X, Y, self._apart)

    def _apart(self, x: Any, y: np.ndarray) -> np.ndarray:
        """Squared distance of each row of x to the same row of y, as a sum of non-negative terms.

        With ``a = gamma x'x + coef0``, ``b = gamma y'y + coef0`` and ``s = gamma x'y + coef0`` it
        is ``a^q - 2 s^q + b^q``. This equals ``gap / 2 (A + B) + lean^2 / 2 C``, where
        ``gap = a - 2 s + b`` and ``lean = a - b`` are computed from ``x - y`` without
        cancellation. A and B are the sums of all products of q - 1 factors ``a`` or ``s``, and
        ``b`` or ``s``; C is that of q - 2 factors out of all three.
        """
        gap = self.gamma * row_products(x - y, x - y)
        lean = self.gamma * row_products(x + y, x - y)
        s = self.gamma * row_products(x, y) + self.coef0
        a, b = s + (gap + lean) / 2, s + (gap - lean) / 2
        A, B, C, both = (np.full_like(s, value) for value in (1, 1, 0, 0))
        for q in range(1, int(self.degree)):
            both = both * b + a ** (q - 1)  # products of q - 1 factors a or b
            C = C * s + both
            A, B = A * s + a**q, B * s + b**q
        return np.asarray(gap / 2 * (A + B) + np.square(lean) / 2 * C)

    def _values(self, products: np.ndarray) -> np.ndarray:
        if self.gamma != 1:
            products *= self.gamma
        if self.coef0:
            products += self.coef0
        return self._powers(products)

    def _powers(self, base: np.ndarray) -> np.ndarray:
        """Raise to the degree by multiplications, many times faster than ``**``."""
        degree = int(self.degree)
        # square and multiply, over the bits of the degree from the lowest
        while degree % 2 == 0:
            base *= base
            degree //= 2
        result = base if degree == 1 else base.copy()
        while degree > 1:
            degree //= 2
            base *= base
            if degree % 2:
                result *= base
        return result


class Sigmoid(DotProductKernel):
    """Sigmoid kernel: ``k(x, y) = tanh(eta1 x'y + eta2)``.

    Not positive semi-definite in general. For small positive eta1 and negative eta2 it is
    conditionally positive semi-definite in the limit. Takes sparse matrices.

    Raises
    ------
    ParameterError
        If a parameter is not finite, or eta1 is 0.
    InputError
        If X or Y has a NaN or an infinite value (names row and column), or their numbers of
        features differ; or products of rows are too large for a float.

    References
    ----------
    .. [1] Cunningham 2008: section 2.3.3.
    .. [2] H.-T. Lin and C.-J. Lin, "A study on sigmoid kernels for SVM and the training of non-PSD
       kernels by SMO-type methods", technical report, National Taiwan University, 2003.
    .. [3] Evaluation slides: Examples of Kernels.

    Examples
    --------
    >>> import ilk
    >>> ilk.kernel("sigmoid", eta1=0.1).gram([[1, 2], [3, 4]]).round(3)
    array([[0.462, 0.8  ],
           [0.8  , 0.987]])
    """

    eta1: float = param(default=0.01, doc="Slope; not 0.")
    eta2: float = param(default=0.0, doc="Offset.")
    waivers: ClassVar[Mapping[str, str]] = {
        "check_positive_semidefinite": "tanh of a product is indefinite for most parameters",
    }

    @classmethod
    def examples(cls) -> list[Sigmoid]:
        """Return the default and one with an offset."""
        return [cls(), cls(eta1=0.02, eta2=-1.0)]

    def check_parameters(self) -> None:
        """Check that both are finite, and the slope is not 0."""
        super().check_parameters()
        check_numbers(self, "eta1", "eta2")
        if self.eta1 == 0:
            raise self.parameter_error("eta1", f"must not be 0, got {self.eta1}")

    def gram_gradient(self, X: Cases) -> tuple[np.ndarray, np.ndarray]:
        """Gram matrix and its derivatives with respect to the logarithms of eta1 and eta2.

        For a negative parameter, with respect to the logarithm of its absolute value.

        Returns
        -------
        gram : ndarray of shape (n, n)
        gradient : ndarray of shape (n, n, 2)
        """
        gram = self.gram(X)
        # tanh' = 1 - tanh^2
        slopes = 1 - np.square(gram)
        P = products(*self._checked_pair(X))
        return gram, np.stack([P * slopes * self.eta1, self.eta2 * slopes], axis=-1)

    def _values(self, products: np.ndarray) -> np.ndarray:
        products *= self.eta1
        products += self.eta2
        return np.asarray(np.tanh(products, out=products))


def _largest(X: Any) -> float:
    """The largest absolute value of a matrix, dense or sparse."""
    return float(max(X.max(), -X.min()))
