"""faiss: recall, exact distances, seeds, codes, files, and what happens without the library."""

import pickle
import sys
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ilk
import ilk_distances
from cases import in_one_test

pytest.importorskip("faiss", reason="faiss-cpu is in the extra ann")


def faiss(X, distance="euclidean", parameters=None, random_state=0, **options):
    distance = ilk.distance(distance, **(parameters or {})).fit(X)
    index = ilk.index("faiss", random_state=random_state, **options)
    return index.fit(X, distance=distance)


def both(n, m, p=12):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, p))[rng.integers(0, 40, n + m)] * 3 + rng.normal(size=(n + m, p))
    return rows[:n], rows[n:]


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters", "code_size", "dtype"),
    [
        ("euclidean", {"weights": [0.1, 10] * 6}, None, np.float64),
        ("minkowski", {"p": 2}, 5, np.float32),
        ("correlation", {}, None, np.float32),
    ],
)
def test_finds_nearly_all_and_says_how_far(name, parameters, code_size, dtype):
    X, Q = (rows.astype(dtype) for rows in both(800, 50))
    index = faiss(X, name, parameters, code_size=code_size)
    assert index.recall_ >= 0.95
    assert ilk_distances.recall(index, Q, 10) > 0.85
    near, where = index.kneighbors(Q, 10)
    D = index.distance_.pairwise(Q, X)
    assert near.dtype == D.dtype == dtype
    np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))


@settings(max_examples=8)
@given(st.integers(1, 30), st.integers(1, 4), st.integers(0, 2**32 - 1), st.data())
@pytest.mark.filterwarnings("ignore::ilk_distances.RecallWarning")
def test_always_k_rows_each_once(n, p, seed, data):
    rng = np.random.default_rng(seed)
    X, Q = (rng.integers(0, 3, (m, p)).astype(float) for m in (n, 5))
    k = data.draw(st.integers(1, n))
    index = faiss(X, n_probes=1)
    near, where = index.kneighbors(Q, k)
    assert all(len(set(row)) == k for row in where.tolist())
    D = index.distance_.pairwise(Q, X)
    np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))
    if k == n:
        np.testing.assert_array_equal(where, np.argsort(D, axis=1, kind="stable"))


def test_more_probes_find_more_and_the_number_is_chosen():
    X = np.random.default_rng(0).normal(size=(1500, 12))
    index = faiss(X, n_cells=60)
    with pytest.warns(ilk_distances.RecallWarning, match=r"faiss: finds .* \(more n_probes"):
        one = faiss(X, n_cells=60, n_probes=1)
    assert one.recall_ < 0.8
    assert index.recall_ >= 0.95
    assert index.n_probes_ & (index.n_probes_ - 1) == 0


@in_one_test
@pytest.mark.parametrize("code_size", [None, 4])
def test_seeds_threads_and_files(tmp_path, code_size):
    X, Q = both(300, 30)
    index = faiss(X, code_size=code_size)
    expected = index.kneighbors(Q, 4)
    with ilk.threads(2):
        again = faiss(X, code_size=code_size)
    np.testing.assert_array_equal(again.centroids_, index.centroids_)
    kept = pickle.loads(pickle.dumps(index)), ilk.load(ilk.save(index, tmp_path / "index.ilk"))
    for other in (again, *kept, ilk.frozen(index)):
        np.testing.assert_array_equal(other.kneighbors(Q, 4), expected)
    assert (faiss(X, random_state=1).centroids_ != index.centroids_).any()


@cache
def kept():
    return pickle.dumps(faiss(both(300, 0)[0], code_size=4))


@in_one_test
@pytest.mark.parametrize(
    "change",
    [
        lambda index: setattr(index, "centroids_", index.centroids_[:, :-1].copy()),
        lambda index: setattr(index, "words_", index.words_[:-1].copy()),
        lambda index: setattr(index, "n_probes_", 0),
        lambda index: index.centroids_.__setitem__(0, np.nan),
    ],
)
def test_a_changed_file_is_refused(tmp_path, change):
    index = pickle.loads(kept())
    change(index)
    path = ilk.save(index, tmp_path / "index.ilk")
    with pytest.raises(ilk.PersistError, match="refused: faiss:"):
        ilk.load(path)


def test_other_distances_are_refused_by_name():
    with pytest.raises(ilk.InputError, match="faiss: distance must be.*got manhattan"):
        faiss(np.eye(3), "manhattan")


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(ilk.IlkError, match=r"faiss needs faiss-cpu, .*pip install faiss-cpu"):
        faiss(np.eye(3))


def test_memory_as_documented():
    import faiss as library

    X = np.random.default_rng(0).normal(size=(4000, 32))
    options = {"n_cells": 8, "n_probes": 8}
    sizes = [
        len(library.serialize_index(faiss(X, code_size=size, **options)._index))
        for size in (None, 4)
    ]
    assert sizes[0] == pytest.approx(4000 * (4 * 32 + 8), rel=0.01)
    assert sizes[1] - 256 * 32 * 4 == pytest.approx(4000 * (4 + 8), rel=0.05)
