"""The distance after a metric learner's transform."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import ilk


class Stretch(ilk.MetricLearner):
    """Multiplies the first feature by the number of classes seen, drops the last."""

    by: float = ilk.param(default=1.0, gt=0)
    fits = 0

    def fit(self, X, y=None):
        X = ilk.check_vectors(self, X, reset=True)
        classes, _ = ilk.check_labels(self, y, X)
        self.components_ = np.eye(X.shape[1])[:-1]
        self.components_[0, 0] = len(classes) * self.by
        type(self).fits += 1
        return self

    def transform(self, X):
        return ilk.check_vectors(self, X, reset=False) @ self.components_.T


class Local(ilk.LocalMetric):
    """Adapts to nothing."""

    def fit(self, X, y):
        return self

    def kneighbors(self, Q, k):
        return np.zeros((len(Q), k)), np.zeros((len(Q), k), dtype=int)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(30, 3)), np.arange(30) % 2


def test_distances_after_the_transform(data):
    X, y = data
    distance = ilk.distance("learned", learner=Stretch()).fit(X, y)
    L = np.array([[2.0, 0, 0], [0, 1, 0]])
    expected = ilk.distance("euclidean").pairwise(X @ L.T)
    np.testing.assert_array_equal(distance.pairwise(X), expected)
    np.testing.assert_array_equal(distance.pairwise(X[:3], X), expected[:3])
    np.testing.assert_array_equal(distance.prepare(X).to(X[4], [2, 7]), expected[4, [2, 7]])
    near, where = distance.kneighbors(X[:5], X, 3)
    np.testing.assert_array_equal(where, np.argsort(expected[:5], axis=1, kind="stable")[:, :3])
    np.testing.assert_array_equal(near, np.take_along_axis(expected[:5], where, axis=1))
    A = distance.learner_.metric_matrix_
    difference = X[0] - X[1]
    assert distance.between(X[0], X[1]) == pytest.approx((difference @ A @ difference) ** 0.5)


def test_base(data):
    X, y = data
    distance = ilk.distance("learned", learner=Stretch(), base={"use": "minkowski", "p": 1})
    expected = ilk.distance("manhattan").pairwise(X[:, :2] * [2, 1])
    np.testing.assert_allclose(distance.fit(X, y).pairwise(X), expected, rtol=1e-15)
    scaled = ilk.distance("learned", learner=Stretch(), base="heterogeneous").fit(X, y)
    assert scaled.base_.ranges_[0] == np.ptp(2 * X[:, 0])


def test_distance_of_a_fitted_learner_needs_no_fit(data):
    X, y = data
    learner = Stretch().fit(X, y)
    fits = Stretch.fits
    distance = learner.distance()
    expected = ilk.distance("euclidean").pairwise(learner.transform(X))
    np.testing.assert_array_equal(distance.pairwise(X), expected)
    assert distance.fit(X[:4], ["a", "b", "c", "d"]).learner_.components_ is learner.components_
    assert clone(distance).pairwise(X).tolist() == expected.tolist()
    assert Stretch.fits == fits


def test_a_classifier_fits_the_learner(data):
    X, y = data
    knn = ilk.classifier("knn", k=1, distance=ilk.distance("learned", learner=Stretch()))
    assert knn.set_params(distance__learner__by=3.0).fit(X, y).distance_.learner_.by == 3
    np.testing.assert_array_equal(knn.predict(X), y)


def test_claims(data):
    distance = ilk.distance("learned", learner=Stretch())
    assert not distance.metric
    assert distance.symmetric
    function = ilk.distance("callable", function=lambda x, y: 0.0)
    assert not ilk.distance("learned", learner=Stretch(), base=function).symmetric


def test_before_fit(data):
    X, y = data
    with pytest.raises(NotFittedError, match="learned: call fit first, or give a frozen learner"):
        ilk.distance("learned", learner=Stretch()).pairwise(X)
    learner = ilk.frozen(Stretch().fit(X, y))
    with pytest.raises(NotFittedError):
        ilk.distance("learned", learner=learner, base="heterogeneous").pairwise(X)


def test_bad_learners(data):
    with pytest.raises(ilk.ParameterError, match="learned: learner must be one that transforms"):
        ilk.distance("learned", learner=Local()).fit(*data)
    with pytest.raises(ilk.ParameterError, match="learner must be a metric_learner"):
        ilk.distance("learned", learner=3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("base", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("learner", ["pca", "rca"])
def test_rows_beside_do_not_matter(learner, base, dtype):
    """A product of matrices depends on them in the last digits, which must not show."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 40)).astype(dtype), np.arange(150) % 3
    X[:, 0] += 9 * y
    X[102:] = X[:48]
    d = ilk.distance("learned", learner=learner, base=base).fit(X, y)
    D = d.pairwise(X)
    for size in (1, 7, 64):
        parts = [d.pairwise(X[i : i + size], X) for i in range(0, 150, size)]
        np.testing.assert_array_equal(np.concatenate(parts), D)
    np.testing.assert_array_equal(d.prepare(X).to(X[3], [105, 3, 9]), D[3, [105, 3, 9]])
    np.testing.assert_array_equal(D[:48, :50], D[102:, :50])
    if base != "cosine":
        assert not np.diagonal(D).any()
        assert not np.diagonal(D[:48, 102:]).any()
    assert D.dtype == dtype
    order = np.argsort(D, axis=1, kind="stable")[:, :4]
    np.testing.assert_array_equal(d.kneighbors(X, X, 4)[1], order)
    kernel = ilk.kernel("mahalanobis_rbf", learner=learner, sigma=3.0).fit(X, y)
    np.testing.assert_array_equal(kernel.gram(X[7:9], X), kernel.gram(X)[7:9])


def test_near_rows_keep_their_digits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)) + 100, np.arange(60) % 2
    X[:, 0] += 9 * y
    d = ilk.distance("learned").fit(X, y)
    step = rng.integers(1, 9, size=5) * 2.0**-40  # exact beside 100
    L = d.learner_.components_
    assert d.between(X[0], X[0] + step) == pytest.approx(np.linalg.norm(L @ step), rel=1e-9)


def test_bad_rows(data):
    X, y = data
    d = ilk.distance("learned", learner=Stretch()).fit(X, y)
    with pytest.raises(ilk.InputError, match="Stretch: .*2 features"):
        d.pairwise(X, X[:, :2])
    with pytest.raises(ilk.InputError, match="Stretch: .* has NaN at row 0, column 1"):
        d.pairwise([[1.0, np.nan, 2.0]])
    with pytest.raises(ilk.InputError, match="X after the map has infinity .* row 0, column 0"):
        d.pairwise([[1e308, 0.0, 0.0]])
