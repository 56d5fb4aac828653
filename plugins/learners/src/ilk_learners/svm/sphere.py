"""The smallest sphere around rows in the space of a kernel."""

from __future__ import annotations

import warnings

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import OneClassSVM


def enclosing_sphere(K: np.ndarray, *, tol: float = 1e-6) -> tuple[float, np.ndarray]:
    """Squared radius of the smallest sphere, and how much each row weighs in its centre.

    The weights maximise ``sum_i b_i k(x_i, x_i) - sum_ij b_i b_j k(x_i, x_j)`` over ``b >= 0``
    that sum to 1, and the maximum is the squared radius. Minus half of the squared distances in
    the space of the kernel are a kernel for which the first sum is 0 and the second one the same
    but for the first: for that libsvm's one-class machine with nu = 1/n solves it.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Of n >= 2 rows.
    tol : float
        Of libsvm.

    Returns
    -------
    squared_radius : float
    weights : ndarray of shape (n,)
    """
    n, own = len(K), np.diagonal(K)
    apart = K - own / 2
    apart -= own[:, None] / 2
    machine = OneClassSVM(kernel="precomputed", nu=1 / n, tol=tol)
    settings = {"assume_finite": True, "skip_parameter_validation": True}
    with warnings.catch_warnings(), sklearn.config_context(**settings):
        warnings.simplefilter("ignore", ConvergenceWarning)  # there is no bound on iterations
        machine.fit(apart)
    weights = np.zeros(n)
    weights[machine.support_] = machine.dual_coef_[0]
    weights /= weights.sum()
    return max(-float(weights @ apart @ weights), 0.0), weights
