"""Rules with weights, and rules that learn: by hand, against definitions, and their errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression

import ilk
from cases import in_one_test


@pytest.fixture
def held_out():
    """Three members of 200 samples of three classes: good, fair, and no better than chance."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    peak = np.eye(3)[y]
    outputs = np.array([[rng.dirichlet(1 + s * row) for row in peak] for s in (6, 2, 0)])
    return outputs, y


def test_weights_by_hand():
    outputs = [[[0.45, 0.55]], [[0.6, 0.4]]]
    rule = ilk.combiner("weighted_sum", weights=[3, 1])
    np.testing.assert_allclose(rule.combine(outputs), [[0.4875, 0.5125]])
    pyramid = ilk.combiner("weighted_sum", weights="pyramid")  # 1/4, 1/2
    np.testing.assert_allclose(pyramid.combine(outputs), [[0.55, 0.45]])


def test_weights_of_a_pyramid_of_three_levels(held_out):
    """1/8, 1/4, 1/2 as printed sum to 7/8; divided by that they decide the same."""
    outputs, _ = held_out
    printed = np.tensordot([1 / 8, 1 / 4, 1 / 2], outputs, axes=1)
    got = ilk.combiner("weighted_sum", weights="pyramid").combine(outputs)
    np.testing.assert_allclose(got * 7 / 8, printed)


@given(
    st.lists(st.just(0.0) | st.floats(1e-9, 1e3), min_size=3, max_size=3).filter(any),
    st.floats(1e-3, 1e3),
)
def test_scale_of_weights_does_not_count(weights, factor):
    outputs = np.random.default_rng(0).dirichlet([1, 1], (3, 9))
    one = ilk.combiner("weighted_sum", weights=weights).combine(outputs)
    np.testing.assert_allclose(one, np.average(outputs, axis=0, weights=weights), atol=1e-12)
    scaled = [factor * w for w in weights]
    other = ilk.combiner("weighted_sum", weights=scaled).combine(outputs)
    np.testing.assert_allclose(other, one, atol=1e-12)


def test_learned_weights_are_the_least_squares(held_out):
    outputs, y = held_out
    rule = ilk.combiner("weighted_sum", weights="learned").fit(outputs, y)
    truth = np.eye(3)[y]

    def error(weights):
        return ((np.tensordot(weights, outputs, axes=1) - truth) ** 2).sum()

    best = minimize(error, np.ones(3) / 3, bounds=[(0, None)] * 3, tol=1e-12).x
    np.testing.assert_allclose(rule.weights_, best / best.sum(), atol=1e-4)
    assert rule.weights_[0] > 0.5


def test_weights_by_errors(held_out):
    outputs, y = held_out
    labels = outputs.argmax(axis=2)
    rule = ilk.combiner("weighted_majority").fit(np.eye(3)[labels], y)
    e = (labels != y).mean(axis=1)
    expected = np.maximum(np.log((1 - e) / e) + np.log(2), 0)
    np.testing.assert_allclose(rule.weights_, expected / expected.sum())


def test_a_member_without_error_has_a_finite_weight_and_chance_has_none():
    y = np.tile([0, 1], 10)
    labels = np.array([y, 1 - y, np.zeros(20, dtype=int)])
    rule = ilk.combiner("weighted_majority").fit(np.eye(2)[labels], y)
    np.testing.assert_allclose(rule.weights_, [1, 0, 0])
    even = ilk.combiner("weighted_majority").fit(np.eye(2)[labels[1:]], y)
    np.testing.assert_allclose(even.weights_, [0.5, 0.5])


def test_weighted_votes_are_those_of_a_loop(held_out):
    outputs, _ = held_out
    got = ilk.combiner("weighted_majority", weights=[0.2, 0.5, 0.3]).combine(outputs)
    expected = np.zeros_like(got)
    for weight, member in zip((0.2, 0.5, 0.3), outputs, strict=True):
        expected[np.arange(200), member.argmax(axis=1)] += weight
    np.testing.assert_allclose(got, expected)


