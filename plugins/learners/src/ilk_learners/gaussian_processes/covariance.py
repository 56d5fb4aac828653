"""Covariances of latent values: a signal variance times a kernel whose numbers are moved."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import blas

from ilk import display_name, is_frozen, shipped_name
from ilk_learners.gaussian_processes import triangles
from ilk_learners.kernel_parameters import KernelParameters


class Covariance:
    """``v k(x, z)``, where the numbers of the kernel and v are moved by factors.

    The radial basis function over a Euclidean distance has a factor for all of its widths
    (isotropic) or one for each feature (ard), and its gradient is made of products of matrices:
    no array of more than n x n numbers is. Other kernels have a factor for each of their
    numbers, and the n x n x n_parameters numbers of their `gram_gradient` are held.

    Parameters
    ----------
    owner : Component
        Named in errors; its parameter is called `optimize`.
    kernel : kernel
        Fitted.
    X : data of n rows
    y : ndarray of shape (n,)
        For kernels that look at it.
    how : {"isotropic", "ard"}

    Attributes
    ----------
    size : int
        How many logarithms of factors there are for the kernel.

    Raises
    ------
    ParameterError
        If the kernel is frozen, has no gradient for its numbers, or no width for each feature.
    """

    def __init__(self, owner: Any, kernel: Any, X: Any, y: np.ndarray, how: str) -> None:
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
        """The kernel whose numbers are moved by these factors, fitted."""
        if self._common:
            logarithms = np.repeat(logarithms, self._parameters.size)
        return self._parameters.kernel(logarithms).fit(self._X, self._y)

    def gradient(self, kernel: Any, M: np.ndarray, K: np.ndarray, v: float) -> np.ndarray:
        """``sum_ij M_ij dK_ij / d theta`` for the log of v and each logarithm of a factor.

        Parameters
        ----------
        kernel : kernel
            That of K.
        M : ndarray of shape (n, n)
            Symmetric, in the lower triangle, in Fortran order; overwritten.
        K : ndarray of shape (n, n)
            v k(x, z).
        v : float
        """
        if not self._scaled:
            return self._plain_gradient(kernel, triangles.mirror(M), K, v)
        M *= K.T
        total = float(triangles.times(M, np.ones(len(M))).sum())
        np.fill_diagonal(M, 0)  # its distances are 0
        parts = self._squares(kernel, M)
        return np.append(total, parts.sum() if self._common else parts)

    def _squares(self, kernel: Any, G: np.ndarray) -> np.ndarray:
        """``sum_ij G_ij (x_if - x_jf)^2 / sigma_f^2`` for each feature f."""
        weights = kernel.distance_.weights
        Z = self._X / kernel.sigma_
        Z -= Z.mean(axis=0)
        if weights is not None:
            Z *= np.sqrt(np.asarray(weights, dtype=float))
        sums = triangles.times(G, np.ones(len(G)))
        products = blas.dsymm(1.0, G, Z, lower=1)
        return np.asarray(2 * (sums @ np.square(Z) - np.einsum("if,if->f", Z, products)))

    def _plain_gradient(self, kernel: Any, M: np.ndarray, K: np.ndarray, v: float) -> np.ndarray:
        total = float(np.vdot(M.T, K))
        if not self.size:
            return np.array([total])
        slopes = kernel.gram_gradient(self._X)[1]
        return np.append(total, v * np.einsum("ij,ijk->k", M, slopes))


def check_not_frozen(owner: Any, kernel: Any) -> None:
    """Raise if a kernel is to be moved that is frozen.

    Raises
    ------
    ParameterError
    """
    if is_frozen(kernel):
        raise owner.parameter_error(
            "optimize", f"must be 'none' with a frozen kernel, got {owner.optimize!r}"
        )


def is_gaussian(kernel: Any) -> bool:
    """Tell whether a fitted kernel is the rbf over a Euclidean distance, of vectors."""
    return is_rbf(kernel) and bool(kernel.induces_metric)


def is_rbf(kernel: Any) -> bool:
    """Tell whether a kernel is what is registered as rbf."""
    return shipped_name(kernel) == "rbf"


def _with_width_for_each(owner: Any, kernel: Any, X: Any) -> Any:
    """The same kernel, with a number of its own for each feature."""
    if not is_gaussian(kernel):
        raise owner.parameter_error(
            "optimize",
            f"must not be 'ard' with {kernel}: rbf has a width for each feature, over a Euclidean "
            f"distance of vectors without zero weights",
        )
    kernel = KernelParameters(kernel).kernel(np.zeros(np.size(kernel.sigma_)))
    widths = np.broadcast_to(np.asarray(kernel.sigma, dtype=float), X.shape[1])
    return kernel.set_params(sigma=widths.copy()).fit(X)
