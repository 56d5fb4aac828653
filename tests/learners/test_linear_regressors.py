"""linear and bayesian_linear."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.linear_model import BayesianRidge, LinearRegression

import ilk


def bayesian(**parameters):
    return ilk.regressor("bayesian_linear", **parameters)


@pytest.fixture
def noisy():
    """A plane in 4 dimensions with noise, and queries."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) * [1, 2, 0.5, 1] + [3, 0, -1, 0]
    return X, X @ [1.0, -2, 0, 0.5] + 7 + rng.normal(size=30), rng.normal(size=(5, 4)) * 3


def test_least_squares_worked():
    # The plane of (0, 1), (1, 2), (2, 6) is 0.5 + 2.5 x: errors 0.5, -1, 0.5.
    line = ilk.regressor("linear").fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 6.0])
    assert line.coef_ == pytest.approx([2.5])
    assert line.intercept_ == pytest.approx(0.5)
    assert line.noise_variance_ == pytest.approx(1.5 / 3)
    assert line.predict([[4.0]]) == pytest.approx([10.5])


@pytest.mark.parametrize("weighted", [False, True])
def test_least_squares_agrees_with_sklearn(noisy, weighted):
    X, y, Q = noisy
    weights = np.random.default_rng(1).random(30) if weighted else None
    theirs = LinearRegression().fit(X, y, sample_weight=weights)
    ours = ilk.regressor("linear").fit(X, y, sample_weight=weights)
    assert ours.coef_ == pytest.approx(theirs.coef_)
    assert ours.intercept_ == pytest.approx(theirs.intercept_)
    assert ours.predict(Q) == pytest.approx(theirs.predict(Q))


def test_the_shortest_of_many_solutions(noisy):
    X, y, _ = noisy
    wide = np.hstack([X, X, np.ones((30, 1))])
    model = ilk.regressor("linear").fit(wide, y)
    once = ilk.regressor("linear").fit(X, y)
    assert model.coef_ == pytest.approx(np.r_[once.coef_ / 2, once.coef_ / 2, 0], abs=1e-12)
    few = ilk.regressor("linear").fit(X[:3], y[:3])
    assert few.predict(X[:3]) == pytest.approx(y[:3])
    shortest = np.linalg.pinv(X[:3] - X[:3].mean(axis=0)) @ (y[:3] - y[:3].mean())
    assert few.coef_ == pytest.approx(shortest)


def without_mean(n):
    """An orthonormal basis of the directions that sum to 0; array of shape (n - 1, n)."""
    return np.linalg.qr(np.c_[np.ones(n), np.eye(n)[:, 1:]])[0][:, 1:].T


def test_evidence_agrees_with_sklearn(noisy):
    # scikit-learn does not integrate the intercept out: it gets rows without one
    X, y, Q = noisy
    B = without_mean(30)
    flat = {"alpha_1": 0, "alpha_2": 0, "lambda_1": 0, "lambda_2": 0, "fit_intercept": False}
    theirs = BayesianRidge(tol=1e-12, max_iter=10**5, **flat).fit(B @ X, B @ y)
    ours = bayesian().fit(X, y)
    assert ours.coef_ == pytest.approx(theirs.coef_, rel=1e-5)
    noise = ours.noise_variance_
    assert noise == pytest.approx(1 / theirs.alpha_, rel=1e-5)
    assert ours.weight_variance_ == pytest.approx(1 / theirs.lambda_, rel=1e-5)
    means, std = ours.predict(Q, return_std=True)
    expected, of_targets = theirs.predict(Q - X.mean(axis=0), return_std=True)
    assert means == pytest.approx(y.mean() + expected, rel=1e-5)
    # ours has the doubt of the intercept besides, and no noise
    assert std**2 + noise == pytest.approx(of_targets**2 + noise / 30, rel=1e-5)


