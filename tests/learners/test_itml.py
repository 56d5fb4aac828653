"""itml."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import ilk
from cases import in_one_test
from ilk_learners.metric_learners.constraints import draw_pairs
from ilk_learners.metric_learners.itml import _objective, _Problem

pytestmark = pytest.mark.filterwarnings("ignore::ilk_learners.metric_learners.linear.MetricWarning")


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 20)
    return rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3)) + rng.normal(size=(3, 3))[y], y


def fitted(X, y=None, **parameters):
    return ilk.metric_learner("itml", **{"random_state": 0, **parameters}).fit(X, y)


def projected(steps, signs, bounds, gamma, A, passes):
    """Bregman projections on one constraint after the other, as in the paper's algorithm 1."""
    A, xi, multipliers = A.copy(), bounds.astype(float), np.zeros(len(steps))
    for _ in range(passes):
        for c, (v, sign) in enumerate(zip(steps, signs, strict=True)):
            p = v @ A @ v
            alpha = min(multipliers[c], sign * gamma / (gamma + 1) * (1 / p - 1 / xi[c]))
            multipliers[c] -= alpha
            xi[c] = gamma * xi[c] / (gamma + sign * alpha * xi[c])
            A += sign * alpha / (1 - sign * alpha * p) * np.outer(A @ v, A @ v)
    return A


def problem_of(X, y, number, bounds):
    pairs = draw_pairs(y, number, np.random.RandomState(0))
    counts = [len(part) for part in pairs]
    steps = np.concatenate([X[part[:, 0]] - X[part[:, 1]] for part in pairs])
    return steps, np.repeat([1, -1], counts), np.repeat(bounds, counts)


def test_gradient(data):
    X, y = data
    problem = _Problem(*problem_of(X, y, 60, np.array([1.0, 6.0])))
    L = np.random.default_rng(1).normal(size=(3, 3))
    loss = _objective(problem, 0.7)
    _, gradient = loss(L)
    for place in np.ndindex(3, 3):
        h = np.zeros((3, 3))
        h[place] = 1e-6
        numeric = (loss(L + h)[0] - loss(L - h)[0]) / 2e-6
        assert gradient[place] == pytest.approx(numeric, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(("gamma", "prior"), [(0.2, "identity"), (1.0, "given"), (5.0, "identity")])
def test_agrees_with_bregman_projections(data, gamma, prior):
    X, y = data
    A0 = np.eye(3) if prior == "identity" else np.diag([2.0, 1.0, 0.5]) + 0.1
    bounds = np.array([0.5, 8.0])
    itml = fitted(
        X,
        y,
        gamma=gamma,
        prior=prior if prior == "identity" else A0,
        bounds=bounds,
        n_constraints=30,
        tol=1e-15,
    )
    expected = projected(*problem_of(X, y, 30, bounds), gamma, A0, 1500)
    assert np.allclose(itml.metric_matrix_, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


def test_without_broken_bounds_the_prior_is_the_answer(data):
    X, y = data
    A0 = np.diag([1.0, 2.0, 3.0])
    itml = fitted(X, y, prior=A0, bounds=[1e6, 2e6], constraints=[[0, 1, 1], [0, 9, 1]])
    assert np.allclose(itml.metric_matrix_, A0, rtol=1e-12)


def test_only_similar_or_only_dissimilar_pairs(data):
    X, _ = data
    near, far = (
        fitted(X, constraints=[[0, 1, s], [2, 9, s], [4, 8, s]], bounds=b, gamma=1e4)
        for s, b in ((1, [1e-2, 1.0]), (-1, [1.0, 100.0]))
    )
    D = near.distance().pairwise(X) ** 2, far.distance().pairwise(X) ** 2
    for i, j in ((0, 1), (2, 9), (4, 8)):
        assert D[0][i, j] <= 1e-2 * 1.05
        assert D[1][i, j] >= 100 * 0.95


def test_bounds_are_percentiles_of_squared_distances(data):
    X, y = data
    squares = ilk.distance("euclidean").pairwise(X)[np.triu_indices(60, 1)] ** 2
    assert fitted(X, y).bounds_ == pytest.approx(np.percentile(squares, [5, 95]))


@pytest.mark.parametrize("unit", [2.0**-500, 2.0**-40, 2.0**40, 2.0**500])
def test_unit(data, unit):
    X, y = data
    assert np.array_equal(fitted(X * unit, y).components_, fitted(X, y).components_)
    covariance = fitted(X, y, prior="covariance").components_
    scaled = fitted(X * unit, y, prior="covariance").components_
    assert np.array_equal(scaled * unit, covariance)


def test_given_bounds_follow_the_unit(data):
    X, y = data
    expected = fitted(X, y, bounds=[1, 5]).components_
    found = fitted(X * 2.0**9, y, bounds=[2.0**18, 5 * 2.0**18]).components_
    assert np.array_equal(found, expected)


def test_prior_covariance(data):
    X, y = data
    given = fitted(X, y, prior=np.linalg.inv(np.cov(X.T)), tol=1e-14).metric_matrix_
    named = fitted(X, y, prior="covariance", tol=1e-14)
    assert np.allclose(named.metric_matrix_, given, rtol=1e-4)
    M = np.array([[2.0, 1, 0], [0, 3, 1], [0, 0, 0.5]])
    mapped = fitted(X @ M.T, y, prior="covariance", tol=1e-14)
    expected = named.distance().pairwise(X)
    assert np.allclose(mapped.distance().pairwise(X @ M.T), expected, rtol=1e-3)


def test_low_rank_prior_keeps_its_range(data):
    X, y = data
    A = fitted(X, y, prior=np.diag([1.0, 1.0, 0.0])).metric_matrix_
    assert np.allclose(A[2], 0)
    assert np.linalg.matrix_rank(A) == 2


@in_one_test
@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (np.diag([1.0, -1.0, 1.0]), "negative eigenvalue, got -1 .indefinite."),
        (np.ones((3, 2)), "must be of shape"),
        (np.triu(np.ones((3, 3))), "must be symmetric"),
        (np.full((3, 3), np.nan), "must be finite"),
        (np.zeros((3, 3)), "must not be 0"),
    ],
)
def test_wrong_prior(data, prior, message):
    with pytest.raises(ilk.ParameterError, match=f"itml: prior .*{message}"):
        fitted(*data, prior=prior)


