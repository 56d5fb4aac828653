"""Diversity of members' answers: against plain loops, by hand, and what must stay the same."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.metrics import cohen_kappa_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import ilk
from cases import in_one_test
from ilk_evaluation import diversity, run_experiment

answers = st.tuples(st.integers(1, 6), st.integers(1, 12)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(-1, 3))
)


def by_loops(members, same):
    n = len(members)
    return np.array(
        [
            [
                np.mean(
                    [
                        not same(a, b, k)
                        for k, (a, b) in enumerate(zip(members[i], members[j], strict=True))
                    ]
                )
                for j in range(n)
            ]
            for i in range(n)
        ]
    )


@given(answers)
def test_plain_disagreement_is_that_of_loops(given_answers):
    expected = by_loops(given_answers, lambda a, b, _: a == b)
    np.testing.assert_allclose(diversity.plain_disagreement(given_answers), expected, atol=1e-12)


@given(answers, st.integers(0, 99))
def test_fail_disagreement_is_that_of_loops(given_answers, seed):
    y = np.random.default_rng(seed).integers(-1, 4, given_answers.shape[1])
    expected = by_loops(given_answers, lambda a, b, k: (a == y[k]) == (b == y[k]))
    np.testing.assert_allclose(diversity.fail_disagreement(given_answers, y), expected, atol=1e-12)


@given(answers, st.integers(0, 99))
def test_double_faults_and_q_are_those_of_counts(given_answers, seed):
    y = np.random.default_rng(seed).integers(-1, 4, given_answers.shape[1])
    right = given_answers == y
    n_members, n = right.shape
    faults, q = np.empty((2, n_members, n_members))
    for i, j in itertools.product(range(n_members), repeat=2):
        n11, n00 = (right[i] & right[j]).sum(), (~right[i] & ~right[j]).sum()
        n10, n01 = (right[i] & ~right[j]).sum(), (~right[i] & right[j]).sum()
        whole = n11 * n00 + n01 * n10
        faults[i, j] = n00 / n
        q[i, j] = (n11 * n00 - n01 * n10) / whole if whole else np.nan
    np.testing.assert_allclose(diversity.double_fault(given_answers, y), faults)
    np.testing.assert_allclose(diversity.q_statistic(given_answers, y), q)
    # right by both, by one, by none
    both = 1 - diversity.fail_disagreement(given_answers, y) - faults
    np.testing.assert_allclose(np.diagonal(both), right.mean(axis=1), atol=1e-12)


@given(answers)
def test_kappa_is_that_of_scikit_learn(given_answers):
    ours = diversity.kappa(given_answers)
    for (i, one), (j, other) in itertools.product(enumerate(given_answers), repeat=2):
        with warnings.catch_warnings():  # of one label, kappa is undefined
            warnings.simplefilter("ignore")
            theirs = cohen_kappa_score(one, other)
        np.testing.assert_allclose(ours[i, j], theirs, atol=1e-12)


def test_independent_errors_have_q_and_kappa_near_0():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20_000)
    members = np.where(rng.random((3, 20_000)) < 0.3, 1 - y, y)
    assert abs(diversity.mean_of_pairs(diversity.q_statistic(members, y))) < 0.03
    chance = rng.integers(0, 3, (3, 20_000))
    assert abs(diversity.mean_of_pairs(diversity.kappa(chance))) < 0.02


@given(answers)
def test_entropy_and_ambiguity_are_those_of_the_definitions(given_answers):
    n_members, n = given_answers.shape
    classes = np.unique(given_answers)
    entropy = ambiguity = 0.0
    for case, label in itertools.product(range(n), classes):
        votes = given_answers[:, case] == label
        share = votes.mean()
        entropy -= share * math.log(share) if share else 0.0
        ambiguity += ((votes - share) ** 2).sum()
    assert diversity.entropy(given_answers) == pytest.approx(entropy / n, abs=1e-12)
    printed = ambiguity / (len(classes) * n)
    assert diversity.ambiguity(given_answers) == pytest.approx(printed, abs=1e-12)
    divided = diversity.ambiguity(given_answers, normalize=True)
    assert divided == pytest.approx(printed / n_members, abs=1e-12)


@given(answers, st.permutations(["x", "yy", "z", "w", "v"]))
def test_names_of_labels_do_not_matter(given_answers, names):
    named = np.array(names)[given_answers + 1]
    measures = diversity.plain_disagreement, diversity.kappa, diversity.entropy, diversity.ambiguity
    for measure in measures:
        np.testing.assert_allclose(measure(named), measure(given_answers), atol=1e-12)


def test_members_that_agree_are_not_diverse():
    same = np.tile(["a", "b", "b"], (4, 1))
    assert not diversity.plain_disagreement(same).any()
    assert diversity.entropy(same) == diversity.ambiguity(same) == 0
    assert diversity.mean_of_pairs(diversity.fail_disagreement(same, ["a", "a", "b"])) == 0


def test_one_member_has_no_pair():
    assert math.isnan(diversity.mean_of_pairs(diversity.plain_disagreement([["a", "b"]])))


def test_blocks_of_cases_give_what_all_at_once_gives(monkeypatch):
    rng = np.random.default_rng(0)
    members, y = rng.integers(0, 5, (7, 1001)), rng.integers(0, 5, 1001)
    whole = diversity.plain_disagreement(members), diversity.fail_disagreement(members, y)
    monkeypatch.setattr("ilk_evaluation.diversity.diversity_measures._CELLS", 300)
    np.testing.assert_array_equal(diversity.plain_disagreement(members), whole[0])
    np.testing.assert_array_equal(diversity.fail_disagreement(members, y), whole[1])


@in_one_test
@pytest.mark.parametrize("wrong", [[], ["a", "b"], np.zeros((2, 0)), np.zeros((2, 3, 4))])
def test_other_shapes_are_refused(wrong):
    with pytest.raises(ilk.InputError, match="answers must have shape"):
        diversity.plain_disagreement(wrong)


NO_LABELS = [
    ([["a", "b"], ["a"]], "answers must be an array"),
    ([["a", None], ["a", "b"]], r"answers: a label is missing at \(0, 1\)"),
    ([["a", "b"], [float("nan"), "b"]], r"answers: a label is missing at \(1, 0\)"),
    ([[0.0, 1.0], [np.nan, 1.0]], r"answers: a label is missing at \(1, 0\)"),
    ([["a", 1], ["a", "1"]], "answers: some labels are texts"),
    (np.array([["a", 1], ["a", "1"]], dtype=object), "answers: some labels are texts"),
]


@in_one_test
@pytest.mark.parametrize(("wrong", "said"), NO_LABELS)
def test_labels_that_are_none_are_refused(wrong, said):
    for measure in (diversity.plain_disagreement, diversity.entropy, diversity.ambiguity):
        with pytest.raises(ilk.InputError, match=f"diversity: {said}"):
            measure(wrong)


def test_answers_and_truth_of_two_types_are_refused():
    for answers, y in (([[1, 0], [1, 1]], ["1", "0"]), ([["1", "0"]], [1, 0])):
        with pytest.raises(ilk.InputError, match="answers and y must be of one type"):
            diversity.fail_disagreement(answers, y)


def test_a_mean_of_pairs_needs_a_square():
    for wrong in ([], [0.0, 1.0], [[0.0, 1.0]]):
        with pytest.raises(ilk.InputError, match=r"matrix must have shape \(L, L\)"):
            diversity.mean_of_pairs(wrong)


def test_labels_of_another_number_of_cases_are_refused():
    with pytest.raises(ilk.InputError, match=r"y must have shape \(2,\), got \(3,\)"):
        diversity.fail_disagreement([["a", "b"]], ["a", "b", "c"])


outputs = st.tuples(st.integers(1, 6), st.integers(1, 12)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(-1e3, 1e3))
)


@given(outputs, st.integers(0, 99), st.booleans())
def test_error_is_mean_error_less_mean_ambiguity(said, seed, weighted):
    rng = np.random.default_rng(seed)
    y, weights = rng.normal(size=said.shape[1]), rng.random(len(said)) + 0.01
    terms = diversity.ambiguity_decomposition(said, y, weights if weighted else None)
    scale = max(terms.mean_error, 1)
    assert terms.error == pytest.approx(terms.mean_error - terms.mean_ambiguity, abs=1e-12 * scale)
    assert terms.mean_ambiguity >= 0
    average = np.average(said, axis=0, weights=weights if weighted else None)
    assert terms.error == pytest.approx(np.mean((average - y) ** 2), abs=1e-12 * scale)


def test_members_that_agree_gain_nothing():
    terms = diversity.ambiguity_decomposition([[1.0, 2.0]] * 3, [0.0, 0.0], [1, 0, 3])
    assert terms == (2.5, 2.5, 0.0)


@pytest.mark.parametrize(
    ("given_outputs", "y", "weights", "said"),
    [
        ([1.0], [1.0], None, r"outputs must have shape \(members, cases\), got \(1,\)"),
        ([["a"]], [1.0], None, "outputs must be numbers"),
        ([[np.nan]], [1.0], None, "outputs must be finite"),
        ([[1.0]], [1.0, 2.0], None, r"y must have shape \(1,\), got \(2,\)"),
        ([[1.0]], [1.0], [0.0], "weights must be 1 numbers of at least 0, not all 0"),
        ([[1.0], [1.0]], [1.0], [2.0, -1.0], "weights must be 2 numbers of at least 0"),
    ],
)
def test_other_outputs_are_refused(given_outputs, y, weights, said):
    with pytest.raises(ilk.InputError, match=f"ambiguity_decomposition: {said}"):
        diversity.ambiguity_decomposition(given_outputs, y, weights)


@pytest.fixture(scope="module")
def iris():
    return ilk.dataset("iris").load().Xy


def test_members_of_ensembles_are_asked(iris):
    X, y = iris
    bag = ilk.classifier("bagging", member="decision_tree", n_members=4, random_state=0).fit(X, y)
    members = diversity.member_labels(bag, X)
    assert members.labels.tolist() == [m.predict(X).tolist() for m in bag.estimators_]
    assert (len(members), members.truth, members.names[0]) == (4, None, "member 0")
    np.testing.assert_array_equal(
        diversity.fail_disagreement(members, y), diversity.fail_disagreement(members.labels, y)
    )


@in_one_test
@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(4, random_state=0),
        BaggingClassifier(n_estimators=4, max_features=2, random_state=0),
        VotingClassifier([("a", KNeighborsClassifier()), ("b", GaussianNB())]),
        AdaBoostClassifier(n_estimators=4, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_members_of_scikit_learn_give_labels_not_codes(model, iris):
    X, y = iris
    members = diversity.member_labels(model.fit(X, y), X)
    assert set(np.unique(members.labels)) <= set(y)
    assert (members.labels == y).mean() > 0.6


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("random_subspace", {"n_members": 5, "random_state": 0}),
        ("multiview", {"views": {"a": [0, 1], "b": [2, 3]}}),
        ("random_forest", {"n_members": 5, "random_state": 0}),
    ],
)
@pytest.mark.parametrize("frame", [False, True], ids=["array", "frame"])
def test_members_see_their_own_columns(name, parameters, frame, iris):
    X, y = iris
    X = pd.DataFrame(X, columns=list("abcd")) if frame else X
    if frame and name == "multiview":
        parameters = {"views": {"a": ["a", "b"], "b": ["c", "d"]}}
    members = diversity.member_labels(ilk.classifier(name, **parameters).fit(X, y), X)
    assert ((members.labels == y).mean(axis=1) > 0.7).all()


def test_members_are_not_asked_about_other_features(iris):
    forest = ilk.classifier("random_forest", n_members=2, random_state=0).fit(*iris)
    with pytest.raises(ilk.InputError, match="X has 1 features, the forest 4"):
        diversity.member_labels(forest, iris[0][:, :1])


def test_what_is_no_ensemble_of_classifiers_is_refused(iris):
    X, y = iris
    for model, said in (
        (KNeighborsClassifier().fit(X, y), "KNeighborsClassifier has no estimators_"),
        (GradientBoostingClassifier(n_estimators=2).fit(X, y), "are no classifiers"),
        (ilk.classifier("ecoc", code="ova").fit(X, y), "do not tell its 3 classes apart, but 2"),
    ):
        with pytest.raises(ilk.InputError, match=said):
            diversity.member_labels(model, X)
    with pytest.raises(ilk.InputError, match="X must be given"):
        diversity.member_labels(RandomForestClassifier(2).fit(X, y))


def test_pipelines_of_results_are_members(iris):
    results = run_experiment(
        {
            "datasets": ["iris", "wine"],
            "pipelines": [
                {"id": "means", "steps": [{"classifier": "nearest_mean"}]},
                {"id": "lda", "steps": [{"classifier": "lda"}]},
            ],
            "evaluation": {"resampling": {"use": "kfold", "folds": 3}},
        }
    )
    members = diversity.member_labels(results, dataset="iris")
    assert members.names == ("means", "lda")
    assert members.labels.shape == (2, 150)
    assert sorted(members.truth) == sorted(iris[1])
    table = results.score("error").pivot("error").loc["iris"]
    errors = (members.labels != members.truth).mean(axis=1)
    np.testing.assert_allclose(errors, table[list(members.names)])
    with pytest.raises(ilk.InputError, match="dataset must be one of iris, wine"):
        diversity.member_labels(results)
    failed = run_experiment(
        {
            "datasets": ["iris"],
            "pipelines": [{"id": "many", "steps": [{"classifier": {"use": "knn", "k": 90}}]}],
            "evaluation": {"resampling": {"use": "kfold", "folds": 2}},
        },
        keep_going=True,
    )
    with pytest.raises(ilk.InputError, match="many has no prediction for 2 of 2 splits"):
        diversity.member_labels(failed)