@pytest.mark.parametrize("n", [4, 12, 30])
def test_evidence_is_the_density_of_the_targets_and_at_its_maximum(noisy, n):
    X, y, _ = (each[:n] for each in noisy)
    y = y / np.abs(y - y.mean()).max()
    B, model = without_mean(n), bayesian().fit(X, y)

    def evidence(noise, weight):
        cov = noise * np.eye(n - 1) + weight * B @ X @ X.T @ B.T
        return multivariate_normal.logpdf(B @ y, cov=cov)

    best = model.log_marginal_likelihood_
    s, v = model.noise_variance_, model.weight_variance_
    assert best == pytest.approx(evidence(s, v), rel=1e-6)
    others = [evidence(s * a, v * b) for a in (0.3, 0.9, 1.1, 3) for b in (0.3, 0.9, 1.1, 3)]
    assert max(others) <= best + 1e-6


@pytest.mark.parametrize("unseen", [0, 2, 20])
def test_posterior_closed_form(noisy, unseen):
    # features that are constant in training: their directions keep the prior
    X, y, Q = noisy
    X = np.hstack([X[:12], np.zeros((12, unseen))])
    Q = np.hstack([Q, np.random.default_rng(2).normal(size=(5, unseen))])
    model = bayesian().fit(X, y[:12])
    s, v, D = model.noise_variance_, model.weight_variance_, X - X.mean(axis=0)
    S = np.linalg.inv(np.eye(4 + unseen) / v + D.T @ D / s)
    assert model.coef_ == pytest.approx(S @ D.T @ (y[:12] - y[:12].mean()) / s)
    d = Q - X.mean(axis=0)
    variance = np.einsum("ij,jk,ik->i", d, S, d) + s / 12
    assert model.predict(Q, return_std=True)[1] == pytest.approx(np.sqrt(variance))


@pytest.mark.parametrize("name", ["linear", "bayesian_linear"])
@given(st.integers(0, 10**6), st.integers(-300, 290), st.integers(-300, 290))
def test_units_do_not_matter(name, seed, unit_x, unit_y):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(2, 12, 3))
    y = X @ rng.normal(size=3) + rng.normal(size=12)
    expected = ilk.regressor(name).fit(X, y).predict(Q)
    if abs(unit_y - unit_x) > 290:
        return  # the coefficients overflow
    x, u = 10.0**unit_x, 10.0**unit_y
    got = ilk.regressor(name).fit((X + 1) * x, (y - 2) * u).predict((Q + 1) * x)
    assert got / u + 2 == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", ["linear", "bayesian_linear"])
def test_weights_are_repeats(name, noisy):
    X, y, Q = noisy
    times = np.random.default_rng(0).integers(0, 4, 30)
    weighted = ilk.regressor(name).fit(X, y, sample_weight=times)
    repeated = ilk.regressor(name).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.predict(Q) == pytest.approx(repeated.predict(Q))
    assert weighted.noise_variance_ == pytest.approx(repeated.noise_variance_)


def test_limits():
    X = np.arange(8.0)[:, None]
    exact = bayesian().fit(X, 3 * X[:, 0] + 1)
    assert exact.predict([[10.0]]) == pytest.approx([31], rel=1e-6)
    assert exact.noise_variance_ < 1e-6
    nothing = bayesian().fit(X, [1.0, -1, 1, -1, -1, 1, -1, 1])
    assert nothing.coef_ == pytest.approx([0], abs=1e-9)
    assert nothing.noise_variance_ == pytest.approx(8 / 7)
    for name in ("linear", "bayesian_linear"):
        constant = ilk.regressor(name).fit(X, [5.0] * 8)
        assert constant.predict([[100.0]]).tolist() == [5]
        same = ilk.regressor(name).fit(np.ones((8, 2)), X[:, 0])
        assert same.predict([[1.0, 4.0]]) == pytest.approx([3.5])
        assert ilk.regressor(name).fit([[1.0]], [2.0]).predict([[5.0]]).tolist() == [2]
    with pytest.raises(ilk.InputError, match="linear: y varies so much, or X so little"):
        ilk.regressor("linear").fit(X * 1e-200, X[:, 0] * 1e200)


def test_saved_and_loaded(noisy, tmp_path):
    X, y, Q = noisy
    model = bayesian().fit(X, y)
    again = ilk.load(ilk.save(model, tmp_path / "m.ilk"))
    for got, expected in zip(*(m.predict(Q, return_std=True) for m in (again, model)), strict=True):
        assert got.tolist() == expected.tolist()
