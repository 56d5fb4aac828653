"""decision_tree."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import ilk
from cases import in_one_test


def tree(**parameters):
    return ilk.classifier("decision_tree", **{"random_state": 0, **parameters})


def test_worked():
    # Exclusive or needs two levels.
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    model = tree().fit(X, y)
    assert model.predict(X).tolist() == y
    assert (model.depth_, model.n_leaves_) == (2, 4)
    assert tree(max_depth=1).fit(X, y).depth_ == 1


@in_one_test
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {}),
        ({"criterion": "entropy", "max_depth": 3}, {"criterion": "entropy", "max_depth": 3}),
        ({"min_split": 9, "min_leaf": 4}, {"min_samples_split": 9, "min_samples_leaf": 4}),
        ({"max_leaves": 5, "max_features": 2}, {"max_leaf_nodes": 5, "max_features": 2}),
        ({"pruning": 0.02}, {"ccp_alpha": 0.02}),
        ({"class_weight": "balanced"}, {"class_weight": "balanced"}),
    ],
    ids="-".join,
)
def test_agrees_with_scikit_learn(blobs, ours, theirs):
    X, y, Q = blobs
    X, y = X[:100], y[:100]
    expected = DecisionTreeClassifier(**theirs, random_state=np.random.RandomState(0)).fit(X, y)
    names = np.vectorize({-1: "a", 2: "b", 7: "c"}.get)
    model = tree(**ours).fit(X, names(y))
    assert np.array_equal(model.predict_proba(Q), expected.predict_proba(Q))
    assert np.array_equal(model.predict(Q), names(expected.predict(Q)))


def test_weights_are_repetitions(blobs):
    X, y, Q = blobs
    w = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), w)
    weighted = tree(max_depth=4).fit(X, y, sample_weight=w)
    repeated = tree(max_depth=4).fit(X[rows], y[rows])
    assert np.allclose(weighted.predict_proba(Q), repeated.predict_proba(Q))


def test_units_and_origin_do_not_matter(blobs):
    X, y, Q = blobs
    expected = tree().fit(X, y).predict(Q)
    for scale in (1e-300, 1e-12, 1e12, 1e300):
        assert np.array_equal(tree().fit(X * scale, y).predict(Q * scale), expected)
    X, Q = X.round(3), Q.round(3)
    expected = tree().fit(X, y).predict(Q)
    assert np.array_equal(tree().fit(X + 2.0**33, y).predict(Q + 2.0**33), expected)


def test_thresholds_are_midway():
    X, y = [[1.6e308, 0], [1.7e308, 0], [1.0, 0], [1.0 + 2**-52, 0]], [0, 1, 2, 3]
    model = tree().fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.predict([[1.6499e308, 0], [1.6501e308, 0]]).tolist() == [0, 1]


def test_single_precision(blobs):
    X, y, _ = blobs
    single = X.astype(np.float32)
    got = tree().fit(single, y).predict_proba(single)
    assert np.array_equal(got, tree().fit(single.astype(float), y).predict_proba(single))


def test_share_of_features_is_at_most_one():
    with pytest.raises(ilk.ParameterError, match="decision_tree: max_features must be .* got 1.5"):
        tree(max_features=1.5).fit([[0.0], [1.0]], [0, 1])


def test_same_seed_same_tree(blobs):
    X, y, Q = blobs
    options = {"max_features": 1}
    first = tree(**options, random_state=np.random.default_rng(1)).fit(X, y)
    second = tree(**options, random_state=np.random.default_rng(1)).fit(X, y)
    assert np.array_equal(first.predict_proba(Q), second.predict_proba(Q))


def test_one_class_is_an_error():
    with pytest.raises(ilk.InputError, match="decision_tree: y has 1 class"):
        tree().fit([[0.0], [1.0]], ["a", "a"])
