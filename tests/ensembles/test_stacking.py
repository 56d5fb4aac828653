"""The ensemble `stacking`."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold, PredefinedSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import ilk


@pytest.fixture(scope="module")
def wine():
    X, y = ilk.dataset("wine").load().Xy
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.fixture
def members():
    return [GaussianNB(), KNeighborsClassifier(), DecisionTreeClassifier(max_depth=2)]


def stack(members, X, y, *, sample_weight=None, **parameters):
    parameters.setdefault("random_state", 0)
    model = ilk.classifier("stacking", members=members, **parameters)
    return model.fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize("passthrough", [False, True])
def test_agrees_with_scikit_learn(wine, members, passthrough):
    """On the same folds, with the same learner, of three classes (of two it leaves one out)."""
    X, y = wine
    members = [clone(member) for member in members]
    members[2].random_state = 0
    learner, folds = (
        LogisticRegression(max_iter=1000),
        StratifiedKFold(4, shuffle=True, random_state=1),
    )
    named = [(str(i), clone(member)) for i, member in enumerate(members)]
    theirs = StackingClassifier(
        named, clone(learner), cv=folds, stack_method="predict_proba", passthrough=passthrough
    ).fit(X, y)
    ours = stack(members, X, y, learner=learner, resampling=folds, passthrough=passthrough)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


class Remembers(RandomForestClassifier):
    """Keeps what it is fitted on."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = np.array(X), np.array(y), sample_weight
        return super().fit(X, y, sample_weight)


def test_learner_sees_what_members_say_of_rows_they_were_not_fitted_on(wine):
    """Against a loop over the folds; columns go by member, then class."""
    X, y = wine
    codes = np.unique(y, return_inverse=True)[1]
    folds = KFold(3, shuffle=True, random_state=0)
    ours = stack([GaussianNB(), "knn"], X, y, learner=Remembers(2), resampling=folds)
    expected = np.empty((len(X), 6))
    for train, test in folds.split(X):
        for at, member in enumerate([GaussianNB(), ilk.classifier("knn")]):
            said = member.fit(X[train], y[train]).predict_proba(X[test])
            expected[test, 3 * at : 3 * at + 3] = said
    features, labels, _ = ours.combiner_.learner_.seen_
    np.testing.assert_allclose(features, expected, atol=1e-12)
    np.testing.assert_array_equal(labels, codes)


def test_members_are_fitted_on_everything(wine, members):
    X, y = wine
    ours = stack(members, X, y)
    expected = clone(members[0]).fit(X, y)
    np.testing.assert_array_equal(ours.estimators_[0].theta_, expected.theta_)


def test_by_heart_is_not_rewarded(wine):
    """A member that repeats noise it has seen is not believed; the honest one is."""
    X, y = wine
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(y)) < 0.4, rng.permutation(y), y)
    ours = stack([KNeighborsClassifier(1), GaussianNB()], X, noisy)
    assert ours.score(X, noisy) < 0.9  # the first alone has 1
    assert ours.score(X, y) > 0.9


def test_class_missing_in_a_fold(wine):
    """Columns stay those of all classes: the class that a member never saw has probability 0."""
    X, y = wine
    folds = PredefinedSplit(np.unique(y, return_inverse=True)[1])  # a class each
    ours = stack([GaussianNB()], X, y, learner=Remembers(2), resampling=folds)
    features, labels, _ = ours.combiner_.learner_.seen_
    np.testing.assert_array_equal(features[np.arange(len(labels)), labels], 0)
    np.testing.assert_allclose(features.sum(axis=1), 1)


