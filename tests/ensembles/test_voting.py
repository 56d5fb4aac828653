"""The ensemble `voting`."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

import ilk
from cases import in_one_test


@pytest.fixture(scope="module")
def wine():
    X, y = ilk.dataset("wine").load().Xy
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.fixture
def members():
    return [GaussianNB(), KNeighborsClassifier(), LogisticRegression()]


class Says(ClassifierMixin, BaseEstimator):
    """Predicts what it is told."""

    def __init__(self, labels=(), classes=("a", "b")):
        self.labels = labels
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict(self, X):
        return np.array(self.labels)


def vote(members, X, y, **parameters):
    return ilk.classifier("voting", members=members, **parameters).fit(X, y)


def test_sum_agrees_with_scikit_learns_soft_vote(wine, members):
    X, y = wine
    named = [(str(i), clone(member)) for i, member in enumerate(members)]
    theirs = VotingClassifier(named, voting="soft").fit(X, y)
    ours = vote(members, X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_majority_agrees_with_scikit_learns_hard_vote(wine, members):
    X, y = wine
    few, labels = X[:, :2], y
    named = [(str(i), clone(member)) for i, member in enumerate(members)]
    theirs = VotingClassifier(named, voting="hard").fit(few, labels)
    ours = vote(members, few, labels, combiner={"use": "majority", "threshold": 0})
    np.testing.assert_array_equal(ours.predict(few), theirs.predict(few))


def test_product_multiplies_what_the_members_say(wine, members):
    X, y = wine
    ours = vote(members, X, y, combiner="product")
    said = [clone(member).fit(X, y).predict_proba(X) for member in members]
    product = said[0] * said[1] * said[2]
    expected = product / product.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ours.predict_proba(X), expected, rtol=1e-6, atol=1e-12)


def test_member_without_probabilities_is_named_where_the_rule_needs_them(wine):
    X, y = wine
    members = [GaussianNB(), RidgeClassifier()]
    with pytest.raises(
        ilk.InputError,
        match=r"voting: members\[1\] \(RidgeClassifier\): has no predict_proba.*such as 'majority'",
    ):
        vote(members, X, y)
    ours = vote(members, X, y, on_failure="drop")
    assert list(ours.failures_) == [1]
    np.testing.assert_array_equal(ours.predict(X), vote(members[:1], X, y).predict(X))
    labels = vote([RidgeClassifier()], X, y, combiner="majority")
    np.testing.assert_array_equal(labels.predict(X), RidgeClassifier().fit(X, y).predict(X))


def test_rule_over_labels_asks_for_labels():
    """A member's own decision counts, not the largest of its probabilities."""

    class Cautious(Says):
        def predict_proba(self, X):
            return np.array([[0.6, 0.4]])

    X, y = np.zeros((2, 1)), np.array(["a", "b"])
    assert vote([Cautious(["b"])], X, y, combiner="majority").predict(X[:1]) == "b"
    assert vote([Cautious(["b"])], X, y, combiner="sum").predict(X[:1]) == "a"


def test_rejection_gives_the_reject_label():
    X, y = np.zeros((3, 1)), np.array(["a", "b", "b"])
    members = [Says(["a", "a", "b"]), Says(["a", "b", "b"])]
    parameters = {"combiner": "majority", "reject_label": "unsure"}
    ours = vote(members, X, y, **parameters)
    assert ours.predict(X).tolist() == ["a", "unsure", "b"]
    codes, rejected = ours.decide(X)
    assert rejected.tolist() == [False, True, False]
    assert codes.tolist() == [0, 0, 1]


def test_without_reject_label_every_case_is_answered():
    X, y = np.zeros((3, 1)), np.array(["a", "b", "b"])
    members = [Says(["a", "a", "b"]), Says(["a", "b", "b"])]
    assert vote(members, X, y, combiner="majority").predict(X).tolist() == ["a", "a", "b"]


