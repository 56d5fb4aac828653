"""gp, the regressor."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

import ilk
from cases import in_one_test
from ilk_learners.gaussian_processes.covariance import Covariance
from ilk_learners.gaussian_processes.marginal_likelihood import gram
from ilk_learners.regressors.gp import regress


def gp(kernel="rbf", **parameters):
    return ilk.regressor("gp", kernel=kernel, **parameters)


def rbf(sigma):
    return {"use": "rbf", "sigma": sigma}


@pytest.fixture
def waves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    return X, 7 + 3 * np.sin(X[:, 0]) + 0.3 * rng.normal(size=50), rng.normal(size=(10, 3))


def test_worked():
    # Standardized targets are -1 and 1, C = [[1.5, 0], [0, 1.5]].
    model = gp(rbf(1.0), noise_variance=0.5).fit([[0.0], [100.0]], [4.0, 8.0])
    mean, std = model.predict([[0.0], [100.0], [50.0]], return_std=True)
    assert mean == pytest.approx([6 - 2 / 1.5, 6 + 2 / 1.5, 6])
    assert std == pytest.approx([2 * (1 / 3) ** 0.5, 2 * (1 / 3) ** 0.5, 2])
    assert model.log_marginal_likelihood_ == pytest.approx(-1 / 1.5 - np.log(2 * np.pi * 1.5))


def test_agrees_with_sklearn(waves):
    X, y, Q = waves
    model = gp(rbf(1.5), signal_variance=2.0, noise_variance=0.05).fit(X, y)
    peer = GaussianProcessRegressor(
        2.0 * RBF(1.5), alpha=0.05, optimizer=None, normalize_y=True
    ).fit(X, y)
    for got, expected in zip(
        model.predict(Q, return_std=True), peer.predict(Q, return_std=True), strict=True
    ):
        assert got == pytest.approx(expected)
    expected = peer.log_marginal_likelihood_value_
    assert model.log_marginal_likelihood_ == pytest.approx(expected)


@pytest.mark.parametrize("optimize", ["isotropic", "ard"])
def test_optimum_is_that_of_sklearn(waves, optimize):
    X, y, _ = waves
    model = gp(rbf(1.5), optimize=optimize).fit(X, y)
    width = 1.5 if optimize == "isotropic" else [1.5] * 3
    kernel = ConstantKernel(1.0) * RBF(width) + WhiteKernel(0.1)
    peer = GaussianProcessRegressor(kernel, normalize_y=True).fit(X, y)
    expected = peer.log_marginal_likelihood_value_
    assert model.log_marginal_likelihood_ == pytest.approx(expected, abs=1e-3)
    assert model.noise_variance_ == pytest.approx(peer.kernel_.k2.noise_level, rel=1e-2)


@pytest.mark.parametrize("how", ["isotropic", "ard"])
def test_gradient(waves, how):
    X, y, _ = waves
    owner = gp(rbf(1.3), optimize=how)
    covariance = Covariance(owner, ilk.kernel("rbf", sigma=1.3).fit(X), X, y, how)
    y = y - y.mean()

    def evidence(theta):
        v, noise = np.exp(theta[:2])
        kernel = covariance.kernel(theta[2:])
        K = gram(kernel, v, X)
        found = regress(K, y, noise)
        value, M = found.log_evidence, found.derivative()
        trace = noise * np.trace(M)
        return value, np.insert(covariance.gradient(kernel, M, K, v), 1, trace)

    theta = np.linspace(-0.3, 0.4, covariance.size + 2)
    steps = 1e-5 * np.eye(len(theta))
    expected = [(evidence(theta + s)[0] - evidence(theta - s)[0]) / 2e-5 for s in steps]
    assert evidence(theta)[1] == pytest.approx(expected, abs=1e-6, rel=1e-6)


def left_out_by_fitting(model, X, y):
    rows = range(len(y))
    return [
        model.fit([X[j] for j in rows if j != i], np.delete(y, i)).predict([X[i]])[0] for i in rows
    ]


@pytest.mark.parametrize(
    "kernel",
    [rbf(1.2), "linear", {"use": "polynomial", "gamma": 0.3}, rbf([1.0, 2.0, 3.0])],
    ids=["rbf", "linear", "polynomial", "widths"],
)
def test_leave_one_out_is_fitting_anew(waves, kernel):
    X, y, _ = waves
    model = gp(kernel, noise_variance=0.02)
    assert model.fast_leave_one_out
    assert model.leave_one_out(X, y) == pytest.approx(left_out_by_fitting(model, X, y), abs=1e-9)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=8), st.sampled_from([0.01, 1.0, 100.0]))
def test_leave_one_out_of_any_targets(targets, noise):
    X = np.arange(len(targets), dtype=float)[:, None] ** 1.5
    model = gp(rbf(2.0), noise_variance=noise)
    got = model.leave_one_out(X, targets)
    assert got == pytest.approx(left_out_by_fitting(model, X, targets), abs=1e-9)


def test_leave_one_out_of_texts():
    texts = ["kitten", "sitting", "mitten", "bitten", "house", "mouse", "louse", "blouse"]
    kernel = ilk.kernel("substitution", distance="levenshtein").fit(texts)
    model = gp(ilk.frozen(kernel))
    y = np.array([len(text) for text in texts], dtype=float)
    assert model.fast_leave_one_out
    got = model.leave_one_out(texts, y)
    assert got == pytest.approx(left_out_by_fitting(model, texts, y), abs=1e-9)


@in_one_test
@pytest.mark.parametrize(
    ("model", "what"),
    [
        (gp(), "kernel"),
        (gp(rbf("neighbors")), "kernel"),
        (gp({"use": "rbf", "sigma": 1.0, "distance": "mahalanobis"}), "kernel"),
        (gp(rbf(1.0), optimize="isotropic"), "optimize"),
    ],
    ids=["mean_distance", "neighbors", "learned", "optimized"],
)
def test_leave_one_out_is_refused_where_something_is_learned(waves, model, what):
    X, y, _ = waves
    assert not model.fast_leave_one_out
    with pytest.raises(ilk.ParameterError, match=f"gp: {what} must be .* for leave_one_out"):
        model.leave_one_out(X, y)


def test_limits_of_noise(waves):
    X, y, Q = waves
    exact = gp(rbf(0.5), noise_variance=0.0).fit(X, y)
    assert exact.predict(X) == pytest.approx(y, abs=1e-6)
    assert exact.predict(X, return_std=True)[1] == pytest.approx(np.zeros(50), abs=1e-4)
    deaf = gp(rbf(0.5), noise_variance=1e12).fit(X, y)
    assert deaf.predict(Q) == pytest.approx(np.full(10, y.mean()))
    assert exact.predict([[1e6, 0, 0]]) == pytest.approx([y.mean()])


def test_duplicates_without_noise_get_jitter():
    X = np.repeat([[0.0], [1.0], [2.0]], 3, axis=0)
    y = np.tile([1.0, 2.0, 3.0], 3)
    model = gp(rbf(1.0), noise_variance=0.0).fit(X, y)
    assert 0 < model.jitter_ <= 1e-3
    assert model.predict(X) == pytest.approx(np.full(9, 2.0), abs=1e-3)
    with pytest.raises(ilk.InputError, match="gp: .* singular .* raise noise_variance"):
        gp(rbf(1.0), noise_variance=0.0).leave_one_out(X, y)
    assert gp(rbf(1.0), noise_variance=1e-3).fit(X, y).jitter_ == 0
    assert gp(rbf(1e9), noise_variance=0.0).fit(X, y).jitter_ > 0


def test_no_noise_stays_so_when_optimised(waves):
    X, y, _ = waves
    model = gp(optimize="isotropic", noise_variance=0.0).fit(X, y)
    assert model.noise_variance_ == 0
    assert model.predict(X) == pytest.approx(y, abs=1e-3)


@given(st.floats(-1e6, 1e6), st.sampled_from([1e-12, 1e-3, 1e5, 1e200]))
def test_units_of_targets(shift, scale):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    mean, std = gp().fit(X, y).predict(X, return_std=True)
    got, wide = gp().fit(X, (y + shift) * scale).predict(X, return_std=True)
    assert got / scale == pytest.approx(mean + shift, rel=1e-6, abs=1e-6)
    assert wide / scale == pytest.approx(std, rel=1e-5)


@in_one_test
@pytest.mark.parametrize("optimize", ["none", "isotropic", "ard"])
@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scale_of_rows(waves, optimize, scale):
    X, y, Q = waves
    expected = gp(optimize=optimize).fit(X, y).predict(Q)
    got = gp(optimize=optimize).fit(scale * X, y).predict(scale * Q)
    assert got == pytest.approx(expected, abs=1e-3)


def test_a_trivial_maximum_is_left():
    # From the usual widths the evidence grows towards noise without a signal.
    rng = np.random.default_rng(0)
    X, Q = rng.uniform(0, 10, size=(2, 80, 1))
    y = np.sin(10 * X[:, 0]) + 0.1 * rng.normal(size=80)
    model = ilk.regressor("gp", optimize="isotropic").fit(X, y)
    assert model.noise_variance_ < 0.1
    assert model.score(Q, np.sin(10 * Q[:, 0])) > 0.8


def test_few_and_constant():
    model = gp().fit([[0.0], [1.0]], [3.0, 5.0])
    assert 3 < model.predict([[0.0]])[0] < 4 < model.predict([[1.0]])[0] < 5
    assert gp().fit([[0.0], [1.0]], [0.1, 0.1]).predict([[0.3]]).tolist() == [0.1]
    assert gp(rbf(1.0)).leave_one_out([[0.0], [1.0]], [3.0, 5.0]) == pytest.approx([5, 3])
    with pytest.raises(ilk.InputError, match="gp: X has 1 row"):
        gp(rbf(1.0)).leave_one_out([[0.0]], [3.0])


def test_order_of_rows_does_not_matter(waves):
    X, y, Q = waves
    order = np.random.default_rng(1).permutation(50)
    expected = gp(optimize="isotropic").fit(X, y).predict(Q)
    assert gp(optimize="isotropic").fit(X[order], y[order]).predict(Q) == pytest.approx(
        expected, abs=1e-5
    )


def test_texts():
    kernel = {"use": "substitution", "distance": "levenshtein"}
    model = gp(kernel).fit(["a", "aa", "aaa", "aaaa", "aaaaa"], [1, 2, 3, 4, 5])
    mean = model.predict(["a", "aaa", "aaaaa"])
    assert mean[0] < mean[1] < mean[2]


def test_says_when_it_has_not_converged(waves):
    X, y, _ = waves
    with pytest.warns(ConvergenceWarning, match="gp: .* in 1 steps; raise max_steps"):
        gp(optimize="ard", max_steps=1).fit(X, y)


def test_saved_and_loaded(waves, tmp_path):
    X, y, Q = waves
    model = gp(optimize="isotropic").fit(X, y)
    loaded = ilk.load(ilk.save(model, tmp_path / "gp.ilk"))
    assert np.array_equal(loaded.predict(Q), model.predict(Q))
