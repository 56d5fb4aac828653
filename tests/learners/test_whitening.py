"""whitening."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

import ilk
from cases import in_one_test

pytestmark = pytest.mark.filterwarnings("ignore::ilk_learners.metric_learners.linear.MetricWarning")


@pytest.fixture
def X():
    rng = np.random.default_rng(4)
    return rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4)) + 100


def test_worked():
    # Variances 8/3 and 2/3 (of four points, divided by three), nothing between them.
    whitening = ilk.metric_learner("whitening").fit([[0, 1], [4, 1], [2, 0], [2, 2]])
    assert np.allclose(whitening.components_, np.diag([np.sqrt(3 / 8), np.sqrt(3 / 2)]))


def test_covariance_becomes_the_identity(X):
    whitening = ilk.metric_learner("whitening").fit(X)
    assert np.allclose(np.cov(whitening.transform(X).T), np.eye(4))
    assert np.allclose(whitening.metric_matrix_, np.linalg.inv(np.cov(X.T)))


def test_corrected_convention(X):
    """L = D^(-1/2) U', not U D^(-1/2)."""
    values, U = np.linalg.eigh(np.cov(X.T))
    expected = (U / np.sqrt(values)).T[::-1]
    found = ilk.metric_learner("whitening").fit(X).components_
    assert np.allclose(np.abs(found), np.abs(expected))
    assert not np.allclose(np.abs(found), np.abs(expected.T))


@pytest.mark.parametrize("d", [1, 3, None])
def test_agrees_with_pca(X, d):
    expected = PCA(d, whiten=True).fit_transform(X)
    found = ilk.metric_learner("whitening", n_components=d).fit(X).transform(X)
    assert np.allclose(np.abs(found - found.mean(axis=0)), np.abs(expected))


@given(st.integers(0, 2**31))
def test_distances_follow_any_linear_map(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3))
    M = np.linalg.qr(rng.normal(size=(3, 3)))[0] * rng.uniform(0.01, 100, size=3)
    before = ilk.metric_learner("whitening").fit(X).distance().pairwise(X)
    after = ilk.metric_learner("whitening").fit(X @ M.T + 7).distance().pairwise(X @ M.T + 7)
    assert np.allclose(before, after, rtol=1e-6)


@in_one_test
@pytest.mark.parametrize("unit", [2.0**-900, 2.0**-40, 2.0**40, 2.0**900])
def test_unit(X, unit):
    whitening = ilk.metric_learner("whitening")
    expected = whitening.fit(X - 100).components_
    assert np.array_equal(whitening.fit((X - 100) * unit).components_ * unit, expected)


def test_singular_is_reduced(X):
    wide = np.column_stack([X, X[:, 0], np.full(50, 7.0)])
    whitening = ilk.metric_learner("whitening").fit(wide)
    assert whitening.rank_ == 4
    assert whitening.components_.shape == (4, 6)
    assert np.allclose(np.cov(whitening.transform(wide).T), np.eye(4))
    with pytest.raises(ilk.InputError, match="n_components must be at most 4, the rank"):
        ilk.metric_learner("whitening", n_components=5).fit(wide)


def test_shrunk(X):
    for rows in (X, X[:3]):  # fewer rows than features
        S = np.cov(rows.T)
        expected = np.linalg.inv(0.7 * S + 0.3 * np.trace(S) / 4 * np.eye(4))
        whitening = ilk.metric_learner("whitening", shrinkage=0.3).fit(rows)
        assert np.allclose(whitening.metric_matrix_, expected)


def test_many_features():
    X = np.random.default_rng(0).normal(size=(10, 50_000)).astype(np.float32)
    whitening = ilk.metric_learner("whitening").fit(X)
    assert whitening.components_.shape == (9, 50_000)
    assert whitening.transform(X).dtype == np.float32


def test_refused():
    with pytest.raises(ilk.InputError, match="whitening: X has no variance"):
        ilk.metric_learner("whitening").fit(np.ones((3, 2)))
    with pytest.raises(ilk.InputError, match="whitening: n_components must be at most 2.*got 3"):
        ilk.metric_learner("whitening", n_components=3).fit(np.eye(2))
