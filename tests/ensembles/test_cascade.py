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


@pytest.fixture(scope="module")
def wine():
    X, y = ilk.dataset("wine").load().Xy
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def cascade(members, X, y, **parameters):
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
