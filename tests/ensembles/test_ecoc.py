"""The classifier `ecoc`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import ilk
from cases import in_one_test

SLIDES = [
    [1, 1, 1, 1, 1, 1, 1],
    [0, 0, 0, 0, 1, 1, 1],
    [0, 0, 1, 1, 0, 0, 1],
    [0, 1, 0, 1, 0, 1, 0],
]


def ecoc(X, y, weights=None, **parameters):
    return ilk.classifier("ecoc", **parameters).fit(X, y, sample_weight=weights)


@pytest.fixture(scope="module")
def vowels():
    """Six overlapping classes."""
    rng = np.random.default_rng(0)
    y = np.repeat(list("aeiouy"), 40)
    centres = {label: 1.5 * rng.normal(size=3) for label in "aeiouy"}
    return rng.normal(size=(240, 3)) + np.array([centres[label] for label in y]), y


class Fails(GaussianNB):
    """Cannot learn where class 1 is the smaller side by far, or the larger."""

    def fit(self, X, y):
        if not 0.3 < np.mean(y) < 0.7:
            raise ValueError("too unequal")
        return super().fit(X, y)


class Constant(ClassifierMixin, BaseEstimator):
    """Predicts a label whatever it has seen."""

    def __init__(self, label=1):
        self.label = label

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


def test_worked_example_of_the_slides():
    """Each stump finds the one feature that is its bit; (0,1,1,1,1,1,1) is nearest to c1."""
    X, y = np.array(SLIDES, dtype=float), ["c1", "c2", "c3", "c4"]
    ours = ecoc(X, y, member="decision_stump", code=SLIDES)
    assert [stump.feature_ for stump in ours.estimators_] == list(range(7))
    assert ours.predict(X).tolist() == y
    query = [[0, 1, 1, 1, 1, 1, 1]]
    assert ours.predict(query).tolist() == ["c1"]
    np.testing.assert_allclose(-7 * ours.decision_function(query), [[1, 3, 3, 3]])
    report = ours.code_report()
    assert (report.row_separation, report.corrects) == (4, 1)


@pytest.mark.parametrize("member", [LinearSVC(), LogisticRegression(), RidgeClassifier()], ids=str)
def test_loss_decoding_agrees_with_scikit_learns_output_codes(vowels, member):
    """The squared loss of a code of -1 and 1 is the squared distance that it looks at."""
    X, y = vowels
    theirs = OutputCodeClassifier(member, code_size=3, random_state=4).fit(X, y)
    book = theirs.code_book_.astype(int)
    assert len(np.unique(book, axis=0)) == 6
    split = np.abs(book.sum(axis=0)) < 6  # it draws constant columns
    book = book[:, split]
    theirs.code_book_ = book
    theirs.estimators_ = [e for e, s in zip(theirs.estimators_, split, strict=True) if s]
    ours = ecoc(X, y, member=member, code=book, decoding="loss", loss="squared")
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_each_against_all_agrees_with_scikit_learn(vowels):
    X, y = vowels
    theirs = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    ours = ecoc(X, y, member=LogisticRegression(), code="ova", decoding="loss")
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for own, other in zip(ours.estimators_, theirs.estimators_, strict=True):
        np.testing.assert_allclose(own.coef_, other.coef_)


def test_each_against_each_agrees_with_a_hand_loop(vowels):
    X, y = vowels
    labels = np.unique(y)
    votes = np.zeros((len(X), 6))
    for a in range(6):
        for b in range(a + 1, 6):
            some = np.isin(y, labels[[a, b]])
            said = GaussianNB().fit(X[some], y[some] == labels[b]).predict(X)
            votes[np.arange(len(X)), np.where(said, b, a)] += 1
    ours = ecoc(X, y, member=GaussianNB(), code="ovo")
    np.testing.assert_allclose(ours.decision_function(X), votes / 5 - 1, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), labels[votes.argmax(axis=1)])
    theirs = OneVsOneClassifier(GaussianNB()).fit(X, y)
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.98  # it settles ties otherwise


@pytest.mark.parametrize("code", ["ova", "exhaustive"])
def test_codes_without_zeros_agree_with_a_hand_loop(vowels, code):
    X, y = vowels
    ours = ecoc(X, y, member=GaussianNB(), code=code)
    disagree = np.zeros((len(X), 6))
    for column in ours.code_.T:
        table = dict(zip(ours.classes_.tolist(), column.tolist(), strict=True))
        said = GaussianNB().fit(X, [table[label] for label in y]).predict(X)
        disagree += said[:, None] != column
    np.testing.assert_allclose(ours.decision_function(X), -disagree / ours.code_.shape[1])
    np.testing.assert_array_equal(ours.predict(X), ours.classes_[disagree.argmin(axis=1)])


def test_probabilities_of_each_against_all(vowels):
    """Members that are consistent: each the probability of its class."""
    X, y = vowels
    ours = ecoc(X, y, member=LogisticRegression(), code="ovo", decoding="probability")
    P = ours.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(ours.classes_[P.argmax(axis=1)], ours.predict(X))
    single = GaussianNB().fit(X, y)
    same = ecoc(X, y, member=GaussianNB(), code="ovo", decoding="probability")
    # Of equal classes Gaussians fitted pair by pair are those fitted together.
    np.testing.assert_allclose(same.predict_proba(X), single.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("decoding", ["hamming", "loss", "probability"])
@pytest.mark.parametrize(
    "code", ["ova", "ovo", "exhaustive", "dense_random", "sparse_random", "bch"]
)
def test_every_code_with_every_decoding(vowels, code, decoding):
    X, y = vowels
    parameters = {"code": code, "decoding": decoding, "n_draws": 30, "random_state": 0}
    ours = ecoc(X, y, member=GaussianNB(), **parameters)
    assert ours.score(X, y) > 0.5
    ask = ours.predict_proba if decoding == "probability" else ours.decision_function
    np.testing.assert_array_equal(ours.classes_[ask(X).argmax(axis=1)], ours.predict(X))
    assert hasattr(ours, "predict_proba") == (decoding == "probability")
    assert hasattr(ours, "decision_function") == (decoding != "probability")


@in_one_test
@pytest.mark.parametrize("decoding", ["hamming", "loss", "probability"])
@pytest.mark.parametrize("code", ["ova", "ovo", "exhaustive", "dense_random", "sparse_random"])
def test_two_classes_have_one_column(vowels, code, decoding):
    X, y = vowels
    X, y = X[:80], y[:80]
    ours = ecoc(X, y, member=LogisticRegression(), code=code, decoding=decoding, random_state=0)
    assert ours.code_.tolist() == [[-1], [1]]
    np.testing.assert_array_equal(ours.predict(X), LogisticRegression().fit(X, y).predict(X))
    if decoding != "probability":
        scores = ours.decision_function(X)
        np.testing.assert_array_equal(ours.classes_[(scores > 0).astype(int)], ours.predict(X))


def test_members_that_say_everything_alike_tie_to_the_first_class(vowels):
    X, y = vowels
    for code, expected in [("ova", "a"), ("ovo", "y")]:
        ours = ecoc(X, y, member=Constant(1), code=code)
        assert set(ours.predict(X)) == {expected}
    neither = ecoc(X, y, member=Constant("?"), code="ova")
    assert set(neither.predict(X)) == {"a"}
    np.testing.assert_allclose(neither.decision_function(X), -0.5)


@given(
    seed=st.integers(0, 2**31),
    n_classes=st.integers(2, 6),
    decoding=st.sampled_from(["hamming", "loss", "probability"]),
)
def test_invariants(seed, n_classes, decoding):
    """Neither the order of rows nor the names of classes matter, if those keep their order."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(n_classes), np.arange(n_classes), rng.integers(0, n_classes, 25)]
    X = rng.normal(size=(len(y), 2)) + y[:, None]
    parameters = {
        "member": GaussianNB(),
        "code": "dense_random",
        "decoding": decoding,
        "random_state": seed,
        "n_draws": 20,
    }
    ours = ecoc(X, y, **parameters)
    mixed = rng.permutation(len(y))
    named = np.array(["p", "q", "r", "s", "t", "u"])
    again = ecoc(X[mixed], named[y[mixed]], **parameters, n_jobs=2)
    np.testing.assert_array_equal(again.code_, ours.code_)
    ask = "predict_proba" if decoding == "probability" else "decision_function"
    np.testing.assert_allclose(getattr(again, ask)(X), getattr(ours, ask)(X), atol=1e-5)


