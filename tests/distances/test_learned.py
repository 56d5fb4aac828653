"""The distance after a metric learner's transform."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import ilk


class Stretch(ilk.MetricLearner):
    """Multiplies the first feature by the number of classes seen, drops the last."""

    parameters = {"by": ilk.Param(float, gt=0)}
    fits = 0

    def __init__(self, by=1.0):
        self.by = by

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