@in_one_test
@pytest.mark.parametrize("bounds", [[2, 1], [0, 1], [1], [1, np.inf], [np.nan, 1]])
def test_wrong_bounds(data, bounds):
    with pytest.raises(ilk.ParameterError, match="itml: bounds must be two numbers, 0 < u < l"):
        fitted(*data, bounds=bounds)


def test_infinite_gamma(data):
    with pytest.raises(ilk.ParameterError, match="itml: gamma must be a number > 0, .* got inf"):
        fitted(*data, gamma=np.inf)


def test_loss_never_rises(data):
    itml = fitted(*data)
    assert (np.diff(itml.loss_curve_) <= 0).all()
    assert itml.n_iter_ < itml.max_iter
    with pytest.warns(ConvergenceWarning, match="itml: not converged after 2 iterations"):
        assert fitted(*data, max_iter=2).n_iter_ == 2


def test_seed(data):
    assert np.array_equal(fitted(*data).components_, fitted(*data).components_)


class TestDegenerate:
    def check(self, X, y, **parameters):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            L = fitted(X, y, **parameters).components_
        assert np.isfinite(L).all()
        assert np.abs(L).max() > 0

    def test_all_of_them(self, data):
        X, y = data
        for parameters in ({}, {"prior": "covariance"}):
            self.check(np.column_stack([X, X[:, 0], np.full(60, 3.0)]), y, **parameters)
            self.check(np.repeat(X, 3, axis=0), np.repeat(y, 3), **parameters)
            self.check(X[::4, :1], y[::4], **parameters)
            self.check(X[[0, 59]], ["a", "b"], **parameters)
            self.check(X, np.where(np.arange(60) == 5, -1, 1), **parameters)
            self.check(
                np.random.default_rng(0).normal(size=(12, 40)), np.arange(12) % 3, **parameters
            )

    def test_equal_rows(self):
        X = [[0.0], [0.0], [1.0], [3.0]]
        with pytest.raises(ilk.InputError, match="itml: constraints: rows 0 and 1 are dissimilar"):
            fitted(X, constraints=[[0, 2, 1], [0, 1, -1]])
        itml = fitted(X, constraints=[[0, 1, 1], [0, 2, 1]])
        assert itml.n_similar_ == 1
        with pytest.raises(ilk.InputError, match="itml: in all pairs the rows are equal"):
            fitted(X, constraints=[[0, 1, 1]])
        with pytest.raises(ilk.InputError, match="itml: all rows are equal"):
            fitted(np.ones((4, 2)), [0, 0, 1, 1])
        self.check(np.array(X), [0, 1, 0, 1])  # drawn: the pair of equal rows is left out

    def test_one_class(self, data):
        with pytest.raises(ilk.InputError, match="itml: .*at least 2 classes"):
            fitted(data[0], np.full(60, -1))


@pytest.mark.parametrize("gamma", [1e4, 1e6, 1e8])
def test_walls_that_are_nearly_kinks_stop_no_search(gamma):
    """The bounds on both coordinates hold: 4 * 0.25 = 1 and 1 * 2 = 2."""
    X = [[0, 0], [2, 0], [0, 1], [2, 1]]
    pairs = [[0, 1, 1], [2, 3, 1], [0, 2, -1], [1, 3, -1]]
    itml = ilk.metric_learner("itml", constraints=pairs, bounds=[1, 2], gamma=gamma).fit(X)
    assert np.allclose(itml.metric_matrix_, np.diag([0.25, 2.0]), rtol=1e-2, atol=1e-3)
    assert itml.loss_curve_ == sorted(itml.loss_curve_, reverse=True)