def test_codes_by_lot_depend_on_the_seed_alone(vowels):
    X, y = vowels
    first, again, other = (
        ecoc(X, y, member=GaussianNB(), n_bits=9, random_state=seed, n_jobs=jobs)
        for seed, jobs in ((0, 1), (0, 2), (1, 1))
    )
    np.testing.assert_array_equal(first.code_, again.code_)
    np.testing.assert_array_equal(first.decision_function(X), again.decision_function(X))
    assert not np.array_equal(first.code_, other.code_)


@pytest.mark.parametrize("n_classes", [3, 4, 5])
def test_default_for_few_classes_is_the_exhaustive_code(vowels, n_classes):
    X, y = vowels
    some = np.isin(y, np.unique(y)[:n_classes])
    ours = ecoc(X[some], y[some], member=GaussianNB())
    assert ours.code_.shape == (n_classes, 2 ** (n_classes - 1) - 1)
    assert ours.code_report().row_separation == 2 ** (n_classes - 2)


@in_one_test
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ([[1, 1], [1, 1], [0, 0]], "code must not have equal rows, as 0 and 1 are"),
        ([[1, 1], [0, 1], [1, 1]], "code must have both sides in each column, but column 1 is"),
        ([[1, 1], [-1, 0], [0, 1]], "code must have both sides in each column, but column 1 is"),
        ([[1, 2], [0, 1], [1, 0]], "code must hold -1, 0 and 1 only, got 2"),
        ([[0.5, 1], [0, 0]], "code must hold -1, 0 and 1 only, got 0.5"),
        ([1, 0], "code must have a row for each class"),
        ("hadamard", "code must be 'ova'"),
    ],
)
def test_bad_codes_are_refused(code, message):
    with pytest.raises(ilk.ParameterError, match=f"ecoc: {message}"):
        ecoc(np.eye(3), [0, 1, 2], code=code)


