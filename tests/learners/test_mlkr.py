"""mlkr: the leave-one-out error of kernel regression."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import ilk

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::ilk_learners.metric_learners.linear.MetricWarning",
)


def _data(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1, 1, 3]
    return X, X[:, 0] - 2 * X[:, 1] + 0.05 * rng.normal(size=n)


def test_loss_is_what_it_says():
    X, y = _data()
    learner = ilk.metric_learner("mlkr").fit(X, y)
    Z = learner.transform(X)
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    K = np.exp(D.min(axis=1, keepdims=True) - D)
    standard = (y - y.mean()) / y.std()
    loss = np.sum((K @ standard / K.sum(axis=1) - standard) ** 2)
    assert learner.loss_curve_[-1] == pytest.approx(loss)
    assert (np.diff(learner.loss_curve_) <= 0).all()


def test_finds_the_direction():
    X, y = _data(200)
    learner = ilk.metric_learner("mlkr", n_components=1, init="pca", tol=1e-9)
    L = learner.fit(X, y).components_[0]
    np.testing.assert_allclose(L / L[0], [1, -2, 0], atol=0.1)


def test_units_of_rows_and_targets_change_nothing():
    X, y = _data()
    A = ilk.metric_learner("mlkr", max_iter=10).fit(X, y)
    B = ilk.metric_learner("mlkr", max_iter=10).fit(X * 1e12, y * 1e-12)
    np.testing.assert_allclose(B.transform(X * 1e12), A.transform(X), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(B.loss_curve_, A.loss_curve_, rtol=1e-4)


def test_whole_numbers_on_request():
    X, y = _data()
    whole = np.round(10 * y).astype(int)
    learner = ilk.metric_learner("mlkr", targets="numbers", max_iter=5).fit(X, whole)
    expected = ilk.metric_learner("mlkr", max_iter=5).fit(X, whole + 0.25)
    np.testing.assert_allclose(learner.metric_matrix_, expected.metric_matrix_, rtol=1e-6)


def test_classes_have_a_column_each():
    X, _ = _data()
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    learner = ilk.metric_learner("mlkr").fit(X, y)
    assert learner.report_.after < learner.report_.before


def test_float32_far_from_the_origin():
    X, y = _data()
    X = (X + 1000).astype(np.float32)
    single = ilk.metric_learner("mlkr", max_iter=8).fit(X, y)
    A = ilk.metric_learner("mlkr", max_iter=8).fit(X.astype(float), y).metric_matrix_
    assert single.components_.dtype == np.float32
    np.testing.assert_allclose(single.metric_matrix_, A, atol=2e-3 * np.abs(A).max())


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.5] * 6, "mlkr: y is 1.5 in every row"),
        ([1.5, 2, 3, np.nan, 1, 2], "mlkr: y"),
        ([1.5, 2, 3], "mlkr: y has 3 values for the 6 rows"),
    ],
)
def test_bad_targets(y, message):
    with pytest.raises(ValueError, match=message):
        ilk.metric_learner("mlkr").fit(np.arange(12.0).reshape(6, 2), y)