def test_reject_label_of_another_type_than_the_labels():
    X, y = np.zeros((2, 1)), np.array([0, 1])
    members = [Says([0, 0], (0, 1)), Says([0, 1], (0, 1))]
    ours = vote(members, X, y, combiner="majority", reject_label="none")
    assert ours.predict(X).tolist() == [0, "none"]
    ours = vote(members, X, y, combiner="majority", reject_label=-1)
    assert ours.predict(X).dtype.kind == "i"
    assert ours.predict(X).tolist() == [0, -1]


@pytest.mark.parametrize("reject", [None, -1, "none"])
def test_a_case_without_an_answer_scores_as_wrong(reject):
    X, y = np.zeros((4, 1)), np.array([0, 1, 1, 0])
    members = [Says([0, 0, 1, 1], (0, 1)), Says([0, 1, 1, 1], (0, 1))]
    ours = vote(members, X, y, combiner="majority", reject_label=reject)
    assert ours.score(X, y) == 0.5
    assert ours.score(X, y, sample_weight=[5, 1, 1, 1]) == 0.75
    with pytest.raises(ilk.InputError, match="voting: y has 3 values for the 4 rows"):
        ours.score(X, y[:3])


def test_member_that_declines_supports_all_classes_alike():
    X, y = np.zeros((2, 1)), np.array(["a", "b"])
    ours = vote([Says(["?", "b"]), Says(["a", "?"])], X, y, combiner="majority")
    assert ours.predict_proba(X).tolist() == [[0.75, 0.25], [0.25, 0.75]]
    alone = vote([Says(["?", "b"])], X, y, combiner="majority")
    assert alone.predict_proba(X).tolist() == [[0.5, 0.5], [0, 1]]


class Sure(Says):
    """As sure as can be of its first class."""

    def predict_proba(self, X):
        return np.eye(len(self.classes_))[np.zeros(len(X), dtype=int)]


def test_class_that_a_member_does_not_know_has_no_support():
    X, y = np.zeros((3, 1)), np.array(["a", "b", "c"])
    ours = vote([Sure(classes=("b",)), Sure(classes=("c", "a"))], X, y)
    np.testing.assert_array_equal(ours.predict_proba(X), [[0, 0.5, 0.5]] * 3)


def test_probabilities_of_another_shape_than_the_classes_are_refused():
    class Short(Says):
        def predict_proba(self, X):
            return np.ones((len(X), 1))

    X, y = np.zeros((2, 1)), np.array(["a", "b"])
    with pytest.raises(ilk.InputError, match=r"\(Short\): gives probabilities of shape \(2, 1\)"):
        vote([Short()], X, y).predict(X)


def test_probabilities_that_are_nan_are_refused():
    class Unsure(Says):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    X, y = np.zeros((2, 1)), np.array(["a", "b"])
    with pytest.raises(ilk.InputError, match="nan"):
        vote([Sure(), Unsure()], X, y).predict(X)


@in_one_test
@pytest.mark.parametrize("combiner", ["sum", "product", "median", "max"])
def test_ties_are_settled_alike_by_labels_and_probabilities(combiner):
    """What differs by rounding only is a tie: the first class, in both."""

    class Gives(Says):
        def __init__(self, given=(), classes=("a", "b")):
            super().__init__(classes=classes)
            self.given = given

        def predict_proba(self, X):
            return np.array(self.given)

    odd = np.nextafter(0.5, 0)
    given = [[odd, 1 - odd], [1 - odd, odd], [0.5, 0.5], [0.1 + 0.2, 0.7], [0.4, 0.6]]
    X, y = np.zeros((5, 1)), np.array(["a", "b", "a", "b", "a"])
    ours = vote([Gives(given), Gives(given), Gives(given)], X, y, combiner=combiner)
    labels, P = ours.predict(X), ours.predict_proba(X)
    assert labels.tolist() == ["a", "a", "a", "b", "b"]
    np.testing.assert_array_equal(labels, ours.classes_[P.argmax(axis=1)])


