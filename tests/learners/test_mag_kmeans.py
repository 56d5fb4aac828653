"""mag_kmeans."""

from itertools import product

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy import sparse
from scipy.optimize import linprog
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import ilk
from cases import in_one_test
from ilk_learners.clusterers.balanced import assign


def mag_kmeans(**parameters):
    return ilk.clusterer("mag_kmeans", **{"random_state": 0, **parameters})


def objective(X, y, labels, centers, scale):
    """(8.1), for any number of classes, term by term."""
    total = sum(((x - centers[j]) ** 2).sum() for x, j in zip(X, labels, strict=True))
    classes = sorted(set(y))
    for j in set(labels):
        inside = [c for c, label in zip(y, labels, strict=True) if label == j]
        for c in classes:
            total += scale * abs(inside.count(c) - len(inside) / len(classes))
    return total


def data(n, p, classes, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, p)) + 2 * rng.normal(size=(classes, p))[y], y


def test_worked():
    # Neighbours cost 4 * 0.5^2 = 1 and imbalance 4 O; one beside three 14/3 and 2 O; pairs of both
    # classes 4 * 1.5^2 = 9. O is `balance` times the mean squared deviation, 10 / 4. So neighbours
    # are best up to O = 11/6, pairs from O = 13/6 on.
    X, y = [[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    near = mag_kmeans(n_clusters=2, balance=0.7, n_init=20).fit(X, y)
    assert near.labels_.tolist() == [0, 0, 1, 1]
    assert near.scale_ == pytest.approx(1.75)
    assert near.objective_ == pytest.approx(1 + 4 * 1.75)
    assert near.cluster_centers_.tolist() == [[0.5], [3.5]]
    between = mag_kmeans(n_clusters=2, balance=0.8, n_init=20).fit(X, y)
    assert between.objective_ == pytest.approx(14 / 3 + 2 * 2)
    mixed = mag_kmeans(n_clusters=2, balance=0.9, n_init=20).fit(X, y)
    assert mixed.labels_.tolist() == [0, 1, 0, 1]
    assert mixed.objective_ == pytest.approx(9)
    assert mixed.predict([[0.0], [4.0]]).tolist() == [0, 1]


@given(st.integers(0, 10**6))
def test_assignment_is_best(seed):
    """By a linear program, which has a whole solution here."""
    rng = np.random.default_rng(seed)
    n, K = rng.integers(1, 25), rng.integers(1, 6)
    costs = rng.random((n, K)).round(rng.choice([1, 16]))
    signs = (rng.random(n) < rng.random()).astype(np.int64)
    scale = rng.choice([0, 0.05, 0.2, 0.5, 2.0])
    labels = np.empty(n, dtype=np.int64)
    assign(costs, signs, np.zeros((K, 1)), np.array([scale]), labels)
    sums = np.bincount(labels, weights=2 * signs - 1, minlength=K)
    got = costs[np.arange(n), labels].sum() + scale * abs(sums).sum()
    rows = sparse.kron(2 * signs - 1, sparse.eye(K))
    above = sparse.bmat([[rows, -sparse.eye(K)], [-rows, -sparse.eye(K)]])
    once = sparse.hstack([sparse.kron(sparse.eye(n), np.ones((1, K))), sparse.csr_array((n, K))])
    best = linprog(
        np.r_[costs.ravel(), np.full(K, scale)], above, np.zeros(2 * K), once, np.ones(n)
    )
    assert got == pytest.approx(best.fun, rel=1e-9, abs=1e-9)


@given(st.integers(0, 10**6))
def test_assignment_with_any_convex_costs_is_best(seed):
    """By trying every assignment."""
    rng = np.random.default_rng(seed)
    n, K, T = rng.integers(1, 6), 3, rng.integers(1, 4)
    costs, signs = rng.random((n, K)), rng.integers(0, 2, n)
    breakpoints, slopes = rng.integers(-2, 3, (K, T)) / 2, rng.random(T)

    def value(labels):
        sums = np.bincount(labels, weights=2 * signs - 1, minlength=K)
        return costs[np.arange(n), labels].sum() + (slopes * abs(sums[:, None] - breakpoints)).sum()

    labels = np.empty(n, dtype=np.int64)
    assign(costs, signs, breakpoints, slopes, labels)
    best = min(value(np.array(each)) for each in product(range(K), repeat=n))
    assert value(labels) == pytest.approx(best)


@given(st.integers(2, 60), st.integers(1, 4), st.integers(1, 4), st.integers(1, 7), st.floats(0, 3))
def test_objective_never_rises(n, p, classes, clusters, balance):
    X, y = data(n, p, classes, seed=n)
    model = mag_kmeans(n_clusters=min(clusters, n), balance=balance, n_init=2).fit(X, y)
    assert (np.diff(model.objective_path_) < 0).all()
    expected = objective(
        X, y.tolist(), model.labels_.tolist(), model.cluster_centers_, model.scale_
    )
    assert model.objective_ == pytest.approx(expected, rel=1e-9, abs=1e-12)
    found = np.unique(model.labels_)
    assert found.tolist() == list(range(len(model.cluster_centers_)))
    means = [X[model.labels_ == j].mean(axis=0) for j in found]
    assert model.cluster_centers_ == pytest.approx(np.array(means), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_nothing_is_gained_by_one_row(classes):
    X, y = data(30, 2, classes)
    model = mag_kmeans(n_clusters=3, balance=0.3).fit(X, y)
    centers, scale = model.cluster_centers_, model.scale_
    labels = model.labels_.tolist()
    least = objective(X, y.tolist(), labels, centers, scale) - 1e-9
    for i, j in product(range(30), range(3)):
        moved = [*labels[:i], j, *labels[i + 1 :]]
        assert objective(X, y.tolist(), moved, centers, scale) >= least


@in_one_test
@pytest.mark.parametrize("balance", [0.5, 1e6])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_is_more_balanced_than_k_means(classes, balance):
    X, y = data(120, 3, classes)

    def imbalance(model):
        counts = np.array([np.bincount(y[model.labels_ == j], minlength=classes) for j in range(4)])
        return abs(counts - counts.mean(axis=1, keepdims=True)).sum()

    found = imbalance(mag_kmeans(n_clusters=4, balance=balance).fit(X, y))
    assert found < imbalance(mag_kmeans(n_clusters=4).fit(X))
    if balance == 1e6:
        assert found == 0


@pytest.mark.parametrize("parameters", [{}, {"balance": 0}])
def test_is_k_means_without_labels_or_balance(parameters):
    X, _ = make_blobs(200, centers=4, random_state=3)
    y = None if not parameters else np.arange(200) % 2
    model = mag_kmeans(n_clusters=4, **parameters).fit(X, y)
    theirs = KMeans(4, n_init=5, random_state=0).fit(X)
    assert adjusted_rand_score(model.labels_, theirs.labels_) == 1
    assert model.objective_ == pytest.approx(theirs.inertia_, rel=1e-9)
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(mag_kmeans(n_clusters=4, **parameters).fit_predict(X, y), model.labels_)


def test_one_class_is_k_means():
    X, _ = data(40, 2, 2)
    expected = mag_kmeans(n_clusters=3).fit(X)
    assert np.array_equal(mag_kmeans(n_clusters=3).fit_predict(X, ["a"] * 40), expected.labels_)


@pytest.mark.parametrize("factor", [2.0**-40, 2.0**40])
def test_does_not_depend_on_scale(factor):
    X, y = data(60, 3, 2)
    expected = mag_kmeans(n_clusters=4).fit(X, y)
    model = mag_kmeans(n_clusters=4).fit(X * factor, y)
    assert np.array_equal(model.labels_, expected.labels_)
    assert model.scale_ == pytest.approx(expected.scale_ * factor**2)
    assert np.array_equal(model.predict(X * factor), expected.predict(X))


def test_does_not_depend_on_names_of_classes():
    X, y = data(60, 3, 2)
    expected = mag_kmeans(n_clusters=4).fit_predict(X, y)
    for names in (["b", "a"], [False, True], [1, -1], [7.0, 3.0]):
        assert np.array_equal(mag_kmeans(n_clusters=4).fit_predict(X, np.array(names)[y]), expected)


def test_a_class_with_one_member():
    X, _ = data(30, 2, 2)
    y = np.arange(30) == 7
    model = mag_kmeans(n_clusters=3, balance=0.1).fit(X, y)
    assert len(np.unique(model.labels_)) == 3


def test_equal_rows_share_a_cluster():
    model = mag_kmeans(n_clusters=3).fit([[1.0, 2.0]] * 4 + [[5.0, 2.0]] * 2)
    assert model.labels_.tolist() == [0] * 4 + [1] * 2
    assert model.cluster_centers_.tolist() == [[1, 2], [5, 2]]
    assert model.objective_ == 0
    assert mag_kmeans(n_clusters=2).fit([[3.0]] * 3, [0, 1, 1]).labels_.tolist() == [0, 0, 0]


def test_single_precision_stays():
    X, y = data(60, 3, 2)
    model = mag_kmeans(n_clusters=4).fit(X.astype(np.float32), y)
    assert model.cluster_centers_.dtype == np.float32
    assert np.array_equal(model.labels_, mag_kmeans(n_clusters=4).fit_predict(X, y))


def test_says_when_it_did_not_converge():
    X, y = data(200, 5, 2)
    with pytest.warns(ConvergenceWarning, match="mag_kmeans: not converged within max_iter=2"):
        model = mag_kmeans(max_iter=2).fit(X, y)
    assert model.n_iter_ == 2


def test_refuses():
    with pytest.raises(ilk.InputError, match=r"mag_kmeans: n_clusters .* \(n_samples = 2\), got 3"):
        mag_kmeans(n_clusters=3).fit([[0.0], [1.0]])
    with pytest.raises(ilk.ParameterError, match="balance must be finite"):
        mag_kmeans(balance=np.inf).fit([[0.0], [1.0]])
    with pytest.raises(ilk.InputError, match="mag_kmeans: X has NaN at row 1"):
        mag_kmeans(n_clusters=1).fit([[0.0], [np.nan]])
