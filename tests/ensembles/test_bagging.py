"""The ensemble `bagging`."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ilk
from cases import in_one_test
from ilk import ConstantClassifier
from ilk_ensembles.base import out_of_bag
from ilk_ensembles.base import resampling as resampled
from ilk_ensembles.base.out_of_bag import stopped_at


@pytest.fixture(scope="module")
def wine():
    return ilk.dataset("wine").load().Xy


def bag(X, y, member="nearest_mean", n_members=10, random_state=0, **parameters):
    ours = ilk.classifier(
        "bagging", member=member, n_members=n_members, random_state=random_state, **parameters
    )
    return ours.fit(X, y)


class Counting(ClassifierMixin, BaseEstimator):
    """Fails on draws whose first row is in the second half; says how often each class was drawn."""

    def __init__(self, fails=False):
        self.fails = fails

    def fit(self, X, y):
        if self.fails and X[0, 0] >= 10:
            raise ValueError("cannot be fitted")
        self.classes_, self.counts_ = np.unique(y, return_counts=True)
        return self

    def predict_proba(self, X):
        return np.tile(self.counts_ / self.counts_.sum(), (len(X), 1))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


# Ntoutsi & Schubert (2015), "Bagging example": tenths of x drawn in each round

DRAWN = [
    [1, 2, 2, 3, 4, 4, 5, 6, 9, 9],
    [1, 2, 3, 4, 5, 8, 9, 10, 10, 10],
    [1, 2, 3, 4, 4, 5, 7, 7, 8, 9],
    [1, 1, 2, 4, 4, 5, 5, 7, 8, 9],
    [1, 1, 2, 5, 6, 6, 6, 10, 10, 10],
    [2, 4, 5, 6, 7, 7, 7, 8, 9, 10],
    [1, 4, 4, 6, 7, 8, 9, 9, 9, 10],
    [1, 2, 5, 5, 5, 7, 7, 8, 9, 10],
    [1, 3, 4, 4, 6, 7, 7, 8, 10, 10],
    [1, 1, 1, 1, 3, 3, 8, 8, 9, 9],
]
LEFT, RIGHT, ALL = [1] * 3 + [-1] * 7, [-1] * 7 + [1] * 3, [1] * 10
ANSWERS = [LEFT, ALL, LEFT, LEFT, LEFT, RIGHT, RIGHT, RIGHT, RIGHT, ALL]
SUMS = [2, 2, 2, -6, -6, -6, -6, 2, 2, 2]


@pytest.fixture
def rounds(monkeypatch):
    """The ten points, and their ten rounds in place of draws at random."""
    drawn = iter(np.array(DRAWN) - 1)
    monkeypatch.setattr(resampled, "bootstrap_rows", lambda *_, **__: next(drawn))
    return np.arange(1, 11)[:, None] / 10, np.array([1, 1, 1, -1, -1, -1, -1, 1, 1, 1])


@pytest.mark.parametrize("combiner", ["sum", "majority"])
def test_ten_rounds_of_the_lecture(rounds, combiner):
    X, y = rounds
    ours = bag(X, y, "decision_stump", combiner=combiner)
    answers = [member.predict(X).tolist() for member in ours.estimators_]
    assert answers == ANSWERS
    assert np.sum(answers, axis=0).tolist() == SUMS
    np.testing.assert_array_equal(ours.predict(X), y)
    assert [(drawn + 1).tolist() for drawn in ours.rows_] == DRAWN


def test_thresholds_of_the_lecture(rounds):
    """Round 2 answers +1 on both sides of its threshold, round 10 saw one class only."""
    ours = bag(*rounds, "decision_stump")
    found = [getattr(member, "threshold_", None) for member in ours.estimators_]
    printed = [0.35, 0.35, 0.3, 0.35, 0.75, 0.75, 0.75, 0.75]
    np.testing.assert_allclose(found[:1] + found[2:9], printed)
    assert isinstance(ours.estimators_[9], ConstantClassifier)


def test_one_stump_cannot_tell_the_ten_points(rounds):
    X, y = rounds
    assert ilk.classifier("decision_stump").fit(X, y).score(X, y) == 0.7


# agreement with scikit-learn


@pytest.mark.parametrize("combiner", ["sum", "majority"])
def test_members_are_those_that_scikit_learn_fits_to_the_same_rows(wine, combiner):
    X, y = wine
    ours = bag(X, y, DecisionTreeClassifier(random_state=3), combiner=combiner)
    fits = [DecisionTreeClassifier(random_state=3).fit(X[r], y[r]) for r in ours.rows_]
    theirs = BaggingClassifier(DecisionTreeClassifier(random_state=3), 10).fit(X, y)
    theirs.estimators_ = fits
    theirs.estimators_features_ = [np.arange(X.shape[1])] * 10
    for fit in fits:  # scikit-learn's bagging fits members to codes
        fit.classes_ = np.arange(3)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_error_out_of_bag_is_scikit_learns_for_the_same_rows(wine):
    X, y = wine
    member = LinearDiscriminantAnalysis()
    theirs = BaggingClassifier(member, 30, oob_score=True, random_state=0).fit(X, y)
    drawn = iter(theirs.estimators_samples_)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampled, "bootstrap_rows", lambda *_, **__: next(drawn))
        ours = bag(X, y, member, 30, oob_score=True)
    assert ours.n_never_out_of_bag_ == 0
    np.testing.assert_allclose(ours.oob_decision_function_, theirs.oob_decision_function_)
    np.testing.assert_allclose(1 - ours.oob_error_, theirs.oob_score_)


# out of bag


def recount(model, X, y, combine):
    """Row by row, member by member."""
    support = np.full((len(X), len(model.classes_)), np.nan)
    for row in range(len(X)):
        said = []
        for member, drawn in zip(model.estimators_, model.rows_, strict=True):
            if row not in set(drawn.tolist()):
                own = np.zeros(len(model.classes_))
                at = np.searchsorted(model.classes_, member.classes_)
                own[at] = member.predict_proba(X[row : row + 1])[0]
                said.append(own)
        if said:
            support[row] = combine(np.array(said))
    known = ~np.isnan(support[:, 0])
    wrong = model.classes_[support[known].argmax(axis=1)] != y[known]
    return support, wrong.mean(), len(X) - known.sum()


def votes(said):
    return np.eye(said.shape[1])[said.argmax(axis=1)].mean(axis=0)


def product(said):
    return np.exp(np.log(said).sum(axis=0) - np.log(said).sum(axis=0).max())


RULES = {"sum": lambda said: said.mean(axis=0), "majority": votes, "product": product}


@pytest.mark.parametrize("combiner", list(RULES))
@pytest.mark.parametrize("cells", [60, 1 << 22])
def test_out_of_bag_equals_a_slow_recount(wine, combiner, cells, monkeypatch):
    X, y = wine[0][::4], wine[1][::4]
    monkeypatch.setattr(out_of_bag, "_CELLS", cells)
    ours = bag(X, y, "nearest_mean", 5, combiner=combiner, oob_score=True, n_jobs=2)
    support, error, never = recount(ours, X, y, RULES[combiner])
    got = ours.oob_decision_function_
    if combiner == "product":
        support, got = (s / s.sum(axis=1, keepdims=True) for s in (support, got))
    np.testing.assert_allclose(got, support, rtol=1e-6)
    assert ours.n_never_out_of_bag_ == never > 0
    assert ours.oob_error_ == pytest.approx(error)


def test_row_never_out_of_bag_is_nan_and_counted(wine):
    """Not class 0: with one member only a third of the rows are out of its bag."""
    X, y = wine
    ours = bag(X, y, GaussianNB(), 1, oob_score=True)
    never = np.isnan(ours.oob_decision_function_).all(axis=1)
    assert set(np.flatnonzero(never)) == set(ours.rows_[0].tolist())
    assert never.sum() == ours.n_never_out_of_bag_
    assert np.isfinite(ours.oob_decision_function_[~never]).all()
    own = ours.estimators_[0]
    assert ours.oob_error_ == pytest.approx(1 - own.score(X[~never], y[~never]))


def test_no_row_out_of_bag_has_no_error():
    X, y = np.array([[0.0], [1.0]]), ["a", "b"]
    drawn = (
        ilk.classifier("bagging", n_members=1, oob_score=True, random_state=s).fit(X, y)
        for s in range(40)
    )
    ours = next(model for model in drawn if len(set(model.rows_[0].tolist())) == 2)
    assert np.isnan(ours.oob_error_)
    assert ours.n_never_out_of_bag_ == 2


def test_error_out_of_bag_is_weighted(wine):
    X, y = wine
    weights = np.where(y == "class_1", 5.0, 1.0)
    ours = ilk.classifier("bagging", member="nearest_mean", oob_score=True, random_state=0)
    ours.fit(X, y, sample_weight=weights)
    known = ~np.isnan(ours.oob_decision_function_[:, 0])
    wrong = ours.classes_[ours.oob_decision_function_[known].argmax(axis=1)] != y[known]
    assert ours.oob_error_ == pytest.approx(np.average(wrong, weights=weights[known]))


def test_rejected_row_is_an_error_out_of_bag(wine):
    X, y = wine
    rule = {"use": "majority", "threshold": "consensus"}
    plain = bag(X, y, combiner=rule, oob_score=True)
    careful = bag(X, y, combiner=rule, oob_score=True, reject_label="?")
    known = careful.oob_decision_function_[~np.isnan(careful.oob_decision_function_[:, 0])]
    rejected = known.max(axis=1) < 1
    assert rejected.any()
    assert careful.oob_error_ > plain.oob_error_
    assert careful.oob_error_ >= rejected.mean()


def test_error_out_of_bag_is_forgotten_when_no_longer_asked_for(wine):
    ours = bag(*wine, oob_score=True).set_params(oob_score=False).fit(*wine)
    assert not hasattr(ours, "oob_error_")
    assert not hasattr(ours, "n_never_out_of_bag_")


@pytest.mark.parametrize(
    "combiner", ["sum", "product", "max", "min", "median", "majority", "borda", "weighted_sum"]
)
def test_error_out_of_bag_by_every_rule_that_treats_members_alike(wine, combiner):
    ours = bag(*wine, "decision_tree", 20, combiner=combiner, oob_score=True)
    assert ours.oob_error_ < 0.25


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"replace": False}, "oob_score needs rows that are not drawn"),
        ({"replace": False, "max_samples": 178}, "oob_score needs rows that are not drawn"),
        ({"combiner": "stacking"}, "oob_score needs a rule that treats members alike"),
        ({"combiner": {"use": "weighted_sum", "weights": "pyramid"}}, "oob_score needs a rule"),
        ({"combiner": {"use": "weighted_sum", "weights": [1] * 10}}, "oob_score needs a rule"),
    ],
)
def test_error_out_of_bag_that_cannot_be_had_is_refused(wine, parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"bagging: {message}"):
        bag(*wine, oob_score=True, **parameters)


def test_rule_that_learns_does_so_from_new_draws(wine):
    """Its members are fitted to draws from the rows that are not held out."""
    X, y = wine
    ours = bag(X, y, "decision_tree", 4, combiner="stacking", max_samples=150, replace=False)
    assert ours.score(X, y) > 0.9
    with pytest.raises(ilk.InputError, match="stacking learned from all members, it cannot"):
        next(ours.staged_predict(X))


# stages


@pytest.mark.parametrize("combiner", ["sum", "majority", "product"])
def test_stages_are_smaller_ensembles(wine, combiner):
    X, y = wine
    ours = bag(X, y, n_members=5, combiner=combiner)
    stages = list(zip(ours.staged_predict(X), ours.staged_predict_proba(X), strict=True))
    for count, (labels, probabilities) in enumerate(stages, start=1):
        smaller = bag(X, y, n_members=count, combiner=combiner)
        np.testing.assert_array_equal(labels, smaller.predict(X))
        np.testing.assert_array_equal(probabilities, smaller.predict_proba(X))


def test_stages_end_in_the_ensemble_and_can_be_drawn(wine):
    X, y = wine
    ours = bag(X, y, DecisionTreeClassifier(max_depth=1), 15)
    errors = [np.mean(labels != y) for labels in ours.staged_predict(X)]
    assert len(errors) == 15
    assert errors[-1] == pytest.approx(1 - ours.score(X, y))
    assert errors[-1] < errors[0]


# draws


@pytest.mark.parametrize("jobs", [2, -1])
def test_threads_change_nothing(wine, jobs):
    X, y = wine
    parameters = {"oob_score": True, "member": DecisionTreeClassifier(max_features=2)}
    one, many = (bag(X, y, n_jobs=n, **parameters) for n in (1, jobs))
    np.testing.assert_array_equal(one.predict_proba(X), many.predict_proba(X))
    np.testing.assert_array_equal(one.oob_decision_function_, many.oob_decision_function_)


def test_seeds():
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    member = DecisionTreeClassifier(max_features=1)
    first, again, other = (bag(X, y, member, random_state=s) for s in (0, 0, 1))
    np.testing.assert_array_equal(first.rows_, again.rows_)
    assert not np.array_equal(first.rows_, other.rows_)
    assert len({m.random_state for m in first.estimators_}) == 10
    fixed = bag(X, y, DecisionTreeClassifier(random_state=5))
    assert {m.random_state for m in fixed.estimators_} == {5}
    assert bag(X, y, member, random_state=None).estimators_[0].random_state is None


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_random_state_may_be_a_generator(wine, make):
    first, again = (bag(*wine, random_state=make(3)) for _ in range(2))
    np.testing.assert_array_equal(first.rows_, again.rows_)


def test_more_members_leave_the_first_as_they_are(wine):
    X, y = wine
    few, many = (bag(X, y, DecisionTreeClassifier(max_features=2), n) for n in (3, 8))
    for one, other in zip(few.estimators_, many.estimators_, strict=False):
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "size"),
    [({}, 178), ({"max_samples": 0.5}, 89), ({"max_samples": 10}, 10), ({"max_samples": 300}, 300)],
)
def test_how_many_rows_are_drawn(wine, parameters, size):
    assert {len(rows) for rows in bag(*wine, **parameters).rows_} == {size}


def test_without_replacement_rows_are_drawn_once(wine):
    for rows in bag(*wine, replace=False, max_samples=0.6).rows_:
        assert len(set(rows.tolist())) == len(rows) == 107


def test_all_rows_without_replacement_is_the_member_itself(wine):
    X, y = wine
    ours = bag(X, y, GaussianNB(), 3, replace=False)
    np.testing.assert_allclose(ours.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X))


# classes that chance leaves out


def rare(n=20):
    """One class has a single member."""
    X = np.random.default_rng(0).normal(size=(n, 2))
    return X, np.array(["often"] * (n // 2) + ["also"] * (n // 2 - 1) + ["once"])


def test_class_that_was_not_drawn_has_probability_zero():
    X, y = rare()
    ours = bag(X, y, Counting(), 30)
    lost = [member for member in ours.estimators_ if "once" not in member.classes_]
    assert 0 < len(lost) < 30
    counts = np.array([[np.sum(y[rows] == c) for c in ours.classes_] for rows in ours.rows_])
    np.testing.assert_allclose(ours.predict_proba(X[:1])[0], counts.mean(axis=0) / len(y))


def test_stratified_draws_lose_no_class():
    X, y = rare()
    ours = bag(X, y, "nearest_mean", 30, stratified=True)
    assert all(len(member.classes_) == 3 for member in ours.estimators_)
    for rows in ours.rows_:
        assert np.unique(y[rows], return_counts=True)[1].tolist() == [9, 10, 1]
    ours = bag(X, y, "nearest_mean", 5, stratified=True, max_samples=5, replace=False)
    assert all(len(member.classes_) == 3 for member in ours.estimators_)


def test_draw_of_one_class_is_answered_by_it():
    """Also where the member refuses to learn from one class."""
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1, 1, 2])
    with pytest.raises(ValueError, match="class"):
        SVC().fit(X[:2], y[:2])
    ours = bag(X, y, SVC(), 20, combiner="majority")
    single = [m for m in ours.estimators_ if isinstance(m, ConstantClassifier)]
    assert 0 < len(single) < 20
    for member, rows in zip(ours.estimators_, ours.rows_, strict=True):
        if isinstance(member, ConstantClassifier):
            assert set(member.predict(X).tolist()) == set(y[rows].tolist())
    assert set(ours.predict(X).tolist()) <= {1, 2}


def test_two_rows_are_enough():
    ours = bag([[0.0], [1.0]], ["a", "b"], n_members=20)
    assert ours.predict([[-1.0], [2.0]]).tolist() == ["a", "b"]


def test_one_class_is_an_error():
    with pytest.raises(ilk.InputError, match=r"bagging: y has 1 class \('a'\)"):
        bag([[0.0], [1.0]], ["a", "a"])


# members that fail


def test_failing_member_is_named():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    with pytest.raises(
        ilk.InputError,
        match=r"bagging: members\[\d\], on the sample drawn for it \(Counting\): cannot be fitted",
    ):
        bag(X, y, Counting(fails=True))


@pytest.mark.parametrize("jobs", [1, 2])
def test_failing_members_are_dropped_and_counted(jobs):
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    ours = bag(X, y, Counting(True), on_failure="drop", n_jobs=jobs, oob_score=True)
    assert 0 < len(ours.failures_) < 10
    assert len(ours.estimators_) == len(ours.rows_) == 10 - len(ours.failures_)
    assert all(rows[0] < 10 for rows in ours.rows_)
    whole = bag(X, y, Counting())
    failed = [at for at, rows in enumerate(whole.rows_) if rows[0] >= 10]
    assert sorted(ours.failures_) == failed
    assert "members[" in str(ours.failures_[failed[0]])


def test_all_members_failing_is_an_error(wine):
    with pytest.raises(ilk.InputError, match="bagging: every member failed; the first: bagging: m"):
        bag(*wine, SVC(C=-1.0), on_failure="drop")


def test_member_without_probabilities_needs_a_rule_of_labels(wine):
    X, y = wine
    with pytest.raises(ilk.InputError, match=r"members\[0\], .* \(RidgeClassifier\): has no pred"):
        bag(X, y, RidgeClassifier())
    with pytest.raises(ilk.InputError, match="bagging: every member failed; the first: .*no pred"):
        bag(X, y, RidgeClassifier(), on_failure="drop")
    assert bag(X, y, RidgeClassifier(), combiner="majority").score(X, y) > 0.95


def test_missing_cell_is_named_by_its_own_row(wine):
    X, y = wine
    X = X.copy()
    X[100, 4] = np.nan
    with pytest.raises(ilk.InputError, match="bagging: X has NaN at row 100, column 4"):
        bag(X, y)
    with pytest.raises(ilk.InputError, match="bagging: X has NaN at row 100, column 4"):
        bag(pd.DataFrame(X), y)
    assert bag(X, y, DecisionTreeClassifier()).score(X, y) > 0.9  # which takes them
    X[100, 4] = np.inf
    with pytest.raises(ilk.InputError, match=r"X has infinity \(inf\) at row 100, column 4"):
        bag(X, y, DecisionTreeClassifier())


# weights


def test_weight_two_is_a_case_twice_and_zero_none(wine):
    """For as many draws, the same random numbers draw the same cases."""
    X, y = wine
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    every = np.repeat(np.arange(len(y)), weights)
    ours = ilk.classifier("bagging", member="nearest_mean", max_samples=150, random_state=0)
    weighted = clone(ours).fit(X, y, sample_weight=weights)
    repeated = clone(ours).fit(X[every], y[every])
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    assert all((weights[rows] > 0).all() for rows in weighted.rows_)


@given(st.floats(1e-9, 1e9))
def test_scale_of_weights_does_not_matter(scale):
    X, y = np.arange(12.0)[:, None], np.arange(12) % 3
    weights = np.arange(12) % 4 + 0.0
    ours = ilk.classifier("bagging", member="nearest_mean", random_state=0)
    plain, scaled = (clone(ours).fit(X, y, sample_weight=w) for w in (weights, weights * scale))
    assert {len(rows) for rows in scaled.rows_} == {9}
    np.testing.assert_array_equal(plain.rows_, scaled.rows_)


def test_without_replacement_members_get_the_weights(wine):
    X, y = wine
    weights = np.where(y == "class_1", 50.0, 1.0)
    ours = ilk.classifier("bagging", member=GaussianNB(), max_samples=0.5, replace=False)
    ours = ours.set_params(random_state=0).fit(X, y, sample_weight=weights)
    rows = ours.rows_[0]
    expected = GaussianNB().fit(X[rows], y[rows], sample_weight=weights[rows])
    np.testing.assert_allclose(ours.estimators_[0].class_prior_, expected.class_prior_)
    with pytest.raises(ilk.InputError, match="bagging: no member takes sample_weight"):
        ours.set_params(member="nearest_mean").fit(X, y, sample_weight=weights)


@in_one_test
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-np.ones(178), "sample_weight must be finite and at least 0, got -1.0 at row 0"),
        (np.full(178, np.nan), "sample_weight must be finite and at least 0, got nan at row 0"),
        (np.zeros(178), "sample_weight must not be all 0"),
        (np.ones(3), "sample_weight has 3 values for the 178 rows"),
        (np.r_[np.zeros(100), np.ones(78)], "sample_weight is zero .*'class_0'"),
    ],
)
def test_bad_weights_are_refused(wine, weights, message):
    with pytest.raises(ilk.InputError, match=f"bagging: {message}"):
        ilk.classifier("bagging").fit(*wine, sample_weight=weights)


# what is put in


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_members": 0}, "n_members must be an integer >= 1"),
        ({"max_samples": 1.5}, "max_samples must be a share of at most 1 or a whole number"),
        ({"max_samples": 0}, "max_samples must be"),
        ({"max_samples": 179, "replace": False}, "max_samples must be at most 178 without repl"),
        ({"max_samples": 2, "stratified": True}, "max_samples must give a row for each of 3"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"member": 3}, "member must be a classifier"),
        ({"reject_label": "class_1"}, "reject_label must not be one of the classes"),
    ],
)
def test_bad_parameters_are_named(wine, parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"bagging: {message}"):
        bag(*wine, **parameters)


@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [False, True], [7, 3]], ids=str)
def test_labels_of_every_type(wine, labels):
    X, y = wine
    named = np.array(labels)[(y == "class_0").astype(int)]
    ours = bag(X, named, "decision_tree", combiner="majority", oob_score=True)
    assert ours.predict(X).dtype == named.dtype
    assert ours.score(X, named) > 0.9
    assert ours.oob_error_ < 0.25


@pytest.mark.parametrize("kind", ["read-only", "fortran", "float32", "list"])
def test_layout_of_the_data_does_not_matter(wine, kind):
    X, y = wine
    X = np.round(X, 1).astype(np.float32).astype(float)
    other = {
        "fortran": np.asfortranarray(X),
        "float32": X.astype(np.float32),
        "list": X.tolist(),
        "read-only": X.copy(),
    }[kind]
    if kind == "read-only":
        other.setflags(write=False)
    expected = bag(X, y, oob_score=True)
    got = bag(other, y, oob_score=True)
    np.testing.assert_array_equal(got.predict(X), expected.predict(X))
    np.testing.assert_allclose(
        got.oob_decision_function_, expected.oob_decision_function_, rtol=1e-4, atol=1e-4
    )


def test_texts_and_tables_pass_through():
    texts, y = ["aa", "ab", "ac", "zz", "zy", "zx"], ["first"] * 3 + ["last"] * 3
    letters = ilk.distance("callable", function=lambda a, b: abs(ord(a[0]) - ord(b[0])))
    knn = ilk.classifier("knn", k=1, distance=letters)
    ours = bag(texts, y, knn, 15, oob_score=True)
    assert ours.predict(["ad", "zw"]).tolist() == ["first", "last"]
    table = pd.DataFrame({"color": pd.Categorical(list("rrrggg")), "size": np.arange(6.0)})
    ours = bag(table, y, {"use": "knn", "k": 1, "distance": "heterogeneous"}, 15, stratified=True)
    assert ours.predict(table).tolist() == y


def test_sparse_matrices_pass_through(wine):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = wine
    member = DecisionTreeClassifier(random_state=0)
    expected = bag(X, y, member, oob_score=True)
    got = bag(sparse.coo_matrix(X), y, member, oob_score=True)
    np.testing.assert_array_equal(
        got.predict_proba(sparse.csc_matrix(X)), expected.predict_proba(X)
    )
    assert got.oob_error_ == expected.oob_error_


def test_progress_is_told(wine, capsys):
    bag(*wine, n_members=4, verbose=2)
    assert "bagging: 4 of 4 members" in capsys.readouterr().out


def test_fitted_ensemble_is_saved_with_what_stands_for_members(tmp_path):
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1, 1, 2])
    ours = bag(X, y, "decision_stump", 10)
    assert any(isinstance(member, ConstantClassifier) for member in ours.estimators_)
    ilk.save(ours, tmp_path / "model.ilk")
    again = ilk.load(tmp_path / "model.ilk")
    np.testing.assert_array_equal(again.predict_proba(X), ours.predict_proba(X))


def test_more_members_err_less_than_one():
    X, y = ilk.dataset("breast_cancer").load().Xy
    one = ilk.classifier("decision_tree", random_state=0).fit(X[::2], y[::2])
    ours = bag(X[::2], y[::2], "decision_tree", 30, oob_score=True)
    assert ours.score(X[1::2], y[1::2]) > one.score(X[1::2], y[1::2])
    assert abs(ours.oob_error_ - (1 - ours.score(X[1::2], y[1::2]))) < 0.04


class TestPatience:
    def bagging(self, **parameters):
        return ilk.classifier("bagging", **{"random_state": 0, "n_members": 60, **parameters})

    @pytest.mark.parametrize(
        "more",
        [
            {},
            {"member": "nearest_mean", "combiner": "majority", "reject_label": -1},
            {"replace": False, "max_samples": 0.6},
        ],
    )
    def test_ends_where_the_error_has_not_improved(self, more):
        X, y = ilk.dataset("wine").load().Xy
        weights = np.arange(1.0, len(y) + 1) if not more else None
        short = self.bagging(patience=4, **more).fit(X, y, sample_weight=weights)
        end = len(short.estimators_)
        assert 4 < end < 60
        for count in (1, 2, end - 1, end):
            first = self.bagging(n_members=count, oob_score=True, **more)
            first.fit(X, y, sample_weight=weights)
            assert short.oob_errors_[count - 1] == pytest.approx(first.oob_error_, rel=1e-12)
        np.testing.assert_array_equal(short.predict_proba(X), first.predict_proba(X))
        np.testing.assert_array_equal(short.oob_decision_function_, first.oob_decision_function_)
        assert [rows.tolist() for rows in short.rows_] == [rows.tolist() for rows in first.rows_]
        assert stopped_at(short.oob_errors_, 4) == end
        assert len(short.oob_errors_) == end

    def test_members_that_fail_do_not_count(self):
        X, y = ilk.dataset("iris").load().Xy
        steps = [{"transformer": Refusing(above=6)}, {"classifier": "nearest_mean"}]
        model = self.bagging(
            member=ilk.Pipeline(steps), patience=3, on_failure="drop", n_members=40
        ).fit(X, y)
        n_tried = len(model.estimators_) + len(model.failures_)
        assert model.failures_
        assert max(model.failures_) < n_tried <= 40
        assert stopped_at(model.oob_errors_, 3) == len(model.estimators_)

    def test_needs_rows_out_of_the_bag_and_an_untrained_rule(self):
        X, y = ilk.dataset("iris").load().Xy
        with pytest.raises(ilk.ParameterError, match="patience needs rows that are not drawn"):
            self.bagging(patience=3, replace=False).fit(X, y)
        with pytest.raises(ilk.ParameterError, match="patience needs a rule that treats members"):
            self.bagging(patience=3, combiner="stacking").fit(X, y)


class Refusing(ilk.Transformer):
    """Passes rows on, and refuses to fit some draws."""

    above: int = ilk.param(default=0, doc="Refused draws have so many copies of the first row.")

    def fit(self, X, y=None):
        if np.unique(X, axis=0, return_counts=True)[1].max() > self.above:
            raise ilk.InputError("refused")
        return self

    def transform(self, X):
        return X
