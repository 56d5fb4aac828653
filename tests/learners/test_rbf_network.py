"""rbf_network."""

import warnings

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge

import ilk
from ilk_learners.classifiers.rbf_network import (
    Network,
    cross_entropy,
    ridge,
    squared_error,
    widths,
)


def rbf_network(**parameters):
    return ilk.classifier("rbf_network", **{"random_state": 0, **parameters})


XOR = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array(["same", "same", "differ", "differ"])


def test_exclusive_or_as_in_the_slides():
    X, y = XOR
    model = rbf_network(centers=[[1, 1], [0, 0]], sigma=0.5**0.5, alpha=1e-9).fit(X, y)
    units = np.exp(-np.array([[2, 0], [0, 2], [1, 1], [1, 1]]))
    assert units.round(3).tolist() == [[0.135, 1], [1, 0.135], [0.368, 0.368], [0.368, 0.368]]
    assert model.predict(X).tolist() == y.tolist()
    # The outputs are 1 for the class, as the four points leave two values of y1 + y2.
    outputs = units @ model.weights_ + model.bias_
    assert outputs == pytest.approx(np.array([[0, 1], [0, 1], [1, 0], [1, 0]]), abs=1e-4)
    # g(x) = y1 + y2 - 1 up to scale and offset: both units weigh the same.
    assert model.weights_[0] == pytest.approx(model.weights_[1], rel=1e-6)


def test_outputs_are_a_ridge_regression(blobs):
    X, y, Q = blobs
    model = rbf_network(n_centers=8, centers="random", sigma=1.5, alpha=0.01).fit(X, y)
    rows = {tuple(row) for row in X.round(9)}
    assert all(tuple(row) in rows for row in model.centers_.round(9))

    def units(Z):
        return np.exp(-((Z[:, None] - model.centers_) ** 2).sum(axis=2) / (2 * 1.5**2))

    theirs = Ridge(alpha=0.01 * len(X)).fit(units(X), y[:, None] == model.classes_)
    assert np.allclose(model.decision_function(Q), theirs.predict(units(Q)))


def test_logistic_outputs_are_a_logistic_regression(blobs):
    X, y, Q = blobs
    options = {"output": "logistic", "alpha": 0.01, "tol": 1e-12, "max_iter": 5000}
    model = rbf_network(n_centers=6, sigma=2.0, **options).fit(X, y)

    def units(Z):
        return np.exp(-((Z[:, None] - model.centers_) ** 2).sum(axis=2) / 8)

    theirs = LogisticRegression(C=1 / (2 * 0.01 * len(X)), tol=1e-10, max_iter=5000)
    expected = theirs.fit(units(X), y).predict_proba(units(Q))
    assert np.allclose(model.predict_proba(Q), expected, atol=1e-4)
    assert not hasattr(rbf_network(), "predict_proba")


@pytest.mark.parametrize("loss", [squared_error, cross_entropy], ids=lambda f: f.__name__)
def test_gradient(loss):
    rng = np.random.default_rng(0)
    X, T = rng.normal(size=(15, 3)), np.eye(3)[rng.integers(0, 3, 15)]
    shape = Network(
        rng.normal(size=(4, 3)), rng.normal(size=4) / 3, rng.normal(size=(4, 3)), rng.normal(size=3)
    )

    def value(v):
        return shape.with_vector(v).loss(X, T, 0.1, loss)[0]

    at = shape.vector()
    expected = approx_fprime(at, value, 1e-7)
    assert np.allclose(shape.loss(X, T, 0.1, loss)[1].vector(), expected, atol=1e-5)


def test_ridge_is_least():
    rng = np.random.default_rng(0)
    H, T = rng.random((30, 5)), rng.normal(size=(30, 2))
    H = np.column_stack([H, H[:, 0]])  # singular, but for the penalty
    W, b = ridge(H, T, 0.01)

    def loss(v):
        errors = H @ v[:12].reshape(6, 2) + v[12:] - T
        return (errors**2).sum() / 30 + 0.01 * (v[:12] ** 2).sum()

    assert np.allclose(approx_fprime(np.r_[W.ravel(), b], loss, 1e-7), 0, atol=1e-5)


@pytest.mark.parametrize("output", ["least_squares", "logistic"])
def test_training_lowers_the_loss(blobs, output):
    X, y, _ = blobs
    options = {"n_centers": 4, "output": output, "alpha": 1e-3, "max_iter": 3000}
    fixed = rbf_network(**options).fit(X, y)
    trained = rbf_network(centers="trained", **options).fit(X, y)
    assert trained.loss_ < 0.98 * fixed.loss_
    assert not np.allclose(trained.centers_, fixed.centers_)
    assert trained.n_iter_ > 1


