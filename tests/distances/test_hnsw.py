"""HNSW: recall, exact distances, seeds, and what happens without hnswlib."""

import pickle
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
import ilk_distances
from cases import in_one_test

pytest.importorskip("hnswlib", reason="hnswlib is in the extra ann")
pytestmark = pytest.mark.filterwarnings("ignore::ilk_distances.RecallWarning")


def hnsw(X, distance="euclidean", parameters=None, random_state=0, **options):
    distance = ilk.distance(distance, **(parameters or {})).fit(X)
    index = ilk.index("hnsw", random_state=random_state, **options)
    return index.fit(X, distance=distance)


def both(n, m, p=12):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, p))[rng.integers(0, 40, n + m)] * 3 + rng.normal(size=(n + m, p))
    return rows[:n], rows[n:]


KINDS = [
    ("euclidean", {}),
    ("euclidean", {"weights": [0.01, 100] * 6}),
    ("minkowski", {"p": 2}),
    ("cosine", {}),
    ("correlation", {}),
]


@pytest.mark.parametrize(("name", "parameters"), KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_finds_nearly_all_and_says_how_far(name, parameters, dtype):
    X, Q = (rows.astype(dtype) for rows in both(2000, 50))
    index = hnsw(X, name, parameters)
    assert ilk_distances.recall(index, Q, 10) > 0.97
    near, where = index.kneighbors(Q, 10)
    D = index.distance_.pairwise(Q, X)
    assert near.dtype == D.dtype == dtype
    np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))
    assert index.n_distance_evaluations_ == 2 * 50 * (10 + 4)


@given(st.integers(1, 30), st.integers(1, 4), st.integers(0, 2**32 - 1), st.data())
def test_always_k_rows_each_once(n, p, seed, data):
    rng = np.random.default_rng(seed)
    X, Q = (rng.integers(0, 3, (m, p)).astype(float) for m in (n, 5))
    k = data.draw(st.integers(1, n))
    index = hnsw(X, n_links=2, ef_construction=3, ef_search=1)
    near, where = index.kneighbors(Q, k)
    assert all(len(set(row)) == k for row in where.tolist())
    D = index.distance_.pairwise(Q, X)
    np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))
    assert (np.diff(near, axis=1) >= 0).all()
    if k == n:
        np.testing.assert_array_equal(where, np.argsort(D, axis=1, kind="stable"))


def test_what_the_walk_does_not_meet_is_compared_with_all():
    """Two links a row do not hold 3000 rows together, yet all are found when all are asked for."""
    X, Q = both(3000, 3)
    index = hnsw(X, n_links=2, ef_construction=2, ef_search=1)
    near, where = index.kneighbors(Q, 3000)
    assert (index._walked(index.frame_.place(Q), 3000) < 0).any()
    D = index.distance_.pairwise(Q, X)
    np.testing.assert_array_equal(where, np.argsort(D, axis=1, kind="stable"))
    assert (np.diff(near, axis=1) >= 0).all()


def test_the_same_seed_gives_the_same_graph():
    X, Q = both(800, 30)
    options = {"n_links": 2, "ef_construction": 4, "ef_search": 5}
    first, again, other = (hnsw(X, random_state=seed, **options) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.kneighbors(Q, 5)[1], again.kneighbors(Q, 5)[1])
    assert (first.kneighbors(Q, 5)[1] != other.kneighbors(Q, 5)[1]).any()


def test_queries_and_threads_do_not_matter():
    X, Q = both(800, 40)
    index = hnsw(X, n_links=3, ef_search=5)
    with ilk.threads(1):
        expected = index.kneighbors(Q, 5)
    with ilk.threads(4):
        got = index.kneighbors(Q, 5)
    np.testing.assert_array_equal(got[1], expected[1])
    alone = [index.kneighbors(Q[i : i + 1], 5)[1][0] for i in range(40)]
    np.testing.assert_array_equal(alone, expected[1])


@pytest.mark.parametrize("change", [lambda X: X + 1e7, lambda X: X * 1e200, lambda X: X * 1e-200])
def test_far_away_large_and_small(change):
    X, Q = both(1500, 30)
    assert ilk_distances.recall(hnsw(change(X)), change(Q), 5) > 0.95


def test_a_query_far_beyond_the_data():
    X, _ = both(200, 0)
    near, where = hnsw(X).kneighbors(np.full((1, 12), 1e300), 2)
    assert np.isfinite(near).all()
    assert len(set(where[0].tolist())) == 2


@pytest.mark.parametrize("p", [1, 200])
def test_one_and_two_hundred_features(p):
    X, Q = both(600, 20, p)
    assert ilk_distances.recall(hnsw(X), Q, 5) > 0.95


def test_all_rows_equal():
    index = hnsw(np.ones((70, 3)))
    near, where = index.kneighbors(np.ones((1, 3)), 70)
    assert not near.any()
    assert where.tolist() == [list(range(70))]


