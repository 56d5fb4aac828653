"""knn, each row left out: the same as fitting without it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import ilk
from cases import in_one_test

VOTES = ["majority", "inverse_distance", "shepard", "gaussian", "epanechnikov"]
TIES = ["nearest", "random", "prior", "reject"]
WIDTHS = [0.8, "next_neighbor", "last_neighbor"]


def refitted(model, X, y):
    """Labels and aligned probabilities by a fit for each row."""
    classes = np.unique(y)
    labels, shares = [], np.zeros((len(y), len(classes)))
    for i in range(len(y)):
        rest = np.delete(np.arange(len(y)), i)
        one = clone(model).fit(ilk.take(X, rest), y[rest])
        query = ilk.take(X, [i])
        labels.append(one.predict(query)[0])
        shares[i, np.searchsorted(classes, one.classes_)] = one.predict_proba(query)[0]
    return labels, shares


def agree(model, X, y):
    got = model.leave_one_out(X, y)
    labels, shares = refitted(model, X, y)
    assert got.labels.tolist() == labels
    assert np.array_equal(got.probabilities, shares)
    assert np.array_equal(got.truth, y)
    assert np.array_equal(got.classes, np.unique(y))
    assert got.rejected.tolist() == [label is None for label in labels]


@given(
    st.integers(0, 2**31),
    st.integers(1, 7),
    st.sampled_from(VOTES),
    st.sampled_from(TIES),
    st.sampled_from(WIDTHS),
    st.sampled_from(["decides", "votes"]),
)
def test_equals_refitting(seed, k, vote, ties, width, zero_distance):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(13, 2)).astype(float)  # many ties and twins
    y = np.array(list("abcd"))[rng.integers(0, 3, size=13)]
    y[:2], y[12] = ["a", "b"], "d"  # d has one member
    y[2:4] = ["a", "b"]
    model = ilk.classifier(
        "knn",
        k=k,
        vote=vote,
        ties=ties,
        width=width,
        zero_distance=zero_distance,
        random_state=seed % 7,
    )
    assert model.fast_leave_one_out
    agree(model, X, y)


def test_many_classes_of_which_some_vanish():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.concatenate([np.arange(20), np.arange(5), np.arange(15)])
    agree(ilk.classifier("knn", k=12, vote="inverse_distance", ties="prior"), X, y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("index", ["brute", "ball_tree", "kd_tree", "cover_tree"])
def test_far_from_the_origin(index, dtype):
    rng = np.random.default_rng(0)
    X = (rng.integers(0, 30, size=(40, 3)) * 1e-4 + 100).astype(dtype)
    y = rng.integers(0, 3, size=40)
    agree(ilk.classifier("knn", k=3, vote="inverse_distance", index=index), X, y)


@pytest.mark.parametrize(
    "random_state", [3, np.random.RandomState(3), np.random.default_rng(3)], ids=type
)
def test_lots_of_any_generator(random_state):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 1)), np.tile([0, 1], 20)
    model = ilk.classifier("knn", k=2, ties="random", random_state=random_state)
    expected, _ = refitted(model, X, y)
    assert model.leave_one_out(X, y).labels.tolist() == expected


class TestKindsOfInput:
    def test_texts(self):
        rng = np.random.default_rng(0)
        texts = ["".join(rng.choice(list("acgt"), size=6)) for _ in range(15)]
        model = ilk.classifier("knn", k=3, distance="levenshtein", ties="prior")
        agree(model, texts, np.arange(15) % 3)

    def test_table(self):
        rng = np.random.default_rng(0)
        X = pd.DataFrame({"a": rng.integers(0, 3, 20), "b": rng.choice(["x", "y"], 20)})
        y = np.arange(20) % 2
        once = ilk.distance("heterogeneous").fit(X)
        agree(ilk.classifier("knn", k=3, distance=ilk.frozen(once)), X, y)

    def test_signatures(self):
        rng = np.random.default_rng(0)
        X = [(rng.normal(size=(3, 2)), rng.dirichlet(np.ones(3))) for _ in range(12)]
        agree(ilk.classifier("knn", k=3, distance="emd"), X, np.arange(12) % 3)

    def test_indices(self):
        points = np.random.default_rng(0).normal(size=(20, 3))
        D = ilk.distance("euclidean").pairwise(points)
        rows, y = np.arange(20)[:, None], np.arange(20) % 3
        model = ilk.classifier("knn", k=3, distance=ilk.distance("precomputed", matrix=D))
        agree(model, rows, y)


class TestRefused:
    X = np.random.default_rng(0).normal(size=(20, 3))
    y = np.arange(20) % 2

    @in_one_test
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"distance": "mahalanobis"}, "distance must be one that learns nothing.*'mahal"),
            ({"distance": {"use": "mahalanobis", "shrinkage": 0.1}}, "distance must be"),
            ({"distance": "heterogeneous"}, "distance must be"),
            ({"distance": {"use": "emd", "ground": "mahalanobis"}}, "distance must be"),
            ({"metric_learner": "rca"}, "metric_learner must be None"),
            ({"metric_learner": "dann"}, "metric_learner must be None"),
            ({"index": "lsh"}, "index must be an exact one"),
            ({"index": "hnsw"}, "index must be an exact one"),
        ],
    )
    def test_what_would_be_fitted_anew(self, parameters, message):
        for kind in ("classifier", "regressor"):
            model = ilk.make(kind, "knn", **parameters)
            assert not model.fast_leave_one_out
            with pytest.raises(ilk.ParameterError, match=f"knn: {message}"):
                model.leave_one_out(self.X, self.y)

    @pytest.mark.parametrize(
        "distance",
        [
            {"use": "mahalanobis", "covariance": [[2.0, 0, 0], [0, 1, 0.1], [0, 0.1, 1]]},
            {"use": "minkowski", "p": 3},
            "manhattan",
            {"use": "emd", "ground": "manhattan"},
        ],
        ids=str,
    )
    def test_what_learns_nothing_is_taken(self, distance):
        model = ilk.classifier("knn", k=3, distance=distance)
        assert model.fast_leave_one_out
        agree(model, np.abs(self.X) / np.abs(self.X).sum(axis=1, keepdims=True), self.y)

    def test_a_frozen_distance_is_taken_a_frozen_index_is_not(self):
        distance = ilk.frozen(ilk.distance("mahalanobis").fit(self.X))
        agree(ilk.classifier("knn", k=3, distance=distance), self.X, self.y)
        index = ilk.index("brute").fit(self.X, distance=distance)
        model = ilk.classifier("knn", index=ilk.frozen(index))
        with pytest.raises(ilk.ParameterError, match="index must be an exact one, and not frozen"):
            model.leave_one_out(self.X, self.y)

    def test_a_distance_that_does_not_exist(self):
        model = ilk.classifier("knn")
        model.set_params(distance="euclidian")
        assert not model.fast_leave_one_out
        with pytest.raises(ilk.ParameterError, match="did you mean 'euclidean'"):
            model.leave_one_out(self.X, self.y)

    def test_too_few_others(self):
        assert len(ilk.classifier("knn", k=19).leave_one_out(self.X, self.y)) == 20
        with pytest.raises(ilk.InputError, match="knn: k must be at most 19, .*got 20"):
            ilk.classifier("knn", k=20).leave_one_out(self.X, self.y)
        with pytest.raises(ilk.InputError, match="knn: k must be at most 19, .*got 20"):
            ilk.classifier("knn", k=19, vote="gaussian").leave_one_out(self.X, self.y)

    def test_others_of_one_class(self):
        y = np.array(["a"] * 20)
        y[4] = "b"
        found = ilk.classifier("knn").leave_one_out(self.X, y)
        assert found.labels.tolist() == ["a"] * 20
        assert found.probabilities[4].tolist() == [1, 0]


def test_one_class_is_the_answer():
    knn = ilk.classifier("knn", k=2).fit([[0.0], [1.0]], ["only", "only"])
    assert knn.predict([[5.0]]).tolist() == ["only"]
    assert knn.predict_proba([[5.0]]).tolist() == [[1.0]]


def test_leaves_the_classifier_as_it_was(blobs):
    X, y, Q = blobs
    model = ilk.classifier("knn", k=3)
    model.leave_one_out(X, y)
    assert not hasattr(model, "classes_")
    before = model.fit(X[:50], y[:50]).predict(Q)
    model.leave_one_out(X, y)
    assert np.array_equal(model.predict(Q), before)


def test_two_rows_of_each_class():
    got = ilk.classifier("knn", k=1).leave_one_out([[0.0], [1.0], [5.0], [6.0]], list("aabb"))
    assert got.labels.tolist() == list("aabb")
    assert got.probabilities.tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
