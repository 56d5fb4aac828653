"""Modes, evidence and gradients of Gaussian processes, and averages over latent values."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax
from scipy.stats import norm

import ilk
from cases import in_one_test
from ilk_learners.gaussian_processes import triangles
from ilk_learners.gaussian_processes.classification import Evidence, Logistic, Softmax
from ilk_learners.gaussian_processes.covariance import Covariance
from ilk_learners.gaussian_processes.newton import find_mode
from ilk_learners.gaussian_processes.predictions import average_logistic, average_softmax


def data(n=30, classes=2):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3)) * [1, 5, 0.2]
    y = np.digitize(X[:, 0] + 0.4 * rng.normal(size=n), [0, 0.7][: classes - 1])
    return X, y


def covariance_of(X, v=2.0, sigma=2.5):
    return v * ilk.kernel("rbf", sigma=sigma).fit(X).gram(X)


def likelihood_of(y, kind):
    return Softmax(y, 3) if kind == "softmax" else Logistic(np.where(y == 0, -1.0, 1.0))


@pytest.mark.parametrize("kind", ["logistic", "softmax"])
def test_mode_is_where_f_is_K_times_the_gradient(kind):
    X, y = data(classes=3)
    K, likelihood = covariance_of(X, 50.0), likelihood_of(y, kind)
    mode = find_mode(likelihood, K, tol=1e-10, max_iter=50)
    assert mode.converged
    assert mode.f == pytest.approx(likelihood.gradient(mode.f) @ K, abs=1e-8)
    start = np.full(likelihood.shape, 3.0)  # a bad one
    again = find_mode(likelihood, K, start, tol=1e-10, max_iter=50)
    assert again.f == pytest.approx(mode.f, abs=1e-8)
    assert again.log_evidence == pytest.approx(mode.log_evidence, abs=1e-9)


def softmax_by_definition(X, y, v, sigma):
    """Mode, log evidence and posterior covariance from matrices of n C rows."""
    n, C = len(y), 3
    K = np.kron(np.eye(C), covariance_of(X, v, sigma) + 1e-10 * np.eye(n))
    Y = np.eye(C)[y].T.ravel()

    def cost(a):
        f = K @ a
        return a @ f / 2 - (Y * log_softmax(f.reshape(C, n), axis=0).ravel()).sum()

    def slope(a):
        f = K @ a
        return f - K @ (Y - softmax(f.reshape(C, n), axis=0).ravel())

    a = minimize(cost, np.zeros(n * C), jac=slope, method="BFGS", options={"gtol": 1e-9}).x
    f = (K @ a).reshape(C, n)
    P = softmax(f, axis=0)
    W = np.block([[np.diag((c == d) * P[c] - P[c] * P[d]) for d in range(C)] for c in range(C)])
    B = np.eye(n * C) + K @ W
    R = W @ np.linalg.inv(B)
    return f, -cost(a) - np.linalg.slogdet(B)[1] / 2, R, K


@pytest.mark.filterwarnings("ignore:Desired error")
def test_softmax_agrees_with_the_definition():
    X, y = data(15, classes=3)
    f, log_evidence, R, _ = softmax_by_definition(X, y, 4.0, 2.0)
    mode = find_mode(Softmax(y, 3), covariance_of(X, 4.0, 2.0), tol=1e-10, max_iter=50)
    assert mode.f == pytest.approx(f, abs=1e-5)
    assert mode.log_evidence == pytest.approx(log_evidence, abs=1e-5)
    v = np.random.default_rng(0).normal(size=f.shape)
    assert mode.curvature.apply(v) == pytest.approx((R @ v.ravel()).reshape(v.shape), abs=1e-5)
    # covariances of two queries
    Q = X[:2] + 0.3
    kernel = ilk.kernel("rbf", sigma=2.0).fit(X)
    k, own = 4 * kernel.gram(Q, X), 4 * kernel.diagonal(Q)
    got = mode.curvature.covariances(own, k)
    for i in range(2):
        stacked = np.kron(np.eye(3), k[i])
        expected = own[i] * np.eye(3) - stacked @ R @ stacked.T
        assert got[i] == pytest.approx(expected, abs=1e-5)


@in_one_test
@pytest.mark.parametrize("kind", ["logistic", "softmax"])
@pytest.mark.parametrize("how", ["isotropic", "ard"])
@pytest.mark.parametrize(
    "kernel",
    [
        {"use": "rbf", "sigma": 2.0},
        {"use": "rbf", "sigma": [1.0, 4.0, 0.5]},
        {"use": "rbf", "distance": {"use": "euclidean", "weights": [1.0, 0.1, 3.0]}},
    ],
    ids=["width", "widths", "weights"],
)
def test_gradient_of_rbf(kind, how, kernel):
    check_gradient(kind, how, kernel)


@in_one_test
@pytest.mark.parametrize("kind", ["logistic", "softmax"])
@pytest.mark.parametrize(
    "kernel",
    [
        {"use": "polynomial", "degree": 2, "gamma": 0.1, "coef0": 0.5},
        {"use": "rbf", "distance": "manhattan"},
        {"use": "weighted_sum", "kernels": ["linear", "rbf"], "weights": [0.5, 2.0]},
        "linear",
    ],
    ids=["polynomial", "manhattan", "sum", "linear"],
)
def test_gradient_of_others(kind, kernel):
    check_gradient(kind, "isotropic", kernel)


def check_gradient(kind, how, kernel):
    X, y = data(classes=3)
    owner = ilk.classifier("gp", kernel=kernel, optimize=how, tol=1e-11)
    covariance = Covariance(owner, owner.resolve_slot("kernel").fit(X), X, y, how)
    evidence = Evidence(owner, likelihood_of(y, kind), covariance, X, 3.0)
    theta = np.linspace(0.1, 0.4, covariance.size + 1)
    _, gradient = evidence(theta)
    steps = 1e-5 * np.eye(len(theta))
    expected = [(evidence(theta + s)[0] - evidence(theta - s)[0]) / 2e-5 for s in steps]
    assert gradient == pytest.approx(expected, abs=1e-6, rel=1e-6)


def test_average_logistic():
    means = np.array([0.0, 1.0, -2.0, 30.0, -5.0])
    grid = np.linspace(-12, 12, 400_001)
    for deviation in (0.3, 0.99, 1.01, 3.0, 50.0, 1000.0):
        density = norm.pdf(grid) * (24 / 400_000)  # the trapezoidal rule, finely
        expected = [expit(mean + deviation * grid) @ density for mean in means]
        got = average_logistic(means, np.full(5, deviation**2))
        assert got == pytest.approx(np.array(expected), abs=1e-12)
        assert got + average_logistic(-means, np.full(5, deviation**2)) == pytest.approx(np.ones(5))
    assert average_logistic(means, np.zeros(5)) == pytest.approx(expit(means), abs=1e-14)


def test_average_softmax():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(4, 3, 3))
    V, mean = A @ A.transpose(0, 2, 1), rng.normal(size=(4, 3))
    draws = rng.multivariate_normal(np.zeros(3), np.eye(3), 200_000)
    roots = np.linalg.cholesky(V)
    expected = [
        softmax(m + draws @ r.T, axis=1).mean(axis=0) for m, r in zip(mean, roots, strict=True)
    ]
    got = average_softmax(mean, V)
    assert got == pytest.approx(np.array(expected), abs=4e-3)
    assert got.sum(axis=1) == pytest.approx(np.ones(4))
    # two classes: the difference decides
    two = average_softmax(mean[:, :2], V[:, :2, :2])
    variance = V[:, 0, 0] + V[:, 1, 1] - 2 * V[:, 0, 1]
    assert two[:, 1] == pytest.approx(average_logistic(mean[:, 1] - mean[:, 0], variance))


def test_in_place():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(300, 300))
    A = A @ A.T + np.eye(300)
    memory = A.copy()
    L = triangles.factor(memory)
    assert np.shares_memory(L, memory)
    assert np.tril(L) == pytest.approx(np.linalg.cholesky(A), abs=1e-8)
    assert 2 * triangles.half_log_determinant(L) == pytest.approx(np.linalg.slogdet(A)[1])
    assert triangles.solve(L, A @ np.arange(300.0)) == pytest.approx(np.arange(300.0), abs=1e-6)
    inverse = triangles.mirror(triangles.inverse(L))
    assert np.shares_memory(inverse, memory)
    assert inverse == pytest.approx(np.linalg.inv(A), abs=1e-8)


def test_jitter_grows_until_it_suffices():
    K = np.ones((5, 5)) * 7
    K[0, 1] = K[1, 0] = 7 + 7e-8  # the least eigenvalue is about -7e-8
    before = K.copy()
    _, jitter = triangles.with_jitter(K, lambda: triangles.factor(K.copy()))
    assert jitter == pytest.approx(7e-8, rel=10)
    assert np.log10(jitter / 7) == pytest.approx(round(np.log10(jitter / 7)))
    assert before + jitter * np.eye(5) == pytest.approx(K, rel=1e-15)
    with pytest.raises(np.linalg.LinAlgError):
        triangles.with_jitter(K, lambda: triangles.factor(-K))
