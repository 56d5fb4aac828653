"""The sigmoid kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ilk import Param
from ilk_distances.kernels.dot_products import DotProductKernel, products
from ilk_distances.kernels.finite import check_numbers


class Sigmoid(DotProductKernel):
    """Sigmoid kernel: ``k(x, y) = tanh(eta1 x'y + eta2)``.

    Not positive semi-definite in general. For small positive eta1 and negative eta2 it is
    conditionally so, in the limit. Takes sparse matrices.

    Parameters
    ----------
    eta1 : float, default=0.01
        Slope; not 0.
    eta2 : float, default=0
        Offset.

    Raises
    ------
    ParameterError
        If a parameter is not finite, or eta1 is 0.
    InputError
        If X or Y has a NaN or an infinite value (names row and column), or their numbers of
        features differ; or products of rows are too large for a float.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.3.3.
    .. [2] H.-T. Lin and C.-J. Lin, "A study on sigmoid kernels for SVM and the training of
       non-PSD kernels by SMO-type methods", technical report, National Taiwan University, 2003.

    Examples
    --------
    >>> import ilk
    >>> ilk.kernel("sigmoid", eta1=0.1).gram([[1, 2], [3, 4]]).round(3)
    array([[0.462, 0.8  ],
           [0.8  , 0.987]])
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "eta1": Param(float, doc="What the product is multiplied by; not 0."),
        "eta2": Param(float, doc="What is added to it."),
    }
    waivers: ClassVar[Mapping[str, str]] = {
        "check_positive_semidefinite": "tanh of a product is indefinite for most parameters",
    }

    def __init__(self, eta1: float = 0.01, eta2: float = 0.0) -> None:
        self.eta1 = eta1
        self.eta2 = eta2

    @classmethod
    def examples(cls) -> list[Sigmoid]:
        """Return the default and one with an offset."""
        return [cls(), cls(0.02, -1.0)]

    def check_parameters(self) -> None:
        """Check that both are finite, and the slope is not 0."""
        super().check_parameters()
        check_numbers(self, "eta1", "eta2")
        if self.eta1 == 0:
            raise self.parameter_error("eta1", f"must not be 0, got {self.eta1}")

    def gram_gradient(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Gram matrix and its derivatives with respect to the logarithms of eta1 and eta2.

        Of a negative parameter the logarithm of its size is meant.

        Returns
        -------
        gram : ndarray of shape (n, n)
        gradient : ndarray of shape (n, n, 2)
        """
        gram = self.gram(X)
        slopes = 1 - np.square(gram)
        P = products(*self._checked_pair(X))
        return gram, np.stack([P * slopes * self.eta1, self.eta2 * slopes], axis=-1)

    def _values(self, products: np.ndarray) -> np.ndarray:
        products[~np.isfinite(products)] = np.nan  # of infinity tanh would be 1
        products *= self.eta1
        products += self.eta2
        return np.asarray(np.tanh(products, out=products))