def test_state_survives(tmp_path):
    X, Q = both(300, 20)
    index = hnsw(X)
    expected = index.kneighbors(Q, 4)[1]
    kept = pickle.loads(pickle.dumps(index)), ilk.load(ilk.save(index, tmp_path / "index.ilk"))
    for again in (*kept, ilk.frozen(index)):
        np.testing.assert_array_equal(again.kneighbors(Q, 4)[1], expected)


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("manhattan", {}), ("minkowski", {"p": 3}), ("levenshtein", {}), ("mahalanobis", {})],
)
def test_other_distances_are_refused_by_name(name, parameters):
    X = ["ab", "cd"] if name == "levenshtein" else np.random.default_rng(0).normal(size=(9, 2))
    with pytest.raises(ilk.InputError, match=f"hnsw: distance must be.*got {name}"):
        hnsw(X, name, parameters)


def test_k_beyond_all():
    with pytest.raises(ilk.InputError, match="hnsw: k must be an integer between 1 and .*3"):
        hnsw(np.eye(3)).kneighbors(np.eye(3), 4)


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "hnswlib", None)
    with pytest.raises(ilk.IlkError, match=r"hnsw needs hnswlib, .*pip install hnswlib"):
        hnsw(np.eye(3))


@in_one_test
@pytest.mark.parametrize("distance", ["euclidean", "cosine", "correlation"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_numbers(distance, dtype):
    X = (np.random.default_rng(0).normal(size=(60, 5)) / 5 * np.finfo(dtype).max).astype(dtype)
    near, where = hnsw(X, distance).kneighbors(X, 3)
    np.testing.assert_array_equal(where[:, 0], np.arange(60))
    assert (near[:, 0] < 1e-5).all()


def test_no_memory_for_links():
    with pytest.raises(ilk.ParameterError, match="hnsw: ef_construction must be an integer >= 1"):
        ilk.index("hnsw", ef_construction=10**20)


@pytest.mark.parametrize(
    ("name", "where", "value"),
    [
        ("data_level0", 0, 120),
        ("data_level0", 6, 120),
        ("link_lists", 7, 120),
        ("element_levels", 3, 9),
        ("label_lookup_internal", 0, 10**6),
    ],
)
def test_a_graph_that_leads_astray_is_refused(tmp_path, monkeypatch, name, where, value):
    X = np.random.default_rng(0).normal(size=(500, 3))
    index = ilk.index("hnsw", n_links=4).fit(X, distance=ilk.distance("euclidean"))
    state = index.__getstate__()
    state["graph_"][name][where] = value
    monkeypatch.setattr(type(index), "__getstate__", lambda self: state)
    path = ilk.save(index, tmp_path / "index.ilk")
    monkeypatch.undo()
    with pytest.raises(ilk.PersistError, match=r"refused: hnsw: graph_"):
        ilk.load(path)


@in_one_test
@pytest.mark.parametrize("name", ["hnsw", "faiss"])
def test_copies_do_not_crowd_out_other_rows(name, tmp_path):
    """5 rows, 100 copies of each: recall and accuracy of brute force."""
    pytest.importorskip("hnswlib" if name == "hnsw" else name, reason="in the extra ann")
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(5, 4)), 100, axis=0)[rng.permutation(500)]
    Q = X[::7] + 0.05 * rng.normal(size=X[::7].shape)
    index = ilk.index(name, random_state=0).fit(X, distance=ilk.distance("euclidean"))
    assert index.recall_ == 1
    for k in (1, 5, 150, 500):
        expected = ilk.nearest(X, k, Q)
        np.testing.assert_array_equal(index.kneighbors(Q, k), expected)
    again = ilk.load(ilk.save(index, tmp_path / "index.ilk"))
    np.testing.assert_array_equal(again.kneighbors(Q, 5), ilk.nearest(X, 5, Q))


@in_one_test
@pytest.mark.parametrize("name", ["hnsw", "faiss"])
@pytest.mark.parametrize("far", [1e9, -1e300])
def test_one_far_value_does_not_collapse_the_others(name, far):
    pytest.importorskip("hnswlib" if name == "hnsw" else name, reason="in the extra ann")
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(700, 6)), rng.normal(size=(50, 6))
    X[7, 3] = far
    index = ilk.index(name, random_state=0).fit(X, distance=ilk.distance("euclidean"))
    assert index.recall_ > 0.9
    assert ilk_distances.recall(index, Q, 10) > 0.9
    assert index._n_places == 700


def test_a_low_recall_is_told():
    X, _ = both(3000, 0)
    with pytest.warns(ilk_distances.RecallWarning, match=r"hnsw: finds .* larger ef_search"):
        index = hnsw(X, n_links=2, ef_construction=2, ef_search=1)
    assert index.recall_ < 0.8


def test_memory_as_documented():
    import tracemalloc

    X = np.random.default_rng(0).normal(size=(8000, 64))
    hnsw(X[:300])
    tracemalloc.start()
    try:
        index = hnsw(X, n_links=4, ef_construction=10)
        index.kneighbors(X, 5)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    base = index.graph_.__getstate__()[0]["data_level0"]
    assert base.nbytes == 8000 * (4 * 64 + 8 * 4 + 12)
    # places in float32, and blocks: no copy of the rows in double
    assert peak < 8000 * 64 * 4 * 2 + 12 * 2**20
