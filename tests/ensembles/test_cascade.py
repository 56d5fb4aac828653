"""The ensemble `cascade`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import ilk
from cases import in_one_test
from ilk_ensembles.base.held_out import stratified_folds


@pytest.fixture(scope="module")
def wine():
    X, y = ilk.dataset("wine").load().Xy
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def cascade(members, X, y, **parameters):
    parameters.setdefault("min_cases", None)
    return ilk.classifier("cascade", members=members, **parameters).fit(X, y)


class Says(ClassifierMixin, BaseEstimator):
    """Gives the class of column `at` the probability in that column; keeps what it is asked."""

    def __init__(self, at=0):
        self.at = at

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.asked_ = []
        return self

    def predict_proba(self, X):
        self.asked_.extend(np.asarray(X)[:, -1].tolist())
        own = np.asarray(X)[:, self.at]
        return np.column_stack([own, 1 - own])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


# what the three members give class "a", and the number of the row
SAID = np.array([[0.95, 0.1, 0.5, 0], [0.6, 0.1, 0.5, 1], [0.4, 0.3, 0.2, 2], [0.9, 0.1, 0.1, 3]])
LABELS = np.array(["a", "b", "a", "b"])


def says(**parameters):
    return cascade([Says(0), Says(1), Says(2)], SAID, LABELS, **parameters)


def test_first_who_is_sure_enough_answers():
    ours = says(threshold=0.9)
    expected = [[0.95, 0.05], [0.1, 0.9], [0.2, 0.8], [0.9, 0.1]]
    np.testing.assert_allclose(ours.predict_proba(SAID), expected)
    assert ours.predict(SAID).tolist() == ["a", "b", "b", "a"]
    assert ours.member_of(SAID).tolist() == [0, 1, 2, 0]


def test_later_members_are_asked_about_the_rest_only():
    ours = says(threshold=0.9)
    ours.predict(SAID)
    assert [member.asked_ for member in ours.estimators_] == [[0, 1, 2, 3], [1, 2], [2]]


def test_no_one_is_asked_when_nothing_is_left():
    ours = says(threshold=0.5)
    ours.predict(SAID)
    assert [member.asked_ for member in ours.estimators_] == [[0, 1, 2, 3], [], []]
    assert ours.member_of(SAID).tolist() == [0, 0, 0, 0]


def test_thresholds_go_by_the_order_of_asking():
    ours = says(threshold=[0.95, 0.6], costs=[5, 1, 3])
    assert ours.order_.tolist() == [1, 2, 0]
    assert ours.thresholds_.tolist() == [0.95, 0.6]
    # row 2: 0.7 by the first, then 0.8; row 0: 0.9, 0.5, then whatever the last says
    assert ours.member_of(SAID).tolist() == [0, 0, 2, 2]


def test_of_equal_costs_the_first_is_asked_first():
    assert says(costs=[2, 1, 1]).order_.tolist() == [1, 2, 0]


def test_one_member_answers_everything():
    ours = cascade([Says(2)], SAID, LABELS, threshold=1.0)
    assert ours.member_of(SAID).tolist() == [0] * 4


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=2),
    st.permutations([1.0, 2.0, 3.0]),
    st.integers(0, 5),
)
def test_agrees_with_the_combiner_that_sees_all_outputs(thresholds, costs, seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random((30, 3)), np.arange(30)])
    y = LABELS[np.arange(30) % 4]
    members = [Says(0), Says(1), Says(2)]
    ours = cascade(members, X, y, threshold=thresholds, costs=costs)
    rule = ilk.combiner("cascade", threshold=thresholds, costs=costs)
    vote = ilk.classifier("voting", members=members, combiner=rule).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), vote.predict_proba(X), rtol=1e-12)
    outputs = [member.predict_proba(X) for member in vote.estimators_]
    np.testing.assert_array_equal(ours.member_of(X), rule.answered_by(outputs))


def test_real_members_against_a_loop(wine):
    X, y = wine
    few = X[:, :3]
    members = [GaussianNB(), KNeighborsClassifier(7), LogisticRegression()]
    ours = cascade(members, few, y, threshold=0.9)
    said = [member.fit(few, y).predict_proba(few) for member in members]
    for row, who in enumerate(ours.member_of(few)):
        first = next((at for at in (0, 1) if said[at][row].max() >= 0.9), 2)
        assert who == first
        np.testing.assert_allclose(ours.predict_proba(few)[row], said[first][row])
    assert 0 < (ours.member_of(few) == 2).mean() < 0.5


class Keeps(ClassifierMixin, BaseEstimator):
    """The last feature is the probability of "a", whatever it learns; keeps its rows."""

    def fit(self, X, y, sample_weight=None):
        self.classes_, self.seen_, self.weights_ = np.unique(y), np.array(X), sample_weight
        return self

    def predict_proba(self, X):
        own = np.asarray(X)[:, -1]
        return np.column_stack([own, 1 - own])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def test_later_members_learn_what_earlier_ones_leave():
    """Rows by number and probability of "a"; below .9 and .7 either way they are left."""
    p = np.array([0.99, 0.8, 0.6, 0.55, 0.05, 0.25, 0.45, 0.35])
    X, y = np.column_stack([np.arange(8), p]), np.repeat(["a", "b"], 4)
    settings = {"threshold": [0.9, 0.7], "min_cases": 1}
    ours = cascade([Keeps(), Keeps(), Keeps()], X, y, **settings)
    numbers = [member.seen_[:, 0].tolist() for member in ours.estimators_]
    assert numbers == [[*range(8)], [1, 2, 3, 5, 6, 7], [2, 3, 6, 7]]
    assert ours.n_cases_ == [8, 6, 4]
    weighted = ilk.classifier("cascade", members=[Keeps(), Keeps(), Keeps()], **settings)
    weighted.fit(X, y, sample_weight=np.arange(1, 9))
    assert weighted.estimators_[2].weights_.tolist() == [3, 4, 7, 8]
    costs = cascade([Keeps(), Keeps(), Keeps()], X, y, costs=[3, 1, 2], **settings)
    assert costs.n_cases_ == [4, 8, 6]  # in the order of asking


@given(st.integers(0, 99), st.integers(1, 12), st.floats(0.5, 1))
def test_the_least_confident_of_each_class_are_left(seed, least, threshold):
    rng = np.random.default_rng(seed)
    p, y = rng.random(40).round(1), np.array(["a", "b"])[np.arange(40) % 2]
    X = np.column_stack([np.arange(40), p])
    ours = cascade([Keeps(), Keeps()], X, y, threshold=threshold, min_cases=least)
    left = np.isin(np.arange(40), ours.estimators_[1].seen_[:, 0])
    sure = np.maximum(p, 1 - p)
    assert left[sure < threshold - 1e-9].all()
    for label in ("a", "b"):
        mine = y == label
        assert left[mine].sum() == max(min(least, 20), (sure[mine] < threshold - 1e-9).sum())
        assert sure[mine & left].max() <= sure[mine & ~left].min(initial=1)


def test_stages_against_a_loop(wine):
    """Held-out probabilities, not those of the rows learned: 1-NN is sure of these."""
    few, y = wine[0][:, :3], wine[1]
    ours = cascade([KNeighborsClassifier(5), GaussianNB()], few, y, min_cases=3)
    codes, sure = np.unique(y, return_inverse=True)[1], np.zeros(len(y))
    for train, test in stratified_folds(None, codes, np.random.RandomState(0)):
        first = KNeighborsClassifier(5).fit(few[train], y[train])
        sure[test] = first.predict_proba(few[test]).max(axis=1)
    left = sure < 0.9 - 1e-9
    assert all((left & (y == label)).sum() > 3 for label in np.unique(y))
    second = GaussianNB().fit(few[left], y[left])
    np.testing.assert_allclose(ours.estimators_[1].theta_, second.theta_)
    assert ours.n_cases_ == [len(y), left.sum()]
    remember = cascade([KNeighborsClassifier(1), GaussianNB()], few, y, min_cases=3)
    assert remember.n_cases_[1] == 9  # votes of one neighbour are certain


def test_with_as_many_cases_as_there_are_all_are_learned(wine):
    X, y = wine
    members = ["lda", GaussianNB(), "knn"]
    usual, every = (cascade(members, X, y, min_cases=n) for n in (None, len(y)))
    np.testing.assert_array_equal(every.predict_proba(X), usual.predict_proba(X))
    assert every.n_cases_ == usual.n_cases_ == [len(y)] * 3


def test_dropped_members_leave_their_rows_to_the_next(wine):
    X, y = wine
    members = ["knn", LogisticRegression(C=-1.0), GaussianNB()]
    ours = cascade(members, X, y, min_cases=5, on_failure="drop")
    fewer = cascade([members[0], members[2]], X, y, min_cases=5)
    assert list(ours.failures_) == [1]
    assert ours.n_cases_ == fewer.n_cases_
    np.testing.assert_array_equal(ours.predict_proba(X), fewer.predict_proba(X))
    with pytest.raises(ilk.InputError, match=r"cascade: members\[1\] \(LogisticRegression\): The"):
        cascade(members, X, y, min_cases=5)


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [-1, 1], [False, True]], ids=["text", "sign", "bool"]
)
def test_labels_of_every_type(wine, labels):
    X, y = wine
    named = np.array(labels)[(y == "class_0").astype(int)]
    ours = cascade([GaussianNB(), "knn"], X, named)
    assert ours.predict(X).dtype == named.dtype
    assert ours.score(X, named) > 0.9


def test_predict_is_the_largest_probability(wine):
    X, y = wine
    ours = cascade(["knn", GaussianNB()], X[:, :2], y)
    P = ours.predict_proba(X[:, :2])
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(ours.predict(X[:, :2]), ours.classes_[P.argmax(axis=1)])


def test_member_that_does_not_know_all_classes(wine):
    X, y = wine
    some = y != "class_2"
    partial = ilk.frozen(GaussianNB().fit(X[some], y[some]))
    ours = cascade([partial, GaussianNB()], X, y, threshold=0.999)
    first = ours.member_of(X) == 0
    assert first.any()
    np.testing.assert_array_equal(ours.predict_proba(X)[first, 2], 0)


def test_dropped_members_leave_order_and_thresholds(wine):
    X, y = wine
    members = [GaussianNB(), LogisticRegression(C=-1.0), "knn", "nearest_mean"]
    with pytest.raises(ilk.InputError, match=r"cascade: members\[1\] \(LogisticRegression\): The"):
        cascade(members, X, y)
    ours = cascade(members, X, y, costs=[4, 3, 1, 2], threshold=[0.7, 0.8, 0.9], on_failure="drop")
    assert list(ours.failures_) == [1]
    assert ours.positions_ == [0, 2, 3]
    assert ours.order_.tolist() == [1, 2, 0]  # knn, nearest_mean, GaussianNB
    assert ours.thresholds_.tolist() == [0.7, 0.8]
    fewer = cascade([members[i] for i in (2, 3, 0)], X, y, threshold=[0.7, 0.8])
    np.testing.assert_array_equal(ours.predict_proba(X), fewer.predict_proba(X))


def test_last_member_dropped(wine):
    members = ["knn", GaussianNB(), LogisticRegression(C=-1.0)]
    ours = cascade(members, *wine, threshold=[0.7, 0.8], on_failure="drop")
    assert ours.thresholds_.tolist() == [0.7]


def test_rows_are_asked_about_in_blocks(wine, monkeypatch):
    X, y = wine
    ours = cascade(["knn", GaussianNB()], X, y)
    whole, who = ours.predict_proba(X), ours.member_of(X)
    monkeypatch.setattr("ilk_ensembles.base.combined_classifier._CELLS", 60)
    np.testing.assert_array_equal(ours.predict_proba(X), whole)
    np.testing.assert_array_equal(ours.member_of(X), who)


def test_member_without_probabilities_is_named(wine):
    members = [LogisticRegression(), RidgeClassifier()]
    with pytest.raises(
        ilk.InputError,
        match=r"members\[1\] \(RidgeClassifier\): has no predict_proba.* gives probabilities$",
    ):
        cascade(members, *wine, threshold=0)
    ours = cascade(members, *wine, threshold=1.0, on_failure="drop")
    assert ours.positions_ == list(ours.order_) == [0]


def test_weights(wine):
    X, y = wine
    weights = np.where(y == "class_1", 50.0, 1.0)
    ours = ilk.classifier("cascade", members=[GaussianNB(), "knn"]).fit(X, y, sample_weight=weights)
    expected = GaussianNB().fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.estimators_[0].class_prior_, expected.class_prior_)


def test_texts():
    texts, y = ["aa", "ab", "zz", "zy"], ["first", "first", "last", "last"]
    letters = ilk.distance("callable", function=lambda a, b: abs(ord(a[0]) - ord(b[0])))
    near = [ilk.classifier("knn", k=k, distance=letters) for k in (3, 1)]
    ours = cascade(near, texts, y)
    assert ours.predict(["bc", "yx"]).tolist() == ["first", "last"]
    assert ours.member_of(["bc", "yx"]).tolist() == [1, 1]


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"members": []}, "members must have at least one member"),
        ({"threshold": 1.5}, "threshold must be"),
        ({"threshold": [0.5]}, "threshold must be 2 numbers, one for each member but the last"),
        ({"threshold": [0.5, np.nan]}, "threshold must be within 0..1"),
        ({"costs": [1, 2]}, "costs are for 2 members, there are 3"),
        ({"costs": [1, 2, np.inf]}, "costs must be one finite number per member"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"cascade: {message}"):
        ilk.classifier("cascade", **parameters)