def test_class_that_only_a_member_knows_is_an_error():
    X, y = np.zeros((2, 1)), np.array(["a", "b"])
    ours = vote([Sure(classes=("z",))], X, y)
    with pytest.raises(ilk.InputError, match=r"members\[0\] \(Sure\): knows the class 'z'"):
        ours.predict(X)


@in_one_test
@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [False, True], [7, 3]])
def test_labels_of_every_type(wine, labels):
    X, y = wine
    named = np.array(labels)[(y == "class_0").astype(int)]
    ours = vote([GaussianNB(), KNeighborsClassifier()], X, named)
    assert ours.classes_.tolist() == sorted(labels)
    assert ours.predict(X).dtype == named.dtype
    assert ours.score(X, named) > 0.9


def test_failing_member_is_named(wine):
    X, y = wine
    members = ["knn", LogisticRegression(C=-1.0)]
    with pytest.raises(ilk.InputError, match=r"voting: members\[1\] \(LogisticRegression\): The"):
        vote(members, X, y)
    with pytest.raises(ilk.InputError, match=r"members\[0\] \(knn\): .*NaN"):
        vote(["knn", "nearest_mean"], np.where(X > 2, np.nan, X), y)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [(TypeError, ilk.InputTypeError), (ValueError, ilk.InputError), (OSError, ilk.IlkError)],
)
def test_type_of_a_failure_is_kept(raised, expected):
    class Fails(Says):
        def fit(self, X, y):
            raise raised("because")

    with pytest.raises(expected, match=r"members\[0\] \(Fails\): .*because") as caught:
        vote([Fails()], np.zeros((2, 1)), [0, 1])
    assert isinstance(caught.value.__cause__, raised)


def test_members_are_any_classifiers_by_name(wine):
    X, y = wine
    steps = [{"transformer": "standardize"}, {"classifier": {"use": "knn", "k": 3}}]
    members = ["nearest_mean", {"use": "pipeline", "steps": steps}, GaussianNB()]
    ours = vote(members, X, y)
    assert [type(member).__name__ for member in ours.estimators_[1:]] == ["Pipeline", "GaussianNB"]
    assert ours.score(X, y) > 0.95


def test_spec_round_trip():
    spec = {
        "use": "voting",
        "members": [{"use": "knn", "k": 3}, {"use": "nearest_mean"}],
        "combiner": {"use": "majority", "threshold": "consensus"},
        "reject_label": "?",
    }
    assert ilk.to_spec(ilk.build(spec, kind="classifier")) == spec


def test_frozen_member_is_not_fitted_again(wine):
    X, y = wine
    fitted = ilk.classifier("nearest_mean").fit(X, y)
    ours = vote([ilk.frozen(fitted), "knn"], X[::2], y[::2], random_state=0)
    np.testing.assert_array_equal(ours.estimators_[0].predict_proba(X), fitted.predict_proba(X))


def test_members_that_take_weights_get_them(wine):
    X, y = wine
    weights = np.where(y == "class_1", 50.0, 1.0)
    ours = ilk.classifier("voting", members=[GaussianNB(), KNeighborsClassifier()])
    ours.fit(X, y, sample_weight=weights)
    expected = GaussianNB().fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.estimators_[0].class_prior_, expected.class_prior_)


