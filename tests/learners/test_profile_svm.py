"""profile_svm."""

import numpy as np
import pytest
from sklearn.svm import SVC

import ilk


def profile_svm(n_clusters=3, **parameters):
    clusterer = {"use": "mag_kmeans", "n_clusters": n_clusters}
    given = {"clusterer": clusterer, "random_state": 0, "tol": 1e-6, **parameters}
    return ilk.classifier("profile_svm", **given)


def test_worked():
    # Two clusters far apart: one of both classes, with its boundary in the middle, and one of "b".
    X, y = [[0.0], [1.0], [3.0], [4.0], [90.0], [91.0]], list("aabbbb")
    model = profile_svm(2, kernel="linear", C=1e6).fit(X, y)
    assert model.predict([[1.9], [2.1], [60.0]]).tolist() == ["a", "b", "b"]
    assert model.decision_function([[1.0], [2.0], [3.0], [90.0]]) == pytest.approx(
        [-1, 0, 1, 1], abs=1e-6
    )
    assert [svm is None for svm in model.svms_] == [False, True]


def test_agrees_with_a_machine_for_each_cluster(blobs):
    X, y, Q = blobs
    model = profile_svm().fit(X, y)
    clusters = ilk.clusterer("mag_kmeans", n_clusters=3)
    clusters.set_params(random_state=model.clusterer_.random_state).fit(X, y)
    assert np.array_equal(clusters.labels_, model.clusterer_.labels_)
    nearest = [int(np.argmin(((clusters.cluster_centers_ - q) ** 2).sum(axis=1))) for q in Q]
    for q, j, values in zip(Q, nearest, model.decision_function(Q), strict=True):
        R, labels = X[clusters.labels_ == j], y[clusters.labels_ == j]
        pairs = [np.sum((a - b) ** 2) for i, a in enumerate(R) for b in R[:i]]
        gamma = 1 / (2 * np.mean(pairs))
        for code, c in enumerate(np.unique(y)):
            if c in labels:
                svc = SVC(C=10, gamma=gamma, tol=1e-6).fit(R, labels == c)
                assert values[code] == pytest.approx(svc.decision_function([q])[0], abs=1e-3)
            else:
                assert values[code] <= -1


def test_one_cluster_is_one_machine(blobs):
    X, y, Q = blobs
    model = profile_svm(1, C=2.0).fit(X, y)
    svm = ilk.classifier("svm", kernel="rbf", C=2.0, tol=1e-6).fit(X, y)
    assert model.decision_function(Q) == pytest.approx(svm.decision_function(Q))
    assert np.array_equal(model.predict(Q), svm.predict(Q))


def test_pure_clusters_answer_at_once():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 10)
    X = rng.normal(size=(30, 2)) + np.repeat([[0, 0], [50, 0], [0, 50]], 10, axis=0)
    model = profile_svm().fit(X, y)
    assert model.svms_ == [None, None, None]
    assert np.array_equal(model.predict(X), y)
    assert sorted(model.decision_function(X[:1])[0]) == [-1, -1, 1]


def test_equal_rows_of_two_classes_answer_with_the_more_frequent():
    X = np.repeat([[0.0], [9.0]], [5, 3], axis=0)
    y = ["a", "b", "b", "a", "b", "a", "a", "b"]
    model = profile_svm(2).fit(X, y)
    assert model.svms_ == [None, None]
    assert model.predict([[1.0], [8.0]]).tolist() == ["b", "a"]


def test_a_clusterer_that_is_fitted_already(blobs):
    X, y, Q = blobs
    clusterer = ilk.clusterer("mag_kmeans", n_clusters=3, random_state=1).fit(X)
    model = profile_svm(clusterer=ilk.frozen(clusterer)).fit(X, y)
    plain = {"use": "mag_kmeans", "n_clusters": 3, "random_state": 1, "balance": 0}
    expected = profile_svm(clusterer=plain).fit(X, y).decision_function(Q)
    assert model.decision_function(Q) == pytest.approx(expected)


def test_queries_in_a_cluster_without_rows():
    clusterer = ilk.clusterer("mag_kmeans", n_clusters=2, random_state=0).fit([[0.0], [90.0]])
    X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], list("aabbb")
    model = profile_svm(clusterer=ilk.frozen(clusterer)).fit(X, y)
    assert model.predict([[0.5], [95.0]]).tolist() == ["a", "b"]


def test_depends_on_its_random_state_only(blobs):
    X, y, Q = blobs
    model = profile_svm(6, random_state=3)
    expected = model.fit(X, y).decision_function(Q)
    assert np.array_equal(model.fit(X, y).decision_function(Q), expected)
    names = np.array(["a", "b", "c"])[np.unique(y, return_inverse=True)[1]]
    assert np.array_equal(model.fit(X, names).decision_function(Q), expected)


class Lonely(ilk.Clusterer):
    """Each row is a cluster."""

    def fit(self, X, y=None):
        self.labels_ = np.arange(len(X))
        return self


def test_refuses(blobs):
    X, y, _ = blobs
    with pytest.raises(ilk.ParameterError, match="clusterer must be one that predicts, got"):
        profile_svm(clusterer=Lonely()).fit(X, y)
    with pytest.raises(ilk.InputError, match="profile_svm: y has 1 class"):
        profile_svm().fit(X, y > -9)
    with pytest.raises(ilk.InputError, match=r"mag_kmeans: n_clusters .* \(n_samples = 2\), got 3"):
        profile_svm().fit(X[[0, -1]], y[[0, -1]])