def test_loss_is_what_it_says(blobs):
    X, y, _ = blobs
    model = rbf_network(n_centers=5, alpha=0.1).fit(X, y)
    errors = model.decision_function(X) - (y[:, None] == model.classes_)
    expected = (errors**2).sum() / len(X) + 0.1 * (model.weights_**2).sum()
    assert model.loss_ == pytest.approx(expected)


def test_widths():
    centers = np.array([[0.0], [1.0], [3.0], [10.0]])
    rows = np.zeros((1, 1))
    assert widths(centers, rows, "neighbors").tolist() == [2, 1.5, 2.5, 8]
    expected = (1 + 3 + 10 + 2 + 9 + 7) / 6
    assert widths(centers, rows, "mean_distance") == pytest.approx([expected] * 4)
    assert widths(centers[:1], rows + 2, "neighbors").tolist() == [2]
    assert widths(np.zeros((2, 1)), np.zeros((3, 1)), "mean_distance").tolist() == [1, 1]


@pytest.mark.parametrize("centers", ["kmeans", "random"])
def test_units_and_origin_do_not_matter(blobs, centers):
    X, y, Q = blobs
    model = rbf_network(centers=centers)
    expected = model.fit(X, y).decision_function(Q)
    sizes = model.sigmas_
    for scale in (2.0**-400, 2.0**40, 2.0**500):
        assert np.allclose(model.fit(X * scale, y).decision_function(Q * scale), expected)
        assert np.allclose(model.sigmas_, sizes * scale)
    far = model.fit(X + 2.0**20, y).decision_function(Q + 2.0**20)
    assert np.allclose(far, expected, atol=1e-5)


def test_far_queries_get_the_bias(blobs):
    X, y, _ = blobs
    model = rbf_network().fit(X, y)
    assert np.allclose(model.decision_function([[1e300, -1e300, 0]]), model.bias_)


def test_rows_that_are_the_same():
    X, y = np.ones((12, 2)), ["a"] * 4 + ["b"] * 8
    for centers in ("kmeans", "random"):
        model = rbf_network(centers=centers).fit(X, y)
        assert model.predict([[1, 1], [5, 5]]).tolist() == ["b", "b"]


def test_same_seed_same_network(blobs):
    X, y, Q = blobs
    for centers in ("kmeans", "random"):
        first, second, other = (
            rbf_network(centers=centers, random_state=s).fit(X, y).decision_function(Q)
            for s in (1, 1, 2)
        )
        assert np.array_equal(first, second)
        assert not np.allclose(first, other)


def test_what_is_wrong_is_named(blobs):
    X, y, _ = blobs
    with pytest.raises(ilk.InputError, match="rbf_network: n_centers=10 needs as many rows, X has"):
        rbf_network().fit(X[35:44], y[35:44])
    with pytest.raises(ilk.InputError, match="rbf_network: X has 3 features, but centers has 2"):
        rbf_network(centers=[[0, 1]]).fit(X, y)
    with pytest.raises(ilk.ParameterError, match="rbf_network: centers must be finite numbers"):
        rbf_network(centers=[0, 1]).fit(X, y)
    with pytest.raises(ilk.InputError, match="rbf_network: y has 1 class"):
        rbf_network().fit(X, y > 99)


def test_says_that_it_has_not_converged(blobs):
    said = "rbf_network: not converged after max_iter=2 "
    with pytest.warns(ConvergenceWarning, match=said) as got:
        rbf_network(centers="trained", max_iter=2).fit(*blobs[:2])
    assert len(got) == 1


def test_labels_of_any_kind(blobs):
    X, y, Q = blobs
    names = np.vectorize({-1: "z", 2: "a", 7: "m"}.get)
    expected = names(rbf_network().fit(X, y).predict(Q))
    assert np.array_equal(rbf_network().fit(X, names(y)).predict(Q), expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rbf_network().fit(X, y > 0).predict(Q).dtype == bool


def test_largest_numbers():
    X, y = np.array([[-1.7e308], [-1.6e308], [1.6e308], [1.7e308]]), [0, 0, 1, 1]
    network = ilk.classifier("rbf_network", n_centers=4, random_state=0).fit(X, y)
    assert np.sort(network.centers_[:, 0]) == pytest.approx(X[:, 0])
    assert network.predict(X).tolist() == y
    with pytest.raises(ilk.InputError, match="rbf_network: X varies so much that sigmas_ has inf"):
        ilk.classifier("rbf_network", n_centers=2, random_state=0).fit(X, y)


def test_infinite_penalty(blobs):
    with pytest.raises(ilk.ParameterError, match="rbf_network: alpha must be finite, got inf"):
        ilk.classifier("rbf_network", alpha=np.inf).fit(*blobs)
