"""Trees: time beside scipy's kd-tree and brute force; numbers of distances beside a ball tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from scipy.spatial import cKDTree
from sklearn.neighbors import BallTree

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

N, QUERIES = 50_000, 2000
# rows, queries and features for the index that chooses; the first three suit a tree
CHOICES = (
    (4000, 1000, 2),
    (40_000, 2000, 4),
    (200_000, 2000, 3),
    (200_000, 1000, 50),
    (2000, 1, 2),
)
CLUSTERS = ((8, 100, 0.1), (16, 50, 0.3), (10, 20, 1.0))  # features, clusters, spread


def rows() -> Iterator[Row]:
    """Yield a row for each kind of work."""
    rng = np.random.default_rng(0)
    yield from _kd_tree("uniform", lambda m: rng.random((m, 8)))
    yield from _kd_tree("normal", lambda m: rng.normal(size=(m, 8)))
    yield from _kd_tree("clusters", _clusters(rng, 8, 100, 0.2))
    yield _build()
    for n, m, p in CHOICES:
        yield _choice(rng.normal(size=(n, p)), rng.normal(size=(m, p)))
    for p, k, spread in CLUSTERS:
        yield from _cover_tree(f"{k} clusters, {p} features", _clusters(rng, p, k, spread))
    yield _equal_rows()


def _clusters(
    rng: np.random.Generator, p: int, k: int, spread: float
) -> Callable[[int], np.ndarray]:
    centres = rng.random((k, p)) * 10
    return lambda m: centres[rng.integers(0, k, m)] + rng.normal(size=(m, p)) * spread


def _kd_tree(label: str, draw: Callable[[int], np.ndarray]) -> Iterator[Row]:
    X, Q = draw(N), draw(QUERIES)
    euclidean = ilk.distance("euclidean")
    ours = ilk.index("kd_tree").fit(X, distance=euclidean)
    peer = cKDTree(X)
    yield compare(
        f"kd-tree 50,000 x 8 {label}, 10-NN",
        "scipy cKDTree",
        1,
        lambda: ours.kneighbors(Q, 10),
        lambda: peer.query(Q, 10),
        repeats=9,
    )


def _build() -> Row:
    X = np.random.default_rng(0).normal(size=(200_000, 8))
    return compare(
        "kd-tree 200,000 x 8 normal, build",
        "scipy cKDTree",
        1,
        lambda: ilk.index("kd_tree").fit(X, distance=ilk.distance("euclidean")),
        lambda: cKDTree(X),
        repeats=9,
    )


def _choice(X: np.ndarray, Q: np.ndarray) -> Row:
    """Fit and search, so that the tree must pay for itself."""

    def work(name: str) -> str:
        index = ilk.index(name).fit(X, distance=ilk.distance("euclidean"))
        index.kneighbors(Q, 10)
        return type(getattr(index, "index_", index)).__name__

    return compare(
        f"auto, {len(X):,} x {X.shape[1]}, fit and 10-NN of {len(Q):,}",
        "brute",
        0.9,
        lambda: work("auto"),
        lambda: work("brute"),
        repeats=7,
        note=f"chooses {work('auto')}",
    )


def _cover_tree(label: str, draw: Callable[[int], np.ndarray]) -> Iterator[Row]:
    n, m = 10_000, 1000
    X, Q = draw(n), draw(m)
    peer = BallTree(X, leaf_size=10)
    brute = ilk.index("brute").fit(X, distance=ilk.distance("euclidean"))
    for name, target in (("cover_tree", 4), ("ball_tree", None), ("fish_and_shrink", None)):
        ours = ilk.index(name).fit(X, distance=ilk.distance("euclidean"))
        for k in (1, 10):
            peer.reset_n_calls()
            row = compare(
                f"{name} {label}, {k}-NN: distances",
                "scikit-learn BallTree, leaf 10",
                target,
                lambda ours=ours, k=k: ours.kneighbors(Q, k),
                lambda k=k: peer.query(Q, k),
                repeats=1,
            )
            theirs = peer.get_n_calls() / 2 / m
            own = ours.n_distance_evaluations_ / 2 / m
            ours.n_distance_evaluations_ = 0
            note = (
                f"{own:.0f} a query against {theirs:.0f}; {ours.n_build_evaluations_ / n:.0f} a "
                f"row to build; time {row.ratio:.2g} of the peer's speed"
            )
            yield Row(row.work, row.peer, target, theirs / own, row.seconds, note)
        yield compare(
            f"{name} {label}, 10-NN: time",
            "brute",
            None,
            lambda ours=ours: ours.kneighbors(Q, 10),
            lambda: brute.kneighbors(Q, 10),
        )


def _equal_rows() -> Row:
    X = np.ones((2000, 8))
    index = ilk.index("cover_tree").fit(X, distance=ilk.distance("euclidean"))
    ratio = 2000 / index.n_build_evaluations_
    return Row("cover tree, 2000 equal rows: distances to build", "one a row", 1, ratio, 0.0)
