"""nearest_mean."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestCentroid

import ilk


def nearest_mean(**parameters):
    return ilk.classifier("nearest_mean", **parameters)


def test_worked():
    # Means 1 and 6; the squared distances from 3 are 4 and 9, from 4 they are 9 and 4.
    model = nearest_mean().fit([[0.0], [2.0], [5.0], [7.0]], ["a", "a", "b", "b"])
    assert model.means_.ravel().tolist() == [1, 6]
    assert model.predict([[3.0], [4.0]]).tolist() == ["a", "b"]
    assert model.decision_function([[3.0], [4.0]]).tolist() == [-5, 5]
    # The variance inside is 1.
    odds = np.exp(-4 / 2) / np.exp(-9 / 2)
    assert model.predict_proba([[3.0]])[0] == pytest.approx([odds / (1 + odds), 1 / (1 + odds)])


def test_mahalanobis_worked():
    # Wide along the first axis, narrow along the second: the second decides.
    inside = np.array([[-4, -1], [-4, 1], [4, -1], [4, 1]])
    X, y = np.vstack([inside, np.add(inside, [8, 4])]), np.repeat(["a", "b"], 4)
    query = [[7.0, 1.0]]
    assert nearest_mean().fit(X, y).predict(query).tolist() == ["b"]
    model = nearest_mean(metric="mahalanobis").fit(X, y)
    assert model.predict(query).tolist() == ["a"]
    # S = diag(16, 1).
    assert model.decision_function(query) == pytest.approx((49 / 16 + 1) - (1 / 16 + 9))


def test_euclidean_agrees_with_sklearn(blobs):
    X, y, Q = blobs
    assert np.array_equal(
        nearest_mean().fit(X, y).predict(Q), NearestCentroid().fit(X, y).predict(Q)
    )


def test_mahalanobis_agrees_with_lda_under_equal_priors(blobs):
    X, y, Q = blobs
    lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)  # classes of equal size
    model = nearest_mean(metric="mahalanobis").fit(X, y)
    assert np.allclose(model.predict_proba(Q), lda.predict_proba(Q))
    assert np.array_equal(model.predict(Q), lda.predict(Q))


def test_shrinkage(blobs):
    X, y, Q = blobs
    means = np.array([X[y == c].mean(axis=0) for c in np.unique(y)])
    deviations = X - means[np.searchsorted(np.unique(y), y)]
    S = deviations.T @ deviations / len(X)
    S = 0.7 * S + 0.3 * np.trace(S) / 3 * np.eye(3)
    difference = Q[:, None] - means
    squared = np.einsum("qci,ij,qcj->qc", difference, np.linalg.inv(S), difference)
    model = nearest_mean(metric="mahalanobis", shrinkage=0.3).fit(X, y)
    assert np.allclose(-model.decision_function(Q), squared)


def test_mahalanobis_is_invariant_under_linear_maps(blobs):
    X, y, Q = blobs
    M = np.array([[1e3, 1, 0], [0, 1e-3, 2], [5, 0, 1]])
    model = nearest_mean(metric="mahalanobis")
    expected = model.fit(X, y).decision_function(Q)
    assert np.allclose(model.fit(X @ M, y).decision_function(Q @ M), expected, rtol=1e-6)


class TestKernel:
    def test_of_inner_products_is_euclidean(self, blobs, linear_kernel):
        X, y, Q = blobs
        plain = nearest_mean().fit(X, y)
        model = nearest_mean(kernel="linear_for_tests").fit(X, y)
        assert np.allclose(model.decision_function(Q), plain.decision_function(Q))
        assert np.array_equal(model.predict(Q), plain.predict(Q))

    def test_rbf_agrees_with_definition(self, blobs):
        X, y, Q = blobs
        model = nearest_mean(kernel={"use": "rbf", "sigma": 0.8}).fit(X, y)

        def k(a, b):
            return np.exp(-((a - b) ** 2).sum() / (2 * 0.8**2))

        q, squared = Q[0], []
        for c in np.unique(y):
            points = X[y == c]
            similar = sum(k(q, x) for x in points) / len(points)
            norm = sum(k(a, b) for a in points for b in points) / len(points) ** 2
            squared.append(k(q, q) - 2 * similar + norm)
        assert -model.decision_function(Q[:1])[0] == pytest.approx(squared)

    def test_has_no_probabilities(self, blobs):
        X, y, _ = blobs
        assert not hasattr(nearest_mean(kernel="rbf").fit(X, y), "predict_proba")

    def test_not_beside_the_mahalanobis_distance(self):
        with pytest.raises(ilk.ParameterError, match="metric must be 'euclidean' with a kernel"):
            nearest_mean(kernel="rbf", metric="mahalanobis")


def test_far_queries_have_probabilities(blobs):
    X, y, Q = blobs
    probabilities = nearest_mean().fit(X, y).predict_proba(Q * 1e6)
    assert np.allclose(probabilities.sum(axis=1), 1)


def test_no_variance_inside():
    model = nearest_mean().fit([[0.0], [0.0], [2.0]], ["a", "a", "b"])
    assert model.predict_proba([[0.5], [1.0], [9.0]]).tolist() == [[1, 0], [0.5, 0.5], [0, 1]]


def test_singular_covariance_is_named(blobs):
    X, y, _ = blobs
    X = np.column_stack([X, X[:, 0]])
    with pytest.raises(ilk.InputError, match="singular .rank 3 of 4.; set shrinkage"):
        nearest_mean(metric="mahalanobis").fit(X, y)
    assert nearest_mean(metric="mahalanobis", shrinkage=0.01).fit(X, y).predict(X).shape == y.shape


def test_shrinkage_needs_a_covariance():
    with pytest.raises(ilk.ParameterError, match="shrinkage must be 0 unless"):
        nearest_mean(shrinkage=0.5)


@pytest.mark.parametrize("scale", [1e300, 1e160, 1e-160, 1e-300])
def test_sparse_rows_of_any_scale(blobs, scale):
    X, y, Q = blobs
    X, Q = (np.where(rows > 0, rows, 0) * scale for rows in (X, Q))
    got = nearest_mean().fit(csr_array(X), y).predict_proba(csr_array(Q))
    assert got == pytest.approx(nearest_mean().fit(X, y).predict_proba(Q))
