"""One cell: what a pipeline says, aligned to the classes of the data set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_evaluation.run.cell import evaluate, label_codes

LABELS = [["x", "y", "z"], [-1, 0, 1], [False, True], [3, 10, 200]]


def data_of(labels, n=12):
    y = np.array(labels)[np.arange(n) % len(labels)]
    return ilk.Data(np.arange(2.0 * n).reshape(n, 2), y)


def split_of(data, test=4):
    rows = np.arange(len(data))
    return ilk.Split(rows[test:], rows[:test])


def only(classifier):
    return ilk.Pipeline([{"classifier": classifier}])


@pytest.mark.parametrize("labels", LABELS)
def test_predicted_labels_become_codes(components, labels):
    data = data_of(labels)
    outcome = evaluate(only(components["t_nearest"]()), data, split_of(data), seed=0)
    direct = components["t_nearest"]().fit(data.X[4:], data.y[4:]).predict(data.X[:4])
    np.testing.assert_array_equal(data.classes[outcome.codes], direct)
    assert outcome.error is None
    assert outcome.fit_seconds > 0 < outcome.predict_seconds


@given(st.sampled_from(LABELS), st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_codes_of_labels_and_of_strangers(labels, drawn):
    classes = np.array(sorted(labels))
    pool = [*classes.tolist(), "stranger", None, 77]
    chosen = [pool[i % len(pool)] for i in drawn]
    expected = [classes.tolist().index(c) if c in classes.tolist() else -1 for c in chosen]
    np.testing.assert_array_equal(label_codes(np.array(chosen, dtype=object), classes), expected)


def test_a_class_absent_from_training_has_probability_zero(components):
    data = data_of(["a", "b", "c", "d"])
    rows = np.arange(12)
    split = ilk.Split(rows[data.y != "b"], rows[data.y == "b"])
    outcome = evaluate(only(components["t_shares"]()), data, split, seed=0)
    np.testing.assert_allclose(outcome.probabilities, [[1 / 3, 0, 1 / 3, 1 / 3]] * 3)
    assert outcome.scores is None


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decision_values_have_one_column_per_class(n_classes):
    from sklearn.svm import LinearSVC

    data = data_of(list("abc"[:n_classes]))
    outcome = evaluate(only(LinearSVC(random_state=0)), data, split_of(data), seed=0)
    model = LinearSVC(random_state=0).fit(data.X[4:], data.y[4:])
    raw = model.decision_function(data.X[:4])
    expected = raw if n_classes == 3 else np.column_stack([-raw, raw])
    np.testing.assert_allclose(outcome.scores, expected)
    assert outcome.probabilities is None


def test_decision_values_of_an_absent_class_are_minus_infinity():
    from sklearn.svm import LinearSVC

    data = data_of(["a", "b", "c"])
    rows = np.arange(12)
    split = ilk.Split(rows[data.y != "a"], rows[data.y == "a"])
    scores = evaluate(only(LinearSVC(random_state=0)), data, split, seed=0).scores
    assert np.isneginf(scores[:, 0]).all()
    assert np.isfinite(scores[:, 1:]).all()


def test_one_versus_one_decision_values_are_left_out():
    from sklearn.svm import SVC

    data = data_of(["a", "b", "c", "d"])
    outcome = evaluate(only(SVC(decision_function_shape="ovo")), data, split_of(data), seed=0)
    assert outcome.error is None
    assert outcome.scores is None


@pytest.mark.parametrize("reject_label", ["unsure", None, 99])
@pytest.mark.parametrize("labels", [["a", "b"], [-1, 1]])
def test_the_declared_reject_label_is_a_rejection(components, labels, reject_label):
    class Shy(components["t_shares"]):
        reject_label: str | int | None = ilk.param(default=None, type=(str, int))

        def predict(self, X):
            answers = super().predict(X).astype(object)
            answers[1::2] = self.reject_label
            return answers

    data = data_of(labels)
    outcome = evaluate(only(Shy(reject_label=reject_label)), data, split_of(data), seed=0)
    assert (outcome.codes == -1).tolist() == [False, True, False, True]


def test_a_failure_is_an_outcome_with_its_traceback(components):
    data = data_of(["a", "b"])
    outcome = evaluate(only(components["t_fussy"]()), data, split_of(data), seed=0)
    assert outcome.codes is None
    assert outcome.error == "ValueError: no appetite for 2 features"
    assert "in fit" in outcome.traceback


def test_labels_of_a_wrong_shape_are_a_failure(components):
    class Short(components["t_shares"]):
        def predict(self, X):
            return super().predict(X)[1:]

    data = data_of(["a", "b"])
    outcome = evaluate(only(Short()), data, split_of(data), seed=0)
    assert outcome.error == "InputError: predict gave labels of shape (3,) for 4 cases"


def test_warnings_are_noted_not_printed(components):
    data = data_of(["a", "b"])
    outcome = evaluate(only(components["t_fussy"](how="warn")), data, split_of(data), seed=0)
    assert outcome.error is None
    assert outcome.warnings == ("RuntimeWarning: not to my taste",)


def test_the_seed_reaches_every_random_state_and_the_pipeline_stays_as_it_was(components):
    data = data_of(["a", "b", "c"], n=60)
    pipeline = only(components["t_lot"]())
    first, same, other = (
        evaluate(pipeline, data, split_of(data, 40), seed=seed).codes.tolist() for seed in (1, 1, 2)
    )
    assert first == same != other
    assert pipeline.steps[0]["classifier"].random_state is None
    assert not hasattr(pipeline, "steps_")


class Mute(Exception):  # noqa: N818
    """Has no message that could be shown."""

    def __str__(self):
        raise RuntimeError("no words")


@in_one_test
@pytest.mark.parametrize(
    "error", [SystemExit(5), GeneratorExit(), BaseException("odd"), Mute(), ValueError("\ud800")]
)
def test_whatever_ends_a_cell_is_its_failure(error):
    class Ending(ilk.Classifier):
        """Ends the program."""

        def fit(self, X, y):
            raise error

        def predict(self, X):
            return X

    data = ilk.Data(np.zeros((4, 1)), np.array(["a", "b"] * 2))
    split = ilk.Split(np.arange(2), np.arange(2, 4))
    outcome = evaluate(ilk.Pipeline([{"classifier": Ending()}]), data, split, 0)
    assert outcome.error.startswith(type(error).__name__)
    outcome.error.encode()
    outcome.traceback.encode()


@in_one_test
@pytest.mark.parametrize("label", ["zz", "a ", 0, np.nan])
def test_a_label_that_is_no_class_is_a_failure(label):
    class Wrong(ilk.Classifier):
        """Knows other labels."""

        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.array([label] * len(X), dtype=object)

    data = ilk.Data(np.zeros((4, 1)), np.array(["a", "b"] * 2))
    split = ilk.Split(np.arange(2), np.arange(2, 4))
    outcome = evaluate(ilk.Pipeline([{"classifier": Wrong()}]), data, split, 0)
    assert f"predict gave the label {label!r}" in outcome.error


def test_ctrl_c_that_a_network_swallows_is_raised_all_the_same(monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("sklearn.neural_network.MLPClassifier._backprop", interrupted)
    data = data_of(["x", "y"])
    with pytest.raises(KeyboardInterrupt):
        evaluate(only("mlp"), data, split_of(data), seed=0)
