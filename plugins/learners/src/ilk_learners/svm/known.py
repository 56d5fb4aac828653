"""Kernels that libsvm and a matrix product know: what they are of rows of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ilk import IlkError, shipped_name, to_spec
from ilk_learners.classifiers.local import is_default


@dataclass(frozen=True)
class KnownKernel:
    """A kernel of vectors, in libsvm's terms.

    Attributes
    ----------
    name : {"linear", "poly", "rbf", "sigmoid"}
    gamma, coef0 : float
    degree : int
    sigma : ndarray of shape (p,) or None
        What each feature is divided by first.
    """

    name: Literal["linear", "poly", "rbf", "sigmoid"]
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 1
    sigma: np.ndarray | None = None

    @property
    def terms(self) -> dict[str, float]:
        """The parameters, by libsvm's names."""
        return {"gamma": self.gamma, "coef0": self.coef0, "degree": self.degree}

    def rows(self, X: Any) -> Any:
        """Rows in float64 as the kernel takes them, sparse ones as they are."""
        X = X.astype(float, copy=False)
        return X if self.sigma is None else np.asarray(X / self.sigma)


def known_kernel(kernel: Any) -> KnownKernel | None:
    """What a fitted kernel is in libsvm's terms, or None."""
    try:
        to_spec(kernel, kind="kernel")
    except IlkError:  # no spec can name it
        return None
    name = shipped_name(kernel)
    if name == "linear":
        return KnownKernel("linear")
    if name == "polynomial":
        return KnownKernel("poly", kernel.gamma, kernel.coef0, kernel.degree)
    if name == "sigmoid":
        return KnownKernel("sigmoid", kernel.eta1, kernel.eta2)
    if name == "rbf" and is_default(kernel.distance_, "distance", "euclidean"):
        sigma = np.asarray(kernel.sigma_, dtype=float)
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            gamma = 0.5 if sigma.ndim else float(0.5 / sigma**2)
        if 0 < gamma < np.inf:
            return KnownKernel("rbf", gamma, sigma=sigma if sigma.ndim else None)
    return None
