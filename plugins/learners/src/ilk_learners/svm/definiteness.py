"""Whether a Gram matrix is positive semi-definite, without which its dual has no one solution."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from ilk_learners.svm.known import known_kernel

_ROUNDING = 1e-10  # of the matrix's norm


class IndefiniteKernelWarning(UserWarning):
    """A kernel is not positive semi-definite on the training rows."""


def is_definite(kernel: Any, K: np.ndarray) -> bool:
    """Tell whether a Gram matrix is positive semi-definite, looking where that is not known.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    K : ndarray of shape (n, n)
        It is copied for the look, a Cholesky decomposition.
    """
    known = known_kernel(kernel)
    if known is not None and known.name != "sigmoid":
        return True
    if getattr(kernel, "induces_metric", False) is True:
        return True
    norm = float(np.linalg.norm(K))
    if norm == 0:
        return True
    lifted = K / norm
    lifted.flat[:: len(K) + 1] += _ROUNDING
    try:
        cholesky(lifted, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True
