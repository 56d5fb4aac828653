"""Norms: whole matrices, and the nearest of many rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

TYPES = (np.float64, np.float32)


def rows() -> Iterator[Row]:
    """Yield a row for each kind of work."""
    for dtype in TYPES:
        yield from _pairwise(dtype)
    for dtype in TYPES:
        yield from _nearest(dtype)


def _pairwise(dtype: type) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2, 4000, 64)).astype(dtype)
    single = dtype is np.float32
    for name, label, metric, target in (
        ("manhattan", "L1", "cityblock", 4 if single else 2.5),
        ("chebyshev", "L-infinity", "chebyshev", 3),
    ):
        d = ilk.distance(name)
        yield compare(
            f"pairwise {label} {dtype.__name__}",
            "scipy cdist",
            target,
            lambda d=d: d.pairwise(X, Y),
            lambda metric=metric: cdist(X, Y, metric),
        )
    cubes = ilk.distance("minkowski", p=3)
    yield compare(
        f"pairwise L3 {dtype.__name__}",
        "scipy cdist",
        30,
        lambda: cubes.pairwise(X, Y),
        lambda: cdist(X[:200], Y, "minkowski", p=3),
        scale=20,
        repeats=3,
    )
    euclidean = ilk.distance("euclidean")
    yield compare(
        f"pairwise Euclidean {dtype.__name__}",
        "scikit-learn euclidean_distances",
        1 / 1.3,
        lambda: euclidean.pairwise(X, Y),
        lambda: euclidean_distances(X, Y),
        note="by differences; the peer by a matrix product",
    )


def _nearest(dtype: type) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 64)).astype(dtype)
    Q = rng.normal(size=(2_000, 64)).astype(dtype)
    for name, label, target in (("manhattan", "L1", 2), ("euclidean", "L2", 1 / 1.5)):
        d = ilk.distance(name)
        peer = NearestNeighbors(n_neighbors=10, algorithm="brute", metric=name).fit(X)
        yield compare(
            f"10-NN of 2000 in 50,000 x 64, {label} {dtype.__name__}",
            "scikit-learn argkmin",
            target,
            lambda d=d: d.kneighbors(Q, X, 10),
            lambda peer=peer: peer.kneighbors(Q),
            repeats=3,
        )
    for name, target in (("euclidean", 1.3), ("cosine", 1.3)):
        for p in (64, 256, 784):
            yield _by_products(name, p, dtype, target)
    for p in (64, 256, 784):
        yield _within(p, dtype)
    for m in (1, 8, 64):
        yield _searched_often(m, dtype)


def _within(p: int, dtype: type) -> Row:
    rng = np.random.default_rng(0)
    X, Q = (rng.normal(size=(n, p)).astype(dtype) for n in (20_000, 1_000))
    index = ilk.index("brute").fit(X, distance=ilk.distance("euclidean"))
    r = float(index.kneighbors(Q, 10)[0][:, 9].mean())
    peer = NearestNeighbors(radius=r, algorithm="brute").fit(X)
    return compare(
        f"within a radius, 1000 in 20,000 x {p}, {dtype.__name__}",
        "scikit-learn",
        1,
        lambda: index.radius_neighbors(Q, r),
        lambda: peer.radius_neighbors(Q, sort_results=True),
        repeats=3,
        note="some ten rows each",
    )


def _searched_often(m: int, dtype: type) -> Row:
    rng = np.random.default_rng(0)
    X, Q = (rng.normal(size=(n, 784)).astype(dtype) for n in (20_000, m))
    index = ilk.index("brute").fit(X, distance=ilk.distance("euclidean"))
    peer = NearestNeighbors(n_neighbors=10, algorithm="brute").fit(X)
    for _ in range(160 // m + 1):
        index.kneighbors(Q, 10)
    return compare(
        f"10-NN of {m} at a time in 20,000 x 784, {dtype.__name__}",
        "scikit-learn",
        1,
        lambda: index.kneighbors(Q, 10),
        lambda: peer.kneighbors(Q),
        note="after some searches of few, the index keeps converted rows",
    )


def _by_products(name: str, p: int, dtype: type, target: float) -> Row:
    rng = np.random.default_rng(0)
    X, Q = (rng.normal(size=(n, p)).astype(dtype) for n in (20_000, 1_000))
    d = ilk.distance(name)
    peer = NearestNeighbors(n_neighbors=10, algorithm="brute", metric=name).fit(X)
    return compare(
        f"10-NN of 1000 in 20,000 x {p}, {name} {dtype.__name__}",
        "scikit-learn",
        target,
        lambda: d.kneighbors(Q, X, 10),
        lambda: peer.kneighbors(Q),
        repeats=5,
        note="products rule out rows, differences rank the rest; the peer by products alone",
    )
