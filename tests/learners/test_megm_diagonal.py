"""megm_diagonal: weights of features, those of the thesis's three functions among them."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import ilk

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::ilk_learners.metric_learners.linear.MetricWarning",
)


def _xor(n=120, p=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, p))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def _weights(X, y, **parameters):
    return np.diag(ilk.metric_learner("megm_diagonal", **parameters).fit(X, y).components_)


def test_map_is_diagonal_and_not_negative():
    X, y = _xor()
    L = ilk.metric_learner("megm_diagonal").fit(X, y).components_
    np.testing.assert_array_equal(L, np.diag(np.diag(L)))
    assert (L >= 0).all()


def test_finds_what_no_single_feature_tells():
    X, y = _xor()
    weights = _weights(X, y)
    assert weights[:2].min() > 3 * weights[2:].max()


def test_loss_is_the_printed_one():
    X, y = _xor(30)
    learner = ilk.metric_learner("megm_diagonal", regularization=0).fit(X, y)
    D = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    sigma2 = np.sort(D, axis=1)[:, :2].mean(axis=1)
    w = np.diag(learner.components_) * np.sqrt(2 * sigma2.mean())
    d2 = cdist(X * w, X * w, "sqeuclidean")
    np.fill_diagonal(d2, np.inf)
    W = np.exp((d2.min(axis=1, keepdims=True) - d2) / (2 * sigma2[:, None]))
    votes = W @ np.eye(2)[y] / W.sum(axis=1, keepdims=True)
    loss = 0.5 * np.sum((votes - np.eye(2)[y]) ** 2)
    assert learner.loss_curve_[-1] == pytest.approx(loss, rel=1e-6, abs=1e-9)


def test_order_of_features_does_not_matter():
    X, y = _xor()
    order = [3, 1, 4, 0, 2]
    np.testing.assert_allclose(
        _weights(X[:, order], y), _weights(X, y)[order], rtol=1e-4, atol=1e-5
    )


def _function_2(x):
    return np.sin(2 * np.pi * x[:, 0] + np.pi / 2)


def _function_3(x):
    return np.sin(2 * np.pi * x[:, 0]) * np.sin(2 * np.pi * x[:, 1])


@pytest.mark.parametrize(
    ("function", "relevant"), [(lambda x: x[:, 0] ** 2, 1), (_function_2, 1), (_function_3, 2)]
)
def test_functions_of_the_thesis(function, relevant):
    """Section 5.3, with fewer rows, features and less noise."""
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(400, 6))
    y = function(X) + 0.1 * rng.normal(size=400)
    weights = _weights(X, y, report=False)
    assert weights[:relevant].min() > 3 * weights[relevant:].max()


def test_start_and_warm_start():
    X, y = _xor()
    start = np.array([3.0, 3, 0.1, 0.1, 0.1])
    learner = ilk.metric_learner("megm_diagonal", init=start, max_iter=2, tol=0, warm_start=True)
    before = learner.fit(X, y).loss_curve_[-1]
    assert learner.fit(X, y).loss_curve_[0] == pytest.approx(before)


@pytest.mark.parametrize("factor", [1e-12, 1e12])
def test_unit_changes_nothing(factor):
    X, y = _xor()
    np.testing.assert_allclose(
        _weights(X * factor, y) * factor, _weights(X, y), rtol=1e-3, atol=1e-4
    )


def test_constant_feature_is_finite_and_float32_is_kept():
    X, y = _xor()
    X[:, 4] = 7
    learner = ilk.metric_learner("megm_diagonal").fit(X.astype(np.float32), y)
    assert learner.components_.dtype == np.float32
    assert np.isfinite(learner.components_).all()


@pytest.mark.parametrize("init", [np.eye(5), [1.0, 2], [1, 2, 3, 4, np.nan]])
def test_bad_start(init):
    with pytest.raises(ValueError, match="megm_diagonal: init must be of shape"):
        ilk.metric_learner("megm_diagonal", init=init).fit(*_xor())


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="megm_diagonal: y has 1 class"):
        ilk.metric_learner("megm_diagonal").fit(np.arange(12.0).reshape(6, 2), ["a"] * 6)
