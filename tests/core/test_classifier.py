"""What every classifier can do because it is one."""

from typing import Any

import numpy as np
import pytest

import ilk
from cases import in_one_test


class Answers(ilk.Classifier):
    """Says what it was told to, whatever is asked."""

    answers: Any = ilk.param(default=None, type=object)

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.answers


LABELS = [list("abba"), [1, 2, 2, 1], [True, False, False, True], [-1.0, 1.0, 1.0, -1.0]]


@in_one_test
@pytest.mark.parametrize("y", LABELS)
def test_score_is_the_share_of_right_answers(y):
    X = np.zeros((4, 1))
    for answers, right in ((y, 1), (y[:3] + y[1:2], 0.75), (y[::-1], 1), (y[1:] + y[:1], 0.5)):
        assert Answers(answers=answers).fit(X, y).score(X, y) == right
        assert Answers(answers=np.array(answers)).fit(X, y).score(X, np.array(y)) == right
    assert Answers(answers=y[:1] * 4).fit(X, y).score(X, y, sample_weight=[3, 1, 1, 5]) == 0.8


@in_one_test
@pytest.mark.parametrize("y", LABELS)
@pytest.mark.parametrize("nothing", [None, "?", -9, float("nan")])
def test_no_answer_is_no_right_answer(y, nothing):
    X, answers = np.zeros((4, 1)), np.array([*y[:3], nothing], dtype=object)
    assert Answers(answers=answers).fit(X, y).score(X, y) == 0.75
    assert Answers(answers=np.array([nothing] * 4)).fit(X, y).score(X, y) == 0


def test_score_says_what_is_wrong_with_y():
    with pytest.raises(ilk.InputError, match="y has 2 values for the 3 rows"):
        Answers(answers=[1, 2, 3]).score(np.zeros((3, 1)), [1, 2])
    with pytest.raises(ilk.InputError, match="y is empty"):
        Answers(answers=np.array([])).score(np.zeros((0, 1)), [])


class Own(type(ilk.classifier("knn"))):
    """Changes one answer of a class whose `outputs` shares a search."""

    def predict_proba(self, X):
        return 1 - super().predict_proba(X)


def test_outputs_follow_what_a_subclass_overrides():
    model = Own(k=1).fit([[0.0], [1.0]], ["a", "b"])
    assert model.outputs([[0.1]]).probabilities().tolist() == [[0.0, 1.0]]
    assert model.outputs([[0.1]]).labels().tolist() == ["a"]


def test_outputs_of_a_classifier_of_another_library():
    from sklearn.linear_model import RidgeClassifier

    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), list("aabb")
    pipeline = ilk.Pipeline([RidgeClassifier()]).fit(X, y)
    outputs, inner = pipeline.outputs(X), pipeline[0]
    assert outputs.labels().tolist() == inner.predict(X).tolist()
    assert outputs.probabilities is None
    assert outputs.scores().tolist() == inner.decision_function(X).tolist()
