"""vsm: Lowe's variable kernel, its gradient and its weights."""

import numpy as np
import pytest

import ilk
from cases import in_one_test
from ilk_learners.metric_learners.vsm import VariableKernel

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::ilk_learners.metric_learners.linear.MetricWarning",
)


def _xor(n=150, p=5):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, p))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def _near(X, m):
    D = ((X[:, None] - X) ** 2).sum(axis=-1)
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1)[:, :m]


def _slow(v, X, Y, near, r0, penalty, least):
    w, r, loss = np.exp(v[:-1]), np.exp(v[-1]), 0.0
    for i in range(len(X)):
        d = np.array([np.linalg.norm(w * (X[i] - X[j])) for j in near[i]])
        sigma = r * max(np.sort(d)[: max(1, len(d) // 2)].mean(), least)
        n = np.exp(-(d**2) / (2 * sigma**2))
        loss += np.sum((n @ Y[near[i]] / n.sum() - Y[i]) ** 2)
    return loss + penalty * (np.sum(v[:-1] ** 2) + (v[-1] - np.log(r0)) ** 2)


@in_one_test
@pytest.mark.parametrize("m", [1, 2, 7])
@pytest.mark.parametrize("least", [1e-9, 0.6])
def test_loss_and_gradient(m, least):
    X, y = _xor(25, 3)
    Y, near = np.eye(2)[y], _near(X, m)
    v = np.random.default_rng(1).normal(size=4) * 0.3
    loss = VariableKernel(X, Y, near, least, 0.6, 0.7)
    assert loss(v)[0] == pytest.approx(_slow(v, X, Y, near, 0.6, 0.7, least))
    numeric = [(loss(v + e)[0] - loss(v - e)[0]) / 2e-6 for e in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(loss(v)[1], numeric, rtol=1e-6, atol=1e-6)


def test_finds_what_no_single_feature_tells():
    X, y = _xor()
    learner = ilk.metric_learner("vsm").fit(X, y)
    weights = learner.components_.diagonal()
    assert weights[:2].min() > 1.5 * weights[2:].max()
    assert learner.report_.after < learner.report_.before
    assert learner.kernel_width_ > 0


def test_unit_of_any_feature_changes_nothing():
    X, y = _xor()
    units = np.array([1e12, 1e-12, 1, 1000, 7])
    learner = ilk.metric_learner("vsm", max_iter=15).fit(X, y)
    other = ilk.metric_learner("vsm", max_iter=15).fit(X * units, y)
    np.testing.assert_allclose(other.transform(X * units), learner.transform(X), rtol=1e-3)


def test_ends_no_higher_than_it_begins():
    X, y = _xor()
    learner = ilk.metric_learner("vsm", refresh=2, max_iter=25).fit(X, y)
    assert learner.loss_curve_[-1] < learner.loss_curve_[0]
    assert learner.n_iter_ <= 25


def test_strong_prior_leaves_standardized_features():
    X, y = _xor()
    learner = ilk.metric_learner("vsm", penalty=1e6).fit(X, y)
    np.testing.assert_allclose(learner.components_.diagonal() * X.std(axis=0), 1, atol=1e-3)
    assert learner.kernel_width_ == pytest.approx(0.6, rel=1e-3)


def test_constant_feature_gets_no_weight():
    X, y = _xor()
    X[:, 3] = 7
    assert ilk.metric_learner("vsm").fit(X, y).components_[3, 3] == 0


def test_warm_start_goes_on():
    X, y = _xor()
    learner = ilk.metric_learner("vsm", max_iter=10, warm_start=True, tol=0).fit(X, y)
    before = learner.loss_curve_[-1]
    assert learner.fit(X, y).loss_curve_[0] == pytest.approx(before)


@in_one_test
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0, 1.0], [1.0, 0.0]], [0, 1]),
        (np.repeat([[0.0, 0.0], [1.0, 1.0], [3.0, 1.0]], 12, axis=0), ["a", "b"] * 18),
        (np.random.default_rng(0).normal(size=(5, 9)), [0, 1, 0, 1, 2]),
        (np.random.default_rng(0).normal(size=(101, 1)), [1] + [-1] * 100),
    ],
    ids=["two", "duplicates", "n < p", "1:100"],
)
def test_degenerate_data(dtype, X, y):
    learner = ilk.metric_learner("vsm").fit(np.asarray(X, dtype=dtype), y)
    assert learner.components_.dtype == dtype
    assert np.isfinite(learner.components_).all()
    assert learner.components_.any()


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="vsm: y has 1 class"):
        ilk.metric_learner("vsm").fit(np.arange(12.0).reshape(6, 2), [3] * 6)