def test_posteriors_by_bayes_rule(held_out):
    outputs, y = held_out
    few, labels = outputs[:, :6], y[:6]
    likelihoods = few[:, np.arange(6), labels].prod(axis=1) * [1, 2, 5]
    rule = ilk.combiner("bayesian_average", prior=[1, 2, 5]).fit(few, labels)
    posterior = likelihoods / likelihoods.sum()
    np.testing.assert_allclose(rule.posteriors_, posterior)
    np.testing.assert_allclose(rule.combine(outputs), np.tensordot(posterior, outputs, axes=1))


def test_many_rows_held_out_do_not_underflow(held_out):
    outputs, y = (np.tile(a, reps) for a, reps in zip(held_out, ((1, 20, 1), 20), strict=True))
    rule = ilk.combiner("bayesian_average").fit(outputs, y)
    np.testing.assert_allclose(rule.posteriors_, [1, 0, 0], atol=1e-12)


def test_members_that_all_exclude_a_label_have_no_posterior():
    outputs = [[[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [1.0, 0.0]]]
    with pytest.raises(ilk.InputError, match="bayesian_average: every member .* set floor above 0"):
        ilk.combiner("bayesian_average", floor=0).fit(outputs, [1, 1])
    rule = ilk.combiner("bayesian_average").fit(outputs, [1, 1])
    np.testing.assert_allclose(rule.posteriors_, [0.5, 0.5])


def test_a_label_of_probability_0_does_not_exclude_a_member():
    """Right with certainty three times and once excluded: floor against .5 to the power of 4."""
    sure, even = [[1.0, 0.0]] * 3 + [[0.0, 1.0]], [[0.5, 0.5]] * 4
    rule = ilk.combiner("bayesian_average", floor=0.2).fit([sure, even], [0, 0, 0, 0])
    np.testing.assert_allclose(rule.posteriors_, np.array([0.2, 0.5**4]) / (0.2 + 0.5**4))
    assert rule.log_likelihoods_ == pytest.approx([np.log(0.2), 4 * np.log(0.5)])
    assert ilk.combiner("bayesian_average", floor=0).fit([sure, even], [0] * 4).posteriors_[0] == 0


@pytest.mark.parametrize("floor", [0.0, 1e-6])
def test_a_floor_below_all_probabilities_changes_nothing(held_out, floor):
    outputs, y = held_out
    usual = ilk.combiner("bayesian_average", floor=floor).fit(outputs[:, :9], y[:9])
    assert outputs[:, np.arange(9), y[:9]].min() > 1e-6
    other = ilk.combiner("bayesian_average", floor=1e-9).fit(outputs[:, :9], y[:9])
    np.testing.assert_array_equal(usual.posteriors_, other.posteriors_)


def test_stacking_is_the_classifier_of_the_outputs(held_out):
    outputs, y = held_out
    columns = np.hstack(list(outputs))
    rule = ilk.combiner("stacking", learner={"use": "sklearn", "estimator": "LogisticRegression"})
    expected = LogisticRegression().fit(columns, y).predict_proba(columns)
    np.testing.assert_allclose(rule.fit(outputs, y).combine(outputs), expected, rtol=1e-6)


def test_learners_of_covariances_see_no_last_class(held_out):
    """The other classes determine it; any class may be the last."""
    outputs, y = held_out
    columns = np.hstack(list(outputs[:, :, :-1]))
    for learner in ("lda", "qda"):
        rule = ilk.combiner("stacking", learner=learner).fit(outputs, y)
        expected = ilk.classifier(learner).fit(columns, y).predict_proba(columns)
        np.testing.assert_allclose(rule.combine(outputs), expected, rtol=1e-6)
        assert (rule.n_classes_, rule.n_columns_) == (3, 2)
        turned = ilk.combiner("stacking", learner=learner).fit(
            outputs[:, :, [1, 2, 0]], (y + 2) % 3
        )
        found = turned.combine(outputs[:, :, [1, 2, 0]])[:, [2, 0, 1]]
        np.testing.assert_allclose(found, expected, atol=1e-6)
    halves = np.repeat([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], 100, axis=0)
    with pytest.raises(ilk.InputError, match=r"learner \(lda\): .* \(rank 1 of 3\); set shrinkage"):
        ilk.combiner("stacking", learner="lda").fit([halves], y)


def test_a_class_that_was_not_held_out_has_no_support(held_out):
    outputs, y = held_out
    seen = y != 1
    rule = ilk.combiner("stacking").fit(outputs[:, seen], y[seen])
    combined = rule.combine(outputs)
    assert combined.shape == (200, 3)
    assert not combined[:, 1].any()


def test_a_learner_without_probabilities_decides(held_out):
    outputs, y = held_out
    learner = {"use": "sklearn", "estimator": "RidgeClassifier"}
    combined = ilk.combiner("stacking", learner=learner).fit(outputs, y).combine(outputs)
    assert set(np.unique(combined)) == {0, 1}
    assert (combined.sum(axis=1) == 1).all()


def test_stacking_of_labels(held_out):
    """Only what members predict counts; labels that are texts are fine in an ensemble."""
    outputs, y = held_out
    columns = np.hstack([np.eye(3)[member.argmax(axis=1)] for member in outputs])
    learner = {"use": "sklearn", "estimator": "LogisticRegression"}
    rule = ilk.combiner("stacking", learner=learner, of="labels")
    assert rule.needs == "labels"
    codes = outputs.argmax(axis=2)
    got = rule.fit(ilk.label_outputs(rule, codes, 3), y).combine_labels(codes, 3)
    expected = LogisticRegression().fit(columns, y).predict_proba(columns)
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("of", ["probabilities", "labels"])
def test_stacking_of_members_that_say_texts(of):
    X, y = ilk.dataset("iris").load().Xy
    names = np.array(["setosa", "versi", "virginica"])[np.unique(y, return_inverse=True)[1]]
    rule = ilk.combiner("stacking", of=of)
    vote = ilk.classifier("voting", members=["knn", "lda"], combiner=rule, random_state=0)
    assert vote.fit(X, names).score(X, names) > 0.9
    assert set(vote.predict(X)) == set(names)


def test_weighted_votes_that_are_too_few_are_rejected():
    """Of weights 3, 1, 1: the first alone has 0.6; the others 0.4, or 0.2 each."""
    codes = [[0, 0], [1, 0], [2, 0]]
    for threshold, rejected in ((0, False), ("half", False), (0.7, True), ("consensus", True)):
        rule = ilk.combiner("weighted_majority", weights=[3, 1, 1], threshold=threshold)
        decided, refused = rule.decide(rule.combine_labels(codes, 3))
        assert decided.tolist() == [0, 0]
        assert refused.tolist() == [rejected, False]


def regions(n=300):
    """Two members, each right where the other is not: left and right of zero."""
    X = np.random.default_rng(1).uniform(-1, 1, (n, 1))
    y = np.random.default_rng(2).integers(0, 2, n)
    sure = np.where(np.eye(2)[y] == 1, 0.9, 0.1)
    left = (X[:, 0] < 0)[:, None]
    return np.array([np.where(left, sure, 1 - sure), np.where(left, 1 - sure, sure)]), y, X


def test_a_gate_learns_whom_to_ask_where():
    outputs, y, X = regions()
    gate = {"use": "logistic", "C": 1e4}
    rule = ilk.combiner("gating", gate=gate, max_iter=100).fit(outputs, y, X)
    combined = rule.combine(outputs, X)
    assert (combined.argmax(axis=1) == y).mean() > 0.95
    assert (ilk.combiner("sum").combine(outputs).argmax(axis=1) == y).mean() < 0.7
    np.testing.assert_allclose(combined.sum(axis=1), 1)


def test_the_likelihood_never_falls_while_a_gate_learns():
    """Each round raises it, as every gate is the best one for its responsibilities."""
    outputs, y, X = regions()
    gate = {"use": "logistic", "penalty": None, "tol": 1e-10}
    rule = ilk.combiner("gating", gate=gate, max_iter=15, tol=0.0)
    with pytest.warns(ConvergenceWarning, match="gating: 15 rounds were not enough"):
        rule.fit(outputs, y, X)
    assert rule.n_iter_ == 15
    assert np.diff(rule.loss_curve_).max() < 1e-9


def test_a_gate_needs_the_cases():
    outputs, y, X = regions(20)
    with pytest.raises(ilk.InputError, match="gating: needs X"):
        ilk.combiner("gating").fit(outputs, y)
    with pytest.raises(ilk.InputError, match="gating: X has 19 rows for 20 samples"):
        ilk.combiner("gating").fit(outputs, y, X[:19])
    with pytest.raises(ilk.ParameterError, match="gating: gate must take sample weights"):
        ilk.combiner("gating", gate="nearest_mean").fit(outputs, y, X)


def test_a_cascade_by_hand():
    outputs = [[[0.9, 0.1], [0.6, 0.4], [0.5, 0.5]], [[0.3, 0.7]] * 3, [[0.45, 0.55]] * 3]
    rule = ilk.combiner("cascade", threshold=[0.85, 0.7])
    assert rule.answered_by(outputs).tolist() == [0, 1, 1]
    dear = ilk.combiner("cascade", threshold=0.85, costs=[2, 3, 1])
    assert dear.answered_by(outputs).tolist() == [0, 1, 1]
    np.testing.assert_allclose(dear.combine(outputs), [[0.9, 0.1], [0.3, 0.7], [0.3, 0.7]])


@given(st.integers(1, 4), st.floats(0, 1), st.integers(0, 99))
def test_a_cascade_is_its_definition(n_members, threshold, seed):
    rng = np.random.default_rng(seed)
    outputs = rng.dirichlet([1, 1, 1], (n_members, 10))
    costs = rng.permutation(n_members)
    order = sorted(range(n_members), key=lambda member: costs[member])
    expected = []
    for i in range(10):
        sure = [m for m in order if outputs[m, i].max() >= threshold]
        expected.append(sure[0] if sure else order[-1])
    rule = ilk.combiner("cascade", threshold=threshold, costs=costs)
    assert rule.answered_by(outputs).tolist() == expected


UNFITTED = ["stacking", "gating", "bayesian_average", "weighted_majority"]


@in_one_test
@pytest.mark.parametrize("rule", [*UNFITTED, {"use": "weighted_sum", "weights": "learned"}])
def test_rules_that_learn_must_be_fitted(rule, held_out):
    outputs, _ = held_out
    combiner = ilk.build(rule if isinstance(rule, dict) else {"use": rule}, kind="combiner")
    assert combiner.needs_fit
    with pytest.raises(NotFittedError):
        combiner.combine(outputs, np.zeros((200, 1)))


@in_one_test
@pytest.mark.parametrize("rule", ["sum", "cascade", "borda", "weighted_sum"])
def test_rules_that_do_not_learn_need_no_fit(rule):
    assert not ilk.combiner(rule).needs_fit


@in_one_test
@pytest.mark.parametrize("rule", UNFITTED)
@pytest.mark.parametrize(
    ("y", "said"),
    [
        ([0, 1], "one for each of 3 samples, got 2"),
        ([0, 3], "0 to 2, got 3 for sample 1"),
        ([-1, 0], "0 to 2, got -1 for sample 0"),
        ([0.5, 1], "got float64"),
        (["a", "b"], "got <U1"),
    ],
)
def test_labels_of_held_out_rows_must_be_their_codes(rule, y, said, held_out):
    outputs, _ = held_out
    rows = outputs[:, :3] if y == [0, 1] else outputs[:, :2]
    with pytest.raises(ilk.InputError, match=f"{rule}: y must hold codes of classes, .*{said}"):
        ilk.combiner(rule).fit(rows, y, np.zeros((rows.shape[1], 1)))


@in_one_test
@pytest.mark.parametrize(
    ("rule", "argument"),
    [
        ("weighted_sum", "weights"),
        ("weighted_majority", "weights"),
        ("bayesian_average", "posteriors"),
        ("bayesian_average", "prior"),
    ],
)
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([1, -1, 1], "at least 0"),
        ([1, np.nan, 1], "finite"),
        ([0, 0, 0], "not all 0"),
        ([[1, 2, 3]], "one number per member"),
        ([1, 2], "2 numbers, there are 3 members"),
    ],
)
def test_wrong_weights_are_named(rule, argument, wrong, said, held_out):
    outputs, y = held_out
    with pytest.raises(ilk.ParameterError, match=f"{rule}: {argument} .*{said}"):
        ilk.combiner(rule, **{argument: wrong}).fit(outputs, y).combine(outputs)


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": [0.5, 2.0]}, "threshold must be within"),
        ({"threshold": [0.5]}, "threshold must be 2 numbers"),
        ({"costs": [1, 2]}, "costs are for 2 members, there are 3"),
        ({"costs": [1, np.nan, 2]}, "costs must be one finite number"),
    ],
)
def test_wrong_cascades_are_named(parameters, said, held_out):
    with pytest.raises(ilk.ParameterError, match=f"cascade: {said}"):
        ilk.combiner("cascade", **parameters).combine(held_out[0])


