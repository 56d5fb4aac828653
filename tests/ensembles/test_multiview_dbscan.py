"""The clusterer `multiview_dbscan`."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

import ilk
from cases import in_one_test
from ilk_ensembles.clusterers import density as neighborhoods

VIEWS = {"first": [0, 1], "second": [2], "third": [3, 1]}
METHODS = ["union", "intersection"]


def fitted(X, **parameters):
    return ilk.clusterer("multiview_dbscan", **parameters).fit(X)


def slow(X, views, eps, min_samples, method):
    """The definitions of the lecture, as sets: neighbourhoods, core objects, reachability."""
    n = len(X)
    local = [
        [
            {p for p in range(n) if np.linalg.norm(X[o, view] - X[p, view]) <= radius} | {o}
            for o in range(n)
        ]
        for view, radius in zip(views, eps, strict=True)
    ]
    combine = set.union if method == "union" else set.intersection
    near = [combine(*(own[o] for own in local)) for o in range(n)]
    core = [o for o in range(n) if len(near[o]) >= min_samples]
    labels = np.full(n, -1)
    for seed in core:
        if labels[seed] >= 0:
            continue
        cluster = {seed}
        while True:
            reached = cluster.union(*(near[o] for o in cluster if o in core))
            if reached == cluster:
                break
            cluster = reached
        free = [p for p in cluster if labels[p] < 0]
        labels[free] = labels.max() + 1
    return labels, core


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), min_samples=st.integers(1, 6))
def test_is_what_the_definitions_say(method, seed, n, min_samples):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, size=(n, 4)).astype(float)
    eps = rng.integers(0, 5, size=3).astype(float)
    ours = fitted(
        X,
        views=VIEWS,
        eps=dict(zip(VIEWS, eps, strict=True)),
        min_samples=min_samples,
        method=method,
    )
    labels, core = slow(X, list(VIEWS.values()), eps, min_samples, method)
    np.testing.assert_array_equal(ours.labels_, labels)
    np.testing.assert_array_equal(ours.core_sample_indices_, core)


@in_one_test
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("index", ["brute", "kd_tree", "ball_tree"])
def test_one_view_is_dbscan(method, index):
    X = np.random.default_rng(0).normal(size=(300, 3))
    alone = ilk.clusterer("dbscan", eps=0.4, min_samples=4).fit(X)
    for views in (None, {"all": [0, 1, 2]}, [[2, 1, 0]]):
        ours = fitted(X, views=views, eps=0.4, min_samples=4, method=method, index=index)
        np.testing.assert_array_equal(ours.labels_, alone.labels_)
        np.testing.assert_array_equal(ours.core_sample_indices_, alone.core_sample_indices_)


@pytest.mark.parametrize("method", METHODS)
def test_one_object_counts_itself(method):
    """Two objects near each other in both views: MinPts 2 is reached, 3 is not."""
    X = np.array([[0.0, 0.0], [0.5, 0.5]])
    views = {"a": [0], "b": [1]}
    assert fitted(X, views=views, min_samples=2, method=method).labels_.tolist() == [0, 0]
    assert fitted(X, views=views, min_samples=3, method=method).labels_.tolist() == [-1, -1]


def test_union_and_intersection():
    """N's sketches with MinPts = 3: o has one neighbour in each view, not the same."""
    X = np.array([[0.0, 0.0], [0.5, 9.0], [9.0, 0.5]])
    views = {"a": [0], "b": [1]}
    union = fitted(X, views=views, eps=1, min_samples=3)
    assert union.core_sample_indices_.tolist() == [0]
    assert union.labels_.tolist() == [0, 0, 0]
    both = fitted(X, views=views, eps=1, min_samples=2, method="intersection")
    assert both.labels_.tolist() == [-1, -1, -1]


@pytest.mark.parametrize("method", METHODS)
def test_order_of_views_and_names_do_not_matter(method):
    X = np.random.default_rng(1).normal(size=(200, 4))
    radii = (0.06, 0.002, 0.08) if method == "union" else (0.72, 0.9, 0.96)
    eps = dict(zip(VIEWS, radii, strict=True))
    expected = fitted(X, views=VIEWS, eps=eps, min_samples=3, method=method).labels_
    assert expected.max() > 0
    turned = dict(reversed(VIEWS.items()))
    ours = fitted(X, views=turned, eps=eps, min_samples=3, method=method)
    np.testing.assert_array_equal(ours.labels_, expected)
    table = pd.DataFrame(X, columns=list("pqrs"))
    named = {"first": ["p", "q"], "second": ["r"], "third": ["s", "q"]}
    ours = fitted(table, views=named, eps=eps, min_samples=3, method=method)
    np.testing.assert_array_equal(ours.labels_, expected)


