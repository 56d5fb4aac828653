"""The regressor `adaboost_r2`."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import make_friedman1
from sklearn.ensemble import AdaBoostRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import ilk
from cases import in_one_test
from ilk_ensembles.regressors.adaboost_r2 import weighted_medians

LOSSES = ("linear", "square", "exponential")


def boost(X, y, sample_weight=None, **parameters):
    parameters.setdefault("random_state", 0)
    return ilk.regressor("adaboost_r2", **parameters).fit(X, y, sample_weight=sample_weight)


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(150, noise=1, random_state=0)


class Scripted(RegressorMixin, BaseEstimator):
    """Answers in each round what is written down for it."""

    def __init__(self, script=(), log=None):
        self.script = script
        self.log = log

    def __sklearn_clone__(self):
        return Scripted(self.script, self.log)

    def fit(self, X, y, sample_weight=None):
        self.values_ = np.array(self.script[len(self.log)], dtype=float)
        self.log.append(sample_weight)
        return self

    def predict(self, X):
        return self.values_[np.asarray(X)[:, 0].astype(int)]


def scripted(*values):
    return Scripted(list(values), [])


def numbered(n):
    return np.arange(n, dtype=float)[:, None]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("rate", [1.0, 0.4])
def test_agrees_with_scikit_learn_given_the_same_draws(friedman, loss, rate):
    """Seeds and rows are drawn in the same order, so all members are the same."""
    X, y = friedman
    tree = DecisionTreeRegressor(max_depth=3, min_samples_leaf=15)  # so that no splits tie
    theirs = AdaBoostRegressor(tree, n_estimators=12, loss=loss, learning_rate=rate, random_state=7)
    theirs.fit(X, y)
    ours = boost(X, y, member=tree, n_members=12, loss=loss, learning_rate=rate, random_state=7)
    np.testing.assert_allclose(ours.alphas_, theirs.estimator_weights_)
    np.testing.assert_allclose(ours.errors_, theirs.estimator_errors_)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))
    for mine, own in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        np.testing.assert_allclose(mine, own)


@pytest.mark.parametrize(
    ("loss", "losses"),
    [
        ("linear", [0, 0, 0.5, 1]),
        ("square", [0, 0, 0.25, 1]),
        ("exponential", [0, 0, 1 - np.exp(-0.5), 1 - np.exp(-1)]),
    ],
    ids=LOSSES,
)
def test_round_by_hand(loss, losses):
    X, y = numbered(4), np.zeros(4)
    member = scripted([0, 0, 2, 4], [0, 0, 0, 1])
    ours = boost(X, y, member=member, n_members=2, loss=loss, method="weighting")
    mean = np.mean(losses)
    beta = mean / (1 - mean)
    np.testing.assert_allclose(ours.errors_[0], mean)
    np.testing.assert_allclose(ours.alphas_[0], np.log(1 / beta))
    expected = beta ** (1 - np.array(losses))
    np.testing.assert_allclose(member.log[0], 0.25)
    np.testing.assert_allclose(member.log[1], expected / expected.sum())


def slow_median(values, weights):
    """Least value such that those at most it have half of the weight, from the definition."""
    half = weights.sum() / 2
    return min(v for v in values if weights[values <= v].sum() >= half - 1e-9)


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(
            st.lists(st.integers(-3, 3), min_size=n, max_size=n),
            st.lists(st.integers(1, 5), min_size=n, max_size=n),
        )
    ),
    st.sampled_from([0.1, 1.0, 1 / 3]),
)
def test_weighted_median_is_that_of_its_definition(data, unit):
    values, weights = np.array(data[0], dtype=float), unit * np.array(data[1])
    got = weighted_medians(values[:, None], weights)
    assert got.tolist() == [slow_median(values, weights)]


def test_prediction_is_the_weighted_median_of_the_members(friedman):
    X, y = friedman
    ours = boost(X, y, n_members=9)
    said = np.array([member.predict(X) for member in ours.estimators_])
    expected = [slow_median(column, ours.alphas_) for column in said.T]
    np.testing.assert_array_equal(ours.predict(X), expected)


def test_equal_votes_give_the_lower_middle():
    assert weighted_medians(np.array([[3.0], [1.0], [2.0], [4.0]]), np.full(4, 0.1)).tolist() == [2]


@pytest.mark.parametrize("method", ["weighting", "resampling"])
def test_staged_is_fitting_fewer_rounds(friedman, method):
    X, y = friedman
    ours = boost(X, y, n_members=6, method=method)
    for rounds, values in enumerate(ours.staged_predict(X), start=1):
        fewer = boost(X, y, n_members=rounds, method=method)
        np.testing.assert_array_equal(values, fewer.predict(X))


def test_blocks_of_rows_change_nothing(friedman, monkeypatch):
    X, y = friedman
    ours = boost(X, y, n_members=5)
    whole = ours.predict(X)
    monkeypatch.setattr("ilk_ensembles.regressors.adaboost_r2._CELLS", 35)
    np.testing.assert_array_equal(ours.predict(X), whole)


def test_perfect_first_member_is_the_only_one():
    X = numbered(20)
    ours = boost(X, 3 * X[:, 0] + 1, member=LinearRegression(), n_members=9, method="weighting")
    assert ours.stopped_ == "perfect"
    np.testing.assert_allclose(ours.alphas_, np.log(2**52 - 1))
    np.testing.assert_allclose(ours.predict(X), 3 * X[:, 0] + 1)


def test_perfect_later_member_is_not_outvoted():
    X, y = numbered(6), np.arange(6.0)
    wrong, other = y + np.array([0, 0, 0, 0, 0, 9]), y + np.array([0, 0, 9, 0, 0, 3])
    ours = boost(X, y, member=scripted(wrong, other, y), method="weighting", n_members=9)
    assert ours.stopped_ == "perfect"
    assert len(ours.estimators_) == 3
    assert ours.alphas_[2] > ours.alphas_[:2].sum()
    np.testing.assert_array_equal(ours.predict(X), y)


def test_mean_loss_of_a_half_at_first_is_kept_alone():
    X, y = numbered(4), np.array([0.0, 1, 0, 1])
    ours = boost(X, y, member=scripted([1, 0, 1, 0]), method="weighting")
    assert ours.stopped_ == "chance"
    assert ours.alphas_.tolist() == [1]
    assert ours.predict(X).tolist() == [1, 0, 1, 0]


def test_mean_loss_of_a_half_later_is_left_out():
    X, y = numbered(4), np.zeros(4)
    ours = boost(X, y, member=scripted([0, 0, 0, 1], [1, 1, 1, 1]), method="weighting")
    assert ours.stopped_ == "chance"
    assert len(ours.estimators_) == len(ours.alphas_) == len(ours.errors_) == 1


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scale_of_targets_scales_predictions(friedman, scale):
    X, y = friedman
    member = KNeighborsRegressor(3)
    ours, scaled = (boost(X, own, member=member, n_members=5) for own in (y, scale * y))
    np.testing.assert_allclose(scaled.predict(X), scale * ours.predict(X), rtol=1e-9)


def test_constant_targets():
    ours = boost(numbered(5), np.full(5, 2.5))
    assert ours.predict(numbered(5)).tolist() == [2.5] * 5
    assert boost(numbered(5), np.zeros(5)).predict(numbered(5)).tolist() == [0] * 5


def test_weight_two_is_two_cases_and_weight_zero_none(friedman):
    X, y = friedman
    weights = np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), weights)
    parameters = {"method": "weighting", "n_members": 6, "member": LinearRegression()}
    ours = boost(X, y, weights, **parameters)
    repeated = boost(X[rows], y[rows], **parameters)
    np.testing.assert_allclose(ours.predict(X), repeated.predict(X))
    np.testing.assert_allclose(ours.alphas_, repeated.alphas_)


def test_boosting_is_better_than_one_member(friedman):
    X, y = friedman
    Q, truth = make_friedman1(300, noise=0, random_state=1)
    for method in ("weighting", "resampling"):
        ours = boost(X, y, method=method)
        assert ours.score(Q, truth) > ours.estimators_[0].score(Q, truth) + 0.05


def test_members_without_weights_and_of_any_rows():
    rows = pd.DataFrame({"color": pd.Categorical(["red", "red", "blue", "blue"] * 5)})
    y = np.array([0.0, 0, 7, 7] * 5)
    member = {"use": "knn", "k": 1, "distance": "heterogeneous"}
    np.testing.assert_array_equal(boost(rows, y, member=member).predict(rows), y)
    with pytest.raises(ilk.InputError, match=r"adaboost_r2: member \(KN.*\) .*method='resampling'"):
        boost(numbered(4), np.arange(4.0), member=KNeighborsRegressor(1), method="weighting")
    with pytest.raises(ilk.InputError, match="is frozen"):
        boost(numbered(3), [1, 2, 4], member=ilk.frozen(KNeighborsRegressor().fit([[1]], [1])))


class Fails(DecisionTreeRegressor):
    """Fails in its second round."""

    rounds = itertools.count()

    def fit(self, X, y):
        if next(Fails.rounds) == 1:
            raise ValueError("no luck")
        return super().fit(X, y)


def test_failing_member_is_named_or_left_out(friedman):
    X, y = friedman
    Fails.rounds = itertools.count()
    with pytest.raises(ilk.InputError, match=r"adaboost_r2: member of round 2 \(Fails\): no luck"):
        boost(X, y, member=Fails(max_depth=2), n_members=3)
    Fails.rounds = itertools.count()
    ours = boost(X, y, member=Fails(max_depth=2), n_members=3, on_failure="drop")
    assert list(ours.failures_) == [1]
    assert len(ours.estimators_) == 2


@in_one_test
@pytest.mark.parametrize(
    ("y", "weights", "match"),
    [
        ([1, 2, np.nan], None, "y has nan at row 2"),
        (["a", "b", "c"], None, "could not convert"),
        ([1, 2], None, "y has 2 values for the 3 rows"),
        ([1, 2, 3], [1, -1, 1], "at least 0, got -1"),
        ([1, 2, 3], [0, 0, 0], "must not be all 0"),
    ],
    ids=["nan", "words", "short", "negative", "zero"],
)
def test_bad_input_is_named(y, weights, match):
    with pytest.raises(ilk.InputError, match=f"adaboost_r2: .*{match}"):
        boost([[1], [2], [3]], y, weights)


def test_missing_values_are_named_by_their_own_row(friedman):
    X, y = friedman
    spoiled = X.copy()
    spoiled[37, 2] = np.nan
    with pytest.raises(ilk.InputError, match="X has NaN at row 37, column 2"):
        boost(spoiled, y, member="knn")
