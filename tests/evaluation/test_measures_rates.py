"""Precision, recall and their kin; error by class."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

import ilk
from cases import in_one_test

PEERS = {"precision": precision_score, "recall": recall_score, "f1": f1_score}
RATES = [*PEERS, "specificity", "false_positive_rate"]


def predict(truth, labels, classes=None, rejected=None):
    truth, labels = np.asarray(truth), np.asarray(labels)
    known = np.unique(truth) if classes is None else np.asarray(classes)
    return ilk.Prediction(truth, labels, known, rejected=rejected)


def counted(tp, fp, fn, tn):
    """Cases in those numbers; the class that is looked for is "+"."""
    truth = "+" * tp + "-" * fp + "+" * fn + "-" * tn
    labels = "+" * (tp + fp) + "-" * (fn + tn)
    return predict(list(truth), list(labels), ["+", "-"])


def test_formulas_of_the_texts():
    """TP 40, FP 20, FN 10, TN 30."""
    prediction = counted(40, 20, 10, 30)
    got = {name: ilk.measure(name, positive="+")(prediction) for name in RATES}
    assert got["precision"] == pytest.approx(40 / 60)
    assert got["recall"] == pytest.approx(40 / 50)
    assert got["f1"] == pytest.approx(2 * (2 / 3) * 0.8 / (2 / 3 + 0.8))
    assert got["specificity"] == pytest.approx(30 / 50)
    assert got["false_positive_rate"] == pytest.approx(1 - 30 / 50)


def test_positive_class_is_the_second_of_two():
    prediction = counted(40, 20, 10, 30)
    assert ilk.measure("recall")(prediction) == 30 / 50
    assert ilk.measure("recall", positive="+")(prediction) == 40 / 50


many = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30)


@given(many, st.sampled_from(["macro", "micro", "weighted"]), st.sampled_from(list(PEERS)))
def test_averages_agree_with_scikit_learn(pairs, average, name):
    truth, labels = np.array(pairs).T
    got = ilk.measure(name, average=average, undefined=0)(predict(truth, labels, range(3)))
    kept = range(3) if average == "micro" else np.unique(truth)  # classes that occur
    expected = PEERS[name](truth, labels, labels=kept, average=average, zero_division=0)
    assert got == pytest.approx(expected)


@given(many, st.sampled_from(RATES), st.sampled_from(["macro", "micro", "weighted"]))
def test_names_and_order_do_not_matter(pairs, name, average):
    truth, labels = np.array(pairs).T
    measure = ilk.measure(name, average=average, undefined=0.5)
    names = np.array(["z", "m", "a"])  # sorted the other way round
    order = np.random.default_rng(0).permutation(len(truth))
    renamed = predict(names[truth][order], names[labels][order], np.sort(names))
    assert measure(renamed) == pytest.approx(measure(predict(truth, labels, range(3))))


@in_one_test
@pytest.mark.parametrize(
    ("name", "truth", "labels", "reason"),
    [
        ("precision", "nnyy", "nnnn", "no answered case was predicted to be of it"),
        ("recall", "nnnn", "nnyn", "no answered case belongs to it"),
        ("specificity", "yyyy", "nyyy", "all answered cases belong to it"),
        ("false_positive_rate", "yyyy", "nyyy", "all answered cases belong to it"),
        ("f1", "nnnn", "nnnn", "no answered case belongs to it or was predicted to"),
    ],
)
def test_rate_of_nothing_is_an_error_with_a_reason(name, truth, labels, reason):
    prediction = predict(list(truth), list(labels), ["n", "y"])
    with pytest.raises(ilk.InputError, match=f"{name}: not defined for class 'y': {reason}"):
        ilk.measure(name)(prediction)
    assert ilk.measure(name, undefined=0)(prediction) == 0
    assert ilk.measure(name, undefined=1)(prediction) == 1


def test_f1_is_zero_where_only_precision_is_undefined():
    assert ilk.measure("f1")(predict(list("nnyy"), list("nnnn"))) == 0


def test_average_with_a_class_that_was_never_predicted():
    prediction = predict(list("aabbcc"), list("aabbab"))
    with pytest.raises(ilk.InputError, match="not defined for class 'c'"):
        ilk.measure("precision", average="macro")(prediction)
    got = ilk.measure("precision", average="macro", undefined=0)(prediction)
    assert got == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)


@in_one_test
@pytest.mark.parametrize("name", [*RATES, "mean_class_accuracy"])
def test_average_says_which_classes_it_leaves_out(name):
    measure = ilk.measure(name)
    if name in RATES:
        measure.set_params(average="macro")
    prediction = predict(list("aabb"), list("abbb"), list("abcd"))
    assert math.isfinite(measure(prediction))
    (said,) = measure.remarks(prediction)
    assert "over 2 of 4 classes" in said
    assert "belongs to 'c', 'd'" in said
    assert measure.remarks(predict(list("aabb"), list("abbb"))) == []


def test_rejected_cases_are_not_among_the_classes_that_occur():
    rejected = np.array([False, False, False, True])
    prediction = predict(list("aabc"), list("abbc"), rejected=rejected)
    measure = ilk.measure("recall", average="macro")
    assert measure(prediction) == pytest.approx((0.5 + 1) / 2)
    assert "belongs to 'c'" in measure.remarks(prediction)[0]


def may_be_averaged(name):
    average = type(ilk.measure(name)).parameters.get("average")
    return average is not None and average.none


@in_one_test
@pytest.mark.parametrize("name", list(filter(may_be_averaged, ilk.measures())))
def test_what_may_be_averaged_says_so_of_more_than_two_classes(name):
    """Whoever asks for f1 of iris learns what to write."""
    prediction = ilk.Prediction(
        np.array(list("abc")),
        np.array(list("abc")),
        classes=np.array(list("abc")),
        scores=np.eye(3),
    )
    with pytest.raises(ilk.InputError) as caught:
        ilk.measure(name)(prediction)
    averages = type(ilk.measure(name)).parameters["average"].choices
    known = " or ".join(map(repr, averages))
    assert str(caught.value).startswith(f"{name}: positive must name one of the classes")
    assert str(caught.value).endswith(f"or take average = {known}")
    for average in averages:
        assert ilk.measure(name, average=average)(prediction) in {0, 1}


def test_more_classes_need_a_positive_one_or_an_average():
    prediction = predict(list("abc"), list("abc"))
    with pytest.raises(ilk.InputError, match="positive must name one of the classes"):
        ilk.measure("precision")(prediction)
    assert ilk.measure("precision", positive="b")(prediction) == 1
    with pytest.raises(ilk.InputError, match=r"must be one of the classes \('a', 'b', 'c'\)"):
        ilk.measure("precision", positive="d")(prediction)
    with pytest.raises(ilk.ParameterError, match="positive must be None with average='macro'"):
        ilk.measure("precision", positive="b", average="macro")(prediction)


def test_positive_true_is_not_the_number_1():
    numbers = predict([0, 1], [0, 1])
    with pytest.raises(ilk.InputError, match="got True"):
        ilk.measure("recall", positive=True)(numbers)
    assert ilk.measure("recall", positive=True)(predict([False, True], [False, True])) == 1
    assert ilk.measure("recall", positive=np.int64(1))(numbers) == 1


PRIORS = predict(list("aaaabb"), list("aaabba"))  # errors 1 of 4 and 1 of 2


def test_total_error_by_priors():
    assert ilk.measure("per_class_error")(PRIORS) == pytest.approx(2 / 6)  # the plain error
    assert ilk.measure("per_class_error", priors="equal")(PRIORS) == pytest.approx(0.375)
    given_priors = ilk.measure("per_class_error", priors=[0.9, 0.1])
    assert given_priors(PRIORS) == pytest.approx(0.9 / 4 + 0.1 / 2)
    assert given_priors.variance(PRIORS) == pytest.approx(
        0.81 * 0.25 * 0.75 / 4 + 0.01 * 0.5 * 0.5 / 2
    )
    table = given_priors.table(PRIORS)
    assert table["errors"].tolist() == [1, 1]
    assert table["error"].tolist() == [0.25, 0.5]


@pytest.mark.parametrize("classes", [["a", "b"], [1, 2], [False, True]], ids=str)
def test_priors_by_name(classes):
    truth = np.array(classes)[[0, 0, 0, 0, 1, 1]]
    labels = np.array(classes)[[0, 0, 0, 1, 1, 0]]
    by_text = {str(classes[0]): 0.9, str(classes[1]): 0.1}
    for priors in (by_text, dict(zip(classes, (0.9, 0.1), strict=True))):
        measure = ilk.measure("per_class_error", priors=priors)
        assert measure(predict(truth, labels)) == pytest.approx(0.275)


@in_one_test
@pytest.mark.parametrize("classes", [["a", "b"], [1, 2], [False, True]], ids=str)
@pytest.mark.parametrize(
    "name", [n for n in ilk.registry("measure").names() if "positive" in ilk.measure(n).parameters]
)
def test_the_positive_class_is_named_by_its_label_or_its_text(name, classes):
    """A spec in TOML has true and 1 beside "true" and "1"; a table of classes has texts only."""
    truth = np.array(classes)[[0, 0, 0, 0, 1, 1]]
    labels = np.array(classes)[[0, 0, 0, 1, 1, 0]]
    chance = np.array([0.1, 0.3, 0.2, 0.7, 0.8, 0.4])
    prediction = ilk.Prediction(
        truth, labels, np.array(classes), probabilities=np.column_stack([1 - chance, chance])
    )
    for label in classes:
        found = ilk.measure(name, positive=label)(prediction)
        assert ilk.measure(name, positive=str(label))(prediction) == found
    with pytest.raises(ilk.InputError, match="positive must be one of the classes"):
        ilk.measure(name, positive="other")(prediction)


def test_estimate_is_unbiased_whatever_the_proportions_of_the_test_cases():
    """Class a is wrong with probability 0.1, b with 0.4; their priors are 0.8 and 0.2."""
    rng = np.random.default_rng(0)
    measure = ilk.measure("per_class_error", priors={"a": 0.8, "b": 0.2})
    truth = np.array(["a"] * 20 + ["b"] * 60)
    estimates, variances = [], []
    for _ in range(400):
        wrong = rng.random(80) < np.where(truth == "a", 0.1, 0.4)
        prediction = predict(truth, np.where(wrong, np.where(truth == "a", "b", "a"), truth))
        estimates.append(measure(prediction))
        variances.append(measure.variance(prediction))
    expected = 0.64 * 0.09 / 20 + 0.04 * 0.24 / 60  # variance by the formula
    assert np.mean(estimates) == pytest.approx(0.16, abs=4 * math.sqrt(expected / 400))
    assert np.var(estimates) == pytest.approx(expected, rel=0.25)
    assert np.mean(variances) == pytest.approx(expected, rel=0.15)


@in_one_test
@pytest.mark.parametrize(
    ("priors", "words"),
    [
        ([0.5, 0.4], "must sum to 1, got a sum of 0.9"),
        ({"a": 0.5, "c": 0.5}, "'c' is none of the classes"),
        ({"a": 1.0}, "must name every class, 'b' is missing"),
        ([0.2, 0.3, 0.5], "one number for each of 2 classes, got 3"),
        ([-0.5, 1.5], "must be"),
    ],
    ids=str,
)
def test_priors_that_do_not_fit(priors, words):
    with pytest.raises(ilk.IlkError, match=words):
        ilk.measure("per_class_error", priors=priors)(PRIORS)


def test_prior_of_a_class_without_cases():
    prediction = predict(list("aab"), list("aba"), list("abc"))
    with pytest.raises(ilk.InputError, match="class 'c' has the prior 0.2, but no answered case"):
        ilk.measure("per_class_error", priors=[0.4, 0.4, 0.2])(prediction)
    assert ilk.measure("per_class_error", priors=[0.5, 0.5, 0])(prediction) == 0.75
    equal = ilk.measure("per_class_error", priors="equal")
    assert equal(prediction) == 0.75
    assert "belongs to 'c'" in equal.remarks(prediction)[0]


def test_reject_rate():
    rejected = np.array([True, False, False, False, False])
    prediction = predict(list("aabbb"), list("aabbb"), rejected=rejected)
    assert ilk.measure("reject_rate")(prediction) == 0.2
    assert ilk.measure("reject_rate")(predict(list("ab"), list("ba"))) == 0
