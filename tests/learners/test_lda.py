"""lda."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import ilk

pytestmark = pytest.mark.filterwarnings("ignore::ilk_learners.metric_learners.linear.MetricWarning")


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2, 3], [20, 30, 10, 15])
    X = rng.normal(size=(75, 5)) @ rng.normal(size=(5, 5)) + 3 * rng.normal(size=(4, 5))[y]
    return X, y


def within_covariance(X, y):
    D = X - np.array([X[y == c].mean(axis=0) for c in np.unique(y)])[y]
    return D.T @ D / (len(X) - len(np.unique(y)))


def fitted(X, y, **parameters):
    return ilk.metric_learner("lda", **parameters).fit(X, y)


def test_recovers_the_known_direction():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 4000)
    direction = np.array([0.6, 0.8, 0.0])
    L = fitted(rng.normal(size=(8000, 3)) + np.outer(y, 2 * direction), y).components_
    assert np.abs(L[0] / np.linalg.norm(L[0])) == pytest.approx(direction, abs=0.03)
    assert np.linalg.norm(L) == pytest.approx(1, abs=0.03)


def test_agrees_with_the_eigenvalue_problem(data):
    X, y = data
    lda = fitted(X, y)
    W = within_covariance(X, y)
    means = np.array([X[y == c].mean(axis=0) for c in y]) - X.mean(axis=0)
    values, vectors = eigh(means.T @ means / len(X), W)
    assert lda.components_.shape == (3, 5)
    assert np.allclose(lda.ratios_, values[::-1][:3])
    assert np.allclose(np.abs(lda.components_), np.abs(vectors.T[::-1][:3]))
    assert np.allclose(lda.components_ @ W @ lda.components_.T, np.eye(3))


def test_agrees_with_scikit_learn(data):
    X, y = data
    expected = LinearDiscriminantAnalysis(solver="svd").fit(X, y).transform(X)
    expected *= np.sqrt(71 / 75)  # theirs scales by the covariance divided by n, not n - C
    found = fitted(X, y).transform(X)
    assert np.allclose(np.abs(found - found.mean(axis=0)), np.abs(expected - expected.mean(axis=0)))


@given(st.integers(0, 2**31))
def test_metric_follows_any_linear_map(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 3
    X = rng.normal(size=(40, 3))
    M = np.linalg.qr(rng.normal(size=(3, 3)))[0] * rng.uniform(0.1, 10, size=3)
    before = fitted(X, y).distance().pairwise(X)
    X = X @ M.T + 7
    assert np.allclose(before, fitted(X, y).distance().pairwise(X), rtol=1e-6)


def test_features_of_any_units(data):
    X, y = data
    scales = np.array([1e-12, 1, 1e12, 1e-6, 1e3])
    assert np.allclose(fitted(X * scales, y).components_ * scales, fitted(X, y).components_)


def test_labels_of_any_kind(data):
    X, y = data
    expected = fitted(X, y).metric_matrix_
    for names in (["d", "a", "c", "b"], [-1, 1, 7, -8]):
        assert np.allclose(fitted(X, np.array(names)[y]).metric_matrix_, expected)


class TestSingular:
    def test_constant_and_copied_columns(self, data):
        X, y = data
        wide = np.column_stack([X, X[:, 0], np.full(75, 3.0)])
        expected = fitted(X, y).distance().pairwise(X)
        assert np.allclose(fitted(wide, y).distance().pairwise(wide), expected)
        with pytest.raises(ilk.InputError, match="singular .rank 5 of 7."):
            fitted(wide, y, singular="error")

    def test_fewer_rows_than_features(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(12, 3000)), np.arange(12) % 3
        for parameters in ({}, {"singular": "shrink"}, {"shrinkage": 0.2}):
            if parameters and X.shape[1] > 300:
                X = X[:, :300]
            lda = fitted(X, y, **parameters)
            assert lda.components_.shape == (2, X.shape[1])
            assert np.isfinite(lda.components_).all()

    def test_shrinkage(self, data):
        X, y = data
        X = X / X.std(axis=0)
        W = within_covariance(X, y)
        W = 0.8 * W + 0.2 * np.trace(W) / 5 * np.eye(5)
        L = fitted(X, y, shrinkage=0.2).components_
        assert np.allclose(L @ W @ L.T, np.eye(3))


def test_means_on_a_line_give_one_direction(data):
    X, y = data
    X = X - np.array([X[y == c].mean(axis=0) for c in range(4)])[y] + np.outer(y, np.ones(5))
    assert fitted(X, y).components_.shape == (1, 5)
    with pytest.raises(ilk.InputError, match="at most 1, the directions in which the means of 4"):
        fitted(X, y, n_components=2)


def test_nothing_to_learn():
    X = np.array([[-1.0, 0], [1, 0], [0, 1], [0, -1], [-2, 0], [2, 0], [0, 2], [0, -2]])
    with pytest.raises(ilk.InputError, match="lda: the classes have the same mean"):
        fitted(X + 0.1, np.repeat([0, 1], 4))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0], [1.0]], ["a", "b"], "covariance inside the classes is 0"),
        ([[0.0], [1.0], [2.0]], [-1, -1, -1], "at least 2 classes"),
        ([[0.0], [1.0], [2.0]], None, "y is None"),
    ],
)
def test_refused(X, y, message):
    with pytest.raises(ilk.InputError, match=f"lda: .*{message}"):
        fitted(X, y)


def test_more_components_than_there_are(data):
    with pytest.raises(ilk.InputError, match="lda: n_components must be at most 3.*got 4"):
        fitted(*data, n_components=4)
    with pytest.raises(ilk.InputError, match="at most 5, the number of features, got 6"):
        fitted(*data, n_components=6)


def test_unbalanced_with_a_class_of_one():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [200, 2, 1])
    lda = fitted(rng.normal(size=(203, 3)) + 9 * np.eye(3)[y], y)
    assert lda.components_.shape == (2, 3)
    assert lda.report_.after <= lda.report_.before