def test_code_of_another_number_of_classes_is_refused(vowels):
    with pytest.raises(ilk.ParameterError, match="a row for each of the 6 classes, got 4"):
        ecoc(*vowels, code=SLIDES)


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_bits": 2}, "n_bits must be from 3 to 31 for 6 classes, .*got 2"),
        ({"n_bits": 32}, "n_bits must be from 3 to 31 for 6 classes"),
        (
            {"code": "sparse_random", "n_bits": 302},
            "n_bits must be from 3 to 301 for 6 classes",
        ),
        ({"code": "bch", "n_bits": 8}, r"n_bits must be one of \[7, 15, 31\] for 6 classes"),
        ({"decoding": "vote"}, "decoding must be 'hamming'"),
        ({"n_draws": 0}, "n_draws must"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(vowels, parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"ecoc: {message}"):
        ecoc(*vowels, **parameters)


def test_codes_that_so_few_or_many_classes_do_not_allow(vowels):
    X, y = vowels
    with pytest.raises(ilk.ParameterError, match="code must not be 'bch' for 3 classes.*exhaus"):
        ecoc(X[:120], y[:120], code="bch")
    many = np.arange(14).repeat(2)
    with pytest.raises(ilk.ParameterError, match="not be 'exhaustive' for 14 classes.* 8191 col"):
        ecoc(np.c_[many, many], many, code="exhaustive")


def test_one_class_is_refused():
    with pytest.raises(ilk.InputError, match="ecoc: y has 1 class"):
        ecoc(np.eye(3), ["a"] * 3)


def test_failing_member_is_named(vowels):
    with pytest.raises(ilk.InputError, match=r"ecoc: columns\[0\] \(Fails\): too unequal"):
        ecoc(*vowels, member=Fails(), code="ova")


def test_failing_columns_are_left_out(vowels):
    X, y = vowels
    ours = ecoc(X, y, member=Fails(), code="exhaustive", on_failure="drop")
    balanced = np.flatnonzero(
        np.abs(
            ilk.classifier("ecoc", code="exhaustive", member=GaussianNB())
            .fit(X, y)
            .code_.sum(axis=0)
        )
        <= 2
    )
    assert sorted(ours.failures_) == sorted(set(range(31)) - set(balanced.tolist()))
    assert ours.code_.shape[1] == len(ours.estimators_) == len(balanced) == 25
    assert ours.score(X, y) > 0.6


def test_columns_left_must_tell_classes_apart(vowels):
    X, y = vowels
    unequal = [[1, 1, -1], [-1, 1, 1], [-1, -1, 1], [-1, 1, -1], [-1, -1, 1], [-1, -1, -1]]
    with pytest.raises(ilk.ParameterError, match="equal rows, as 2 and 4"):
        ecoc(X, y, code=unequal)
    code = np.c_[unequal, [-1, -1, 1, -1, -1, -1]]
    with pytest.raises(ilk.InputError, match="remaining columns do not separate .*'a' and 'o'"):
        ecoc(X, y, member=Fails(), code=code, on_failure="drop")
    with pytest.raises(ilk.InputError, match="every member failed; the first: .*too unequal"):
        ecoc(X, y, member=Fails(), code="ova", on_failure="drop")


def test_class_without_a_column_left_is_named(vowels):
    X, y = vowels
    code = np.array([[0, 1], [1, 1], [-1, 1], [1, 0], [-1, 0], [0, -1]])
    code[5] = 0, -1
    with pytest.raises(ilk.InputError, match="class 'a' is in none of the remaining columns"):
        ecoc(X, y, member=Fails(), code=code, on_failure="drop")


def test_decoding_that_members_cannot_serve(vowels):
    X, y = vowels
    with pytest.raises(ilk.InputError, match=r"\(RidgeClassifier\): has no predict_proba, which"):
        ecoc(X, y, member=RidgeClassifier(), decoding="probability")
    with pytest.raises(ilk.InputError, match=r"\(Constant\): has neither decision_function nor"):
        ecoc(X, y, member=Constant(), decoding="loss")


def test_member_without_decision_function_has_margins_from_probabilities(vowels):
    X, y = vowels
    ours = ecoc(X, y, member=GaussianNB(), code="ova", decoding="loss", loss="squared")
    q = np.stack([member.predict_proba(X)[:, 1] for member in ours.estimators_], axis=1)
    np.testing.assert_array_equal(ours.predict(X), ours.classes_[q.argmax(axis=1)])


def test_numbers_that_are_no_margins_are_named(vowels):
    class Broken(GaussianNB):
        def predict_proba(self, X):
            return super().predict_proba(X) * np.nan

    X, y = vowels
    ours = ecoc(X, y, member=Broken(), code="ova", decoding="probability")
    with pytest.raises(ilk.InputError, match=r"columns\[0\] \(Broken\): gives the probability nan"):
        ours.predict(X)


def test_frozen_member_is_refused(vowels):
    X, y = vowels
    fitted = ilk.classifier("nearest_mean").fit(X, y)
    with pytest.raises(ilk.InputError, match="knows the classes .* not the sides 0 and 1"):
        ecoc(X, y, member=ilk.frozen(fitted))


def test_weights_are_given_to_members(vowels):
    X, y = vowels
    times = np.random.default_rng(0).integers(1, 3, len(X))
    weighted = ecoc(X, y, times, member=GaussianNB(), code="ovo", decoding="loss")
    rows = np.repeat(np.arange(len(X)), times)
    repeated = ecoc(X[rows], y[rows], member=GaussianNB(), code="ovo", decoding="loss")
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X))


