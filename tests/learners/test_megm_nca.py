"""megm_nca: the sum of two losses, and its limits."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import ilk

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::ilk_learners.metric_learners.linear.MetricWarning",
)


def _data(n=60):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, 3))
    X[:, 0] += y
    return X, y


def test_without_nca_it_is_megm():
    X, y = _data()
    both = ilk.metric_learner("megm_nca", gamma2=0, max_iter=10).fit(X, y)
    megm = ilk.metric_learner("megm", max_iter=10).fit(X, y)
    np.testing.assert_allclose(both.metric_matrix_, megm.metric_matrix_, rtol=1e-8)
    np.testing.assert_allclose(both.loss_curve_, megm.loss_curve_)


def test_without_megm_it_is_nca():
    X, y = _data()
    both = ilk.metric_learner("megm_nca", gamma1=0, regularization=0, max_iter=5).fit(X, y)
    nca = ilk.metric_learner("nca", max_iter=5).fit(X, y)
    np.testing.assert_allclose(both.metric_matrix_, nca.metric_matrix_, rtol=1e-5)
    np.testing.assert_allclose(both.loss_curve_, np.array(nca.loss_curve_) - 60, rtol=1e-8)


def test_loss_is_the_weighted_difference():
    X, y = _data()
    learner = ilk.metric_learner("megm_nca", gamma1=2.0, gamma2=3.0, regularization=0).fit(X, y)
    Z = learner.transform(X)
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    Y, W, P = (
        np.eye(3)[y],
        *(
            np.exp(widths * (D.min(axis=1, keepdims=True) - D))
            for widths in (learner.widths_[:, None], 1.0)
        ),
    )
    W, P = (K / K.sum(axis=1, keepdims=True) for K in (W, P))
    expected = 2 * 0.5 * np.sum((W @ Y - Y) ** 2) - 3 * np.sum((P @ Y) * Y)
    assert learner.loss_curve_[-1] == pytest.approx(expected)
    assert (np.diff(learner.loss_curve_) <= 0).all()


def test_both_weights_zero_are_refused():
    with pytest.raises(ValueError, match="megm_nca: gamma2 must be above 0"):
        ilk.metric_learner("megm_nca", gamma1=0, gamma2=0).fit(*_data())


def test_numbers_are_refused():
    X, y = _data()
    with pytest.raises(ValueError, match="megm_nca: y"):
        ilk.metric_learner("megm_nca").fit(X, y + 0.5)
