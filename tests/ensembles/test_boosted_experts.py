"""The regressor `boosted_experts`."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import ilk
from ilk_ensembles.base.gate import Gate


def experts(X, y, sample_weight=None, **parameters):
    return ilk.regressor("boosted_experts", **parameters).fit(X, y, sample_weight=sample_weight)


@pytest.fixture(scope="module")
def bent():
    """The larger of two planes, with a little noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    return X, np.maximum(X[:, 0], 2 * X[:, 1]) + 0.1 * rng.normal(size=150)


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(100, noise=1, random_state=0)


class Remembers(RegressorMixin, BaseEstimator):
    """Says in each round what is written down for it, and keeps the weights."""

    def __init__(self, script=(), log=None):
        self.script = script
        self.log = log

    def __sklearn_clone__(self):
        return Remembers(self.script, self.log)

    def fit(self, X, y, sample_weight):
        self.values_ = np.array(self.script[len(self.log)], dtype=float)
        self.log.append(sample_weight)
        return self

    def predict(self, X):
        return self.values_[np.asarray(X)[:, 0].astype(int)]


def boosted_weights(*errors, **parameters):
    n = len(errors[0])
    member = Remembers([*errors, np.zeros(n)], [])
    X, y = np.arange(n, dtype=float)[:, None], np.zeros(n)
    model = experts(X, y, member=member, rule="median", **parameters)
    return member.log, model


def test_cases_are_divided_as_boosting_does():
    """Half for the big errors of the first; then those on which the first two disagree."""
    first, second = [0, 0, 0, 0, 0, 0, 3, 4], [5, 0, 0, 0, 0, 0, 5, 0]
    log, model = boosted_weights(first, second, threshold=2)
    np.testing.assert_allclose(log[0], 1 / 8)
    np.testing.assert_allclose(log[1], [1 / 12] * 6 + [1 / 4] * 2)
    np.testing.assert_allclose(log[2], [1 / 2, 0, 0, 0, 0, 0, 0, 1 / 2])
    assert model.threshold_ == 2


def test_division_where_the_first_two_agree():
    log, _ = boosted_weights([0, 0, 0, 3], [0, 0, 0, 3], threshold=2)
    np.testing.assert_allclose(log[2], [0, 0, 0, 1])
    log, _ = boosted_weights([0, 0, 0, 1], [0, 0, 0, 1], threshold=2)
    np.testing.assert_allclose(log[1], 1 / 4)
    np.testing.assert_allclose(log[2], 1 / 4)


def test_threshold_leaves_a_quarter_above():
    log, model = boosted_weights([8, 1, 2, 3, 4, 5, 6, 7], [0] * 8)
    assert model.threshold_ == 6
    np.testing.assert_allclose(log[1][[0, 7]], 1 / 4)


def test_median_of_three():
    _, model = boosted_weights([1, 5, 2], [3, 1, 2])
    assert model.predict([[0], [1], [2]]).tolist() == [1, 1, 2]
    assert not hasattr(model, "gate_")
    with pytest.raises(ilk.ParameterError, match="rule must be 'gate'"):
        model.gate([[0]])


def test_prediction_is_the_gated_sum(bent):
    X, y = bent
    model = experts(X, y, n_rounds=3)
    said = np.column_stack([expert.predict(X) for expert in model.estimators_])
    np.testing.assert_allclose(model.predict(X), (model.gate(X) * said).sum(axis=1))
    np.testing.assert_allclose(model.gate(X).sum(axis=1), 1)


def test_likelihood_never_falls(bent, friedman):
    for X, y in (bent, friedman):
        for member in (None, DecisionTreeRegressor(max_depth=2, random_state=0)):
            model = experts(X, y, member=member)
            assert (np.diff(model.log_likelihoods_) >= 0).all()
            assert len(model.log_likelihoods_) <= 21


def test_likelihood_is_that_of_its_definition(bent):
    X, y = bent
    model = experts(X, y)
    said = np.column_stack([expert.predict(X) for expert in model.estimators_])
    density = np.exp(-((y[:, None] - said) ** 2) / (2 * model.variances_))
    density /= np.sqrt(2 * np.pi * model.variances_)
    expected = np.log((model.gate(X) * density).sum(axis=1)).mean()
    np.testing.assert_allclose(model.log_likelihoods_[-1], expected)


def test_round_of_expectation_and_maximisation(bent):
    """From the mixture of no round, the first round by the formulas."""
    X, y = bent
    before, after = experts(X, y, n_rounds=0), experts(X, y, n_rounds=1)
    said = np.column_stack([expert.predict(X) for expert in before.estimators_])
    density = np.exp(-((y[:, None] - said) ** 2) / (2 * before.variances_))
    joint = before.gate(X) * density / np.sqrt(before.variances_)
    shares = joint / joint.sum(axis=1, keepdims=True)
    for j, expert in enumerate(after.estimators_):
        line = LinearRegression().fit(X, y, shares[:, j])
        np.testing.assert_allclose(expert.coef_, line.coef_, rtol=1e-6)
        squares = (y - line.predict(X)) ** 2
        np.testing.assert_allclose(
            after.variances_[j], np.average(squares, weights=shares[:, j]), rtol=1e-6
        )