@pytest.mark.parametrize(
    ("member", "weights", "message"),
    [
        ("nearest_mean", np.ones(240), "no member takes sample_weight"),
        (GaussianNB(), -np.ones(240), "sample_weight must be finite and at least 0"),
        (GaussianNB(), np.r_[np.zeros(40), np.ones(200)], "sample_weight is zero .* class 'a'"),
    ],
    ids=["nearest_mean", "negative", "zero"],
)
def test_bad_weights_are_refused(vowels, member, weights, message):
    with pytest.raises(ilk.InputError, match=f"ecoc: {message}"):
        ecoc(*vowels, weights, member=member)


def test_random_state_seeds_each_member(vowels):
    X, y = vowels
    trees = DecisionTreeClassifier(max_features=1)
    first, again = (ecoc(X, y, member=trees, code="ova", random_state=0) for _ in range(2))
    seeds = [tree.random_state for tree in first.estimators_]
    assert len(set(seeds)) == 6
    assert seeds == [tree.random_state for tree in again.estimators_]
    free = ecoc(X, y, member=trees, code="ova")
    assert {tree.random_state for tree in free.estimators_} == {None}


@in_one_test
@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [False, True], [7, 3]], ids=str)
def test_labels_of_every_type(vowels, labels):
    X, y = vowels
    named = np.array(labels)[(y < "i").astype(int)]
    ours = ecoc(X, named, member=GaussianNB(), code="ova")
    assert ours.classes_.tolist() == sorted(labels)
    assert ours.predict(X).dtype == named.dtype


