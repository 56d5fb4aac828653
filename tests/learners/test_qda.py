"""qda."""

import inspect

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

import ilk


def qda(**parameters):
    return ilk.classifier("qda", **parameters)


def by_definition(X, y, Q, covariance, priors=None):
    """Logarithm of prior times density, without ln(2 pi)."""
    found = []
    for i, c in enumerate(np.unique(y)):
        members = X[y == c]
        S = covariance(members - members.mean(axis=0))
        prior = np.mean(y == c) if priors is None else priors[i]
        density = multivariate_normal(members.mean(axis=0), S).logpdf(Q)
        found.append(density + np.log(prior) + X.shape[1] / 2 * np.log(2 * np.pi))
    return np.array(found).T


def mean_square(D):
    return D.T @ D / len(D)


def test_worked():
    # Variances 2/3 and 8/3 around 0 and 10: -ln(S)/2 - (x - mu)^2 / (2 S) + ln(1/2).
    model = qda().fit([[-1.0], [0], [1], [8], [10], [12]], [0, 0, 0, 1, 1, 1])
    a, b = ((-np.log(s) - (4 - m) ** 2 / s) / 2 for s, m in ((2 / 3, 0), (8 / 3, 10)))
    assert model.decision_function([[4.0]]) == pytest.approx([b - a])
    assert model.predict([[2.0], [4.0]]).tolist() == [0, 1]


@pytest.mark.parametrize("priors", ["empirical", "equal", (0.7, 0.1, 0.2)], ids=str)
def test_is_the_definition(blobs, priors):
    X, y, Q = blobs
    X, y = X[:95], y[:95]
    given = {"empirical": None, "equal": [1 / 3] * 3}.get(priors, priors)
    model = qda(priors=list(priors) if isinstance(priors, tuple) else priors).fit(X, y)
    assert np.allclose(model.decision_function(Q), by_definition(X, y, Q, mean_square, given))


def test_agrees_with_scikit_learn(blobs):
    X, y, Q = blobs  # 40 rows a class
    theirs = QuadraticDiscriminantAnalysis().fit(X, y).decision_function(Q)
    ours = qda().fit(X, y).decision_function(Q)
    # Earlier versions divide by 39: all ln|S| are 3 ln(40/39) more, distances 39/40 of ours.
    dets = [np.linalg.slogdet(np.cov(X[y == c].T, ddof=0))[1] for c in (-1, 2, 7)]
    rest = np.log(1 / 3) - np.array(dets) / 2
    earlier = (ours - rest) * 39 / 40 + rest - 1.5 * np.log(40 / 39)
    assert np.allclose(theirs, ours) or np.allclose(theirs, earlier)


@pytest.mark.skipif(
    "solver" not in inspect.signature(QuadraticDiscriminantAnalysis).parameters,
    reason="scikit-learn shrinks from 1.8 on",
)
def test_shrinkage_agrees_with_scikit_learn(blobs):
    X, y, Q = blobs
    theirs = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.3).fit(X, y)
    assert np.allclose(
        qda(shrinkage=0.3).fit(X, y).decision_function(Q), theirs.decision_function(Q)
    )


def test_shrinkage_is_the_definition(blobs):
    X, y, Q = blobs

    def shrunk(D):
        S = mean_square(D)
        return 0.8 * S + 0.2 * np.trace(S) / 3 * np.eye(3)

    model = qda(shrinkage=0.2).fit(X, y)
    assert np.allclose(model.decision_function(Q), by_definition(X, y, Q, shrunk))


def test_ledoit_and_wolf():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 10)) * np.arange(1, 11), np.arange(24) % 3
    model = qda(shrinkage="auto").fit(X, y)

    def shrunk(D):
        return ledoit_wolf(D, assume_centered=True)[0]

    assert np.allclose(model.decision_function(X), by_definition(X, y, X, shrunk))
    members = X[y == 1]
    intensity = ledoit_wolf(members - members.mean(axis=0), assume_centered=True)[1]
    assert model.shrinkages_[1] == pytest.approx(intensity)


def test_units_do_not_matter(blobs):
    X, y, Q = blobs
    expected = qda().fit(X, y).predict_proba(Q)
    for units in ([1e-12, 1, 1e12], [1e-150, 1e-150, 1e-150], [1e150, 1e-100, 1e120]):
        assert np.allclose(qda().fit(X * units, y).predict_proba(Q * units), expected, atol=1e-9)
    far = qda().fit(X + 2.0**20, y).predict_proba(Q + 2.0**20)
    assert np.allclose(far, expected, atol=1e-6)


def test_weights_are_repetitions(blobs):
    X, y, Q = blobs
    w = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), w)
    for parameters in ({}, {"shrinkage": 0.2}, {"shrinkage": "auto"}):
        repeated = qda(**parameters).fit(X[rows], y[rows]).decision_function(Q)
        weighted = qda(**parameters).fit(X, y, sample_weight=w).decision_function(Q)
        assert np.allclose(weighted, repeated)


class TestSingular:
    def test_class_is_named(self, blobs):
        X, y, _ = blobs
        few = np.r_[0:2, 40:120]
        said = "qda: the covariance of class 2, of 2 cases, is singular .rank 1 of 3.; set shrink"
        with pytest.raises(ilk.InputError, match=said):
            qda().fit(X[few], y[few])

    def test_gets_the_covariance_inside_all_classes(self, blobs):
        X, y, Q = blobs
        few = np.r_[0:1, 40:120]  # class 2 has one row
        X, y = X[few], y[few]
        D = X - np.array([X[y == c].mean(axis=0) for c in y])

        def or_pooled(own):
            return mean_square(own if len(own) > 3 else D)

        model = qda(singular="pooled").fit(X, y)
        assert model.pooled_.tolist() == [False, True, False]
        assert np.allclose(model.decision_function(Q), by_definition(X, y, Q, or_pooled))

    def test_pooled_is_singular_too(self, blobs):
        X, y, _ = blobs
        X = np.column_stack([X, np.ones(len(X))])
        with pytest.raises(ilk.InputError, match="class -1 and inside all .*rank 3 and 3 of 4"):
            qda(singular="pooled").fit(X, y)
        assert qda(shrinkage=0.1).fit(X, y).predict(X).shape == y.shape


def test_query_too_far_away_is_an_error(blobs):
    X, y, _ = blobs
    with pytest.raises(ilk.InputError, match="qda: decision_function.X. has infinity .* row 0"):
        qda().fit(X, y).predict([[1e200, 0, 0]])
