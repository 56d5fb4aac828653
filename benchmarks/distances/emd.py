"""The earth mover's distance: on the line, over bins of a matrix, of signatures, of neighbours."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import cv2
import numpy as np
import ot
from measure import Row, compare

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

N = 40  # objects on each side, for peers that are called pair by pair


def rows() -> Iterator[Row]:
    """Yield a row for each kind of work."""
    rng = np.random.default_rng(0)
    yield _line(rng)
    yield from _matrices(rng)
    yield _signatures(rng)
    yield _neighbors(rng)


def _loop(pair: Callable[[object, object], float], X: object, Y: object) -> np.ndarray:
    return np.array([[pair(x, y) for y in Y] for x in X])


def _line(rng: np.random.Generator) -> Row:
    bins = np.arange(64.0)
    X, Y = rng.dirichlet(np.ones(64), (2, 1000))
    d = ilk.distance("emd")
    peer = partial(ot.emd2_1d, bins, bins, metric="euclidean")
    few = X[:N], Y[:N]
    error = np.abs(d.pairwise(*few) - _loop(peer, *few)).max()
    return compare(
        "EMD on the line, 64 bins",
        "POT emd2_1d in a loop",
        1000,
        lambda: d.pairwise(X, Y),
        lambda: _loop(peer, *few),
        scale=(1000 / N) ** 2,
        note=f"largest difference {error:.0e}",
    )


def _matrices(rng: np.random.Generator) -> Iterator[Row]:
    X, Y = rng.dirichlet(np.ones(32), (2, N))
    places = rng.random((32, 3))
    metric = np.linalg.norm(places[:, None] - places, axis=2)
    for what, matrix, target in (
        ("that is a metric", metric, 6),
        ("that is none", metric**3, 2),
    ):
        d = ilk.distance("emd", matrix=matrix)
        peer = partial(ot.emd2, M=matrix)
        error = np.abs(d.pairwise(X, Y) - _loop(peer, X, Y)).max()
        yield compare(
            f"EMD over 32 bins, a matrix {what}",
            "POT emd2 in a loop",
            target,
            lambda d=d: d.pairwise(X, Y),
            lambda peer=peer: _loop(peer, X, Y),
            note=f"largest difference {error:.0e}",
        )


def _signature(rng: np.random.Generator, centre: float | np.ndarray = 0.0) -> tuple:
    m = rng.integers(8, 17)
    return rng.normal(size=(m, 3)) + centre, rng.dirichlet(np.ones(m))


def _signatures(rng: np.random.Generator) -> Row:
    X, Y = ([_signature(rng) for _ in range(2 * N)] for _ in range(2))
    flat = [[np.c_[w, P].astype(np.float32) for P, w in Z] for Z in (X, Y)]
    d = ilk.distance("emd")
    few = X[:10], Y[:10]
    exact = _loop(lambda x, y: ot.emd2(x[1], y[1], ot.dist(x[0], y[0], "euclidean")), *few)
    error = np.abs(d.pairwise(*few) - exact).max()
    return compare(
        "EMD of signatures, 8-16 clusters in space",
        "OpenCV EMD (float32) in a loop",
        2,
        lambda: d.pairwise(X, Y),
        lambda: _loop(lambda x, y: cv2.EMD(x, y, cv2.DIST_L2)[0], *flat),
        note=f"in float64; largest difference to POT {error:.0e}",
    )


def _neighbors(rng: np.random.Generator) -> Row:
    X = [_signature(rng, 2 * rng.normal(size=3)) for _ in range(1000)]
    d = ilk.distance("emd")
    handle = d.prepare(X)
    handle.nearest(X[:20], 5)
    return compare(
        "5-NN of 20 in 1000 signatures, pruned",
        "all distances",
        None,
        lambda: handle.nearest(X[:20], 5),
        lambda: ilk.nearest_blocked(d, X[:20], X, 5),
        note=f"{handle.n_solved_ / 20:.0f} of 1000 solved for a query",
    )
