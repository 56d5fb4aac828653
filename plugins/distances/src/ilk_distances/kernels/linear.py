"""The linear kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from ilk_distances.kernels.dot_products import DotProductKernel
from ilk_distances.kernels.feature_space import square_differences

if TYPE_CHECKING:
    import numpy as np

    import ilk


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
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.3.3.

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
        """Always: the distance in the feature space is the Euclidean one."""
        return True

    def squared_distances(self, X: Any, Y: Any = None) -> np.ndarray:
        """``|x - y|^2``, from differences."""
        return square_differences(*self._checked_pair(X, Y))

    def _values(self, products: np.ndarray) -> np.ndarray:
        return products
