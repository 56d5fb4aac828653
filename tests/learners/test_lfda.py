"""lfda."""

import numpy as np
import pytest
from scipy.linalg import eigh

import ilk
from cases import in_one_test

pytestmark = pytest.mark.filterwarnings("ignore::ilk_learners.metric_learners.linear.MetricWarning")


def scatters(X, y, k):
    """The definition, one pair after the other."""
    n, p = X.shape
    squares = ((X[:, None] - X) ** 2).sum(axis=-1)
    W, B = np.zeros((p, p)), np.zeros((p, p))
    for c in np.unique(y):
        rows = np.flatnonzero(y == c)
        gaps = np.sort(squares[np.ix_(rows, rows)], axis=1)
        apart = [row[row > 0].min() for row in gaps]
        kth = np.maximum(gaps[:, min(k, len(rows) - 1)], apart)  # copies are no neighbours
        for a, i in enumerate(rows):
            for b, j in enumerate(rows):
                A = np.exp(-squares[i, j] / np.sqrt(kth[a] * kth[b])) if i != j else 1.0
                product = np.outer(X[i] - X[j], X[i] - X[j]) / 2
                W += A / len(rows) * product
                B += A * (1 / n - 1 / len(rows)) * product
    for i in range(n):
        for j in np.flatnonzero(y != y[i]):
            B += np.outer(X[i] - X[j], X[i] - X[j]) / (2 * n)
    return W, B


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [20, 12, 9])
    return rng.normal(size=(41, 4)) @ rng.normal(size=(4, 4)) + rng.normal(size=(3, 4))[y], y


def fitted(X, y, **parameters):
    return ilk.metric_learner("lfda", **parameters).fit(X, y)


def test_agrees_with_the_definition(data):
    X, y = data
    W, B = scatters(X, y, 7)
    values, vectors = eigh(B, W)
    plain = fitted(X, y, embedding="plain")
    expected = vectors.T[::-1] * np.sqrt(41 - 3)
    assert np.allclose(plain.ratios_, values[::-1])
    assert np.allclose(np.abs(plain.components_), np.abs(expected))
    weighted = fitted(X, y, n_components=2)
    factor = np.sqrt(values[::-1][:2, None])
    assert np.allclose(np.abs(weighted.components_), np.abs(expected[:2] * factor))
    orthonormal = fitted(X, y, n_components=2, embedding="orthonormal").components_
    assert np.allclose(orthonormal @ orthonormal.T, np.eye(2))
    both = np.vstack([orthonormal, expected[:2]])
    assert np.linalg.matrix_rank(both, tol=1e-8 * np.linalg.norm(both)) == 2


def test_copies_take_the_scale_of_the_nearest_other_place(data):
    X, y = data
    copied, labels = np.repeat(X, 9, axis=0), np.repeat(y, 9)
    copied[::3] += np.random.default_rng(0).normal(scale=0.3, size=copied[::3].shape)
    W, B = scatters(copied, labels, 4)
    plain = fitted(copied, labels, embedding="plain", n_neighbors=4)
    assert np.allclose(plain.ratios_, eigh(B, W, eigvals_only=True)[::-1])


def test_blocks_do_not_matter(data, monkeypatch):
    from ilk_learners.metric_learners import lfda

    X, y = data
    expected = fitted(X, y).components_
    monkeypatch.setattr(lfda, "_NUMBERS", 30)
    monkeypatch.setattr(lfda, "_MOST", 150)
    assert np.allclose(fitted(X, y).components_, expected)


def test_becomes_lda_where_all_affinities_are_one():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 3)) + 4 * np.outer(y, [1, 0, 0])
    local = fitted(X, y, n_neighbors=29, n_components=1, embedding="plain").components_[0]
    lda = ilk.metric_learner("lda").fit(X, y).components_[0]
    cosine = local @ lda / np.linalg.norm(local) / np.linalg.norm(lda)
    assert abs(cosine) > 0.99


def test_clusters_inside_a_class_are_kept_apart():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 0, 1], 30)
    centres = np.array([[-6, 0], [6, 0], [0, 0]])
    X = centres[np.repeat([0, 1, 2], 30)] + rng.normal(size=(90, 2)) * [1, 3]
    L = fitted(X, y, n_components=1, embedding="orthonormal").components_
    assert abs(L[0, 0]) > 0.98


@in_one_test
@pytest.mark.parametrize("unit", [2.0**-900, 2.0**-40, 2.0**40, 2.0**900])
def test_unit(data, unit):
    X, y = data
    assert np.array_equal(fitted(X * unit, y).components_ * unit, fitted(X, y).components_)


def test_rotation_and_translation(data):
    X, y = data
    R = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    turned = fitted(X @ R.T + 5, y).metric_matrix_
    assert np.allclose(R.T @ turned @ R, fitted(X, y).metric_matrix_)


class TestDegenerate:
    """None ends in a complex L, in NaN, or in silence."""

    def check(self, X, y, **parameters):
        lfda = fitted(X, y, **parameters)
        assert lfda.components_.dtype == np.float64
        assert np.isfinite(lfda.components_).all()
        assert np.abs(lfda.components_).max() > 0
        return lfda

    def test_fewer_rows_than_features(self, data):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20, 500)), np.arange(20) % 2
        lfda = self.check(X, y)
        assert lfda.rank_ == 18
        with pytest.raises(ilk.InputError, match="local scatter inside the classes is singular"):
            fitted(X, y, singular="error")
        self.check(X, y, shrinkage=0.1)

    def test_constant_and_copied_columns(self, data):
        X, y = data
        wide = np.column_stack([X, X[:, 1], np.full(41, 2.0)])
        assert self.check(wide, y).components_.shape[0] <= 4

    def test_copied_rows(self, data):
        X, y = data
        lfda = self.check(np.repeat(X, 12, axis=0), np.repeat(y, 12))
        assert lfda.report_.after == 0

    def test_a_class_of_one_and_of_two(self, data):
        X, y = data
        self.check(X, np.where(np.arange(41) == 3, 9, np.where(np.arange(41) < 2, 8, y)))

    def test_no_ratio_is_negative_where_classes_are_the_same(self):
        rng = np.random.default_rng(5)
        X = np.repeat(rng.normal(size=(60, 6)), 2, axis=0)
        y = np.tile([0, 1], 60)
        assert self.check(X, y, embedding="plain").ratios_.min() >= 0

    def test_all_equal_inside_classes(self):
        with pytest.raises(ilk.InputError, match="lfda: rows of equal class are all equal"):
            fitted([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1])

    def test_all_equal(self):
        with pytest.raises(ilk.InputError, match="lfda: X has no variance"):
            fitted(np.ones((4, 2)), [0, 0, 1, 1])

    def test_one_class(self):
        with pytest.raises(ilk.InputError, match="lfda: .*at least 2 classes"):
            fitted([[0.0], [1.0], [2.0]], [-1, -1, -1])

    def test_more_components_than_features(self, data):
        with pytest.raises(ilk.InputError, match="lfda: n_components must be at most 4.*got 5"):
            fitted(*data, n_components=5)
