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
    for p in (64, 256, 784):
        X, Y = rng.normal(size=(2, 4000, p)).astype(dtype)
        yield from _gaussians(X, Y)
        yield from _products(X, Y)


def _gaussians(X: np.ndarray, Y: np.ndarray) -> Iterator[Row]:
    p = X.shape[1]
    rbf = ilk.kernel("rbf", sigma=float(p) ** 0.5).fit(X)
    size, gamma = f"4000 x {p} {X.dtype}", 0.5 / p
    # of 784 features the product alone, of either, takes nine tenths of the peer's time
    target = {64: 1.2, 256: 1.0, 784: 0.85}[p]
    note = "products where their error is below 1e-12, else differences; the peer by products alone"
    yield compare(
        f"rbf of two times {size}",
        "scikit-learn rbf_kernel",
        target,
        lambda: rbf.gram(X, Y),
        lambda: pairwise.rbf_kernel(X, Y, gamma=gamma),
        note=note,
    )
    yield compare(
        f"rbf of {size}",
        "scikit-learn rbf_kernel",
        target,
        lambda: rbf.gram(X),
        lambda: pairwise.rbf_kernel(X, gamma=gamma),
        note=note,
    )


def _products(X: np.ndarray, Y: np.ndarray) -> Iterator[Row]:
    p = X.shape[1]
    gamma, given = 1 / p, {"gamma": 1 / p}
    exact = X.astype(float), Y.astype(float)  # ours are float64, also of float32
    for name, kernel, peer, terms in (
        ("linear", ilk.kernel("linear"), pairwise.linear_kernel, {}),
        ("polynomial", ilk.kernel("polynomial", gamma=gamma), pairwise.polynomial_kernel, given),
        ("sigmoid", ilk.kernel("sigmoid", eta1=gamma, eta2=1.0), pairwise.sigmoid_kernel, given),
    ):
        yield compare(
            f"{name} of two times 4000 x {p} {X.dtype}",
            f"scikit-learn {name}_kernel",
            1 / 1.05,
            lambda kernel=kernel: kernel.gram(X, Y),
            lambda peer=peer, terms=terms: peer(*exact, **terms),
            note="both in float64",
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
