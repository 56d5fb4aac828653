"""nca: both objectives, beside scikit-learn and sums over pairs."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import special_ortho_group
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis

import ilk
from cases import in_one_test
from ilk_learners.metric_learners.linear import MetricWarning

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::ilk_learners.metric_learners.linear.MetricWarning",
)


def _overlapping(n=60, p=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, p)) * [1, 3, 1]
    X[:, 0] += y
    return X, y


def _p(L, X, y):
    Z = X @ L.T
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    K = np.exp(D.min(axis=1, keepdims=True) - D)
    return (K * (y[:, None] == y)).sum(axis=1) / K.sum(axis=1)


def test_same_optimum_as_scikit_learn():
    rng = np.random.default_rng(0)
    y = np.arange(150) % 3
    X = rng.normal(size=(150, 2))
    X[:, 0] += 2 * y
    init = np.eye(2) * 0.4
    peer = NeighborhoodComponentsAnalysis(init=init, max_iter=500, tol=1e-12).fit(X, y)
    ours = ilk.metric_learner("nca", init=init, max_iter=500, tol=1e-14).fit(X, y)
    A = peer.components_.T @ peer.components_
    np.testing.assert_allclose(ours.metric_matrix_, A, atol=1e-4 * np.abs(A).max())
    assert ours.loss_curve_[-1] == pytest.approx(150 - _p(peer.components_, X, y).sum())


@pytest.mark.parametrize("objective", ["expected_accuracy", "log"])
def test_loss_is_what_it_says(objective):
    X, y = _overlapping()
    learner = ilk.metric_learner("nca", objective=objective).fit(X, y)
    p = _p(learner.components_, X, y)
    loss = np.sum(1 - p) if objective == "expected_accuracy" else -np.log(p).sum()
    assert learner.loss_curve_[-1] == pytest.approx(loss)
    assert (np.diff(learner.loss_curve_) <= 0).all()
    assert len(learner.loss_curve_) == learner.n_iter_ + 1


@pytest.mark.parametrize("objective", ["expected_accuracy", "log"])
def test_finds_the_feature_that_tells(objective):
    X, y = _overlapping(n=150)
    X[:, 0] += 2 * y
    learner = ilk.metric_learner("nca", objective=objective, n_components=1).fit(X, y)
    L = np.abs(learner.components_[0])
    assert L[0] > 4 * max(L[1], L[2])
    assert learner.report_.after < learner.report_.before


@in_one_test
@pytest.mark.parametrize("factor", [1e-12, 1e-3, 1000.0, 1e12])
def test_unit_changes_nothing(factor):
    X, y = _overlapping()
    learner = ilk.metric_learner("nca", max_iter=10).fit(X, y)
    other = ilk.metric_learner("nca", max_iter=10).fit(X * factor, y)
    np.testing.assert_allclose(other.transform(X * factor), learner.transform(X), rtol=1e-4)
    assert other.n_iter_ == learner.n_iter_ > 0


def test_translation_and_rotation_change_distances_not():
    X, y = _overlapping()
    R = special_ortho_group.rvs(3, random_state=0)
    D = [
        ilk.metric_learner("nca", max_iter=8).fit(rows, y).distance().pairwise(rows)
        for rows in (X, X + 1000, X @ R)
    ]
    np.testing.assert_allclose(D[1], D[0], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(D[2], D[0], rtol=1e-5, atol=1e-6)


def test_order_of_rows_and_features_does_not_matter():
    X, y = _overlapping()
    rows, columns = np.random.default_rng(0).permutation(60), [2, 0, 1]
    A = ilk.metric_learner("nca", max_iter=8).fit(X, y).metric_matrix_
    B = ilk.metric_learner("nca", max_iter=8).fit(X[rows][:, columns], y[rows]).metric_matrix_
    np.testing.assert_allclose(B, A[np.ix_(columns, columns)], rtol=1e-5, atol=1e-7)


def test_float32_far_from_the_origin():
    X, y = _overlapping()
    X = (X + 1000).astype(np.float32)
    single = ilk.metric_learner("nca", max_iter=10).fit(X, y)
    double = ilk.metric_learner("nca", max_iter=10).fit(X.astype(float), y)
    assert single.components_.dtype == single.transform(X).dtype == np.float32
    A = double.metric_matrix_
    np.testing.assert_allclose(single.metric_matrix_, A, atol=1e-3 * np.abs(A).max())


def test_tells_when_it_does_not_move():
    X, y = _overlapping()
    learner = ilk.metric_learner("nca", init=np.eye(3) * 1e6)  # all rows are infinitely far
    with pytest.warns(ConvergenceWarning, match="nca: nothing to learn"):
        learner.fit(X, y)


def test_tells_when_it_does_not_converge():
    X, y = _overlapping()
    with pytest.warns(ConvergenceWarning, match="not converged after 2 iterations"):
        learner = ilk.metric_learner("nca", max_iter=2, tol=0).fit(X, y)
    assert learner.n_iter_ == 2


def test_tells_when_the_metric_is_worse():
    X, y = _overlapping(n=90)
    learner = ilk.metric_learner("nca", n_components=1, init=[[0, 1e-3, 0]], max_iter=1)
    with pytest.warns(MetricWarning, match="nca: the learned metric is worse"):
        learner.fit(X, y)
    assert learner.report_.after > learner.report_.before


def test_warm_start_goes_on():
    X, y = _overlapping()
    learner = ilk.metric_learner("nca", max_iter=5, warm_start=True, tol=0).fit(X, y)
    before = learner.loss_curve_[-1]
    assert learner.fit(X, y).loss_curve_[0] == pytest.approx(before)


def test_both_solvers_reach_the_same_loss():
    X, y = _overlapping()
    losses = [
        ilk.metric_learner("nca", objective="log", solver=solver, max_iter=500, tol=1e-8)
        .fit(X, y)
        .loss_curve_[-1]
        for solver in ("lbfgs", "cg")
    ]
    assert losses[1] == pytest.approx(losses[0], rel=1e-6)


@in_one_test
@pytest.mark.parametrize("objective", ["expected_accuracy", "log"])
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0, 1.0], [1.0, 0.0]], [0, 1]),
        ([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]),
        ([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0]], [0, 1, 0, 1]),
        ([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]], [0, 0, 1, 1, 0]),
        (np.random.default_rng(0).normal(size=(5, 9)), [0, 1, 0, 1, 2]),
        (np.random.default_rng(0).normal(size=(101, 2)), [1] + [0] * 100),
        (np.random.default_rng(0).normal(size=(20, 2)) * [1e12, 1e-12], [0, 1] * 10),
    ],
    ids=["two", "one feature", "constant", "duplicates", "n < p", "1:100", "scales"],
)
def test_degenerate_data(objective, X, y):
    X = np.asarray(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        learner = ilk.metric_learner("nca", objective=objective).fit(X, y)
    assert np.isfinite(learner.components_).all()
    assert learner.components_.any()


@in_one_test
@pytest.mark.parametrize("labels", [["b", "a"], [-1, 1], [7, 700], [True, False]])
def test_any_labels(labels):
    X, _ = _overlapping()
    codes = np.arange(60) % 2
    X[:, 0] += codes
    A = ilk.metric_learner("nca", max_iter=5).fit(X, codes).metric_matrix_
    B = ilk.metric_learner("nca", max_iter=5).fit(X, np.asarray(labels)[codes]).metric_matrix_
    np.testing.assert_allclose(B, A, rtol=1e-8)


def test_transform_is_the_product_with_an_asymmetric_map():
    X, y = _overlapping()
    learner = ilk.metric_learner("nca", init=np.triu(np.ones((3, 3))), max_iter=3).fit(X, y)
    L = learner.components_
    np.testing.assert_allclose(learner.transform(X), X @ L.T, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(learner.metric_matrix_, L.T @ L)
    assert not np.allclose(L, L.T)


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({}, [3] * 6, "nca: y has 1 class"),
        ({"n_components": 3}, [0, 1] * 3, "nca: n_components must be at most 2"),
        ({"init": np.eye(3)}, [0, 1] * 3, "nca: init must be of shape"),
        ({"objective": "accuracy"}, [0, 1] * 3, "nca: objective"),
        ({}, [0.5, 1.5, 2.2] * 2, "nca: y"),
    ],
)
def test_bad_input(parameters, y, message):
    with pytest.raises(ValueError, match=message):
        ilk.metric_learner("nca", **parameters).fit(np.arange(12.0).reshape(6, 2), y)


def test_equal_rows_are_refused():
    with pytest.raises(ValueError, match="nca: X has no variance"):
        ilk.metric_learner("nca").fit(np.ones((6, 2)), [0, 1] * 3)
