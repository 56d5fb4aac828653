"""Indexes that look at a part of the rows: times beside brute force, and what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from measure import Row, compare

import ilk
from ilk_distances import recall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def rows() -> Iterator[Row]:
    """Yield a row for each index; ratios are those of brute force's time to the index's."""
    yield _net()
    yield _footprint()
    yield from _hashing()
    yield _small_worlds()
    yield from _cells()


def _net() -> Row:
    values = np.random.default_rng(0).integers(0, 30, (50_200, 12)).astype(str)
    X, Q = pd.DataFrame(values[:50_000]), pd.DataFrame(values[50_000:])
    distance = ilk.distance("heterogeneous").fit(X)
    index = ilk.index("case_retrieval_net").fit(X, distance=distance)
    return _beside_brute("case_retrieval_net, 50,000 x 12 nominal of 30 values", index, X, Q)


def _footprint() -> Row:
    rng = np.random.default_rng(0)
    origins = rng.integers(0, 4, (20, 300))
    labels = rng.integers(0, 20, 1100)
    changed = rng.random((1100, 300)) < 0.2
    letters = np.where(changed, rng.integers(0, 4, (1100, 300)), origins[labels])
    texts = ["".join(row) for row in np.array(list("acgt"))[letters]]
    X, Q = texts[:1000], texts[1000:]
    index = ilk.index("footprint").fit(X, labels[:1000], distance=ilk.distance("levenshtein"))
    return _beside_brute("footprint, 1000 texts of 300 letters in 20 classes", index, X, Q)


def _hashing() -> Iterator[Row]:
    for n in (50_000, 400_000):
        X, Q = _clustered(n, 500)
        index = ilk.index("lsh", random_state=0).fit(X, distance=ilk.distance("euclidean"))
        yield _beside_brute(f"lsh, {n:,} x 32 in {n // 250} clusters", index, X, Q)


def _small_worlds() -> Row:
    import hnswlib

    X, Q = _clustered(50_000, 500)
    index = ilk.index("hnsw", random_state=0).fit(X, distance=ilk.distance("euclidean"))
    peer = hnswlib.Index(space="l2", dim=X.shape[1])
    peer.init_index(len(X), M=16, ef_construction=200)
    peer.add_items(X, num_threads=1)
    peer.set_ef(64)
    return compare(
        "hnsw, 50,000 x 32 in 200 clusters",
        "hnswlib itself, float32 distances",
        0.9,
        lambda: index.kneighbors(Q, 10),
        lambda: peer.knn_query(Q, 10, num_threads=1),
        repeats=9,
        note=f"recall {recall(index, Q, 10):.3f}",
    )


def _cells() -> Iterator[Row]:
    import faiss

    X, Q = _clustered(50_000, 500)
    faiss.omp_set_num_threads(1)
    rows, queries = (part.astype(np.float32) for part in (X, Q))
    for code_size in (None, 16):
        index: Any = ilk.index("faiss", code_size=code_size, random_state=0)
        index.fit(X, distance=ilk.distance("euclidean"))
        cells, centres = len(index.centroids_), faiss.IndexFlatL2(32)
        peer = (
            faiss.IndexIVFFlat(centres, 32, cells)
            if code_size is None
            else faiss.IndexIVFPQ(centres, 32, cells, code_size, 8)
        )
        peer.train(rows)
        peer.add(rows)
        peer.nprobe = index.n_probes_
        yield compare(
            f"faiss{f', codes of {code_size} bytes' if code_size else ''}, 50,000 x 32",
            "faiss itself, float32 distances",
            None,
            lambda index=index: index.kneighbors(Q, 10),
            lambda peer=peer: peer.search(queries, 10),
            repeats=9,
            note=f"recall {recall(index, Q, 10):.3f}",
        )


def _clustered(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    centers = 2 * rng.normal(size=(n // 250, 32))
    points = centers[rng.integers(0, len(centers), n + m)] + 0.7 * rng.normal(size=(n + m, 32))
    return points[:n], points[n:]


def _beside_brute(work: str, index: Any, X: Any, Q: Any) -> Row:
    brute = ilk.index("brute").fit(X, distance=index.distance_)
    before = index.n_distance_evaluations_
    search: Callable[[Any], Any] = lambda one: one.kneighbors(Q, 10)  # noqa: E731
    search(index)
    share = (index.n_distance_evaluations_ - before) / (len(Q) * len(X))
    note = f"{share:.1%} of the distances, recall {recall(index, Q, 10):.3f}"
    return compare(
        work, "brute", None, lambda: search(index), lambda: search(brute), repeats=3, note=note
    )