@pytest.mark.parametrize("rule", ["stacking", "gating"])
def test_other_members_than_in_fit_are_refused(rule, held_out):
    outputs, y = held_out
    X = np.zeros((200, 1)) + np.arange(200)[:, None]
    more = {"max_iter": 200} if rule == "gating" else {}
    fitted = ilk.combiner(rule, **more).fit(outputs, y, X)
    with pytest.raises(ilk.InputError, match=f"{rule}: outputs are of 2 members"):
        fitted.combine(outputs[:2], X)


@pytest.mark.parametrize(
    "rule",
    [
        ilk.combiner("weighted_sum", weights=[1, 2, 4, 8]),
        ilk.combiner("weighted_sum", weights="pyramid"),
        ilk.combiner("weighted_majority", weights=[1, 2, 4, 8], threshold="half"),
        ilk.combiner("cascade", threshold=[0.9, 0.7, 0.6], costs=[2, 1, 4, 3]),
        ilk.combiner("cascade", threshold=0.8),
    ],
    ids=["given", "pyramid", "votes", "costs", "cascade"],
)
@pytest.mark.parametrize("lost", range(4))
def test_members_left_out_take_their_weights_along(rule, lost):
    """The rest counts as if the one left out had weight 0, were never sure, or only repeated."""
    outputs = np.random.default_rng(lost).dirichlet(np.ones(3), size=(4, 50))
    kept = [member for member in range(4) if member != lost]
    found = rule.restricted(kept, 4).combine(outputs[kept])
    if hasattr(rule, "weights"):
        weights = np.array([1.0, 2, 4, 8])
        weights[lost] = 0
        same = clone(rule).set_params(weights=weights)
    else:
        same, order = rule, rule.order(4).tolist()
        outputs[lost] = outputs[order[-2]] if lost == order[-1] else 1.0
    np.testing.assert_allclose(found, same.combine(outputs))