def test_gate_is_where_its_objective_is_least():
    rng = np.random.default_rng(0)
    X, shares = rng.normal(size=(60, 2)) * [1, 100] + 5, rng.dirichlet(np.ones(3), 60)
    weights = rng.dirichlet(np.ones(60))
    gate = Gate.of(X, weights, 3, 1e-2)
    rows = gate.rows(X)
    np.testing.assert_allclose(weights @ rows[:, 1:], 0, atol=1e-12)
    np.testing.assert_allclose(weights @ rows[:, 1:] ** 2, 1)
    logs = gate.fit(rows, shares, weights)
    np.testing.assert_allclose(np.exp(logs), gate.shares(X))

    def objective(flat):
        coef = flat.reshape(3, 3)
        own = log_softmax(rows @ coef.T, axis=1)
        return 0.005 * (coef[:, 1:] ** 2).sum() - (weights[:, None] * shares * own).sum()

    assert abs(approx_fprime(gate.coef_.ravel(), objective, 1e-6)).max() < 1e-4


def test_experts_find_the_planes(bent):
    X, y = bent
    rng = np.random.default_rng(1)
    Q = rng.normal(size=(500, 2))
    truth = np.maximum(Q[:, 0], 2 * Q[:, 1])
    assert LinearRegression().fit(X, y).score(Q, truth) < 0.8
    assert experts(X, y).score(Q, truth) > 0.98


@pytest.mark.parametrize("rule", ["gate", "median"])
def test_weight_two_is_two_cases_and_weight_zero_none(bent, rule):
    X, y = bent
    weights = np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), weights)
    ours, repeated = experts(X, y, weights, rule=rule), experts(X[rows], y[rows], rule=rule)
    np.testing.assert_allclose(ours.predict(X), repeated.predict(X), rtol=1e-4, atol=1e-4)


def test_order_of_rows_does_not_matter(bent):
    X, y = bent
    order = np.random.default_rng(3).permutation(len(y))
    np.testing.assert_allclose(
        experts(X[order], y[order]).predict(X), experts(X, y).predict(X), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scale_of_features_and_targets(bent, scale):
    X, y = bent
    model = experts(X * scale, y * scale)
    np.testing.assert_allclose(
        model.predict(X * scale) / scale, experts(X, y).predict(X), rtol=1e-3, atol=1e-3
    )


def test_constants_and_few_rows():
    assert experts(np.ones((5, 2)), np.full(5, 3.0)).predict(np.ones((1, 2))).tolist() == [3]
    np.testing.assert_allclose(experts([[0.0], [1.0]], [1, 2]).predict([[0.0], [1.0]]), [1, 2])


def test_resampling_takes_members_without_weights(friedman):
    X, y = friedman
    member = KNeighborsRegressor(5)
    with pytest.raises(ilk.InputError, match="boosted_experts: member .*method='resampling'"):
        experts(X, y, member=member)
    parameters = {"member": member, "method": "resampling", "n_rounds": 3}
    ours = experts(X, y, random_state=0, **parameters)
    assert ours.score(X, y) > 0.5
    again = experts(X, y, random_state=0, **parameters)
    np.testing.assert_array_equal(ours.predict(X), again.predict(X))


@pytest.mark.parametrize(
    ("y", "weights", "match"),
    [
        ([1, 2, np.nan], None, "y has nan at row 2"),
        ([1, 2], None, "y has 2 values for the 3 rows"),
        ([1, 2, 3], [1, -1, 1], "at least 0, got -1"),
    ],
    ids=["nan", "short", "negative"],
)
def test_bad_input_is_named(y, weights, match):
    with pytest.raises(ilk.InputError, match=f"boosted_experts: .*{match}"):
        experts([[1], [2], [3]], y, weights)


def test_failing_expert_is_named(friedman):
    class Fails(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("no luck")

    with pytest.raises(ilk.InputError, match=r"boosted_experts: member of round 1 \(Fails\): no"):
        experts(*friedman, member=Fails())


class LeastSquares(RegressorMixin, BaseEstimator):
    """A plane, for numbers of any size."""

    def fit(self, X, y, sample_weight):
        roots = np.sqrt(sample_weight)
        self.unit_ = np.abs(X).max()
        self.coef_ = np.linalg.lstsq(roots[:, None] * self._rows(X), roots * y)[0]
        return self

    def predict(self, X):
        return self._rows(X) @ self.coef_

    def _rows(self, X):
        return np.column_stack([np.ones(len(X)), X / self.unit_])


@pytest.mark.parametrize("scale", [2.0**-660, 2.0**-40, 2.0**40, 2.0**660])
def test_scale_of_targets_and_features_does_not_matter(bent, scale):
    """Squares of the largest errors, and of the smallest, are no floats."""
    X, y = bent
    plain, scaled = (experts(X * c, y * c, member=LeastSquares()) for c in (1, scale))
    np.testing.assert_allclose(scaled.predict(X * scale) / scale, plain.predict(X), rtol=1e-6)
    expected = plain.log_likelihoods_ - np.log(scale)
    np.testing.assert_allclose(scaled.log_likelihoods_, expected, rtol=1e-6)


def test_one_case_with_all_the_weight(bent):
    X, y = bent
    weights = np.ones(len(y))
    weights[3] = 1.7e308
    assert experts(X, y, weights, random_state=0).predict(X[3:4]) == pytest.approx(y[3])
