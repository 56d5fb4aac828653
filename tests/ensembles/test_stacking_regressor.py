"""The regressor `stacking`."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor, StackingRegressor
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import ilk

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, (80, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=80)
MEMBERS = [
    LinearRegression(),
    KNeighborsRegressor(5),
    DecisionTreeRegressor(max_depth=3, random_state=0),
]


def stack(members=MEMBERS, X=X, y=Y, *, sample_weight=None, **parameters):
    parameters.setdefault("random_state", 0)
    model = ilk.regressor("stacking", members=members, **parameters)
    return model.fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize("passthrough", [False, True])
@pytest.mark.parametrize("learner", [RidgeCV(), KNeighborsRegressor(3)], ids=["ridge", "knn"])
def test_agrees_with_scikit_learn(learner, passthrough):
    """On the same folds, with the same learner."""
    folds = KFold(4, shuffle=True, random_state=1)
    named = [(str(i), clone(member)) for i, member in enumerate(MEMBERS)]
    theirs = StackingRegressor(named, clone(learner), cv=folds, passthrough=passthrough).fit(X, Y)
    ours = stack(learner=learner, resampling=folds, passthrough=passthrough)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)


def test_learner_weighs_members_by_rows_held_out():
    """Against a loop over the folds."""
    folds = KFold(3, shuffle=True, random_state=0)
    said = np.empty((80, 3))
    for train, test in folds.split(X):
        for at, member in enumerate(MEMBERS):
            said[test, at] = clone(member).fit(X[train], Y[train]).predict(X[test])
    expected = LinearRegression(positive=True).fit(said, Y)
    learner = stack(resampling=folds).learner_
    np.testing.assert_allclose(learner.coef_, expected.coef_, atol=1e-9)
    assert (learner.coef_ >= 0).all()


def test_members_are_fitted_on_everything():
    np.testing.assert_allclose(stack().estimators_[0].coef_, MEMBERS[0].fit(X, Y).coef_)


def test_by_heart_is_not_rewarded():
    """A member that repeats the noise it has seen gets less weight than the honest one."""
    noisy = X[:, 0] + np.random.default_rng(1).normal(size=80)
    coef = stack([KNeighborsRegressor(1), LinearRegression()], y=noisy).learner_.coef_
    assert coef[1] > 2 * coef[0]


def test_is_better_than_its_members():
    Q = np.random.default_rng(1).uniform(-2, 2, (500, 3))
    truth = np.sin(2 * Q[:, 0]) + Q[:, 1]
    best = max(clone(member).fit(X, Y).score(Q, truth) for member in MEMBERS)
    assert stack().score(Q, truth) > best


def test_weights_go_to_members_and_learner():
    weights = np.arange(80) % 3 / 2
    ours = stack(sample_weight=weights)
    expected = LinearRegression().fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(ours.estimators_[0].coef_, expected.coef_)
    some = weights > 0
    wrong = np.where(some, Y, 100.0)
    fewer = stack(X=X[some], y=Y[some], sample_weight=weights[some])
    again = stack([MEMBERS[0], MEMBERS[2]], y=wrong, sample_weight=weights)
    expected = stack([MEMBERS[0], MEMBERS[2]], X=X[some], y=Y[some], sample_weight=weights[some])
    np.testing.assert_allclose(again.predict(X), expected.predict(X))
    assert fewer.learner_.coef_.shape == (3,)
    with pytest.raises(ilk.InputError, match="stacking: no member takes sample_weight"):
        stack([KNeighborsRegressor()], learner=KNeighborsRegressor(), sample_weight=weights)


def test_threads_and_seeds():
    forests = [RandomForestRegressor(3), "knn"]
    learner = RandomForestRegressor(3)
    one, two, other = (
        stack(forests, learner=learner, n_jobs=jobs, random_state=seed)
        for jobs, seed in ((1, 0), (2, 0), (1, 1))
    )
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    assert not np.array_equal(one.predict(X), other.predict(X))
    assert one.learner_.random_state is not None


def test_failures_are_named_or_dropped():
    members = ["knn", Ridge(alpha=-1.0), LinearRegression()]
    with pytest.raises(ilk.InputError, match=r"stacking: members\[1\] \(Ridge\): The 'alpha'"):
        stack(members)
    ours = stack(members, on_failure="drop")
    assert list(ours.failures_) == [1]
    assert ours.positions_ == [0, 2]
    assert ours.learner_.coef_.shape == (2,)
    with pytest.raises(ilk.InputError, match=r"stacking: learner \(Ridge\): The 'alpha'"):
        stack(learner=Ridge(alpha=-1.0))
    with pytest.raises(ilk.InputError, match=r"members\[1\], on a part of the rows, \(knn\)"):
        stack([LinearRegression(), ilk.regressor("knn", k=80)])


@pytest.mark.parametrize("n", [2, 3, 7])
def test_few_rows(n):
    ours = stack([LinearRegression(), DecisionTreeRegressor()], X[:n], Y[:n])
    assert np.isfinite(ours.predict(X)).all()


def test_one_row_cannot_be_held_out():
    with pytest.raises(ilk.InputError, match=r"stacking: one row \(1 sample\) cannot be held out"):
        stack([DecisionTreeRegressor()], X[:1], Y[:1])


def test_targets_must_be_numbers():
    with pytest.raises(ilk.InputError, match="stacking: y: could not convert"):
        stack(y=["a"] * 80)


def test_rows_are_asked_about_in_blocks(monkeypatch):
    ours = stack(passthrough=True)
    whole = ours.predict(X)
    monkeypatch.setattr("ilk_ensembles.base.heterogeneous._CELLS", 20)
    np.testing.assert_allclose(ours.predict(X), whole)


def test_texts():
    texts, y = ["aa", "ab", "ac", "zz", "zy", "zx"], [1.0] * 3 + [5.0] * 3
    letters = ilk.distance("callable", function=lambda a, b: abs(ord(a[0]) - ord(b[0])))
    near = ilk.regressor("knn", k=1, distance=letters)
    np.testing.assert_allclose(stack([near], texts, y).predict(["ad", "zw"]), [1, 5])
    with pytest.raises(ilk.InputError, match="stacking: X"):
        stack([near], texts, y, passthrough=True)


def test_spec_round_trip():
    spec = {
        "use": "stacking",
        "members": [{"use": "knn", "k": 3}, {"use": "gp"}],
        "learner": {"use": "knn", "k": 7},
        "passthrough": True,
    }
    assert ilk.to_spec(ilk.build(spec, kind="regressor")) == spec


@pytest.mark.parametrize("name", ["stacking", "voting"])
def test_members_that_take_no_weights_do_not_see_rows_of_weight_0(name):
    weights = np.where(np.arange(80) % 4, 1.0, 0.0)
    spoiled = np.where(weights > 0, Y, 1e6)
    members = [LinearRegression(), KNeighborsRegressor(5)]  # the second takes none
    model = ilk.regressor(name, members=members, random_state=0)
    got = model.fit(X, spoiled, sample_weight=weights).predict(X)
    rows = weights > 0
    assert np.array_equal(got, model.fit(X[rows], Y[rows], sample_weight=weights[rows]).predict(X))
    assert np.sqrt(np.mean((got - Y) ** 2)) < 1
