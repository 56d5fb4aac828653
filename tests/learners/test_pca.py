"""pca."""

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
    rng = np.random.default_rng(0)
    return rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4)) + [5, 0, -3, 100]


def test_worked():
    # Variances 50 along (3, 4)/5 and 0 across.
    pca = ilk.transformer("pca").fit([[0, 0], [3, 4], [6, 8]])
    assert pca.components_[0] == pytest.approx([0.6, 0.8])
    assert pca.explained_variance_ == pytest.approx([25, 0])
    assert pca.explained_variance_ratio_ == pytest.approx([1, 0])
    assert pca.transform([[0, 0], [3, 4]])[:, 0] == pytest.approx([-5, 0])


def test_one_class_two_kinds():
    assert ilk.registry("transformer").get("pca") is ilk.registry("metric_learner").get("pca")


@pytest.mark.parametrize("n_components", [None, 2, 0.9])
def test_agrees_with_sklearn(X, n_components):
    theirs = PCA(n_components, svd_solver="full").fit(X)
    ours = ilk.transformer("pca", n_components=n_components).fit(X)
    assert np.allclose(ours.components_, theirs.components_)
    assert np.allclose(ours.transform(X), theirs.transform(X))
    assert np.allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_)


def test_is_linear_unless_centered(X):
    pca = ilk.metric_learner("pca", n_components=2, center=False).fit(X)
    assert np.allclose(pca.transform(X), X @ pca.components_.T)
    centered = ilk.metric_learner("pca", n_components=2).fit_transform(X)
    assert np.allclose(centered, pca.transform(X - X.mean(axis=0)))
    assert np.allclose(centered.mean(axis=0), 0)


@given(st.integers(0, 2**31), st.integers(3, 20), st.integers(1, 5))
def test_properties(seed, n, p):
    X = np.random.default_rng(seed).normal(size=(n, p))
    pca = ilk.metric_learner("pca").fit(X)
    L = pca.components_
    d = min(n, p)
    assert np.allclose(L @ L.T, np.eye(d))
    assert (np.take_along_axis(L, np.abs(L).argmax(axis=1)[:, None], axis=1) > 0).all()
    assert pca.explained_variance_ratio_.sum() == pytest.approx(1)
    assert np.allclose(np.cov(pca.transform(X).T), np.diag(pca.explained_variance_), atol=1e-9)


def test_whitened(X):
    Z = ilk.transformer("pca", whiten=True).fit_transform(X)
    assert np.allclose(np.cov(Z.T), np.eye(4))


def test_whitening_stops_at_the_rank(X):
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    Z = ilk.transformer("pca", whiten=True).fit_transform(X)
    assert Z.shape == (50, 4)
    assert np.allclose(np.cov(Z.T), np.eye(4))
    with pytest.raises(ilk.InputError, match=r"n_components must be at most 4 \(the rank.*got 5"):
        ilk.transformer("pca", n_components=5, whiten=True).fit(X)


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("n_components", [None, 2])
def test_inverse(X, n_components, whiten):
    theirs = PCA(n_components, whiten=whiten, svd_solver="full").fit(X)
    ours = ilk.transformer("pca", n_components=n_components, whiten=whiten).fit(X)
    back = ours.inverse_transform(ours.transform(X))
    assert np.allclose(back, theirs.inverse_transform(theirs.transform(X)))
    if n_components is None:
        assert np.allclose(back, X)
    else:  # the nearest of the plane: what remains is orthogonal to it
        assert np.allclose((X - back) @ ours.components_.T, 0)


def test_inverse_without_center_at_any_magnitude(X):
    pca = ilk.transformer("pca", center=False, whiten=True).fit(X * 1e200)
    assert np.allclose(pca.inverse_transform(pca.transform(X * 1e200)) / 1e200, X)
    with pytest.raises(ilk.InputError, match="pca: X has 3 features, but there are 4 components"):
        pca.inverse_transform(X[:, :3])


def test_equal_rows():
    pca = ilk.transformer("pca").fit(np.ones((3, 2)))
    assert pca.explained_variance_ratio_.tolist() == [0, 0]
    assert np.isfinite(pca.components_).all()
    with pytest.raises(ilk.InputError, match="all rows are equal"):
        ilk.transformer("pca", whiten=True).fit(np.ones((3, 2)))


def test_float32(X):
    pca = ilk.transformer("pca").fit(X.astype(np.float32))
    assert pca.transform(X.astype(np.float32)).dtype == np.float32


def test_names(X):
    pca = ilk.transformer("pca", n_components=2).fit(X)
    assert pca.get_feature_names_out().tolist() == ["pca0", "pca1"]


@in_one_test
@pytest.mark.parametrize("value", [1.5, 1.0, 0, -1, "two"])
def test_wrong_number_of_components(value):
    with pytest.raises(ilk.ParameterError, match="n_components must be"):
        ilk.transformer("pca", n_components=value)


def test_too_many_components(X):
    with pytest.raises(ilk.InputError, match="n_components must be at most 4.*got 7"):
        ilk.transformer("pca", n_components=7).fit(X)


def test_report_where_labels_are_given():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]])
    found = ilk.metric_learner("pca", n_components=1).fit(X, ["a", "a", "b", "b"]).report_
    assert (found.before, found.after, found.n_queries) == (0, 0, 4)
    assert ilk.metric_learner("pca").fit(X).report_ is None
    assert ilk.metric_learner("pca", report=False).fit(X, [0, 0, 1, 1]).report_ is None
    assert ilk.metric_learner("pca").fit(X, [0.5, 1.5, 3.5, 2.5]).report_.before == 1.0
