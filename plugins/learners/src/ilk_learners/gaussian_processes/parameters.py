"""Parameters that Gaussian processes have in common, and what X must be for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ilk import Param, Seed
from ilk_learners.objects import check_objects

KERNEL = Param(slot="kernel", doc="Covariance of latent values, up to their variance.")
SIGNAL_VARIANCE = Param(float, gt=0, doc="What the kernel is multiplied by.")
N_RESTARTS = Param(int, ge=0, doc="More starts of the optimiser, drawn.")
MAX_STEPS = Param(int, ge=1, doc="Most steps of the optimiser.")
RANDOM_STATE = Param(Seed, doc="For what is drawn.")

SMALL = 500
"""Up to how many cases threads would take longer than one over a factor."""


def read_rows(owner: Any, kernel: Any, X: Any, *, reset: bool) -> Any:
    """Return X as the kernel takes it; vectors in double precision, which factors need."""
    X = check_objects(owner, kernel, X, reset=reset)
    return X.astype(float) if getattr(X, "dtype", None) == np.float32 else X


def gram(kernel: Any, variance: float, X: Any, Y: Any = None) -> np.ndarray:
    """``variance k(x, z)``, in double precision, new."""
    K = kernel.gram(X) if Y is None else kernel.gram(X, Y)
    K = np.array(K, dtype=float, order="C", copy=None)
    if not K.flags.writeable:
        K = K.copy()
    K *= variance
    return K


def blocks(m: int, n: int) -> Iterator[np.ndarray]:
    """Yield the numbers of m rows, as many at a time as have 2^21 covariances with n others."""
    step = max(_NUMBERS // n, 1)
    for first in range(0, m, step):
        yield np.arange(first, min(first + step, m))


_NUMBERS = 2**21
