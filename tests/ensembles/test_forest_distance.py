"""The distance `forest`: share of trees that part two cases."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import NotFittedError

import ilk


@pytest.fixture(scope="module")
def wine():
    return ilk.dataset("wine").load().Xy


@pytest.fixture(scope="module")
def forest(wine):
    return ilk.classifier("random_forest", n_members=40, random_state=0).fit(*wine)


@pytest.fixture(scope="module")
def distance(forest):
    return ilk.distance("forest", forest=ilk.frozen(forest))


def test_one_minus_proximity(distance, forest, wine):
    X, _ = wine
    D = distance.pairwise(X)
    np.testing.assert_allclose(D, 1 - forest.proximities(X), atol=1e-15)
    np.testing.assert_array_equal(np.diagonal(D), 0)
    np.testing.assert_array_equal(distance.pairwise(X[:4], X[9:]), D[:4, 9:])


def test_fits_its_forest_unless_frozen(wine, forest):
    X, y = wine
    table = {"use": "random_forest", "n_members": 40, "random_state": 0}
    learned = ilk.distance("forest", forest=table).fit(X, y)
    np.testing.assert_array_equal(learned.forest_.leaves_, forest.leaves_)
    kept = ilk.distance("forest", forest=ilk.frozen(forest)).fit(X[:5], y[:5])
    assert kept.forest_.leaves_ is forest.leaves_
    with pytest.raises(NotFittedError, match="call fit"):
        ilk.distance("forest").pairwise(X)


def test_other_forests(wine):
    X, y = wine
    theirs = ExtraTreesClassifier(30, random_state=0).fit(X, y)
    D = ilk.distance("forest", forest=ilk.frozen(theirs)).pairwise(X)
    leaves = theirs.apply(X)
    np.testing.assert_allclose(D, (leaves[:, None] != leaves[None]).mean(axis=2), atol=1e-15)
    with pytest.raises(ilk.ParameterError, match="must have trees"):
        ilk.distance("forest", forest="knn").fit(X, y)


@given(st.integers(0, 2**31 - 1))
def test_a_pseudo_metric(distance, wine, seed):
    rng = np.random.default_rng(seed)
    X = wine[0]
    X = rng.uniform(X.min(axis=0), X.max(axis=0), (12, X.shape[1]))
    D = distance.pairwise(X)
    np.testing.assert_array_equal(D, D.T)
    assert (D >= 0).all()
    assert (D <= 1).all()
    assert (D[:, None] <= D[:, :, None] + D[None] + 1e-12).all()


def test_it_does_not_claim_to_be_a_metric(distance, wine):
    X = np.repeat(wine[0][:1], 2, axis=0)
    X[1, 2] += 1e-9
    assert distance.pairwise(X)[0, 1] == 0
    assert not distance.metric
    assert distance.symmetric


@pytest.mark.parametrize("k", [1, 5, 150])
def test_neighbours_are_those_of_the_matrix(distance, wine, k):
    X = wine[0]
    D = distance.pairwise(X[::7], X)
    near, where = distance.kneighbors(X[::7], X, k)
    expected = np.argsort(D, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(where, expected)
    np.testing.assert_array_equal(near, np.take_along_axis(D, expected, axis=1))
    blocked = ilk.nearest_blocked(distance, X[::7], X, k)
    np.testing.assert_array_equal(blocked[1], where)
    np.testing.assert_array_equal(blocked[0], near)


def test_in_an_index(distance, wine):
    X = wine[0]
    index = ilk.index("brute").fit(X, distance=distance)
    near, where = index.kneighbors(X[:9], 4)
    expected = distance.kneighbors(X[:9], X, 4)
    np.testing.assert_array_equal(where, expected[1])
    np.testing.assert_array_equal(near, expected[0])
    inside = index.radius_neighbors(X[:2], 0.5)[1]
    for found, row in zip(inside, distance.pairwise(X[:2], X), strict=True):
        assert set(found) == set(np.flatnonzero(row <= 0.5))


def test_in_knn_it_needs_no_scaling(wine):
    X, y = wine
    forest = {"use": "random_forest", "n_members": 60, "random_state": 0}
    train = np.arange(len(X)) % 3 > 0
    learned, plain = (
        ilk.classifier("knn", distance=d).fit(X[train], y[train]).score(X[~train], y[~train])
        for d in ({"use": "forest", "forest": forest}, "euclidean")
    )
    assert learned > 0.93 > plain


def test_prepared_and_between(distance, wine):
    X = wine[0]
    handle = distance.prepare(X)
    D = distance.pairwise(X)
    assert len(handle) == len(X)
    np.testing.assert_array_equal(handle.to(X[3], [5, 1]), D[3, [5, 1]])
    np.testing.assert_array_equal(handle.to(X[3]), D[3])
    assert distance.between(X[0], X[9]) == D[0, 9]


def test_float32_and_tables(wine):
    X, y = wine
    single = ilk.distance("forest").fit(X.astype(np.float32), y)
    assert single.pairwise(X[:2].astype(np.float32)).dtype == np.float32
    assert single.kneighbors(X[:2].astype(np.float32), X, 2)[0].dtype == np.float64
    table = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    named = ilk.distance("forest").fit(table, y)
    assert named.pairwise(table[:3]).shape == (3, 3)


def test_errors_name_the_argument(distance, wine):
    X = wine[0].copy()
    X[2, 1] = np.nan
    with pytest.raises(ilk.InputError, match=r"forest.*Y.*NaN"):
        distance.pairwise(wine[0], X)
    with pytest.raises(ilk.InputError, match="features"):
        distance.pairwise(wine[0][:, :4])


def test_specs_and_files(wine, tmp_path):
    X, y = wine
    d = ilk.distance("forest", forest={"use": "random_forest", "n_members": 5, "random_state": 0})
    again = ilk.build(ilk.to_spec(d), kind="distance")
    np.testing.assert_array_equal(again.fit(X, y).pairwise(X), d.fit(X, y).pairwise(X))
    loaded = ilk.load(ilk.save(d, tmp_path / "d.ilk"))
    np.testing.assert_array_equal(loaded.pairwise(X), d.pairwise(X))
