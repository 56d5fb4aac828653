"""The clusterer `dbscan`."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN
from sklearn.utils.estimator_checks import parametrize_with_checks

import ilk
from cases import in_one_test
from ilk_ensembles.clusterers import density as neighborhoods
from ilk_ensembles.clusterers.density import density_clusters


def fitted(X, eps, min_samples, **parameters):
    return ilk.clusterer("dbscan", eps=eps, min_samples=min_samples, **parameters).fit(X)


def slow(near, min_samples, weights=None):
    """Clusters by the definitions, from a matrix that says which row has which near it."""
    n = len(near)
    near = near | np.eye(n, dtype=bool)
    weights = np.ones(n) if weights is None else weights
    core = (near @ weights >= min_samples) & (weights > 0)
    labels = np.full(n, -1)
    found = 0
    for seed in range(n):
        if not core[seed] or labels[seed] >= 0:
            continue
        reached, ahead = {seed}, [seed]
        while ahead:
            o = ahead.pop()
            for p in np.flatnonzero(near[o]):
                if core[o] and p not in reached:
                    reached.add(p)
                    ahead.append(p)
        for p in reached:
            labels[p] = found if labels[p] < 0 else labels[p]
        found += 1
    return labels, np.flatnonzero(core)


def agree(ours, theirs):
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)


@in_one_test
@pytest.mark.parametrize("index", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize(("eps", "min_samples"), [(0.1, 3), (0.3, 5), (0.05, 1), (4.0, 5)])
def test_agrees_with_scikit_learn(index, eps, min_samples):
    X = np.random.default_rng(0).normal(size=(600, 3))
    agree(fitted(X, eps, min_samples, index=index), DBSCAN(eps=eps, min_samples=min_samples).fit(X))


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev"])
def test_agrees_by_other_distances(metric):
    X = np.random.default_rng(1).normal(size=(300, 2))
    theirs = DBSCAN(eps=0.2, min_samples=4, metric=metric).fit(X)
    agree(fitted(X, 0.2, 4, distance=metric), theirs)


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.floats(0.0, 0.6), st.integers(1, 6))
def test_distances_that_are_not_symmetric(seed, n, eps, min_samples):
    """Neighbourhoods are those from the row, and rows are reached one way only."""
    matrix = np.random.default_rng(seed).random((n, n)) + 0.3 * (1 - np.eye(n))
    distance = {"use": "precomputed", "matrix": matrix}
    ours = fitted(np.arange(n)[:, None], eps, min_samples, distance=distance)
    labels, core = slow(matrix <= eps, min_samples)
    np.testing.assert_array_equal(ours.labels_, labels)
    np.testing.assert_array_equal(ours.core_sample_indices_, core)


@given(st.integers(0, 2**32 - 1), st.integers(1, 80), st.integers(0, 3), st.integers(1, 8))
def test_symmetric_distances_with_many_ties(seed, n, eps, min_samples):
    X = np.random.default_rng(seed).integers(0, 12, size=(n, 2)).astype(float)
    ours = fitted(X, eps, min_samples, distance="manhattan")
    labels, core = slow(np.abs(X[:, None] - X).sum(axis=2) <= eps, min_samples)
    np.testing.assert_array_equal(ours.labels_, labels)
    np.testing.assert_array_equal(ours.core_sample_indices_, core)


@pytest.mark.parametrize("symmetric", [True, False])
def test_blocks_change_nothing(monkeypatch, symmetric):
    X = np.random.default_rng(2).normal(size=(300, 2))
    matrix = np.abs(X[:, None] - X).sum(axis=2)
    distance = {"use": "precomputed", "matrix": matrix, "symmetric": symmetric}
    rows = np.arange(300)[:, None]
    expected = fitted(rows, 0.25, 4, distance=distance)
    assert expected.n_clusters_ > 3
    monkeypatch.setattr(neighborhoods, "_FIRST", 3)
    monkeypatch.setattr(neighborhoods, "_NEIGHBORS", 50)
    agree(fitted(rows, 0.25, 4, distance=distance), expected)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_order_of_rows(seed, min_samples):
    """Core rows are divided alike in any order; border rows stay near a core row of theirs."""
    rng = np.random.default_rng(seed)
    X = rng.random((60, 2))
    order = rng.permutation(60)
    ours, other = fitted(X, 0.12, min_samples), fitted(X[order], 0.12, min_samples)
    core = ours.core_sample_indices_
    place = np.argsort(order)
    assert set(place[core]) == set(other.core_sample_indices_)
    first = ours.labels_[core]
    second = other.labels_[place[core]]
    np.testing.assert_array_equal(first[:, None] == first, second[:, None] == second)
    np.testing.assert_array_equal(ours.labels_[order] < 0, other.labels_ < 0)


def test_border_row_goes_to_the_first_cluster():
    X = [[0.0], [0.1], [0.2], [0.3], [1.2], [2.1], [2.2], [2.3], [2.4]]
    ours = fitted(X, 0.95, 4)
    assert 4 not in ours.core_sample_indices_
    assert ours.labels_.tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert fitted(X[::-1], 0.95, 4).labels_.tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1]


def test_neighbourhood_contains_the_row_itself():
    assert fitted([[0.0], [0.5]], 1, 2).labels_.tolist() == [0, 0]
    assert fitted([[0.0], [0.5]], 1, 3).labels_.tolist() == [-1, -1]
    far = {"use": "precomputed", "matrix": [[5.0, 1.0], [1.0, 5.0]]}  # from itself, too
    assert fitted([[0], [1]], 1, 2, distance=far).labels_.tolist() == [0, 0]


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_weights_are_numbers_of_cases(seed, min_samples):
    rng = np.random.default_rng(seed)
    X, weights = rng.random((40, 2)), rng.integers(0, 4, size=40)
    if not weights.any():
        weights[0] = 1
    ours = ilk.clusterer("dbscan", eps=0.1, min_samples=min_samples)
    ours.fit(X, sample_weight=weights)
    repeated = fitted(np.repeat(X, weights, axis=0), 0.1, min_samples)
    kept = weights > 0
    first = np.cumsum(weights)[kept] - weights[kept]
    np.testing.assert_array_equal(ours.labels_[kept], repeated.labels_[first])
    near = np.linalg.norm(X[:, None] - X, axis=2) <= 0.1
    np.testing.assert_array_equal(ours.labels_, slow(near, min_samples, weights)[0])


def test_weights_agree_with_scikit_learn():
    rng = np.random.default_rng(3)
    X, weights = rng.random((200, 2)), rng.random(200) + 0.1
    ours = ilk.clusterer("dbscan", eps=0.08, min_samples=3).fit(X, sample_weight=weights)
    agree(ours, DBSCAN(eps=0.08, min_samples=3).fit(X, sample_weight=weights))


def test_row_of_no_weight_joins_nothing():
    X = [[0.0], [1.0], [2.0]]
    ours = ilk.clusterer("dbscan", eps=1, min_samples=1).fit(X, sample_weight=[1, 0, 1])
    assert ours.labels_.tolist() == [0, 0, 1]


@in_one_test
@pytest.mark.parametrize("weights", [[1, 2], [1, -1, 1], [1, np.nan, 1], [0, 0, 0]])
def test_wrong_weights(weights):
    with pytest.raises(ilk.InputError, match="dbscan: sample_weight"):
        ilk.clusterer("dbscan").fit([[0.0], [1.0], [2.0]], sample_weight=weights)


def test_precomputed_agrees_with_scikit_learn():
    X = np.random.default_rng(4).normal(size=(150, 2))
    matrix = np.linalg.norm(X[:, None] - X, axis=2)
    theirs = DBSCAN(eps=0.3, min_samples=4, metric="precomputed").fit(matrix)
    for symmetric in (False, True):
        distance = {"use": "precomputed", "matrix": matrix, "symmetric": symmetric}
        agree(fitted(np.arange(150)[:, None], 0.3, 4, distance=distance), theirs)


def test_texts_tables_and_sets():
    words = ["tree", "three", "trees", "stone", "stones", "dog"]
    ours = fitted(words, 1, 2, distance="levenshtein")
    assert ours.labels_.tolist() == [0, 0, 0, 1, 1, -1]
    table = pd.DataFrame({"size": [1.0, 1.1, 9.0, 9.1], "color": pd.Categorical(list("aabb"))})
    ours = fitted(table, 0.2, 2, distance="heterogeneous")
    assert ours.labels_.tolist() == [0, 0, 1, 1]
    assert ours.n_features_in_ == 2
    sets = [np.zeros((2, 2)), np.zeros((3, 2)), np.ones((1, 2))]
    assert fitted(sets, 0.5, 2, distance="hausdorff").labels_.tolist() == [0, 0, -1]


def test_views_of_a_combined_distance():
    X = np.random.default_rng(5).normal(size=(80, 3))
    views = {"first": [0], "second": [1, 2]}
    distance = ilk.distance("combined", views=views, scale=None, weights=[1, 1])
    distance.set_params(parts={"first": "euclidean", "second": "euclidean"})
    near = np.abs(X[:, None, 0] - X[:, 0]) + np.linalg.norm(X[:, None, 1:] - X[:, 1:], axis=2)
    np.testing.assert_array_equal(
        fitted(X, 0.6, 3, distance=distance).labels_, slow(near <= 0.6, 3)[0]
    )


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_unit(unit):
    X = np.random.default_rng(6).normal(size=(100, 2))
    expected = fitted(X, 0.3, 4).labels_
    np.testing.assert_array_equal(fitted(X * unit, 0.3 * unit, 4).labels_, expected)


def test_equal_rows_and_radius_zero():
    X = np.repeat([[1.0, 1.0], [2.0, 5.0], [3.0, 3.0]], [4, 2, 5], axis=0)
    assert fitted(X, 0, 4).labels_.tolist() == [0] * 4 + [-1] * 2 + [1] * 5


def test_one_row():
    assert fitted([[1.0]], 1, 1).labels_.tolist() == [0]
    ours = fitted([[1.0]], 1, 2)
    assert ours.labels_.tolist() == [-1]
    assert ours.n_clusters_ == 0


class Crowd(neighborhoods.Neighborhoods):
    """Rows that are all near each other."""

    n, symmetric = 4000, True

    def block(self, start, stop):
        m = stop - start
        starts = np.arange(m + 1) * self.n
        return neighborhoods.Block(start, starts, np.tile(np.arange(self.n), m))


def test_large_neighbourhoods_are_not_kept(monkeypatch):
    """Those of all rows would be 128 MB, or 64 in small integers."""
    monkeypatch.setattr(neighborhoods, "_FIRST", 16)
    monkeypatch.setattr(neighborhoods, "_NEIGHBORS", 1 << 16)
    fitted([[0.0], [1.0]], 9, 2)  # compiled
    tracemalloc.start()
    labels, core = density_clusters(Crowd(), 5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert core.all()
    assert not labels.any()
    assert peak < 8e6


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"eps": -1}, "eps must be a number >= 0, got -1"),
        ({"eps": float("nan")}, "eps must be a number >= 0"),
        ({"min_samples": 0}, "min_samples must be an integer >= 1, got 0"),
        ({"index": "hnsw"}, "index must find the rows within a radius, which hnsw does not"),
        ({"distance": 3}, "distance must be a distance"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"dbscan: {message}"):
        ilk.clusterer("dbscan", **parameters).fit(np.arange(40.0).reshape(20, 2))


@in_one_test
@pytest.mark.parametrize(
    ("X", "distance", "message"),
    [
        ([[0.0], [np.nan]], "euclidean", "dbscan: X has NaN at row 1, column 0"),
        ([], "levenshtein", "dbscan: X has 0 rows"),
        ("word", "levenshtein", "dbscan: X must be a list of texts, got the single text 'word'"),
        (pd.DataFrame({"a": pd.Categorical(["x"])}), "euclidean", "dbscan: X has nominal columns"),
    ],
)
def test_wrong_data(X, distance, message):
    with pytest.raises(ilk.InputError, match=message):
        fitted(X, 1, 2, distance=distance)


@pytest.mark.slow
@parametrize_with_checks([ilk.clusterer("dbscan")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
