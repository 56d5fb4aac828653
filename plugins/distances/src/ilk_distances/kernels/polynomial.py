"""The polynomial kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ilk import Param
from ilk_distances.kernels.dot_products import DotProductKernel, products, row_products
from ilk_distances.kernels.feature_space import mended
from ilk_distances.kernels.finite import check_numbers


class Polynomial(DotProductKernel):
    """Polynomial kernel: ``k(x, y) = (gamma x'y + coef0)^degree``.

    Positive semi-definite. Cunningham et al. have ``coef0=0``, the homogeneous kernel; with
    ``coef0=1``, the default, all products of up to `degree` features count. (One of the source
    texts prints the formulas of this kernel and of the radial basis function kernel swapped.)
    Takes sparse matrices.

    Parameters
    ----------
    degree : int, default=3
        1 to 1000.
    coef0 : float, default=1
        At least 0, or it would not be positive semi-definite.
    gamma : float, default=1
        Greater than 0.

    Raises
    ------
    ParameterError
        If a parameter is out of bounds or not finite.
    InputError
        If X or Y has a NaN or an infinite value (names row and column), or their numbers of
        features differ; or a kernel value is too large for a float.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.3.3.

    Examples
    --------
    >>> import ilk
    >>> ilk.kernel("polynomial", degree=2).gram([[1, 2], [3, 4]])
    array([[ 36., 144.],
           [144., 676.]])
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "degree": Param(int, ge=1, le=1000, doc="Exponent."),
        "coef0": Param(float, ge=0, doc="What is added to the product."),
        "gamma": Param(float, gt=0, doc="What the product is multiplied by."),
    }

    def __init__(self, degree: int = 3, coef0: float = 1.0, gamma: float = 1.0) -> None:
        self.degree = degree
        self.coef0 = coef0
        self.gamma = gamma

    @classmethod
    def examples(cls) -> list[Polynomial]:
        """Return the default, a homogeneous one and one of another scale."""
        return [cls(), cls(2, 0.0), cls(1, 2.0, 0.1), cls(4, 1.0, 0.2)]

    def check_parameters(self) -> None:
        """Check that no number is infinite."""
        super().check_parameters()
        check_numbers(self, "coef0", "gamma")

    @property
    def induces_metric(self) -> bool:
        """Unless it is homogeneous of even degree, which does not tell x from -x."""
        return self.coef0 > 0 or self.degree % 2 == 1

    def gram_gradient(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Gram matrix and its derivatives with respect to the logarithms of coef0 and gamma.

        Returns
        -------
        gram : ndarray of shape (n, n)
        gradient : ndarray of shape (n, n, 2)
        """
        gram = self.gram(X)
        P = products(*self._checked_pair(X))
        P *= self.gamma
        slopes = self.degree * (P + self.coef0) ** (self.degree - 1)
        return gram, np.stack([self.coef0 * slopes, P * slopes], axis=-1)

    def squared_distances(self, X: Any, Y: Any = None) -> np.ndarray:
        """``k(x, x) - 2 k(x, y) + k(y, y)``, of near rows from their differences."""
        X, Y = self._checked_pair(X, Y)
        left, right = self.diagonal(X), self.diagonal(Y)
        D = self.gram(X, Y)
        D *= -2
        D += left[:, None]
        D += right
        return mended(D, left, right, X, Y, self._apart)

    def _apart(self, x: Any, y: Any) -> np.ndarray:
        """Squared distance of each row of x to the same of y, as a sum of terms of one sign.

        With ``a = gamma x'x + coef0``, b the same of y and ``s = gamma x'y + coef0`` it is
        ``a^q - 2 s^q + b^q``. In ``gap = a - 2 s + b`` and ``lean = a - b``, which are made from
        ``x - y``, that is ``gap / 2 (A + B) + lean^2 / 2 C``: A and B are the sums of the
        products of q - 1 factors ``a`` or ``s``, and ``b`` or ``s``; C of q - 2 factors out of
        all three.
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