@pytest.mark.parametrize("method", METHODS)
def test_blocks_change_nothing(monkeypatch, method):
    X = np.random.default_rng(2).normal(size=(150, 4))
    parameters = {"views": VIEWS, "eps": 0.5, "min_samples": 3, "method": method}
    expected = fitted(X, **parameters)
    monkeypatch.setattr(neighborhoods, "_FIRST", 2)
    monkeypatch.setattr(neighborhoods, "_NEIGHBORS", 60)
    ours = fitted(X, **parameters)
    np.testing.assert_array_equal(ours.labels_, expected.labels_)


def test_distance_of_each_view():
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    table["color"] = pd.Categorical(rng.choice(list("xyz"), 60))
    ours = fitted(
        table,
        views={"place": ["a", "b"], "look": ["color"]},
        eps={"place": 0.7, "look": 0},
        min_samples=3,
        distance="manhattan",
        distances={"look": "heterogeneous"},
        method="intersection",
    )
    assert type(ours.distances_["place"]).__name__ == "Manhattan"
    for color in "xyz":
        rows = np.flatnonzero(table["color"] == color)
        alone = ilk.clusterer("dbscan", eps=0.7, min_samples=3, distance="manhattan")
        labels = alone.fit(table[["a", "b"]].to_numpy()[rows]).labels_
        np.testing.assert_array_equal(labels < 0, ours.labels_[rows] < 0)
        np.testing.assert_array_equal(
            labels[:, None] == labels, ours.labels_[rows][:, None] == ours.labels_[rows]
        )


@pytest.mark.parametrize("method", METHODS)
def test_weights_are_numbers_of_cases(method):
    rng = np.random.default_rng(4)
    X, weights = rng.random((60, 4)), rng.integers(0, 4, size=60)
    parameters = {"views": VIEWS, "eps": 0.25, "min_samples": 6, "method": method}
    ours = ilk.clusterer("multiview_dbscan", **parameters).fit(X, sample_weight=weights)
    repeated = fitted(np.repeat(X, weights, axis=0), **parameters)
    kept = weights > 0
    first = np.cumsum(weights)[kept] - weights[kept]
    np.testing.assert_array_equal(ours.labels_[kept], repeated.labels_[first])


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"views": {}}, "views must name at least one view"),
        ({"views": "data"}, "views is 'data', which an experiment replaces"),
        ({"views": {"a": [7]}}, r"views \['a'\] must give positions of columns of X, got 7"),
        ({"views": {"a": []}}, r"views \['a'\] must have a column"),
        ({"views": VIEWS, "eps": {"first": 1}}, r"eps must name every view, lacks \['second', 't"),
        ({"views": VIEWS, "eps": {"frist": 1}}, "eps must name views, got 'frist'.*'first'"),
        ({"eps": {"all": -1}}, r"eps \['all'\] must be a number >= 0"),
        ({"eps": -1}, "eps must be"),
        ({"distances": {"al": "manhattan"}}, "distances must name views, got 'al'"),
        ({"method": "uninon"}, "method must be .*did you mean 'union'"),
        ({"index": "hnsw"}, "index must find the rows within a radius"),
        ({"min_samples": 0}, "min_samples must be an integer >= 1"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"multiview_dbscan: {message}"):
        fitted(np.arange(80.0).reshape(20, 4), **parameters)


def test_error_names_the_view():
    X = np.zeros((4, 4))
    X[2, 3] = np.nan
    with pytest.raises(
        ilk.InputError, match=r"multiview_dbscan: view 'third' \(euclidean\).*row 2"
    ):
        fitted(X, views=VIEWS)
    table = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["x", "y"])})
    with pytest.raises(ilk.InputError, match=r"view 'look' \(euclidean\).*nominal columns"):
        fitted(table, views={"look": ["b"]})


def test_views_of_a_data_set():
    component = ilk.clusterer("multiview_dbscan", views="data", eps={"first": 1, "second": 2})
    ilk.with_views(component, {"first": [0], "second": [1]})
    assert component.fit(np.zeros((6, 2))).labels_.tolist() == [0] * 6


@pytest.mark.slow
@parametrize_with_checks([ilk.clusterer("multiview_dbscan")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
