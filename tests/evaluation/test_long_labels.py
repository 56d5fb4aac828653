"""A single long label costs its own length, not that length in every row."""

import tracemalloc
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import ilk

N, LENGTH = 4000, 5000  # 80 MB as an array of texts of one width
LONG = "c" * LENGTH


@contextmanager
def little_memory():
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def cases():
    y = np.array(["a", "b"] * (N // 2), dtype=object)
    y[::200] = LONG
    X = np.random.default_rng(0).normal(size=(N, 2)) + 9 * (y == "a")[:, None]
    ilk.classifier("voting").fit(X[:40], np.arange(40) % 2).predict(X[:2])  # imports
    X[::200] = -40
    return X, y


@pytest.mark.parametrize(
    "name", ["knn", "nearest_mean", "naive_bayes", "lda", "decision_stump", "voting", "ecoc"]
)
def test_classifiers(cases, name):
    X, y = cases
    with little_memory():
        model = ilk.classifier(name).fit(X, y)
        labels = model.predict(X[495:505])
        model.score(X[:100], y[:100])
    assert model.classes_.tolist() == ["a", "b", LONG]
    assert set(labels.tolist()) <= {"a", "b", LONG}


def test_forms_of_labels(cases):
    _, y = cases
    codes = [
        ilk.check_labels("x", form)[1] for form in (y, y.tolist(), pd.Series(y), pd.Categorical(y))
    ]
    assert all(np.array_equal(each, codes[0]) for each in codes)
    assert ilk.check_labels("x", y[:3].astype(str))[0].dtype == object  # "c" * 5000 is among them


def test_ordinary_labels_keep_their_type():
    for given in (np.array(["b", "a", "b"], dtype=object), ["b", "a", "b"], np.array(list("bab"))):
        classes, codes = ilk.check_labels("x", given)
        assert classes.dtype == "<U1"
        assert (classes[codes] == list("bab")).all()
    edge = ilk.text_array(["a" * 128, "b"]), ilk.text_array(["a" * 129, "b"])
    assert [each.dtype.kind for each in edge] == ["U", "O"]


@pytest.mark.parametrize("name", ["stratified_kfold", "holdout", "random_subsampling"])
def test_resamplings(cases, name):
    X, y = cases
    resampling = ilk.resampling(name)
    with little_memory():
        next(iter(resampling.splits(X, y, random_state=0)))


def test_measures(cases):
    _, y = cases
    answers = y.copy()
    answers[:40] = "a"
    prediction = ilk.Prediction(y, answers, np.array(["a", "b", LONG], dtype=object))
    first = [np.array([label[0] for label in labels]) for labels in (y, answers, "abc")]
    plain = ilk.Prediction(*first)
    for name in ("error", "adjusted_rand"):
        measure = ilk.measure(name)
        expected = measure(plain)
        with little_memory():
            assert measure(prediction) == expected


def test_experiment_store_and_model_file(cases, tmp_path):
    X, y = cases
    steps = [{"classifier": "nearest_mean"}]
    ilk.compare({"m": steps}, X[:60], y[1:61], seed=0)  # imports
    with little_memory():
        results = ilk.compare(
            {"m": steps}, X, y, resampling="holdout", measures=["error"], store=tmp_path / "s.db"
        )
    assert results.scores["value"].tolist() == [0.0]
    model = ilk.classifier("nearest_mean").fit(X, y)
    ilk.save(model, tmp_path / "model.ilk")
    again = ilk.load(tmp_path / "model.ilk")
    assert (again.predict(X) == model.predict(X)).all()