def test_objects_that_only_members_understand():
    texts, y = ["aa", "ab", "mm", "mn", "zz", "zy"], ["first"] * 2 + ["mid"] * 2 + ["last"] * 2
    letters = ilk.distance("callable", function=lambda a, b: abs(ord(a[0]) - ord(b[0])))
    member = ilk.classifier("knn", k=1, distance=letters)
    for code in ("ovo", "exhaustive"):
        ours = ecoc(texts, y, member=member, code=code)
        assert ours.predict(["ac", "zx", "nn"]).tolist() == ["first", "last", "mid"]


def test_rows_in_blocks_change_nothing(vowels, monkeypatch):
    X, y = vowels
    ours = ecoc(X, y, member=GaussianNB(), code="ovo", decoding="probability")
    expected = ours.predict_proba(X)
    monkeypatch.setattr("ilk_ensembles.classifiers.ecoc._CELLS", 15 * 7)
    np.testing.assert_allclose(ours.predict_proba(X), expected, atol=1e-12)


def test_progress(vowels, capsys):
    ecoc(*vowels, member=GaussianNB(), code="ova", verbose=2)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        f"ecoc: {i} of 6 columns" for i in range(1, 7)
    ]


def test_spec_round_trip():
    spec = {
        "use": "ecoc",
        "member": {"use": "knn", "k": 3},
        "code": [[1, 0], [0, 1], [0, 0]],
        "decoding": "probability",
    }
    assert ilk.to_spec(ilk.build(spec, kind="classifier")) == spec


def test_inside_scikit_learn(vowels):
    X, y = vowels
    ours = ilk.classifier("ecoc", member="knn", code="ova", random_state=0)
    search = GridSearchCV(ours, {"member__k": [1, 15], "decoding": ["hamming", "loss"]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.55
    assert clone(search.best_estimator_).get_params()["code"] == "ova"


def test_more_bits_correct_more_errors_of_weak_members():
    """Why codes are long: stumps by one against all leave classes undecided."""
    X, y = ilk.dataset("digits").load().Xy
    X, y = X[:900], y[:900]
    one, many = (
        ecoc(X[::2], y[::2], member="decision_stump", random_state=0, **parameters).score(
            X[1::2], y[1::2]
        )
        for parameters in ({"code": "ova"}, {"code": "dense_random", "n_bits": 60})
    )
    assert many > one + 0.1


def test_columns_share_one_sort_of_the_rows(vowels):
    X, y = vowels
    X = X.round(1)  # with equal cells
    model = ecoc(X, y, member="decision_tree", code="ova", random_state=0)
    codes = np.searchsorted(model.classes_, y)
    for column, fitted in zip(model.code_.T, model.estimators_, strict=True):
        alone = clone(fitted).fit(X, (column[codes] > 0).astype(int))
        assert np.array_equal(fitted.predict_proba(X), alone.predict_proba(X))


def test_parameters_of_the_member_are_checked(vowels):
    with pytest.raises(ilk.InputError, match=r"columns\[0\].*max_depth"):
        ecoc(*vowels, member=DecisionTreeClassifier(max_depth=-1))
    with pytest.raises(ilk.InputError, match="every member failed; the first: .*max_depth"):
        ecoc(*vowels, member=DecisionTreeClassifier(max_depth=-1), on_failure="drop")


@pytest.mark.filterwarnings("ignore")  # of failed fits
def test_parameters_that_a_member_tries_are_checked_in_every_column(vowels):
    search = GridSearchCV(LogisticRegression(), {"C": [-1.0, 1.0]}, cv=2)
    model = ecoc(*vowels, member=search, code="ova")
    for each in model.estimators_:
        assert np.isnan(each.cv_results_["mean_test_score"]).tolist() == [True, False]
