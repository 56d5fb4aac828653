"""The regressor `voting`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestRegressor, VotingRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import get_tags

import ilk
from cases import in_one_test

X = np.linspace(0, 6, 60)[:, None]
Y = np.sin(X[:, 0]) + X[:, 0]


def vote(members, X=X, y=Y, *, sample_weight=None, **parameters):
    model = ilk.regressor("voting", members=members, **parameters)
    return model.fit(X, y, sample_weight=sample_weight)


class Says(RegressorMixin, BaseEstimator):
    """Predicts a number whatever it is shown."""

    def __init__(self, number=0.0):
        self.number = number

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.full(len(X), self.number)


@pytest.mark.parametrize("weights", [None, [1, 2, 0.5]], ids=["alike", "weighted"])
def test_mean_agrees_with_scikit_learn(weights):
    members = [LinearRegression(), KNeighborsRegressor(3), DecisionTreeRegressor(max_depth=2)]
    theirs = VotingRegressor([(str(i), m) for i, m in enumerate(members)], weights=weights)
    ours = vote(members, weights=weights)
    np.testing.assert_allclose(ours.predict(X), theirs.fit(X, Y).predict(X))


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=7))
def test_rules_follow_their_definitions(numbers):
    members = [Says(number) for number in numbers]
    weights = np.arange(1.0, len(numbers) + 1)
    mean = vote(members).predict(X[:1])
    np.testing.assert_allclose(mean, [sum(numbers) / len(numbers)], atol=1e-6)
    weighted = vote(members, weights=weights).predict(X[:1])
    expected = sum(w * f for w, f in zip(weights, numbers, strict=True)) / weights.sum()
    np.testing.assert_allclose(weighted, [expected], atol=1e-6)
    ordered, half = sorted(numbers), len(numbers) // 2
    middle = ordered[half] if len(numbers) % 2 else (ordered[half - 1] + ordered[half]) / 2
    assert vote(members, rule="median").predict(X[:1]) == pytest.approx([middle])


def test_median_is_not_moved_by_one_that_is_far_off():
    members = [Says(1.0), Says(2.0), Says(1e300)]
    assert vote(members, rule="median").predict(X[:2]).tolist() == [2, 2]


def test_weights_of_any_scale():
    members = [Says(1.0), Says(3.0)]
    for scale in (1e-300, 1e300):
        found = vote(members, weights=[scale, 3 * scale]).predict(X[:1])
        np.testing.assert_allclose(found, 2.5)


def test_row_order_does_not_matter():
    order = np.random.default_rng(0).permutation(len(X))
    members = ["knn", "boosted_experts", LinearRegression()]
    expected = vote(members).predict(X)
    np.testing.assert_allclose(vote(members, X[order], Y[order]).predict(X), expected, atol=1e-4)


def test_threads_and_seeds():
    forests = [RandomForestRegressor(3), "knn", RandomForestRegressor(3)]
    one, two = (vote(forests, n_jobs=jobs, random_state=0) for jobs in (1, 2))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    assert one.estimators_[0].random_state != one.estimators_[2].random_state
    assert (
        vote(forests, random_state=1).estimators_[0].random_state != one.estimators_[0].random_state
    )


def test_failing_member_is_named_or_dropped(capsys):
    members = [Says(1.0), Ridge(alpha=-1.0), Says(4.0)]
    with pytest.raises(ilk.InputError, match=r"voting: members\[1\] \(Ridge\): The 'alpha'"):
        vote(members)
    ours = vote(members, weights=[1, 5, 2], on_failure="drop", verbose=2)
    assert list(ours.failures_) == [1]
    assert ours.positions_ == [0, 2]
    assert ours.predict(X[:1]) == pytest.approx([3])
    assert capsys.readouterr().out.count("of 3 members") == 3
    with pytest.raises(ilk.InputError, match="every member that has a weight was left out"):
        vote(members, weights=[0, 5, 0], on_failure="drop")
    with pytest.raises(ilk.InputError, match="every member failed"):
        vote([Ridge(alpha=-1.0)], on_failure="drop")


@in_one_test
@pytest.mark.parametrize(
    ("said", "message"),
    [
        (np.full(60, np.nan), r"members\[1\] \(Wrong\): .*gives nan in predictions, at row 0"),
        (np.full(60, np.inf), r"members\[1\] \(Wrong\): .*inf"),
        (np.zeros((60, 1)), r"members\[1\] \(Wrong\): predicts an array of shape \(60, 1\)"),
        (np.zeros(3), r"members\[1\] \(Wrong\): predicts an array of shape \(3,\)"),
        (np.full(60, "a"), r"members\[1\] \(Wrong\): gives predictions of type <U1, not numbers"),
    ],
    ids=["nan", "infinity", "column", "few", "texts"],
)
def test_what_is_no_number_is_refused(said, message):
    class Wrong(Says):
        def predict(self, X):
            return said

    with pytest.raises(ilk.InputError, match=message):
        vote([Says(), Wrong()]).predict(X)


def test_sample_weights():
    weights = np.arange(60) % 3 / 2
    ours = vote([LinearRegression(), KNeighborsRegressor()], sample_weight=weights)
    expected = LinearRegression().fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(ours.estimators_[0].coef_, expected.coef_)
    with pytest.raises(ilk.InputError, match="voting: no member takes sample_weight"):
        vote([KNeighborsRegressor()], sample_weight=weights)
    with pytest.raises(ilk.InputError, match="sample_weight must be finite and at least 0, got -1"):
        vote([LinearRegression()], sample_weight=-np.ones(60))


@in_one_test
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a"] * 60, "voting: y: could not convert"),
        (np.r_[np.nan, Y[1:]], "voting: y has nan at row 0"),
        (Y[:5], "voting: y has 5 values for the 60 rows"),
        (None, "requires y"),
    ],
    ids=["texts", "nan", "few", "none"],
)
def test_targets_must_be_numbers(y, message):
    with pytest.raises(ilk.InputError, match=message):
        vote(["knn"], y=y)


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"members": []}, "members must have at least one member"),
        ({"rule": "mode"}, "rule must be"),
        ({"weights": [1, 2]}, "weights has 2 numbers, there are 3 members"),
        ({"weights": [1, -2, 1]}, "weights must be finite, at least 0 and not all 0"),
        ({"weights": [1, np.nan, 1]}, "weights must be finite, at least 0 and not all 0"),
        ({"weights": [0, 0, 0]}, "weights must be finite, at least 0 and not all 0"),
        ({"weights": [1, 1, 1], "rule": "median"}, "weights are for the mean"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"voting: {message}"):
        ilk.regressor("voting", **parameters)


def test_rows_are_asked_about_in_blocks(monkeypatch):
    ours = vote(["knn", LinearRegression()], rule="median")
    whole = ours.predict(X)
    monkeypatch.setattr("ilk_ensembles.base.heterogeneous._CELLS", 14)
    np.testing.assert_array_equal(ours.predict(X), whole)


def test_missing_values_where_all_members_take_them():
    trees = [DecisionTreeRegressor(max_depth=d) for d in (1, 3)]
    missing = np.where(X > 5, np.nan, X)
    assert vote(trees, missing).score(missing, Y) > 0.5
    assert get_tags(ilk.regressor("voting", members=trees)).input_tags.allow_nan
    assert not get_tags(ilk.regressor("voting")).input_tags.allow_nan


def test_texts():
    texts = ["aa", "ab", "zz", "zy"]
    letters = ilk.distance("callable", function=lambda a, b: abs(ord(a[0]) - ord(b[0])))
    near = ilk.regressor("knn", k=2, distance=letters)
    assert vote([near, near], texts, [1, 1, 5, 5]).predict(["ac", "zx"]).tolist() == [1, 5]


def test_spec_round_trip():
    spec = {"use": "voting", "members": [{"use": "knn", "k": 3}, {"use": "gp"}], "rule": "median"}
    assert ilk.to_spec(ilk.build(spec, kind="regressor")) == spec