@in_one_test
@pytest.mark.parametrize("name", ["voting", "stacking"])
def test_wrapped_members_without_weights_get_none(wine, name):
    X, y = wine
    weights = np.where(np.arange(len(X)) % 3 == 0, 0.0, 1.0)
    wrapped = {"use": "sklearn", "estimator": "KNeighborsClassifier"}
    got, expected = (
        ilk.classifier(name, members=[near, "naive_bayes"], random_state=0)
        .fit(X, y, sample_weight=weights)
        .predict_proba(X)
        for near in (wrapped, KNeighborsClassifier())
    )
    np.testing.assert_allclose(got, expected)
    with pytest.raises(ilk.InputError, match="no member takes sample_weight"):
        ilk.classifier("voting", members=[wrapped]).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("members", "weights", "message"),
    [
        ([KNeighborsClassifier()], np.ones(178), "no member takes sample_weight"),
        ([GaussianNB()], np.ones(3), "sample_weight has 3 values for the 178 rows"),
        (
            [GaussianNB()],
            np.full(178, np.nan),
            "sample_weight must be finite and at least 0, got nan at row 0",
        ),
        ([GaussianNB()], np.zeros(178), "sample_weight must not be all 0"),
        ([GaussianNB()], ["heavy"] * 178, "sample_weight must be numbers"),
        ([GaussianNB()], np.ones((178, 1)), "sample_weight must have one dimension"),
        ([GaussianNB()], np.r_[np.zeros(100), np.ones(78)], "sample_weight is zero .*'class_0'"),
    ],
)
def test_bad_weights_are_refused(wine, members, weights, message):
    with pytest.raises(ilk.InputError, match=f"voting: {message}"):
        ilk.classifier("voting", members=members).fit(*wine, sample_weight=weights)


