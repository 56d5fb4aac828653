"""The probability of "different" as a distance."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import ilk


def pair_classifier(**parameters):
    return ilk.distance("pair_classifier", **parameters)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.normal(size=(30, 3)) + np.eye(3)[y] * [4, 4, 0]
    return X, np.array(["a", "b", "c"])[y]


def all_pairs(X, y):
    i, j = np.triu_indices(len(X), 1)
    return X[i], X[j], (y[i] != y[j]).astype(int)


def standardized(train, vectors):
    return (vectors - train.mean(axis=0)) / train.std(axis=0)


def test_differences_by_hand(data):
    X, y = data
    x, z, differ = all_pairs(X, y)
    train = np.abs(x - z)
    oracle = LogisticRegression().fit(standardized(train, train), differ)
    Q = X[:4] + 0.1
    vectors = np.abs(Q[:, None] - X).reshape(-1, 3)
    expected = oracle.predict_proba(standardized(train, vectors))[:, 1].reshape(4, 30)
    d = pair_classifier().fit(X, y)
    np.testing.assert_allclose(d.pairwise(Q, X), expected, rtol=1e-9)
    assert d.symmetric
    assert not d.metric


def test_concatenations_by_hand(data):
    X, y = data
    x, z, differ = all_pairs(X, y)
    train = np.concatenate([np.hstack([x, z]), np.hstack([z, x])])
    oracle = GaussianNB().fit(standardized(train, train), np.tile(differ, 2))
    there = np.array([[*q, *r] for q in X[:4] for r in X])
    back = np.array([[*r, *q] for q in X[:4] for r in X])
    expected = sum(oracle.predict_proba(standardized(train, v))[:, 1] for v in (there, back)) / 2
    d = pair_classifier(classifier=GaussianNB(), pairs="concatenation").fit(X, y)
    np.testing.assert_allclose(d.pairwise(X[:4], X), expected.reshape(4, 30), rtol=1e-9)
    D = d.pairwise(X)
    np.testing.assert_allclose(D, D.T, rtol=1e-12)


def test_distances_of_views_by_hand(data):
    X, y = data
    parts, views = {"two": "euclidean", "one": "manhattan"}, {"one": [2], "two": [0, 1]}
    x, z, differ = all_pairs(X, y)

    def vectors(a, b):
        gap = a - b
        return np.column_stack([np.hypot(gap[:, 0], gap[:, 1]), np.abs(gap[:, 2])])

    train = vectors(x, z)
    oracle = LogisticRegression().fit(standardized(train, train), differ)
    flat = vectors(np.repeat(X[:4], 30, axis=0), np.tile(X, (4, 1)))
    expected = oracle.predict_proba(standardized(train, flat))[:, 1].reshape(4, 30)
    d = pair_classifier(parts=parts, views=views).fit(X, y)
    np.testing.assert_allclose(d.pairwise(X[:4], X), expected, rtol=1e-9)
    assert list(d.parts_) == ["two", "one"]


def test_views_of_a_table_with_nominal_columns(data):
    X, y = data
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": pd.Categorical(y)})
    table.loc[2, "a"] = np.nan
    d = pair_classifier(views={"numbers": ["a", "b"], "name": ["c"]}).fit(table, y)
    D = d.pairwise(table)
    same = y[:, None] == y
    assert D[same].mean() < 0.2
    assert D[~same].mean() > 0.8
    np.testing.assert_array_equal(d.pairwise(table.iloc[:, ::-1]), D)
    with pytest.raises(ilk.InputError, match=r"pair_classifier: X lacks \['c'\]"):
        d.pairwise(table[["a", "b"]])


def ahead(x, y):
    return max(float(y[0] - x[0]), 0.0)


def test_asymmetric_parts_are_taken_both_ways(data):
    X, y = data
    part = ilk.distance("callable", function=ahead)
    d = pair_classifier(parts={"ahead": part}).fit(X, y)
    D = d.pairwise(X)
    np.testing.assert_allclose(D, D.T, rtol=1e-12)
    assert len(np.unique(D)) > 30


def test_it_is_a_probability_and_no_metric(data):
    X, y = data
    D = pair_classifier().fit(X, y).pairwise(X)
    assert ((D >= 0) & (D <= 1)).all()
    assert (np.diagonal(D) > 0).all()
    np.testing.assert_allclose(D, D.T, rtol=1e-12)
    same = y[:, None] == y
    assert D[same].mean() + 0.3 < D[~same].mean()


def test_neighbours_vote_right(data):
    X, y = data
    Q = X + 0.2 * np.random.default_rng(1).normal(size=X.shape)
    knn = ilk.classifier("knn", k=5, distance=pair_classifier(random_state=0)).fit(X, y)
    assert (knn.predict(Q) == y).mean() > 0.8


def test_units_of_features_do_not_matter(data):
    X, y = data
    expected = pair_classifier().fit(X, y).pairwise(X)
    Z = X * [1e6, 1e-6, 1]
    np.testing.assert_allclose(pair_classifier().fit(Z, y).pairwise(Z), expected, rtol=1e-6)


def test_pairs_are_sampled_with_a_seed():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
    X[:, 0] += 2 * y

    class Counting(GaussianNB):
        seen = 0

        def fit(self, V, t):
            type(self).seen, type(self).share = len(V), t.mean()
            return super().fit(V, t)

    def distances(seed):
        d = pair_classifier(classifier=Counting(), n_pairs=640, random_state=seed)
        return d.fit(X, y).pairwise(X[:5])

    np.testing.assert_array_equal(distances(0), distances(0))
    assert Counting.seen == 640
    assert Counting.share == 0.5
    assert (distances(0) != distances(1)).any()


@pytest.mark.parametrize("size", [1, 7, 45, 10**6])
def test_blocks_do_not_matter(size, data, monkeypatch):
    X, y = data
    for parameters in (
        {"pairs": "difference"},
        {"pairs": "concatenation"},
        {"views": {"a": [0], "b": [1, 2]}},
    ):
        d = pair_classifier(random_state=0, **parameters).fit(X, y)
        expected = d.pairwise(X[:5], X)
        with monkeypatch.context() as patch:
            patch.setattr("ilk_distances.composed.pair_classifier._PAIRS", size)
            np.testing.assert_allclose(d.pairwise(X[:5], X), expected, rtol=1e-12)
        np.testing.assert_allclose(d.prepare(X).to(X[3], [4, 2]), expected[3, [4, 2]], rtol=1e-12)
        assert d.between(X[1], X[9]) == pytest.approx(expected[1, 9])
        near, _ = d.kneighbors(X[:5], X, 3)
        np.testing.assert_allclose(near, np.sort(expected, axis=1)[:, :3], rtol=1e-12)


def test_float32(data):
    X, y = data
    X = X.astype(np.float32)
    d = pair_classifier().fit(X, y)
    assert d.pairwise(X).dtype == np.float32
    assert d.pairwise(X, X.astype(float)).dtype == np.float64


def test_bad_use(data):
    X, y = data
    svm = {"use": "sklearn", "estimator": "LinearSVC"}
    with pytest.raises(ilk.ParameterError, match="pair_classifier: classifier must give probab"):
        pair_classifier(classifier=svm).fit(X, y)
    with pytest.raises(ilk.InputError, match="pair_classifier: requires y"):
        pair_classifier().fit(X)
    with pytest.raises(ilk.InputError, match="at least 2 classes"):
        pair_classifier().fit(X, np.zeros(30))
    with pytest.raises(ilk.InputError, match="y has no class of two rows"):
        pair_classifier().fit(X[:3], [0, 1, 2])
    with pytest.raises(ilk.InputError, match="X has 2 features, but pair_classifier was fitted"):
        pair_classifier().fit(X, y).pairwise(X[:, :2])
    with pytest.raises(NotFittedError):
        pair_classifier().pairwise(X)
    with pytest.raises(ilk.InputError, match="pair_classifier: part 'a': euclidean: X has NaN"):
        pair_classifier(parts={"a": "euclidean"}).fit([[0.0], [np.nan], [1.0]], [0, 0, 1])


def test_spec():
    d = pair_classifier(views={"a": [0], "b": [1]}, pairs="difference", random_state=3)
    assert ilk.to_spec(d) == {
        "use": "pair_classifier",
        "views": {"a": [0], "b": [1]},
        "random_state": 3,
    }
    assert ilk.to_spec(ilk.build(ilk.to_spec(d), kind="distance")) == ilk.to_spec(d)


@pytest.mark.parametrize("unit", [2.0**-900, 2.0**600])
def test_small_and_large_numbers(unit):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    X[:, 0] += y * 3
    expected = pair_classifier(random_state=0).fit(X, y).pairwise(X)
    got = pair_classifier(random_state=0).fit(X * unit, y).pairwise(X * unit)
    np.testing.assert_allclose(got, expected, rtol=1e-9)
