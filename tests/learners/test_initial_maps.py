"""Where the search for a linear map begins."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import ilk
from cases import in_one_test
from ilk_learners.metric_learners.linear import check_components, initial_map


def _data(n=90, p=4):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, p)) * [1, 5, 2, 1] + 2 * rng.normal(size=(3, p))[y]
    return X - X.mean(axis=0), y


def _start(init, X, y, d):
    owner = ilk.metric_learner("nca", init=init)
    return initial_map(owner, X, y, d, np.zeros(X.shape[1]))


def test_identity_keeps_the_first_features():
    X, y = _data()
    np.testing.assert_array_equal(_start("identity", X, y, 2), np.eye(2, 4))


def test_pca_is_that_of_scikit_learn():
    X, y = _data()
    L = _start("pca", X, y, 3)
    peer = PCA(3).fit(X).components_
    np.testing.assert_allclose(np.abs(np.sum(L * peer, axis=1)), 1)


def test_lda_spans_what_scikit_learn_finds():
    X, y = _data()
    L = _start("lda", X, y, 4)
    peer = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).scalings_[:, :2].T
    peer /= np.linalg.norm(peer, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(np.sum(L[:2] * peer, axis=1)), 1)
    np.testing.assert_allclose(np.linalg.norm(L, axis=1), 1)
    np.testing.assert_allclose(L[2:] @ L[:2].T, 0, atol=1e-12)
    assert (X @ L[2]).std() > (X @ L[3]).std()


@in_one_test
@pytest.mark.parametrize("init", ["identity", "pca", "lda"])
@pytest.mark.parametrize("d", [1, 2, 6])
def test_degenerate_data_have_starts(init, d):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(4, 2)), np.zeros((4, 1)), rng.normal(size=(4, 3))])
    X[:, 5] = X[:, 4]
    L = _start(init, X - X.mean(axis=0), np.array([0, 1, 0, 1]), d)
    assert L.shape == (d, 6)
    assert np.isfinite(L).all()
    assert np.linalg.matrix_rank(L) == d


def test_array_is_copied():
    init = np.eye(2, 4)
    L = _start(init, *_data(), 2)
    np.testing.assert_array_equal(L, init)
    assert not np.shares_memory(L, init)


@pytest.mark.parametrize("init", [np.eye(3), [[1.0, 2, 3, np.inf]] * 2])
def test_bad_arrays_are_refused(init):
    with pytest.raises(ValueError, match="nca: init must be"):
        _start(init, *_data(), 2)


def test_lda_needs_classes():
    with pytest.raises(ValueError, match="nca: init must not be 'lda'"):
        _start("lda", _data()[0], None, 2)


def test_components_are_at_most_as_many_as_features():
    owner = SimpleNamespace()
    assert check_components(owner, None, 5) == 5
    assert check_components(owner, np.int64(2), 5) == 2
    with pytest.raises(ValueError, match="n_components must be at most 5"):
        check_components(owner, 6, 5)