def test_random_state_seeds_each_member(wine):
    X, y = wine
    forests = [RandomForestClassifier(5) for _ in range(3)]
    first, again, other = (vote(forests, X, y, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.predict_proba(X), again.predict_proba(X))
    assert len({member.random_state for member in first.estimators_}) == 3
    assert first.estimators_[0].random_state != other.estimators_[0].random_state


def test_given_random_state_of_a_member_stays(wine):
    ours = vote([RandomForestClassifier(2, random_state=5)], *wine, random_state=0)
    assert ours.estimators_[0].random_state == 5


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_random_state_may_be_a_generator(wine, make):
    trees = [DecisionTreeClassifier(max_features=1)] * 2
    first, again = (vote(trees, *wine, random_state=make(3)) for _ in range(2))
    seeds = [member.random_state for member in first.estimators_]
    assert seeds == [member.random_state for member in again.estimators_]
    assert len(set(seeds)) == 2


def test_threads_change_nothing(wine):
    X, y = wine
    forests = [RandomForestClassifier(5) for _ in range(4)]
    one, two = (vote(forests, X, y, random_state=0, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"members": []}, "members must have at least one member"),
        ({"members": "knn"}, "members must be a list"),
        ({"members": ["knn", 3]}, r"members \[1\] must be a classifier"),
        ({"combiner": 3}, "combiner must be a combiner"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"voting: {message}"):
        ilk.classifier("voting", **parameters)


def test_unknown_member_is_suggested():
    with pytest.raises(ilk.IlkError, match="did you mean 'knn'"):
        ilk.classifier("voting", members=["kn"]).fit([[0], [1]], [0, 1])


def test_reject_label_must_be_no_class(wine):
    with pytest.raises(ilk.ParameterError, match="reject_label must not be one of the classes"):
        vote(["knn"], *wine, reject_label="class_1")


class Recording(ilk.Combiner):
    """Keeps what it is fitted on; combines by the mean."""

    capabilities = ilk.Capabilities(needs_fit=True)

    def fit(self, outputs, y, X=None):
        self.outputs_, self.y_, self.X_ = outputs, y, X
        return self

    def combine(self, outputs, X=None):
        return np.asarray(outputs).mean(axis=0)


def test_combiner_that_learns_is_fitted_on_outputs_for_rows_held_out(wine):
    """Of a member that knows what it has seen by heart, outputs for other rows are no longer so."""
    X, y = wine
    noise = np.random.default_rng(0).permutation(y)
    rule = vote([KNeighborsClassifier(1)], X, noise, combiner=Recording(), random_state=0).combiner_
    assert rule.outputs_.shape == (1, len(X), 3)
    np.testing.assert_array_equal(rule.X_, X)
    np.testing.assert_array_equal(np.unique(noise)[rule.y_], noise)
    assert (rule.outputs_[0].argmax(axis=1) == rule.y_).mean() < 0.6


@pytest.mark.parametrize("combiner", ["stacking", {"use": "weighted_sum", "weights": "learned"}])
def test_rules_that_learn(wine, combiner):
    ours = vote(["knn", GaussianNB()], *wine, combiner=combiner, random_state=0)
    assert ours.score(*wine) > 0.95


def test_rule_that_learns_is_told_of_no_row_without_weight(wine):
    X, y = wine
    weights = np.arange(len(X)) % 3 / 2
    ours = ilk.classifier("voting", members=[GaussianNB()], combiner=Recording(), random_state=0)
    rule = ours.fit(X, y, sample_weight=weights).combiner_
    np.testing.assert_array_equal(rule.X_, X[weights > 0])


def test_only_one_class_can_be_held_out():
    X, y = np.arange(5.0)[:, None], ["a", "a", "a", "b", "c"]
    with pytest.raises(ilk.InputError, match="voting: rows of class 'a' only can be held out"):
        vote([GaussianNB()], X, y, combiner="stacking")


def test_support_that_is_no_probability_is_refused(wine):
    class Negative(ilk.Combiner):
        def combine(self, outputs, X=None):
            return -np.asarray(outputs)[0]

    X, y = wine
    ours = vote([GaussianNB()], X, y, combiner=Negative())
    assert ours.predict(X).shape == y.shape
    with pytest.raises(ilk.InputError, match="output of Negative cannot be made probabilities"):
        ours.predict_proba(X)


def test_objects_that_only_members_understand():
    texts, y = ["aa", "ab", "zz", "zy"], ["first", "first", "last", "last"]
    letters = ilk.distance("callable", function=lambda a, b: abs(ord(a[0]) - ord(b[0])))
    ours = vote([ilk.classifier("knn", k=1, distance=letters)], texts, y)
    assert ours.predict(["ac", "zx"]).tolist() == ["first", "last"]


def test_inside_scikit_learn(wine):
    X, y = wine
    ours = ilk.classifier("voting", members=["knn", GaussianNB()])
    assert cross_validate(ours, X, y, cv=3)["test_score"].mean() > 0.9
    search = GridSearchCV(ours, {"members__0__k": [1, 5], "combiner": ["sum", "product"]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.9


@pytest.mark.parametrize("jobs", [None, 2])
def test_member_that_fails_may_be_dropped(wine, jobs, capsys):
    X, y = wine
    members = [LogisticRegression(C=-1.0), "knn", "nearest_mean"]
    ours = vote(members, X, y, on_failure="drop", n_jobs=jobs, verbose=2)
    assert list(ours.failures_) == [0]
    assert ours.positions_ == [1, 2]
    assert "members[0] (LogisticRegression): The" in str(ours.failures_[0])
    assert capsys.readouterr().out.count("of 3 members") == 3
    np.testing.assert_array_equal(ours.predict(X), vote(members[1:], X, y).predict(X))


def test_members_are_named_by_their_place_in_the_list(wine):
    """Though one before them was dropped."""

    class Mute(GaussianNB):
        def predict_proba(self, X):
            raise ValueError("says nothing")

    members = [LogisticRegression(C=-1.0), GaussianNB(), Mute()]
    ours = vote(members, *wine, on_failure="drop")
    with pytest.raises(ilk.InputError, match=r"members\[2\] \(Mute\): says nothing"):
        ours.predict(wine[0])


def test_every_member_fails(wine):
    with pytest.raises(
        ilk.InputError, match=r"every member failed; the first: voting: members\[0\]"
    ):
        vote([LogisticRegression(C=-1.0)] * 2, *wine, on_failure="drop")


def test_member_that_fails_on_a_part_of_the_rows_is_named():
    """One that needs all of the rows there are."""
    X, y = np.arange(10.0)[:, None], np.arange(10) % 2
    message = r"members\[1\], on a part of the rows, \(knn\): .*k"
    with pytest.raises(ilk.InputError, match=message):
        vote(["nearest_mean", ilk.classifier("knn", k=10)], X, y, combiner="stacking")


def test_rows_are_asked_about_in_blocks(wine, monkeypatch):
    """Whatever their number, few outputs are held; the answers are the same."""
    X, y = wine
    sizes = []

    class Counts(GaussianNB):
        def predict_proba(self, X):
            sizes.append(len(X))
            return super().predict_proba(X)

    ours = vote([Counts(), GaussianNB()], X, y)
    whole = ours.predict_proba(X)
    monkeypatch.setattr("ilk_ensembles.base.combined_classifier._CELLS", 60)
    np.testing.assert_array_equal(ours.predict_proba(X), whole)
    assert sizes == [178] + [10] * 17 + [8]


def test_sparse_and_missing_where_all_members_take_them(wine):
    X, y = wine
    sparse = vote([LogisticRegression(), KNeighborsClassifier()], sp.coo_matrix(X), y)
    dense = vote([LogisticRegression(), KNeighborsClassifier()], X, y)
    np.testing.assert_allclose(sparse.predict_proba(sp.coo_matrix(X)), dense.predict_proba(X))
    trees = [DecisionTreeClassifier(random_state=0), DecisionTreeClassifier(max_depth=2)]
    missing = np.where(X > 2, np.nan, X)
    assert vote(trees, missing, y).score(missing, y) > 0.9
    assert get_tags(ilk.classifier("voting", members=trees)).input_tags.allow_nan
    assert not get_tags(ilk.classifier("voting", members=[*trees, "knn"])).input_tags.allow_nan


def test_row_order_and_label_names_do_not_matter(wine):
    X, y = wine
    members = [GaussianNB(), "nearest_mean"]
    expected = vote(members, X, y).predict_proba(X)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_allclose(vote(members, X[order], y[order]).predict_proba(X), expected)
    renamed = np.array(["z", "y", "x"])[np.unique(y, return_inverse=True)[1]]
    swapped = vote(members, X, renamed).predict_proba(X)
    np.testing.assert_allclose(swapped[:, ::-1], expected)


def test_lengths_of_X_and_y_differ(wine):
    with pytest.raises(ilk.InputError, match="voting: y has 3 values for the 178 rows of X"):
        vote(["knn"], wine[0], [0, 1, 1])


@pytest.mark.parametrize("X", [{"a": [1]}, {0: [1, 2]}, {1, 2}], ids=str)
def test_what_has_no_order_is_refused(X):
    with pytest.raises(ilk.InputTypeError, match="voting: X must be an array, a table or a list"):
        ilk.classifier("voting").fit(X, [1, 2])


@pytest.mark.parametrize("names", [["a", 1], [("a",), "b"], [1.5, "a"]], ids=str)
def test_column_names_of_different_types_are_refused(names):
    X = pd.DataFrame(np.arange(12.0).reshape(6, 2))
    X.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    with pytest.raises(ilk.InputError, match="voting: X: Feature names"):
        ilk.classifier("voting").fit(X, [0, 1] * 3)


@pytest.mark.parametrize(
    "make", [lambda: 3, lambda: np.random.default_rng(3), lambda: np.random.RandomState(3)]
)
def test_every_kind_of_seed(make, wine):
    members = [{"use": "sklearn", "estimator": "ExtraTreeClassifier"}] * 2
    twins = [ilk.classifier("voting", members=members, random_state=make()) for _ in range(2)]
    first, second = (twin.fit(*wine) for twin in twins)
    seeds = [member.random_state for member in first.estimators_]
    assert seeds == [member.random_state for member in second.estimators_]
    assert len(set(seeds)) == 2


@in_one_test
@pytest.mark.parametrize("scale", [0.0, 1e-200, 1e200])
@pytest.mark.parametrize("ensemble", ["voting", "stacking", "cascade"])
def test_usual_members_take_any_scale(wine, ensemble, scale):
    X, y = wine
    ours = ilk.classifier(ensemble, random_state=0).fit(X * scale, y)
    assert np.isfinite(ours.predict_proba(X * scale)).all()
    assert ours.score(X * scale, y) > (0.7 if scale else 0.2)
