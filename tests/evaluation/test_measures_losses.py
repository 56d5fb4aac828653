"""Probabilities, costs, risks and numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, hinge_loss, log_loss

import ilk
from cases import in_one_test


def predict(truth, labels=None, classes=None, **more):
    truth = np.asarray(truth)
    labels = truth if labels is None else np.asarray(labels)
    return ilk.Prediction(
        truth, labels, np.unique(truth) if classes is None else np.asarray(classes), **more
    )


def drawn(seed, n, classes):
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(classes), rng.integers(0, classes, n)])
    return truth, rng.dirichlet(np.ones(classes), len(truth))


@given(st.integers(0, 10**6), st.integers(2, 5))
def test_probabilities_agree_with_scikit_learn(seed, classes):
    truth, P = drawn(seed, 20, classes)
    prediction = predict(truth, probabilities=P)
    assert ilk.measure("log_loss")(prediction) == pytest.approx(log_loss(truth, P))
    expected = brier_score_loss(truth, P, scale_by_half=True, labels=range(classes))
    assert ilk.measure("brier")(prediction) == pytest.approx(expected)
    assert ilk.measure("brier", halved=False)(prediction) == pytest.approx(2 * expected)
    assert ilk.measure("risk", loss="log")(prediction) == pytest.approx(log_loss(truth, P))
    order = np.random.default_rng(1).permutation(len(truth))
    names = np.array(list("abcde"))[truth]
    shuffled = predict(names[order], probabilities=P[order])
    for name in ("log_loss", "brier"):
        assert ilk.measure(name)(shuffled) == pytest.approx(ilk.measure(name)(prediction))


def test_sure_and_wrong_is_infinite_unless_clipped():
    prediction = predict([0, 1], probabilities=np.array([[0.5, 0.5], [1.0, 0.0]]))
    assert ilk.measure("log_loss")(prediction) == math.inf
    clipped = ilk.measure("log_loss", clip=0.01)(prediction)
    assert clipped == pytest.approx((math.log(2) + math.log(100)) / 2)
    perfect = predict([0, 1], probabilities=np.eye(2))
    assert ilk.measure("log_loss")(perfect) == 0


@pytest.mark.parametrize("name", ["log_loss", "brier"])
def test_probabilities_that_are_none(name):
    with pytest.raises(
        ilk.InputError, match=r"sum to 1, those of answered case 1 are \[0.5, 0.6\]"
    ):
        ilk.measure(name)(predict([0, 1], probabilities=np.array([[0.5, 0.5], [0.5, 0.6]])))
    with pytest.raises(ilk.InputError, match=f"{name}: needs probabilities, .* no predict_proba"):
        ilk.measure(name)(predict([0, 1], scores=np.eye(2)))
    nan = np.array([[0.5, 0.5], [np.nan, 0.5]])
    with pytest.raises(ilk.InputError, match="answered case 1"):
        ilk.measure(name)(predict([0, 1], probabilities=nan))


@in_one_test
@pytest.mark.parametrize(
    "row", [[1.5, -0.5], [math.inf, -math.inf], [1e308, 1e308], [0.0, 0.0], [math.nan, 1.0]]
)
@pytest.mark.parametrize("measure", [("log_loss", {}), ("brier", {}), ("risk", {"loss": "log"})])
def test_rows_that_are_no_distribution(measure, row):
    name, parameters = measure
    with pytest.raises(ilk.InputError, match="must lie from 0 to 1 and sum to 1, those of .* 1"):
        ilk.measure(name, **parameters)(predict([0, 1], probabilities=np.array([[0.5, 0.5], row])))


def test_costs_in_a_table_and_in_an_array_are_the_same():
    truth, labels = list("aabbcc"), list("abbcca")
    table = ilk.measure("cost", costs={"a": {"b": 5}, "c": {"a": 0.5, "b": 2}})
    array = ilk.measure("cost", costs=[[0, 5, 1], [1, 0, 1], [0.5, 2, 0]])
    assert table(predict(truth, labels)) == array(predict(truth, labels)) == (5 + 1 + 0.5) / 6


def test_costs_of_classes_that_are_numbers_are_named_by_text():
    """Keys of a TOML table are texts."""
    measure = ilk.measure("cost", costs={"-1": {"1": 10}})
    assert measure(predict([-1, -1, 1, 1], [1, -1, -1, 1])) == (10 + 1) / 4


def test_costs_that_are_not_given_make_the_error():
    prediction = predict(list("aabb"), list("abab"))
    assert ilk.measure("cost")(prediction) == ilk.measure("error")(prediction) == 0.5


def test_rejected_cases_cost_what_is_said():
    rejected = np.array([True, False, False, False])
    prediction = predict(list("aabb"), list("abbb"), rejected=rejected)
    costs = [[0, 6], [1, 0]]
    assert ilk.measure("cost", costs=costs)(prediction) == 2
    assert ilk.measure("cost", costs=costs, reject_cost=2)(prediction) == 2
    assert ilk.measure("cost", costs=costs, reject_cost=10)(prediction) == 4


@in_one_test
@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([[0, 1], [1, 0]], "are for 2 classes, the data set has 3"),
        ([[0, 1]], "must be a square of finite numbers"),
        ([[0, math.nan], [1, 0]], "must be a square of finite numbers"),
        ({"a": 3}, r"\['a'\] must be a table of finite numbers, got 3"),
        ({"a": {"d": 1}}, r"costs: 'd' is none of the classes \(a, b, c\)"),
    ],
    ids=["two of three", "no square", "NaN", "no table", "no class"],
)
def test_costs_that_do_not_fit(costs, words):
    with pytest.raises(ilk.IlkError, match=words):
        ilk.measure("cost", costs=costs)(predict(list("abc")))


def test_losses_of_numbers():
    prediction = predict([1.0, 2.0, 4.0], [1.0, 4.0, 3.0], classes=[1.0, 2.0, 3.0, 4.0])
    assert ilk.measure("risk", loss="squared")(prediction) == pytest.approx(5 / 3)
    assert ilk.measure("risk", loss="absolute")(prediction) == 1
    assert ilk.measure("squared_error")(prediction) == pytest.approx(5 / 3)
    assert ilk.measure("squared_error", root=True)(prediction) == pytest.approx(math.sqrt(5 / 3))


@pytest.mark.parametrize("measure", [("squared_error", {}), ("risk", {"loss": "absolute"})])
def test_texts_are_no_numbers(measure):
    name, parameters = measure
    with pytest.raises(ilk.InputError, match=r"needs labels that are numbers, .* such as 'a'"):
        ilk.measure(name, **parameters)(predict(list("ab")))


def test_cost_of_a_rejection_is_finite():
    with pytest.raises(ilk.ParameterError, match="reject_cost must be finite, got inf"):
        ilk.measure("cost", reject_cost=math.inf)(predict([0, 1]))


@in_one_test
@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize(
    "measure",
    [("squared_error", {}), ("risk", {"loss": "squared"}), ("risk", {"loss": "absolute"})],
)
def test_numbers_are_finite(measure, value):
    name, parameters = measure
    scorer = ilk.measure(name, **parameters)
    with pytest.raises(ilk.InputError, match=f"the predicted label of answered case 1 is {value}"):
        scorer(predict([1.0, 2.0], [1.0, value]))
    with pytest.raises(ilk.InputError, match=f"the true label of answered case 0 is {value}"):
        scorer(predict([value, 2.0], [1.0, value], classes=[1.0, 2.0]))
    rejected = np.array([False, True])
    assert scorer(predict([1.0, 2.0], [1.0, value], rejected=rejected)) == 0
    assert scorer(predict([1e308, 2.0], [-1e308, 2.0])) in (1e308, math.inf)


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_hinge_loss_agrees_with_scikit_learn(seed, classes):
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(classes), rng.integers(0, classes, 10)])
    decision = rng.normal(size=(len(truth), classes))
    given_scores = decision[:, 0] if classes == 2 else decision
    columns = np.column_stack([-decision[:, 0], decision[:, 0]]) if classes == 2 else decision
    got = ilk.measure("risk", loss="hinge")(predict(truth, scores=columns))
    assert got == pytest.approx(hinge_loss(truth, given_scores, labels=range(classes)))


def test_own_loss_and_the_zero_one_loss():
    prediction = predict(list("aabb"), list("abbb"), rejected=np.array([1, 0, 0, 0], dtype=bool))
    assert ilk.measure("risk")(prediction) == pytest.approx(1 / 3)
    own = ilk.measure("risk", loss=lambda truth, labels: 3 * (truth != labels))
    assert own(prediction) == 1
    assert own.needs == "labels"
    with pytest.raises(ilk.InputError, match="loss must return a number for each of 3"):
        ilk.measure("risk", loss=lambda truth, labels: 1)(prediction)


def test_loss_says_what_it_needs():
    needs = {loss: ilk.measure("risk", loss=loss).needs for loss in ("squared", "hinge", "log")}
    assert needs == {"squared": "numbers", "hinge": "scores", "log": "probabilities"}
    with pytest.raises(ilk.InputError, match="needs decision values, .* labels and probabilities"):
        ilk.measure("risk", loss="hinge")(predict([0, 1], probabilities=np.eye(2)))
    with pytest.raises(ilk.ParameterError, match="loss must be"):
        ilk.measure("risk", loss="hing")


@pytest.mark.parametrize("edge", [math.inf, -math.inf])
def test_hinge_loss_of_infinite_scores(edge):
    hinge = ilk.measure("risk", loss="hinge")
    with pytest.raises(ilk.InputError, match="scores of answered case 1 are both infinite"):
        hinge(predict([0, 1], scores=np.array([[0.0, 1.0], [edge, edge]])))
    sure = predict([0, 1], scores=np.array([[edge, 0.0], [0.0, edge]]))
    assert hinge(sure) == (0 if edge > 0 else math.inf)
    with pytest.raises(ilk.InputError, match=r"must have shape \(2, 2\), .* got \(2,\)"):
        hinge(predict([0, 1], scores=np.array([0.5, 1.0])))
