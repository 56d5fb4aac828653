"""The ensemble `adaboost`."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import ilk
from cases import in_one_test

# Twenty points on a grid of 4 x 3 cells that the figures of A's example allow: (x1, x2, label,
# how many). Between cells lie the thresholds 0.37, 0.81, 0.93 of x1 and 0.14, 0.47 of x2.
ARRAS_CELLS = [
    (0, 0, -1, 2),
    (0, 1, -1, 3),
    (0, 2, -1, 2),
    (1, 0, 1, 2),
    (1, 1, -1, 3),
    (1, 2, 1, 3),
    (2, 1, 1, 1),
    (2, 2, 1, 3),
    (3, 1, -1, 1),
]
ARRAS_STUMPS = [
    (0, 0.37, 1),
    (1, 0.47, 1),
    (1, 0.14, -1),
    (0, 0.37, 1),
    (0, 0.81, 1),
    (1, 0.47, 1),
    (1, 0.14, -1),
    (0, 0.93, -1),
]
# as printed: weighted error, voting weight (twice ours), errors of the strong classifier
ARRAS_ERRORS = [0.20, 0.16, 0.25, 0.20, 0.28, 0.29, 0.29, 0.25]
ARRAS_VOTES = [1.39, 1.69, 1.11, 1.40, 0.96, 0.88, 0.88, 1.12]
ARRAS_WRONG = [4, 5, 1, 1, 1, 1, 1, 0]


def boost(X, y, sample_weight=None, **parameters):
    return ilk.classifier("adaboost", **parameters).fit(X, y, sample_weight=sample_weight)


def noisy(n=120, p=4, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)


class Scripted(ClassifierMixin, BaseEstimator):
    """Answers in each round what is written down for it."""

    def __init__(self, script=(), log=None):
        self.script = script
        self.log = log

    def __sklearn_clone__(self):
        return Scripted(self.script, self.log)

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.rule_ = self.script[len(self.log)]
        self.log.append(sample_weight)
        return self

    def predict(self, X):
        return self.rule_(np.asarray(X))


def scripted(*rules):
    return Scripted(list(rules), [])


def answers(*labels):
    """Rules that give each row of X, which holds its own number, a label."""
    return [lambda X, own=one: np.array(own)[X[:, 0].astype(int)] for one in labels]


def numbered(n):
    return np.arange(n, dtype=float)[:, None]


@pytest.fixture
def arras():
    x1, x2 = np.array([0.0, 0.74, 0.88, 0.98]), np.array([0.0, 0.28, 0.66])
    cells = [(x1[a], x2[b], label) for a, b, label, many in ARRAS_CELLS for _ in range(many)]
    values = np.array(cells)
    return values[:, :2], values[:, 2].astype(int)


def test_worked_example_of_eight_rounds(arras):
    """A prints the stumps, errors and votes of eight rounds; its votes are twice its formula."""
    X, y = arras
    rules = [
        lambda X, f=f, t=t, sign=sign: np.where(X[:, f] > t, sign, -sign)
        for f, t, sign in ARRAS_STUMPS
    ]
    ours = boost(X, y, member=scripted(*rules), n_members=8)
    np.testing.assert_allclose(ours.errors_, ARRAS_ERRORS, atol=0.006)
    np.testing.assert_allclose(2 * ours.alphas_, ARRAS_VOTES, atol=0.0051)
    assert [int((labels != y).sum()) for labels in ours.staged_predict(X)] == ARRAS_WRONG


def test_stumps_of_the_worked_example(arras):
    X, y = arras
    ours = boost(X, y, n_members=8)
    np.testing.assert_allclose(
        [(s.feature_, s.threshold_) for s in ours.estimators_[:2]], [(0, 0.37), (1, 0.47)]
    )
    np.testing.assert_allclose(2 * ours.alphas_[:2], ARRAS_VOTES[:2], atol=0.0051)
    assert (boost(X, y, n_members=12).predict(X) == y).all()


def test_first_rounds_by_hand():
    """One of six is wrong, then one of those that were right."""
    X, y = numbered(6), np.array(["a", "b", "b", "b", "a", "a"])
    ours = boost(X, y, n_members=2)
    np.testing.assert_allclose(ours.errors_, [1 / 6, 2 / 10])
    np.testing.assert_allclose(ours.alphas_, np.log([5, 4]) / 2)
    np.testing.assert_allclose(ours.error_bounds_, np.cumprod(2 * np.sqrt([5 / 36, 4 / 25])))


def test_weights_of_a_round_are_those_of_the_formula():
    X, y = numbered(5), np.array([0, 0, 1, 1, 1])
    member = scripted(*answers([0, 0, 1, 1, 0], [1, 0, 1, 1, 1]))
    boost(X, y, member=member, n_members=2)
    np.testing.assert_allclose(member.log[0], 0.2)
    np.testing.assert_allclose(member.log[1], [1 / 8, 1 / 8, 1 / 8, 1 / 8, 1 / 2])


def slow_boosting(X, y, n_rounds):
    """All stumps over the thresholds between values, weights as printed: alphas and scores."""
    n, p = X.shape
    weights, score, alphas = np.full(n, 1 / n), np.zeros(n), []
    for _ in range(n_rounds):
        best = (np.inf, None)
        for f in range(p):
            values = np.unique(X[:, f])
            for threshold in (values[1:] + values[:-1]) / 2:
                for sign in (1, -1):
                    said = np.where(X[:, f] > threshold, sign, -sign)
                    error = weights[said != y].sum()
                    if error < best[0] - 1e-12:
                        best = (error, said)
        error, said = best
        alphas.append(np.log((1 - error) / error) / 2)
        score += alphas[-1] * said
        weights *= np.exp(-alphas[-1] * y * said)
        weights /= weights.sum()
    return np.array(alphas), score


def test_agrees_with_a_slow_search():
    X, codes = noisy(40, 3)
    y = 2 * codes - 1
    alphas, score = slow_boosting(X, y, 12)
    ours = boost(X, y, n_members=12)
    np.testing.assert_allclose(ours.alphas_, alphas, rtol=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), score, rtol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_agrees_with_scikit_learns_samme(n_classes):
    X, y = noisy(300, 4, n_classes)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    theirs = AdaBoostClassifier(tree, n_estimators=15, random_state=0).fit(X, y)
    ours = boost(X, y, member=tree, n_members=15)
    np.testing.assert_allclose(2 * ours.alphas_, theirs.estimator_weights_, rtol=1e-6)
    np.testing.assert_allclose(ours.errors_, theirs.estimator_errors_, rtol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for mine, own in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        np.testing.assert_array_equal(mine, own)


def test_learning_rate_agrees_with_scikit_learns():
    X, y = noisy(200)
    tree = DecisionTreeClassifier(max_depth=1)
    theirs = AdaBoostClassifier(tree, n_estimators=20, learning_rate=0.3).fit(X, y)
    ours = boost(X, y, member=tree, n_members=20, learning_rate=0.3)
    np.testing.assert_allclose(2 * ours.alphas_, theirs.estimator_weights_, rtol=1e-6)


@given(
    st.integers(5, 30).flatmap(
        lambda n: st.tuples(
            arrays(float, (n, 2), elements=st.integers(0, 6).map(float)),
            arrays(int, n, elements=st.integers(0, 3)),
            arrays(float, n, elements=st.integers(1, 5).map(float)),
        )
    ),
    st.sampled_from(["samme", "m1"]),
    st.sampled_from([1.0, 0.4]),
)
def test_training_error_is_below_its_bound(data, multiclass, learning_rate):
    X, y, weights = data
    if len(np.unique(y)) < 2:
        return
    parameters = {"multiclass": multiclass, "learning_rate": learning_rate, "n_members": 15}
    ours = boost(X, y, weights, **parameters)
    assert len(ours.error_bounds_) == len(ours.alphas_) == len(ours.estimators_)
    for labels, bound in zip(ours.staged_predict(X), ours.error_bounds_, strict=True):
        assert weights[labels != y].sum() / weights.sum() <= bound + 1e-9


def test_bound_is_the_product_of_normalizers():
    X, y = noisy()
    ours = boost(X, y, n_members=30)
    np.testing.assert_allclose(
        ours.error_bounds_, np.cumprod(2 * np.sqrt(ours.errors_ * (1 - ours.errors_)))
    )
    assert (np.diff(ours.error_bounds_) < 0).all()


def test_bound_of_m1_with_three_classes():
    X, y = noisy(200, 4, 3)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    ours = boost(X, y, member=tree, n_members=5, multiclass="m1")
    np.testing.assert_allclose(
        ours.error_bounds_, np.cumprod(2 * np.sqrt(ours.errors_ * (1 - ours.errors_)))
    )


def test_perfect_first_member_is_the_only_one():
    ours = boost([[1], [2], [3]], ["a", "a", "b"], n_members=10)
    assert ours.stopped_ == "perfect"
    assert ours.errors_.tolist() == [0]
    np.testing.assert_allclose(ours.alphas_, np.log(2**52 - 1) / 2)
    assert ours.predict([[1], [9]]).tolist() == ["a", "b"]
    assert ours.error_bounds_[0] < 1e-7


def test_perfect_later_member_is_not_outvoted():
    """In scikit-learn the two worse ones before it, who agree, win."""
    X, y = numbered(10), np.array([0] * 5 + [1] * 5)
    wrong, other = y.copy(), y.copy()
    wrong[[8, 9]], other[[0, 9]] = 0, [1, 0]
    rules = answers(wrong, other, y, 1 - y)
    ours = boost(X, y, member=scripted(*rules), n_members=4)
    assert ours.stopped_ == "perfect"
    assert len(ours.estimators_) == len(ours.alphas_) == len(ours.errors_) == 3
    assert ours.alphas_[2] > ours.alphas_[:2].sum()
    np.testing.assert_array_equal(ours.predict(X), y)
    assert ours.error_bounds_[2] < 1e-7
    stages = list(ours.staged_predict(X))
    np.testing.assert_array_equal(stages[0], wrong)
    np.testing.assert_array_equal(stages[2], y)


@pytest.mark.parametrize("learning_rate", [1.0, 0.1, 3.0])
def test_perfect_member_decides_alone_at_any_learning_rate(learning_rate):
    X, y = noisy(60, 3)
    rest = [lambda X: (X[:, 0] > 0).astype(int), lambda X: (X[:, 1] > 0).astype(int)]
    lookup = {row.tobytes(): label for row, label in zip(X, y, strict=True)}
    rules = [*rest, lambda X: np.array([lookup[row.tobytes()] for row in X])]
    ours = boost(X, y, member=scripted(*rules), n_members=40, learning_rate=learning_rate)
    assert ours.stopped_ == "perfect"
    np.testing.assert_array_equal(ours.predict(X), y)


def test_no_better_than_chance_at_first_is_kept_alone():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([0, 1, 1, 0])
    ours = boost(X, y, n_members=10)
    assert ours.stopped_ == "chance"
    assert ours.alphas_.tolist() == [1]
    np.testing.assert_allclose(ours.errors_, 0.5)
    np.testing.assert_array_equal(ours.predict(X), ours.estimators_[0].predict(X))


def test_no_better_than_chance_later_is_left_out():
    X, y = numbered(8), np.array([0] * 4 + [1] * 4)
    one = np.where(np.arange(8) == 0, 1, y)
    ours = boost(X, y, member=scripted(*answers(one, one)), n_members=9)
    assert ours.stopped_ == "chance"
    assert len(ours.estimators_) == len(ours.errors_) == len(ours.error_bounds_) == 1


def test_constant_features_predict_the_larger_class():
    X, y = np.ones((9, 3)), np.array(["x"] * 3 + ["y"] * 6)
    ours = boost(X, y)
    assert ours.predict(X).tolist() == ["y"] * 9
    assert ours.stopped_ == "chance"
    assert ours.feature_ranking_.tolist() == []
    assert ours.feature_importances_.tolist() == [0, 0, 0]


def test_rounds_that_were_not_made_are_not_padded():
    X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    ours = boost(X, y, n_members=50)
    assert ours.errors_.shape == ours.alphas_.shape == (1,)


def test_samme_goes_on_where_m1_must_stop():
    """A stump cannot get half of ten classes right."""
    X, y = load_digits(return_X_y=True)
    m1, samme = boost(X, y, multiclass="m1"), boost(X, y, n_members=50)
    assert m1.stopped_ == "chance"
    assert len(m1.estimators_) == 1
    assert m1.errors_[0] > 0.5
    assert m1.score(X, y) < 0.2
    assert samme.score(X, y) > 0.7


@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
@example(866, 3)  # two classes weigh the same in a leaf of the fourth stump
def test_order_of_rows_and_names_of_classes_do_not_matter(seed, n_classes):
    X, y = noisy(60, 3, n_classes, seed)
    order = np.random.default_rng(seed).permutation(60)
    ours = boost(X, y, n_members=8)
    moved = boost(X[order], np.array(["p", "q", "r"])[y[order]], n_members=8)
    np.testing.assert_allclose(moved.alphas_, ours.alphas_, rtol=1e-8)
    np.testing.assert_array_equal(moved.predict(X), np.array(["p", "q", "r"])[ours.predict(X)])


@in_one_test
@pytest.mark.parametrize(
    "labels", [[-1, 1], [False, True], ["no", "yes"], [7, 3]], ids=["signs", "bools", "texts", "z"]
)
def test_labels_of_any_kind(labels):
    X, y = noisy()
    named = np.array(labels)[y]
    ours = boost(X, named, n_members=5)
    np.testing.assert_array_equal(ours.classes_, np.unique(labels))
    assert ours.predict(X).dtype == named.dtype
    np.testing.assert_allclose(ours.alphas_, boost(X, y, n_members=5).alphas_)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"learning_rate": 0.5},
        {"method": "resampling", "random_state": 3},
        {"member": DecisionTreeClassifier(max_depth=2, max_features=1), "random_state": 3},
    ],
    ids=["weighting", "slower", "resampling", "random_members"],
)
def test_staged_is_fitting_fewer_rounds(parameters):
    X, y = noisy(150, 4, 3)
    ours = boost(X, y, n_members=6, **parameters)
    stages = zip(
        ours.staged_predict(X),
        ours.staged_predict_proba(X),
        ours.staged_decision_function(X),
        strict=True,
    )
    for rounds, (labels, probabilities, support) in enumerate(stages, start=1):
        fewer = boost(X, y, n_members=rounds, **parameters)
        np.testing.assert_array_equal(labels, fewer.predict(X))
        np.testing.assert_allclose(probabilities, fewer.predict_proba(X))
        np.testing.assert_allclose(support, fewer.decision_function(X))


def test_probabilities_are_the_logistic_of_the_score():
    X, y = noisy()
    ours = boost(X, y, n_members=7)
    score = sum(
        a * (2 * m.predict(X) - 1) for a, m in zip(ours.alphas_, ours.estimators_, strict=True)
    )
    np.testing.assert_allclose(ours.decision_function(X), score, atol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * score)))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_prediction_is_the_most_probable_class(n_classes):
    X, y = noisy(200, 4, n_classes)
    ours = boost(X, y, n_members=200)
    P, support = ours.predict_proba(X), ours.decision_function(X)
    np.testing.assert_array_equal(ours.predict(X), ours.classes_[P.argmax(axis=1)])
    best = (support > 0).astype(int) if n_classes == 2 else support.argmax(axis=1)
    np.testing.assert_array_equal(ours.predict(X), ours.classes_[best])
    np.testing.assert_allclose(P.sum(axis=1), 1)


def test_ties_go_to_the_first_class():
    X, y = numbered(4), np.array([0, 0, 1, 1])
    ours = boost(X, y, member=scripted(*answers([0, 0, 1, 0], [0, 1, 1, 1])), n_members=2)
    ours.alphas_ = np.array([0.1 + 0.2, 0.3])  # equal up to rounding
    assert ours.decision_function(X)[[1, 3]].tolist() == [0, 0]
    assert ours.predict(X).tolist() == [0, 0, 1, 0]


def test_member_that_abstains_has_no_vote():
    X, y = numbered(4), np.array(["a", "a", "b", "b"])
    rules = answers(["a", "a", "b", "?"], ["?", "a", "b", "b"])
    ours = boost(X, y, member=scripted(*rules), n_members=2)
    np.testing.assert_allclose(ours.errors_[0], 0.25)
    assert ours.predict(X).tolist() == ["a", "a", "b", "b"]


def test_weight_two_is_two_cases_and_weight_zero_none():
    X, y = noisy(50, 3, 3)
    weights = np.arange(50) % 3
    ours = boost(X, y, weights, n_members=10)
    rows = np.repeat(np.arange(50), weights)
    repeated = boost(X[rows], y[rows], n_members=10)
    np.testing.assert_allclose(ours.alphas_, repeated.alphas_)
    np.testing.assert_allclose(ours.predict_proba(X), repeated.predict_proba(X))
    np.testing.assert_allclose(ours.alphas_, boost(X, y, weights * 1e-9, n_members=10).alphas_)


def test_resampling_draws_by_the_weights():
    """A case of nearly all the weight is nearly all of what the first member sees."""
    X, y = noisy(100)
    seen = []

    class Spy(DecisionTreeClassifier):
        def fit(self, X, y):
            seen.append(X.copy())
            return super().fit(X, y)

    weights = np.where(np.arange(100) == 7, 900.0, 1.0)
    boost(X, y, weights, member=Spy(max_depth=1), n_members=1, method="resampling", random_state=0)
    assert len(seen[0]) == 100
    assert 80 < (seen[0] == X[7]).all(axis=1).sum() < 99


def test_resampling_takes_members_without_weights():
    X, y = noisy(150, 4, 3)
    member = KNeighborsClassifier(3)
    ours = boost(X, y, member=member, n_members=5, method="resampling", random_state=0)
    assert len(ours.estimators_) > 1
    assert ours.score(X, y) > 0.8
    again = boost(X, y, member=member, n_members=5, method="resampling", random_state=0)
    np.testing.assert_array_equal(ours.predict_proba(X), again.predict_proba(X))


def test_draws_of_one_class_are_drawn_anew():
    X, y = numbered(30), np.array([0] * 29 + [1])
    for seed in range(20):
        ours = boost(X, y, n_members=1, method="resampling", random_state=seed)
        assert ours.estimators_[0].classes_.tolist() == [0, 1]


def test_draws_that_never_have_two_classes_are_an_error():
    X, y = numbered(3), np.array([0, 0, 1])
    with pytest.raises(ilk.InputError, match="adaboost: member of round 1 .*100 successive draws"):
        boost(X, y, [1, 1, 1e-9], method="resampling", random_state=0)


def test_restarts_go_on_from_the_first_weights():
    X, y = numbered(8), np.array([0] * 4 + [1] * 4)
    one, other = np.where(np.arange(8) == 0, 1, y), np.where(np.arange(8) == 7, 0, y)
    half = np.where(np.arange(8) % 2 == 0, 1 - y, y)
    parameters = {"n_members": 3, "method": "resampling", "random_state": 0}
    member = scripted(*answers(one, half, one, other))
    ours = boost(X, y, member=member, restarts=1, **parameters)
    np.testing.assert_allclose(ours.errors_[:2], [1 / 8, 1 / 8])  # both by equal weights
    np.testing.assert_allclose(ours.errors_[2], 1 / 14)
    assert len(ours.estimators_) == 3
    margin = np.where(ours.predict(X) == y, 1, -1) * abs(ours.decision_function(X))
    np.testing.assert_allclose(ours.error_bounds_[-1], np.exp(-margin).mean())
    without = boost(X, y, member=scripted(*answers(one, half)), **parameters)
    assert len(without.estimators_) == 1
    assert without.stopped_ == "chance"


def test_member_that_takes_no_weights_is_named():
    X, y = noisy()
    with pytest.raises(ilk.InputError, match=r"adaboost: member \(nearest_mean\) .*method='resamp"):
        boost(X, y, member="nearest_mean")


def test_frozen_member_is_refused():
    X, y = noisy()
    frozen = ilk.frozen(ilk.classifier("decision_stump").fit(X, y))
    for method in ("weighting", "resampling"):
        with pytest.raises(ilk.InputError, match=r"member \(decision_stump\) is frozen"):
            boost(X, y, member=frozen, method=method)


class Fails(GaussianNB):
    """Fails in its second round."""

    rounds = itertools.count()

    def fit(self, X, y, sample_weight=None):
        if next(Fails.rounds) == 1:
            raise ValueError("no luck")
        return super().fit(X, y, sample_weight)


def test_failing_member_is_named_or_left_out():
    X, y = noisy()
    Fails.rounds = itertools.count()
    with pytest.raises(ilk.InputError, match=r"member of round 2 \(Fails\): no luck"):
        boost(X, y, member=Fails(), n_members=3)
    Fails.rounds = itertools.count()
    ours = boost(X, y, member=Fails(), n_members=3, on_failure="drop")
    assert list(ours.failures_) == [1]
    assert "no luck" in str(ours.failures_[1])
    assert len(ours.estimators_) == 2
    np.testing.assert_allclose(ours.alphas_, boost(X, y, member=GaussianNB(), n_members=2).alphas_)


def test_rounds_that_all_fail_are_an_error():
    class Never(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("never")

    X, y = noisy()
    with pytest.raises(ilk.InputError, match="every round failed; the first: .*never"):
        boost(X, y, member=Never(), n_members=2, on_failure="drop")


@in_one_test
@pytest.mark.parametrize(
    ("y", "weights", "match"),
    [
        ([1, 1, 1], None, "y has 1 class"),
        ([0, 1, 1], [1, -1, 1], "at least 0, got -1"),
        ([0, 1, 1], [1, np.nan, 1], "must be finite"),
        ([0, 1, 1], [0, 0, 0], "must not be all 0"),
        ([0, 1, 1], [0, 1, 1], "zero for every case of class 0"),
        ([0, 1, 1], [1, 1], "sample_weight has 2 values"),
        ([0, 1], None, "y has 2 values for the 3 rows"),
    ],
    ids=["class", "negative", "nan", "zero", "lost", "short", "labels"],
)
def test_bad_input_is_named(y, weights, match):
    with pytest.raises(ilk.InputError, match=f"adaboost: .*{match}"):
        boost([[1], [2], [3]], y, weights)


def test_restarts_need_resampling():
    with pytest.raises(ilk.ParameterError, match="restarts must be 0 unless method"):
        boost([[1], [2]], [0, 1], restarts=1)


def test_features_are_ranked_by_voting_weight():
    X, y = noisy(200, 4)
    ours = boost(X, y, n_members=25)
    expected = np.zeros(4)
    for alpha, member in zip(ours.alphas_, ours.estimators_, strict=True):
        expected[member.feature_] += alpha
    np.testing.assert_allclose(ours.feature_importances_, expected / ours.alphas_.sum())
    used = np.flatnonzero(expected)
    assert ours.feature_ranking_.tolist() == used[np.argsort(-expected[used])].tolist()
    assert ours.feature_ranking_[0] == 0


def test_features_of_members_that_are_trees():
    X, y = noisy(200, 4)
    ours = boost(X, y, member=DecisionTreeClassifier(max_depth=2), n_members=4)
    own = [member.feature_importances_ for member in ours.estimators_]
    np.testing.assert_allclose(
        ours.feature_importances_, np.average(own, axis=0, weights=ours.alphas_)
    )


def test_members_that_rank_no_features():
    X, y = noisy()
    ours = boost(X, y, member=GaussianNB(), n_members=2)
    assert not hasattr(ours, "feature_importances_")
    assert not hasattr(ilk.classifier("adaboost"), "feature_importances_")


def test_duplicate_columns_and_rows_change_nothing():
    X, y = noisy(60, 3)
    ours = boost(X, y, n_members=10)
    wide = boost(np.hstack([X, X, np.ones((60, 1))]), y, n_members=10)
    np.testing.assert_allclose(wide.alphas_, ours.alphas_)
    assert set(wide.feature_ranking_) <= {0, 1, 2}
    twice = boost(np.vstack([X, X]), np.hstack([y, y]), n_members=10)
    np.testing.assert_allclose(twice.alphas_, ours.alphas_)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scale_of_features_does_not_matter(scale):
    X, y = noisy()
    np.testing.assert_allclose(boost(X * scale, y).alphas_, boost(X, y).alphas_)


def test_tables_are_taken_where_members_take_them():
    rows = pd.DataFrame({"color": pd.Categorical(["red", "red", "blue", "blue"] * 5)})
    y = np.array([0, 0, 1, 1] * 5)
    member = {"use": "knn", "k": 1, "distance": "heterogeneous"}
    ours = boost(rows, y, member=member, n_members=2, method="resampling", random_state=0)
    assert ours.score(rows, y) == 1


def test_logistic_members_and_weights_in_logarithms():
    """Weights of cases that are always right do not vanish over many rounds."""
    X, y = noisy(200)
    ours = boost(X, y, member=LogisticRegression(), n_members=100)
    assert np.isfinite(ours.alphas_).all()
    assert np.isfinite(ours.predict_proba(X)).all()


def test_verbose_prints_each_round(capsys):
    X, y = noisy()
    boost(X, y, n_members=3, verbose=2)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("adaboost: 1 of 3 rounds")
    assert "error" in lines[0]


def test_unfitted_says_so():
    with pytest.raises(ValueError, match="not fitted"):
        ilk.classifier("adaboost").predict([[1.0]])
    with pytest.raises(ValueError, match="not fitted"):
        next(ilk.classifier("adaboost").staged_predict([[1.0]]))


@pytest.mark.parametrize("name", ["adaboost", "gentleboost"])
def test_weights_that_vanish_beside_others_count_as_none(name):
    """Their share of all weight is below the smallest float."""
    X, y = noisy()
    light = np.arange(len(X)) % 2 == 0
    model = ilk.classifier(name).set_params(
        **{"n_members" if name == "adaboost" else "n_rounds": 5}
    )
    some = clone(model).fit(X, y, sample_weight=np.where(light, 1e-300, 1e300))
    none = clone(model).fit(X, y, sample_weight=np.where(light, 0, 1e300))
    np.testing.assert_array_equal(some.predict_proba(X), none.predict_proba(X))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_compiled_votes_of_many_rows_are_those_of_the_members(n_classes):
    rng = np.random.default_rng(n_classes)
    X = np.round(rng.normal(size=(9000, 5)), 1).astype(np.float32)
    y = rng.integers(0, n_classes, 9000) + (X[:, 0] > 0)
    boosted = ilk.classifier("adaboost", n_members=40).fit(
        X[:300], np.array(list("abcde"))[y[:300]]
    )
    votes = np.zeros((9000, len(boosted.classes_)))
    for member, alpha in zip(boosted.estimators_, boosted.alphas_, strict=True):
        votes[np.arange(9000), np.searchsorted(boosted.classes_, member.predict(X))] += alpha
    most = votes.max(axis=1, keepdims=True)
    expected = np.where(votes >= most - 1e-12 * boosted.alphas_.sum(), most, votes)
    decisions = boosted.decision_function(X)
    lead = expected[:, 1] - expected[:, 0] if decisions.ndim == 1 else expected
    np.testing.assert_array_equal(decisions, lead)
    np.testing.assert_array_equal(boosted.decision_function(X[:50]), lead[:50])
