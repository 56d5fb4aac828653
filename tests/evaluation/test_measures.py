"""Measures of labels and of time."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.tree import DecisionTreeClassifier

import ilk
from ilk_evaluation import model_size


def predict(truth, labels, rejected=None, **times):
    truth, labels = np.array(truth), np.array(labels)
    return ilk.Prediction(truth, labels, np.unique(truth), rejected=rejected, **times)


def score(name, *arguments, **keywords):
    return ilk.measure(name)(predict(*arguments, **keywords))


def test_worked_example():
    """Three of four of class a and one of two of class b are right."""
    truth, labels = list("aaaabb"), list("aaabba")
    assert score("accuracy", truth, labels) == pytest.approx(4 / 6)
    assert score("error", truth, labels) == pytest.approx(2 / 6)
    assert score("mean_class_accuracy", truth, labels) == pytest.approx((3 / 4 + 1 / 2) / 2)


labelled = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1)


@given(labelled)
def test_agreement_with_scikit_learn(pairs):
    truth, labels = map(list, zip(*pairs, strict=True))
    assert score("accuracy", truth, labels) == pytest.approx(accuracy_score(truth, labels))
    wrong = sum(said != true for true, said in pairs)
    assert score("error", truth, labels) == wrong / len(pairs)
    if set(labels) <= set(truth) != set(truth[:1]):  # scikit-learn warns otherwise
        expected = balanced_accuracy_score(truth, labels)
        assert score("mean_class_accuracy", truth, labels) == pytest.approx(expected)


@given(st.data(), labelled)
def test_rejected_cases_do_not_count(data, pairs):
    mask = data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    answered = [pair for pair, rejected in zip(pairs, mask, strict=True) if not rejected]
    truth, labels = map(list, zip(*pairs, strict=True))
    for name in ("error", "accuracy", "mean_class_accuracy"):
        got = score(name, truth, labels, rejected=np.array(mask))
        if not answered:
            assert math.isnan(got)
        else:
            assert got == pytest.approx(score(name, *zip(*answered, strict=True)))


@pytest.mark.parametrize("name", ["error", "accuracy", "mean_class_accuracy"])
def test_reject_label_of_another_type(name):
    labels = np.array([1, "?", 2], dtype=object)
    mask = np.array([False, True, False])
    prediction = ilk.Prediction(np.array([1, 1, 2]), labels, np.array([1, 2]), rejected=mask)
    assert ilk.measure(name)(prediction) == (0 if name == "error" else 1)


def test_seconds_are_those_of_the_prediction():
    times = {"fit_seconds": 1.5, "predict_seconds": 0.25, "saved_seconds": 1.25}
    assert score("fit_seconds", [1], [1], **times) == 1.5
    assert score("predict_seconds", [1], [1], **times) == 0.25
    assert score("saved_seconds", [1], [1], **times) == 1.25
    assert math.isnan(score("fit_seconds", [1], [1]))


def test_directions():
    better = {name: ilk.measure(name).greater_is_better for name in ilk.measures()}
    assert better["accuracy"]
    assert better["mean_class_accuracy"]
    assert not better["error"]
    assert not better["fit_seconds"]
    assert not better["predict_seconds"]
    assert better["saved_seconds"]


def test_reduction_is_that_of_the_prediction():
    assert score("reduction", [1], [1], reduction=0.5) == 0.5
    assert math.isnan(score("reduction", [1], [1]))
    assert ilk.measure("reduction").greater_is_better


class TestModelSize:
    def test_counts_the_numbers_of_a_trees_nodes(self):
        X, y = ilk.dataset("iris").load().Xy
        small, large = (DecisionTreeClassifier(max_depth=d).fit(X, y) for d in (1, 6))
        sizes = [model_size(tree) for tree in (small, large)]
        nodes = [tree.tree_.node_count for tree in (small, large)]
        # for each node a record, and the shares of three classes
        assert sizes[1].values - sizes[0].values == 4 * (nodes[1] - nodes[0])
        assert sizes[1].memory - sizes[0].memory >= 8 * 3 * (nodes[1] - nodes[0])
        assert sizes[0].file is None

    @given(st.integers(1, 50), st.integers(1, 5), st.booleans())
    def test_each_array_counts_once(self, n, p, twice):
        scaler = ilk.transformer("standardize")
        before = model_size(scaler)
        scaler.numbers_ = np.zeros((n, p))
        scaler.again_ = scaler.numbers_ if twice else None
        after = model_size(scaler)
        assert after.values - before.values == n * p
        assert 8 * n * p < after.memory - before.memory < 8 * n * p + 400

    def test_file_is_that_of_save(self, tmp_path):
        X, y = ilk.dataset("iris").load().Xy
        model = ilk.Pipeline([{"transformer": "standardize"}, {"classifier": "knn"}]).fit(X, y)
        file = ilk.save(model, tmp_path / "it.ilk")
        assert model_size(model).file == pytest.approx(file.stat().st_size, rel=0.02)

    def test_names_what_cannot_be_pickled(self):
        measure = ilk.measure("risk", loss=lambda truth, labels: truth != labels)
        with pytest.raises(ilk.InputError, match="model_size: risk cannot be pickled"):
            model_size(measure)
