"""The ensemble `gentleboost`."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import ilk
from cases import in_one_test


def boost(X, y, sample_weight=None, **parameters):
    return ilk.classifier("gentleboost", **parameters).fit(X, y, sample_weight=sample_weight)


def noisy(n=120, p=4, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)


def slow_boosting(X, y, start, n_rounds, rate=1.0):
    """Every threshold of every feature, by least squares as they are defined; scores."""
    score, weights = np.zeros(len(y)), start / start.sum()
    for _ in range(n_rounds):
        best = (np.inf, np.full(len(y), weights @ y))
        for column in X.T:
            values = np.unique(column)
            for threshold in (values[1:] + values[:-1]) / 2:
                fit = np.empty(len(y))
                for side in (column <= threshold, column > threshold):
                    fit[side] = np.average(y[side], weights=weights[side])
                squares = weights @ (y - fit) ** 2
                if squares < best[0] - 1e-11:
                    best = (squares, fit)
        score += rate * best[1]
        weights = weights * np.exp(-y * rate * best[1])
        weights /= weights.sum()
    return score


@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_agrees_with_a_slow_search(rate):
    X, codes = noisy(40, 3)
    start = np.random.default_rng(1).integers(1, 4, 40).astype(float)
    expected = slow_boosting(X, 2 * codes - 1, start, 12, rate)
    ours = boost(X, codes, start, n_rounds=12, learning_rate=rate)
    np.testing.assert_allclose(ours.decision_function(X), expected, rtol=1e-8)


def test_each_class_against_the_rest_agrees_with_a_slow_search():
    X, y = noisy(40, 3, 3)
    ours = boost(X, y, n_rounds=8)
    assert [len(members) for members in ours.estimators_] == [3] * 8
    for c in range(3):
        expected = slow_boosting(X, np.where(y == c, 1, -1), np.ones(40), 8)
        np.testing.assert_allclose(ours.decision_function(X)[:, c], expected, rtol=1e-8)


def test_first_round_by_hand():
    X, y = [[1], [2], [3], [4], [5], [6]], ["a", "b", "b", "b", "a", "a"]
    stump = boost(X, y, n_rounds=1).estimators_[0][0]
    assert (stump.feature_, stump.threshold_) == (0, 4.5)
    np.testing.assert_allclose([stump.below_, stump.above_], [0.5, -1])


def test_any_regressor_may_be_the_member():
    X, codes = noisy(100)
    y = 2 * codes - 1
    ours = boost(X, codes, member=Ridge(), n_rounds=5)
    score, weights = np.zeros(100), np.full(100, 0.01)
    for _ in range(5):
        f = Ridge().fit(X, y, weights).predict(X)
        score += f
        weights = weights * np.exp(-y * f)
        weights /= weights.sum()
    np.testing.assert_allclose(ours.decision_function(X), score, rtol=1e-8)


def test_stumps_agree_with_trees_of_depth_one():
    X, y = noisy(200, 5, 3)
    ours = boost(X, y, n_rounds=10)
    trees = boost(X, y, member=DecisionTreeRegressor(max_depth=1), n_rounds=10)
    np.testing.assert_allclose(ours.decision_function(X), trees.decision_function(X), rtol=1e-6)


def test_loss_falls_and_bounds_the_training_error():
    for n_classes in (2, 4):
        X, y = noisy(200, 4, n_classes)
        ours = boost(X, y, n_rounds=40)
        assert (np.diff(ours.losses_, axis=0) < 0).all()
        for labels, bound in zip(ours.staged_predict(X), ours.error_bounds_, strict=True):
            assert (labels != y).mean() <= bound


def test_loss_is_the_mean_exponential():
    X, y = noisy()
    ours = boost(X, y, n_rounds=15)
    expected = np.exp(-(2 * y - 1) * ours.decision_function(X)).mean()
    np.testing.assert_allclose(ours.losses_[-1], expected)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_staged_is_fitting_fewer_rounds(n_classes):
    X, y = noisy(100, 4, n_classes)
    ours = boost(X, y, n_rounds=5)
    stages = zip(
        ours.staged_predict(X),
        ours.staged_predict_proba(X),
        ours.staged_decision_function(X),
        strict=True,
    )
    for rounds, (labels, probabilities, score) in enumerate(stages, start=1):
        fewer = boost(X, y, n_rounds=rounds)
        np.testing.assert_array_equal(labels, fewer.predict(X))
        np.testing.assert_allclose(probabilities, fewer.predict_proba(X))
        np.testing.assert_allclose(score, fewer.decision_function(X))


def test_probabilities_are_the_logistic_of_the_score():
    X, y = noisy()
    ours = boost(X, y, n_rounds=7)
    expected = 1 / (1 + np.exp(-2 * ours.decision_function(X)))
    np.testing.assert_allclose(ours.predict_proba(X)[:, 1], expected)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_prediction_is_the_most_probable_class(n_classes):
    X, y = noisy(200, 4, n_classes)
    ours = boost(100 * X, y, n_rounds=300)
    P, score = ours.predict_proba(100 * X), ours.decision_function(100 * X)
    np.testing.assert_array_equal(ours.predict(100 * X), ours.classes_[P.argmax(axis=1)])
    best = (score > 0).astype(int) if n_classes == 2 else score.argmax(axis=1)
    np.testing.assert_array_equal(P.argmax(axis=1), best)
    np.testing.assert_allclose(P.sum(axis=1), 1)


@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
def test_order_of_rows_and_names_of_classes_do_not_matter(seed, n_classes):
    X, y = noisy(50, 3, n_classes, seed)
    order = np.random.default_rng(seed).permutation(50)
    names = np.array(["p", "q", "r"])
    ours = boost(X, y, n_rounds=6)
    moved = boost(X[order], names[y[order]], n_rounds=6)
    np.testing.assert_allclose(moved.losses_, ours.losses_)
    np.testing.assert_array_equal(moved.predict(X), names[ours.predict(X)])


def test_swapped_labels_swap_the_score():
    X, y = noisy()
    ours, swapped = boost(X, y, n_rounds=20), boost(X, 1 - y, n_rounds=20)
    np.testing.assert_allclose(ours.decision_function(X), -swapped.decision_function(X))


@given(st.integers(0, 10_000))
def test_weight_two_is_two_cases_and_weight_zero_none(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, (30, 3)).astype(float), np.arange(30) % 3
    weights = rng.integers(0, 3, 30)
    rows = np.repeat(np.arange(30), weights)
    if len(np.unique(y[rows])) < 3:
        return
    ours, repeated = boost(X, y, weights, n_rounds=6), boost(X[rows], y[rows], n_rounds=6)
    np.testing.assert_allclose(ours.losses_, repeated.losses_, rtol=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), repeated.decision_function(X), atol=1e-8)


def test_same_for_any_number_of_threads():
    X, y = noisy(5000, 10, 3)
    with ilk.threads(1):
        one = boost(X, y, n_rounds=5)
    with ilk.threads(3):
        three = boost(X, y, n_rounds=5)
    np.testing.assert_array_equal(one.decision_function(X), three.decision_function(X))


def test_duplicate_columns_and_rows_change_nothing():
    X, y = noisy(60, 3)
    ours = boost(X, y, n_rounds=10)
    wide = boost(np.hstack([X, X, np.ones((60, 1))]), y, n_rounds=10)
    assert [m.feature_ for (m,) in wide.estimators_] == [m.feature_ for (m,) in ours.estimators_]
    twice = boost(np.vstack([X, X]), np.hstack([y, y]), n_rounds=10)
    np.testing.assert_allclose(twice.losses_, ours.losses_)


def test_more_rows_than_two_bytes_number():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, (70_000, 1)).astype(np.float32)
    y = X[:, 0] > 30
    stump = boost(X, y, n_rounds=1).estimators_[0][0]
    assert (stump.threshold_, stump.below_, stump.above_) == (30.5, -1, 1)


def test_constant_features_predict_the_larger_class():
    ours = boost(np.ones((9, 2)), ["x"] * 3 + ["y"] * 6)
    assert ours.predict(np.ones((2, 2))).tolist() == ["y", "y"]
    np.testing.assert_allclose(ours.predict_proba(np.ones((1, 2))), [[1 / 3, 2 / 3]])
    assert ours.feature_importances_.tolist() == [0, 0]


def test_stops_where_nothing_is_added():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    ours = boost(X, y)
    assert len(ours.estimators_) == len(ours.losses_) == 1
    assert ours.predict(X).tolist() == [0, 0, 0, 0]
    np.testing.assert_allclose(ours.predict_proba(X), 0.5)


def test_separable_classes_do_no_harm():
    X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    ours = boost(X, y, n_rounds=1000)
    assert ours.predict(X).tolist() == y
    assert np.isfinite(ours.predict_proba(X)).all()
    np.testing.assert_allclose(ours.decision_function(X), [-1000, -1000, 1000, 1000])


@in_one_test
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e12, 1e300])
def test_scale_of_features_does_not_matter(scale):
    X, y = noisy()
    with np.errstate(over="raise"):
        np.testing.assert_allclose(boost(X * scale, y).losses_, boost(X, y).losses_)


def test_neighbouring_numbers_are_told_apart():
    low = np.float64(1.0)
    X = np.array([[low], [np.nextafter(low, 2)]])
    assert boost(X, [0, 1], n_rounds=1).predict(X).tolist() == [0, 1]


def test_features_that_matter():
    X, y = noisy(300, 5)
    importances = boost(X, y).feature_importances_
    np.testing.assert_allclose(importances.sum(), 1)
    assert importances.argmax() == 0
    assert importances[4] < 0.2


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        (
            {"member": KNeighborsRegressor()},
            r"member \(KNeighborsRegressor\) takes no sample_weight, which it needs to learn$",
        ),
        ({"member": ilk.frozen(Ridge().fit([[1], [2]], [1, 2]))}, "is frozen"),
    ],
    ids=["weights", "frozen"],
)
def test_members_that_cannot_be_boosted(parameters, match):
    X, y = noisy()
    with pytest.raises(ilk.InputError, match=f"gentleboost: .*{match}"):
        boost(X, y, **parameters)


@in_one_test
@pytest.mark.parametrize(
    ("y", "weights", "match"),
    [
        ([1, 1, 1], None, "y has 1 class"),
        ([0, 1, 1], [1, -1, 1], "at least 0, got -1"),
        ([0, 1, 1], [0, 0, 0], "must not be all 0"),
        ([0, 1, 1], [0, 1, 1], "sample_weight is zero for every case of class 0"),
        ([0, 1], None, "y has 2 values for the 3 rows"),
    ],
    ids=["class", "negative", "zero", "lost", "labels"],
)
def test_bad_input_is_named(y, weights, match):
    with pytest.raises(ilk.InputError, match=f"gentleboost: .*{match}"):
        boost([[1], [2], [3]], y, weights)


class Fails(Ridge):
    """Cannot be fitted, or asked, for the second, sixth, tenth, ... time."""

    count = itertools.count()

    def __init__(self, alpha=1.0, at="fit"):
        super().__init__(alpha)
        self.at = at

    def _fail(self, at):
        if self.at == at and next(Fails.count) % 4 == 1:
            raise ValueError("no luck")

    def fit(self, X, y, sample_weight=None):
        self._fail("fit")
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        self._fail("predict")
        return super().predict(X)


@pytest.mark.parametrize("at", ["fit", "predict"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_failing_member_is_named_or_its_round_left_out(at, n_classes, capsys):
    X, y = noisy(n_classes=n_classes)
    Fails.count = itertools.count()
    with pytest.raises(ilk.InputError, match=r"gentleboost: member of round \d \(Fails\): no luck"):
        boost(X, y, member=Fails(at=at), n_rounds=6)
    Fails.count = itertools.count()
    ours = boost(X, y, member=Fails(at=at), n_rounds=6, on_failure="drop", verbose=2)
    lost = sorted(ours.failures_)
    assert lost == ([1, 5] if n_classes == 2 else [0, 2, 4])
    assert all("no luck" in str(error) for error in ours.failures_.values())
    assert capsys.readouterr().out.count("failed") == len(lost)
    rest = boost(X, y, member=Ridge(), n_rounds=6 - len(lost))
    np.testing.assert_array_equal(ours.losses_, rest.losses_)
    assert len(ours.estimators_) == len(rest.estimators_)


def test_rounds_that_all_fail_are_an_error():
    class Never(Ridge):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("never")

    with pytest.raises(
        ilk.InputError, match=r"gentleboost: every round failed; the first: .*round 1 \(Never\)"
    ):
        boost(*noisy(), member=Never(), n_rounds=2, on_failure="drop")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_compiled_scores_of_many_rows_are_those_of_the_stumps(n_classes):
    X, y = noisy(9000, n_classes=n_classes)
    boosted = boost(X[:300], y[:300], n_rounds=40, learning_rate=0.7)
    few = np.vstack([boosted.predict_proba(X[i : i + 50]) for i in range(0, 500, 50)])
    np.testing.assert_array_equal(boosted.predict_proba(X)[:500], few)
    scores = np.zeros((9000, len(boosted.estimators_[0])))
    for stumps in boosted.estimators_:
        scores += 0.7 * np.column_stack([stump.predict(X) for stump in stumps])
    decisions = boosted.decision_function(X)
    np.testing.assert_allclose(decisions, scores[:, 0] if n_classes == 2 else scores, atol=1e-10)
