"""Searches by products, of distances that embed rows or map them first: bits of brute force."""

import numpy as np
import pytest

import ilk
from ilk.neighbors import filter_refine
from ilk.neighbors.vector_distance import VectorDistance

SMALL = {"_TILE": 64, "_QUERIES": 8, "FEWEST_TERMS": 0, "_LOST": 2}
NONE = {np.float64: 0, np.float32: 0}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    for name, value in SMALL.items():
        monkeypatch.setattr(filter_refine, name, value)
    monkeypatch.setattr(filter_refine, "FEWEST_IN", {np.float32: 1, np.float64: 1})
    for name in ("FEWEST_NUMBERS", "FEWEST_FEATURES", "FEWEST_QUERIES"):
        monkeypatch.setattr(filter_refine, name, NONE)


def rows(shape, n, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6))
    if shape == "multiples":  # of few vectors, so that angles vanish
        X = X[rng.integers(0, 20, n)] * rng.uniform(1, 3, (n, 1))
    elif shape == "opposite":  # distances are cut at 2
        X = np.concatenate([X[: n // 2], -3 * X[: n - n // 2]])
    elif shape == "near":  # directions that differ by less than the product tells
        X = 1 + np.arange(6) + 1e-5 * X
    elif shape == "equal":
        X = rng.integers(0, 2, (n, 6)) + np.eye(6)[rng.integers(0, 6, n)]
        X[:, 5] += 3
    return X.astype(dtype)


@pytest.mark.parametrize("shape", ["normal", "multiples", "opposite", "near", "equal"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["cosine", "correlation", "mahalanobis", "learned"])
def test_neighbours_are_those_of_the_matrix(name, dtype, shape, monkeypatch):
    X = rows(shape, 460, dtype)
    X, Y = np.concatenate([X[:30], X[430:]]), X[:430]
    settings = {"learner": "pca"} if name == "learned" else {}
    d = ilk.fit_component(ilk.distance(name, **settings), Y)
    used = []
    search = filter_refine.nearest_refined
    monkeypatch.setattr(
        "ilk.neighbors.vector_distance.nearest_refined", lambda *a: used.append(a) or search(*a)
    )
    D = d.pairwise(X, Y)
    for k in (1, 7, 20):
        near, where = d.kneighbors(X, Y, k)
        expected = np.argsort(D, axis=1, kind="stable")[:, :k]
        np.testing.assert_array_equal(where, expected)
        np.testing.assert_array_equal(near, np.take_along_axis(D, expected, axis=1))
        assert near.dtype == D.dtype
    assert len(used) == 3


@pytest.mark.parametrize("shape", ["normal", "multiples", "opposite", "near", "equal"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["euclidean", "cosine", "correlation"])
def test_rows_within_a_radius_are_those_of_the_matrix(name, dtype, shape, monkeypatch):
    X = rows(shape, 460, dtype)
    X, Y = np.concatenate([X[:30], X[430:]]), X[:430]
    d = ilk.distance(name)
    used = []
    search = filter_refine.within_refined
    monkeypatch.setattr(
        "ilk.neighbors.vector_distance.within_refined", lambda *a: used.append(a) or search(*a)
    )
    D = d.pairwise(X, Y)
    index = ilk.index("brute").fit(Y, distance=d)
    for r in (0.0, float(np.sort(D, axis=1)[:, 9].mean()), float(D[0, 0])):
        for near, where, row in zip(*index.radius_neighbors(X, r), D, strict=True):
            expected = np.argsort(row, kind="stable")[: np.count_nonzero(row <= r)]
            np.testing.assert_array_equal(where, expected)
            np.testing.assert_array_equal(near, row[expected])
            assert near.dtype == D.dtype
    assert len(used) == 3


def test_candidates_are_few(monkeypatch):
    """Or searches would be right, but slow."""
    X = np.random.default_rng(0).normal(size=(2000, 64))
    measured: list[int] = []
    for cls in map(type, (ilk.distance("euclidean"), ilk.distance("cosine"))):
        own = cls.compare_pairs
        monkeypatch.setattr(
            cls,
            "compare_pairs",
            lambda self, X, i, Y, j, own=own: measured.append(len(i)) or own(self, X, i, Y, j),
        )
        measured.clear()
        d = cls()
        assert isinstance(d, VectorDistance)
        d.nearest(X[:200], X, 10)
        assert 2000 <= sum(measured) <= 2100
