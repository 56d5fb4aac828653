"""Covariances of latent values: a signal variance times a kernel, as functions of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import display_name, is_frozen, is_sparse, shipped_name
from ilk_learners.gaussian_processes import triangles
from ilk_learners.kernel_parameters import KernelParameters

if TYPE_CHECKING:
    from ilk import Cases, Component, Kernel


class Covariance:
    """``v k(x, z)`` as a function of factors of v and of the kernel's hyper-parameters.

    The radial basis function over a Euclidean distance has one factor for all its bandwidths
    (isotropic) or one per feature (ard). Its gradient uses matrix products and no array larger
    than n x n. Other kernels have a factor for each of their numbers, and their `gram_gradient`
    takes n x n x n_parameters numbers of memory.

    Parameters
    ----------
    owner : Component
        Named in errors; has the parameter `optimize`.
    kernel : kernel
        Fitted.
    X : data of n rows
    y : ndarray of shape (n,)
        For kernels that use labels.
    how : {"isotropic", "ard"}

    Attributes
    ----------
    size : int
        Number of factors of the kernel.

    Raises
    ------
    ParameterError
        If the kernel is frozen, has no gradient by its numbers, or no bandwidth per feature.
    """

    def __init__(self, owner: Component, kernel: Kernel, X: Cases, y: np.ndarray, how: str) -> None:
        self._X, self._y = X, y
        self._scaled = is_gaussian(kernel)
        check_not_frozen(owner, kernel)
        if how == "ard":
            kernel = _with_width_for_each(owner, kernel, X)
        self._parameters = KernelParameters(kernel)
        if self._parameters.size and not kernel.capabilities.gram_gradient:
            raise owner.parameter_error(
                "optimize",
                f"must be 'none' or 'cv' with the kernel {display_name(kernel)}, which declares "
                f"no gram_gradient, got {how!r}",
            )
        self._common = self._scaled and how == "isotropic"
        self.size = 1 if self._common else self._parameters.size

    def kernel(self, logarithms: np.ndarray) -> Any:
        """The kernel with its numbers multiplied by these factors, fitted."""
        if self._common:
            logarithms = np.repeat(logarithms, self._parameters.size)
        return self._parameters.kernel(logarithms).fit(self._X, self._y)

    def gradient(self, kernel: Kernel, M: np.ndarray, K: np.ndarray, v: float) -> np.ndarray:
        """``sum_ij M_ij dK_ij / d theta`` for the log of v and each logarithm of a factor.

        Parameters
        ----------
        kernel : kernel
            The kernel of K.
        M : ndarray of shape (n, n)
            Symmetric, in the lower triangle, in Fortran order; overwritten.
        K : ndarray of shape (n, n)
            v k(x, z).
        v : float
        """
        if not self._scaled:
            return self._plain_gradient(kernel, triangles.mirror(M), K, v)
        # dK / d log v = K, and dK / d log sigma_f = K (x_if - x_jf)^2 / sigma_f^2, entry by entry
        M *= K.T
        total = float(triangles.times(M, np.ones(len(M))).sum())
        np.fill_diagonal(M, 0)  # its distances are 0
        if is_sparse(self._X):
            return np.append(total, self._sum_of_squares(kernel, M))
        parts = self._squares(kernel, M)
        return np.append(total, parts.sum() if self._common else parts)

    def _sum_of_squares(self, kernel: Any, G: np.ndarray) -> float:
        """``sum_ij G_ij |z_i - z_j|^2`` with z = x / sigma, of sparse rows."""
        D = kernel.distance_.pairwise(self._X / kernel.sigma_)
        return 2 * float(np.vdot(np.tril(G), np.square(D)))  # symmetric, and D has a diagonal of 0

    def _squares(self, kernel: Any, G: np.ndarray) -> np.ndarray:
        """``sum_ij G_ij (x_if - x_jf)^2 / sigma_f^2`` for each feature f."""
        from scipy.linalg import blas

        weights = kernel.distance_.weights
        Z = self._X / kernel.sigma_
        # differences do not change, and shorter rows cancel less below
        Z -= Z.mean(axis=0)
        if weights is not None:
            Z *= np.sqrt(np.asarray(weights, dtype=float))
        sums = triangles.times(G, np.ones(len(G)))
        products = blas.dsymm(1.0, G, Z, lower=1)
        # sum_ij G_ij (z_i - z_j)^2 = 2 (sum_i g_i z_i^2 - z'Gz) with the row sums g of G
        return np.asarray(2 * (sums @ np.square(Z) - np.einsum("if,if->f", Z, products)))

    def _plain_gradient(self, kernel: Kernel, M: np.ndarray, K: np.ndarray, v: float) -> np.ndarray:
        total = float(np.vdot(M.T, K))
        if not self.size:
            return np.array([total])
        slopes = kernel.gram_gradient(self._X)[1]
        return np.append(total, v * np.einsum("ij,ijk->k", M, slopes))


def check_not_frozen(owner: Any, kernel: Kernel | None) -> None:
    """Raise if the kernel to optimise is frozen.

    Raises
    ------
    ParameterError
    """
    if is_frozen(kernel):
        raise owner.parameter_error(
            "optimize", f"must be 'none' with a frozen kernel, got {owner.optimize!r}"
        )


def is_gaussian(kernel: Any) -> bool:
    """Whether a fitted kernel is the rbf over a Euclidean distance of vectors."""
    return is_rbf(kernel) and bool(kernel.induces_metric)


def is_rbf(kernel: Kernel | None) -> bool:
    """Whether a kernel is the one registered as rbf."""
    return shipped_name(kernel) == "rbf"


def _with_width_for_each(owner: Component, kernel: Any, X: Any) -> Any:
    """The same kernel with a bandwidth for each feature."""
    if not is_gaussian(kernel):
        raise owner.parameter_error(
            "optimize",
            f"must not be 'ard' with {kernel}: rbf has a width for each feature, over a Euclidean "
            f"distance of vectors without zero weights",
        )
    if is_sparse(X):
        raise owner.parameter_error(
            "optimize", "must not be 'ard' for sparse rows X; 'isotropic' takes them"
        )
    # factors of 1: a kernel with the numbers that this one learned as its parameters
    kernel = KernelParameters(kernel).kernel(np.zeros(np.size(kernel.sigma_)))
    widths = np.broadcast_to(np.asarray(kernel.sigma, dtype=float), X.shape[1])
    return kernel.set_params(sigma=widths.copy()).fit(X)