@in_one_test
@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"use": "weighted_sum", "weights": [1, 2]}, "weights has 2 numbers, there are 3 members"),
        ({"use": "weighted_majority", "weights": [1]}, "weights has 1 numbers, there are 3 memb"),
        ({"use": "cascade", "threshold": [0.5]}, "threshold must be 2 numbers"),
        ({"use": "cascade", "costs": [1, 2]}, "costs are for 2 members, there are 3"),
        ({"use": "sum", "cost": [[0, 1], [1, 0]]}, "cost is for 2 classes, there are 3"),
    ],
    ids=lambda case: case if isinstance(case, str) else None,
)
def test_rules_for_other_members_or_classes_are_refused_when_fitted(rule, said):
    X, y = ilk.dataset("wine").load().Xy
    with pytest.raises(ilk.ParameterError, match=f"{rule['use']}: {said}"):
        ilk.classifier("voting", combiner=rule).fit(X, y)
    with pytest.raises(ilk.ParameterError, match=f"{rule['use']}: {said}"):
        ilk.classifier("bagging", member="nearest_mean", n_members=3, combiner=rule).fit(X, y)


def test_members_that_fail_take_their_weights_along():
    X, y = ilk.dataset("wine").load().Xy
    members = ["nearest_mean", {"use": "knn", "k": 999}, "naive_bayes"]
    rule = {"use": "weighted_sum", "weights": [1, 5, 3]}
    ours = ilk.classifier("voting", members=members, combiner=rule, on_failure="drop").fit(X, y)
    rest = ilk.classifier("voting", members=members[::2], combiner={**rule, "weights": [1, 3]})
    np.testing.assert_allclose(ours.predict_proba(X), rest.fit(X, y).predict_proba(X))
    views = {"a": [0, 1], "b": [2, 3], "c": [4, 5]}
    given = {"members": {"b": members[1]}, "combiner": rule, "on_failure": "drop"}
    ours = ilk.classifier("multiview", views=views, **given).fit(X, y)
    del views["b"]
    rest = ilk.classifier("multiview", views=views, combiner={**rule, "weights": [1, 3]})
    np.testing.assert_allclose(ours.predict_proba(X), rest.fit(X, y).predict_proba(X))