@pytest.mark.parametrize("learner", ["lda", "qda", {"use": "knn", "distance": "mahalanobis"}])
def test_learners_of_covariances(learner):
    """With the probabilities of both classes the covariance would be singular."""
    X, y = ilk.dataset("iris").load().Xy
    X, y = X[50:], y[50:]
    given = {"learner": learner, "resampling": KFold(4, shuffle=True, random_state=0)}
    ours = stack(["nearest_mean", GaussianNB()], X, y, **given)
    assert ours.score(X, y) > 0.9
    other = stack(["nearest_mean", GaussianNB()], X, np.where(y == y[0], "z", "a"), **given)
    np.testing.assert_allclose(other.predict_proba(X)[:, ::-1], ours.predict_proba(X), atol=1e-6)


def test_only_row_of_a_class(wine):
    X, y = wine
    labels = y.astype(object)
    labels[0] = "alone"
    ours = stack([GaussianNB(), "nearest_mean"], X, labels.astype(str))
    assert ours.classes_.tolist() == ["alone", "class_0", "class_1", "class_2"]
    P = ours.predict_proba(X)
    np.testing.assert_array_equal(P[:, 0], 0)  # the learner never sees it
    assert ours.score(X, labels.astype(str)) > 0.9


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [-1, 1], [False, True], [7, 3]], ids=["text", "sign", "bool", "int"]
)
def test_labels_of_every_type(wine, labels):
    X, y = wine
    named = np.array(labels)[(y == "class_0").astype(int)]
    ours = stack([GaussianNB(), "knn"], X, named)
    assert ours.classes_.tolist() == sorted(labels)
    assert ours.predict(X).dtype == named.dtype
    assert ours.score(X, named) > 0.9


def test_labels_may_be_called_anything(wine, members):
    X, y = wine
    codes = np.unique(y, return_inverse=True)[1]
    expected = stack(members, X, codes).predict_proba(X)
    np.testing.assert_array_equal(stack(members, X, y).predict_proba(X), expected)


def test_predict_is_the_largest_probability(wine, members):
    X, y = wine
    ours = stack(members, X[:, :2], y)
    Q = np.random.default_rng(0).normal(size=(500, 2))
    P = ours.predict_proba(Q)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(ours.predict(Q), ours.classes_[P.argmax(axis=1)])


def test_is_voting_with_the_combiner_of_the_name(wine, members):
    X, y = wine
    vote = ilk.classifier("voting", members=members, combiner="stacking", random_state=0)
    ours = stack(members, X, y)
    np.testing.assert_array_equal(ours.predict_proba(X), vote.fit(X, y).predict_proba(X))


def test_learner_without_probabilities(wine, members):
    ours = stack(members, *wine, learner=RidgeClassifier())
    assert set(np.unique(ours.predict_proba(wine[0]))) == {0, 1}
    assert ours.score(*wine) > 0.9


def test_weights_go_to_members_and_learner(wine):
    X, y = wine
    weights = np.arange(len(y)) % 3 / 2
    ours = stack([GaussianNB(), "knn"], X, y, learner=Remembers(2), sample_weight=weights)
    expected = GaussianNB().fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.estimators_[0].theta_, expected.theta_)
    features, _, seen = ours.combiner_.learner_.seen_
    np.testing.assert_array_equal(seen, weights[weights > 0])
    assert len(features) == (weights > 0).sum()


def test_case_of_weight_zero_counts_as_none(wine, members):
    X, y = wine
    weights = (np.arange(len(y)) % 4 > 0).astype(float)
    members = [GaussianNB(), LogisticRegression(max_iter=1000)]
    wrong = np.where(weights == 0, "class_1", y)
    ours = stack(members, X, wrong, sample_weight=weights)
    fewer = stack(members, X[weights > 0], y[weights > 0], sample_weight=weights[weights > 0])
    np.testing.assert_allclose(ours.predict_proba(X), fewer.predict_proba(X), atol=1e-4)


def test_no_one_takes_weights(wine):
    parameters = {"learner": KNeighborsClassifier(), "sample_weight": np.ones(178)}
    with pytest.raises(ilk.InputError, match="stacking: no member takes sample_weight"):
        stack([KNeighborsClassifier()], *wine, **parameters)


