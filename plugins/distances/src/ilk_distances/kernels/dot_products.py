"""What kernels that are a function of the dot product have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

import ilk
from ilk_distances.kernels.finite import check_values
from ilk_distances.kernels.tiled import apply


class DotProductKernel(ilk.Kernel):
    """A kernel that is a function of ``x'y``; of dense vectors or sparse ones.

    Products are made by the BLAS: they may differ in the last digits with the number of rows
    they are made for.
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

    def gram(self, X: Any, Y: Any = None) -> np.ndarray:
        """Kernel values of every row of X with every row of Y (X itself if left out)."""
        K = apply(self._quiet, products(*self._checked_pair(X, Y)))
        return check_values(self, K, "the kernel of rows")

    def diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) of every row; array of shape (n,)."""
        self.check_parameters()
        X = ilk.check_vectors(self, X, sparse=True)
        return check_values(self, self._quiet(square_norms(X)), "the kernel of a row with itself")

    def _quiet(self, products: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return self._values(products)

    def _checked_pair(self, X: Any, Y: Any = None) -> tuple[Any, Any]:
        self.check_parameters()
        X = ilk.check_vectors(self, X, sparse=True)
        if Y is None:
            return X, X
        Y = ilk.check_vectors(self, Y, argument="Y", sparse=True)
        ilk.check_same_features(self, X, Y)
        return X, Y


def products(X: Any, Y: Any) -> np.ndarray:
    """Dot products of every row of X with every row of Y; X may be Y."""
    with np.errstate(over="ignore", invalid="ignore"):
        P: Any = X @ Y.T
    return np.asarray(P.toarray() if hasattr(P, "toarray") else P)


def square_norms(X: Any) -> np.ndarray:
    """Dot product of every row with itself."""
    return row_products(X, X)


def row_products(X: Any, Y: Any) -> np.ndarray:
    """Dot product of every row of X with the same row of Y."""
    if hasattr(X, "multiply"):
        return np.asarray(X.multiply(Y).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, Y))
