"""The ensemble of regressors `bagging`."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import ilk
from cases import in_one_test
from ilk_ensembles.base import out_of_bag
from ilk_ensembles.base import resampling as resampled
from ilk_ensembles.regressors import bagging

RULES = {"mean": np.mean, "median": np.median}


@pytest.fixture(scope="module")
def curve():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, size=(120, 2))
    return X, np.sin(X[:, 0]) + 0.2 * rng.normal(size=120)


def bag(X, y, member=None, n_members=10, rule="mean", random_state=0, **parameters):
    ours = ilk.regressor(
        "bagging",
        member=member,
        n_members=n_members,
        rule=rule,
        random_state=random_state,
        **parameters,
    )
    return ours.fit(X, y)


@pytest.mark.parametrize("rule", list(RULES))
@pytest.mark.parametrize("cells", [50, 1 << 22])
def test_rule_of_members_fitted_to_the_rows_drawn(curve, rule, cells, monkeypatch):
    X, y = curve
    monkeypatch.setattr(bagging, "_CELLS", cells)
    ours = bag(X, y, LinearRegression(), 6, rule)
    said = [LinearRegression().fit(X[rows], y[rows]).predict(X) for rows in ours.rows_]
    np.testing.assert_allclose(ours.predict(X), RULES[rule](said, axis=0))


def test_agrees_with_scikit_learn_on_its_rows(curve):
    X, y = curve
    member = KNeighborsRegressor(2)
    theirs = BaggingRegressor(member, 20, oob_score=True, random_state=0).fit(X, y)
    drawn = iter(theirs.estimators_samples_)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampled, "bootstrap_rows", lambda *_, **__: next(drawn))
        ours = bag(X, y, member, 20, oob_score=True)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))
    assert ours.n_never_out_of_bag_ == 0
    np.testing.assert_allclose(ours.oob_prediction_, theirs.oob_prediction_)
    np.testing.assert_allclose(ours.oob_error_, mean_squared_error(y, theirs.oob_prediction_))


@pytest.mark.parametrize("rule", list(RULES))
@pytest.mark.parametrize("cells", [30, 1 << 22])
def test_out_of_bag_equals_a_slow_recount(curve, rule, cells, monkeypatch):
    X, y = curve
    monkeypatch.setattr(out_of_bag, "_CELLS", cells)
    ours = bag(X, y, None, 5, rule, oob_score=True, n_jobs=2)
    expected = np.full(len(X), np.nan)
    for row in range(len(X)):
        said = [
            member.predict(X[row : row + 1])[0]
            for member, rows in zip(ours.estimators_, ours.rows_, strict=True)
            if row not in rows
        ]
        if said:
            expected[row] = RULES[rule](said)
    np.testing.assert_allclose(ours.oob_prediction_, expected)
    assert ours.n_never_out_of_bag_ == np.isnan(expected).sum() > 0
    assert ours.oob_error_ == pytest.approx(np.nanmean((expected - y) ** 2))


@pytest.mark.parametrize("rule", list(RULES))
def test_stages_are_smaller_ensembles(curve, rule):
    X, y = curve
    stages = bag(X, y, None, 6, rule).staged_predict(X)
    for count, got in enumerate(stages, start=1):
        np.testing.assert_allclose(got, bag(X, y, None, count, rule).predict(X))


def test_more_members_err_less_than_one(curve):
    X, y = curve
    one = DecisionTreeRegressor(random_state=0).fit(X[::2], y[::2])
    ours = bag(X[::2], y[::2], n_members=50, oob_score=True)
    assert ours.score(X[1::2], y[1::2]) > one.score(X[1::2], y[1::2])
    assert ours.oob_error_ == pytest.approx(
        mean_squared_error(y[1::2], ours.predict(X[1::2])), abs=0.05
    )


def test_median_shrugs_off_a_wild_member(curve):
    class Wild(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            self.mean_ = 1e6 if y[0] < -0.9 else y.mean()
            return self

        def predict(self, X):
            return np.full(len(X), self.mean_)

    X, y = curve
    wild = bag(X, y, Wild())
    assert any(member.mean_ == 1e6 for member in wild.estimators_)
    assert wild.predict(X[:1])[0] > 1e4
    assert abs(bag(X, y, Wild(), rule="median").predict(X[:1])[0]) < 1


def test_threads_change_nothing(curve):
    X, y = curve
    member = DecisionTreeRegressor(max_features=1)
    one, two = (bag(X, y, member, n_jobs=n, oob_score=True) for n in (1, 2))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    np.testing.assert_array_equal(one.oob_prediction_, two.oob_prediction_)


def test_weight_two_is_a_case_twice_and_zero_none(curve):
    X, y = curve
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    every = np.repeat(np.arange(len(y)), weights)
    ours = ilk.regressor("bagging", member="knn", max_samples=100, random_state=0)
    weighted = clone(ours).fit(X, y, sample_weight=weights)
    repeated = clone(ours).fit(X[every], y[every])
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X))


def test_without_replacement_members_get_the_weights(curve):
    X, y = curve
    weights = np.linspace(0.1, 5, len(y))
    ours = ilk.regressor(
        "bagging", member=LinearRegression(), max_samples=0.5, replace=False, random_state=0
    ).fit(X, y, sample_weight=weights)
    rows = ours.rows_[0]
    expected = LinearRegression().fit(X[rows], y[rows], sample_weight=weights[rows])
    np.testing.assert_allclose(ours.estimators_[0].coef_, expected.coef_)
    with pytest.raises(ilk.InputError, match="bagging: gp does not take sample_weight"):
        ours.set_params(member="gp").fit(X, y, sample_weight=weights)


def test_failing_member_is_named_or_dropped(curve):
    class Picky(LinearRegression):
        def fit(self, X, y):
            if y[0] < -0.9:
                raise ValueError("cannot be fitted")
            return super().fit(X, y)

    X, y = curve
    with pytest.raises(ilk.InputError, match=r"bagging: members\[\d\], on .* \(Picky\): cannot be"):
        bag(X, y, Picky())
    ours = bag(X, y, Picky(), on_failure="drop")
    assert len(ours.estimators_) == len(ours.rows_) == 10 - len(ours.failures_) < 10


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "mode"}, "rule must be 'mean' or 'median'"),
        ({"member": "decision_tree"}, "member cannot be built: there is no regressor"),
        ({"max_samples": 200, "replace": False}, "max_samples must be at most 120 without repl"),
        ({"oob_score": True, "replace": False}, "oob_score needs rows that are not drawn"),
    ],
)
def test_bad_parameters_are_named(curve, parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"bagging: {message}"):
        bag(*curve, **parameters)


@in_one_test
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a"] * 120, "y: could not convert"),
        (np.full(120, np.inf), "y has inf at row 0"),
        (np.ones(119), "y has 119 values for the 120 rows"),
        (np.ones(120) * 1j, "y must be real numbers"),
        (None, "requires y"),
    ],
    ids=["words", "infinite", "short", "complex", "none"],
)
def test_bad_targets_are_named(curve, y, message):
    with pytest.raises(ilk.InputError, match=f"bagging: {message}"):
        bag(curve[0], y)


def test_missing_cell_is_named_by_its_own_row(curve):
    X, y = curve[0].copy(), curve[1]
    X[100, 1] = np.nan
    with pytest.raises(ilk.InputError, match="bagging: X has NaN at row 100, column 1"):
        bag(X, y, "knn")
    assert np.isfinite(bag(X, y).predict(X)).all()  # trees take them


def test_any_rows_that_the_member_takes(curve):
    X, y = curve
    table = pd.DataFrame(X, columns=["a", "b"])
    np.testing.assert_array_equal(bag(table, y).predict(table), bag(X, y).predict(X))
    letters = ilk.distance("callable", function=lambda a, b: abs(ord(a[0]) - ord(b[0])))
    ours = bag(["a", "b", "y", "z"], [1, 1, 9, 9], ilk.regressor("knn", k=1, distance=letters), 20)
    assert ours.predict(["a", "z"])[0] < ours.predict(["a", "z"])[1]


def test_one_row_and_a_constant_target():
    np.testing.assert_array_equal(bag([[1.0]], [3.0]).predict([[5.0], [7.0]]), [3, 3])
    np.testing.assert_array_equal(bag([[1.0], [2.0]], [3.0, 3.0]).predict([[9.0]]), [3])
