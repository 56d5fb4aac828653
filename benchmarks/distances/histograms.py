"""Distances of histograms: whole matrices, and the nearest of many rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from scipy.special import rel_entr
from sklearn.metrics.pairwise import additive_chi2_kernel

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

SOME = 200  # rows that the peers take which go row by row


def rows() -> Iterator[Row]:
    """Yield a row for each kind of work."""
    rng = np.random.default_rng(0)
    H, K = rng.dirichlet(np.ones(64), (2, 4000))
    for dtype, target in ((np.float64, 3), (np.float32, 7)):
        yield _chi2(H.astype(dtype), K.astype(dtype), target)
    yield _by_rows("jeffrey", 8, _jeffrey_by_rows, H, K)
    yield _by_rows("kullback_leibler", 100, _divergence_by_rows, H, K)
    yield _beside_product(H, K)
    for dtype in (np.float64, np.float32):
        X = rng.dirichlet(np.ones(64), 50_000).astype(dtype)
        yield _nearest(X, rng.dirichlet(np.ones(64), 2000).astype(dtype))


def _chi2(H: np.ndarray, K: np.ndarray, target: float) -> Row:
    d = ilk.distance("chi2")
    return compare(
        f"pairwise chi2 {H.dtype}",
        "scikit-learn additive_chi2_kernel",
        target,
        lambda: d.pairwise(H, K),
        lambda: additive_chi2_kernel(H, K),
        repeats=3,
    )


def _by_rows(name: str, target: float, peer: object, H: np.ndarray, K: np.ndarray) -> Row:
    d = ilk.distance(name)
    return compare(
        f"pairwise {name}",
        "scipy rel_entr by rows",
        target,
        lambda: d.pairwise(H, K),
        lambda: peer(H[:SOME], K),
        scale=len(H) / SOME,
        repeats=3,
    )


def _jeffrey_by_rows(H: np.ndarray, K: np.ndarray) -> None:
    for h in H:
        m = (h + K) / 2
        (rel_entr(h, m) + rel_entr(K, m)).sum(axis=1)


def _divergence_by_rows(H: np.ndarray, K: np.ndarray) -> None:
    for h in H:
        rel_entr(h, K).sum(axis=1)


def _beside_product(H: np.ndarray, K: np.ndarray) -> Row:
    d = ilk.distance("kullback_leibler")
    return compare(
        "pairwise kullback_leibler",
        "numpy H log H - H @ log K.T",
        1 / 2,
        lambda: d.pairwise(H, K),
        lambda: (H * np.log(H)).sum(axis=1)[:, None] - H @ np.log(K).T,
        repeats=9,
        note="ours normalizes, and is right for close pairs",
    )


def _nearest(X: np.ndarray, Q: np.ndarray) -> Row:
    d = ilk.distance("chi2")

    def peer() -> None:
        for start in range(0, 500, 250):  # a quarter of the queries, in blocks that fit
            D = -additive_chi2_kernel(Q[start : start + 250], X)
            np.take_along_axis(D, np.argpartition(D, 10, axis=1)[:, :10], axis=1).sort(axis=1)

    return compare(
        f"10-NN of 2000 in 50,000 x 64, chi2 {X.dtype}",
        "scikit-learn additive_chi2_kernel in blocks, argpartition",
        3,
        lambda: d.kneighbors(Q, X, 10),
        peer,
        scale=4,
        repeats=3,
    )