def test_threads_change_nothing(wine):
    members = [RandomForestClassifier(3), "knn", RandomForestClassifier(3)]
    one, two = (stack(members, *wine, n_jobs=jobs).predict_proba(wine[0]) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_random_state_seeds_members_learner_and_folds(wine):
    X, y = wine
    learner = RandomForestClassifier(5)
    first, again, other = (
        stack([RandomForestClassifier(3)], X, y, learner=learner, random_state=seed)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.predict_proba(X), again.predict_proba(X))
    assert first.combiner_.learner_.random_state is not None
    assert not np.array_equal(first.predict_proba(X), other.predict_proba(X))


def test_failing_member_is_named_or_dropped(wine):
    members = ["knn", LogisticRegression(C=-1.0), GaussianNB()]
    with pytest.raises(ilk.InputError, match=r"stacking: members\[1\] \(LogisticRegression\): The"):
        stack(members, *wine)
    ours = stack(members, *wine, on_failure="drop")
    assert list(ours.failures_) == [1]
    assert ours.positions_ == [0, 2]
    assert ours.score(*wine) > 0.9


def test_failing_learner_is_named(wine):
    with pytest.raises(ilk.InputError, match=r"stacking: learner \(LogisticRegression\): The"):
        stack(["knn"], *wine, learner=LogisticRegression(C=-1.0))


def test_member_without_probabilities_is_named(wine):
    with pytest.raises(
        ilk.InputError, match=r"members\[0\].* \(RidgeClassifier\): has no predict_p"
    ):
        stack([RidgeClassifier()], *wine)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a"] * 4, r"stacking: y has 1 class \('a'\), at least 2"),
        (["a", "b", "c", "d"], "stacking: no class has two cases"),
        (["a", "a", "a", "b"], "stacking: rows of class 'a' only can be held out"),
    ],
    ids=["one class", "all alone", "one class held out"],
)
def test_nothing_to_learn(y, message):
    with pytest.raises(ilk.InputError, match=message):
        stack([GaussianNB()], np.arange(4.0)[:, None], y)


def test_no_member():
    with pytest.raises(ilk.ParameterError, match="stacking: members must have at least one"):
        stack([], [[0], [1]], [0, 1])


def test_frozen_member_is_asked_as_it_is(wine):
    X, y = wine
    fitted = ilk.frozen(ilk.classifier("nearest_mean").fit(X[::2], y[::2]))
    ours = stack([fitted, "knn"], X, y)
    np.testing.assert_array_equal(ours.estimators_[0].predict_proba(X), fitted.predict_proba(X))


def test_texts():
    texts, y = ["aa", "ab", "ac", "zz", "zy", "zx"], ["first"] * 3 + ["last"] * 3
    letters = ilk.distance("callable", function=lambda a, b: abs(ord(a[0]) - ord(b[0])))
    ours = stack([ilk.classifier("knn", k=1, distance=letters)], texts, y)
    assert ours.predict(["ad", "zw"]).tolist() == ["first", "last"]
    with pytest.raises(ilk.InputError, match="stacking"):
        stack([ilk.classifier("knn", k=1, distance=letters)], texts, y, passthrough=True)


def test_rows_are_asked_about_in_blocks(wine, members, monkeypatch):
    ours = stack(members, *wine, passthrough=True)
    whole = ours.predict_proba(wine[0])
    monkeypatch.setattr("ilk_ensembles.base.combined_classifier._CELLS", 90)
    np.testing.assert_allclose(ours.predict_proba(wine[0]), whole)


def test_spec_round_trip():
    spec = {
        "use": "stacking",
        "members": [{"use": "knn", "k": 3}, {"use": "nearest_mean"}],
        "learner": {"use": "decision_tree"},
        "passthrough": True,
    }
    assert ilk.to_spec(ilk.build(spec, kind="classifier")) == spec
