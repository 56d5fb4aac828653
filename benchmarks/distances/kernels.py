"""Kernels: whole Gram matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from sklearn.metrics import pairwise

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

TYPES = (np.float64, np.float32)


def rows() -> Iterator[Row]:
    """Yield a row for each kind of work."""
    for dtype in TYPES:
        yield from _vectors(dtype)
    yield from _histograms()


def _vectors(dtype: type) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2, 4000, 64)).astype(dtype)
    size = f"4000 x 4000 x 64 {dtype.__name__}"
    rbf = ilk.kernel("rbf", sigma=8.0).fit(X)
    yield compare(
        f"rbf {size}",
        "scikit-learn rbf_kernel",
        1,
        lambda: rbf.gram(X, Y),
        lambda: pairwise.rbf_kernel(X, Y, gamma=1 / 128),
        note="by differences; the peer by a matrix product",
    )
    cubic = ilk.kernel("polynomial", gamma=1 / 64)
    yield compare(
        f"polynomial {size}",
        "scikit-learn polynomial_kernel",
        1,
        lambda: cubic.gram(X, Y),
        lambda: pairwise.polynomial_kernel(X, Y),
    )
    sigmoid = ilk.kernel("sigmoid", eta1=1 / 64, eta2=1.0)
    yield compare(
        f"sigmoid {size}",
        "scikit-learn sigmoid_kernel",
        1 / 1.1,
        lambda: sigmoid.gram(X, Y),
        lambda: pairwise.sigmoid_kernel(X, Y),
    )


def _histograms() -> Iterator[Row]:
    H, K = np.random.default_rng(0).dirichlet(np.ones(64), size=(2, 1000))
    kernel = ilk.kernel("exponential_chi2", sigma=0.5).fit(H)
    yield compare(
        "exponential chi2 1000 x 1000 x 64 float64",
        "scikit-learn chi2_kernel",
        1,
        lambda: kernel.gram(H, K),
        lambda: pairwise.chi2_kernel(H, K, gamma=1.0),
    )
