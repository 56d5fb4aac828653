"""Measures of stored predictions: columns stay with their classes, and what is wrong is said."""

import numpy as np
import pytest

import ilk
from ilk_evaluation import confusion, run_experiment

ONE_DATASET = [{"use": "t_blobs", "n": 24}]


class WithoutMiddle(ilk.Resampling):
    """The first split trains without any case of the second class; the second one with all."""

    def splits(self, X, y, groups=None, random_state=None):
        classes = np.unique(y)
        rows = np.arange(len(y))
        middle = y == classes[1]
        others = rows[~middle]
        yield ilk.Split(others[:10], np.sort(np.r_[rows[middle], others[10:]]))
        yield ilk.Split(rows[::2], rows[1::2], fold=1)


class OneClass(ilk.Resampling):
    """The cases of a class are tested together."""

    def splits(self, X, y, groups=None, random_state=None):
        for fold, label in enumerate(np.unique(y)):
            yield ilk.Split(np.flatnonzero(y != label), np.flatnonzero(y == label), fold=fold)


def one_of(results, measure):
    table = results.scores[results.scores["measure"] == measure]
    return table["value"].to_numpy()


@pytest.mark.parametrize(
    "classifier", [{"use": "t_shares"}, {"use": "lda"}, {"use": "svm"}], ids=lambda c: c["use"]
)
def test_class_missing_from_training_leaves_its_own_column_empty(
    make_spec, with_component, classifier
):
    with_component("resampling", "t_without_middle", WithoutMiddle)
    spec = make_spec(
        datasets=ONE_DATASET,
        pipelines=[{"id": "only", "steps": [{"classifier": classifier}]}],
        evaluation={"resampling": "t_without_middle", "measures": ["error", "log_loss"]},
    )
    results = run_experiment(spec)
    assert not results.n_failed, results.failures["error"].tolist()
    (_, first), (_, second) = results.predictions("blobs2", "only")
    assert first.classes.tolist() == ["a", "b", "c"]
    support = first.scores if first.probabilities is None else first.probabilities
    absent = -np.inf if first.probabilities is None else 0
    assert (support[:, 1] == absent).all()
    assert np.isfinite(support[:, [0, 2]]).all()
    assert (support[:, [0, 2]] > absent).any(axis=0).all()
    assert confusion.confusion_matrix(first)[:, 1].sum() == 0
    whole = second.scores if second.probabilities is None else second.probabilities
    assert (whole[:, 1] > absent).any()
    if first.probabilities is not None:  # true cases of class b have probability 0
        assert one_of(results, "log_loss")[0] == np.inf
        own = np.searchsorted(first.classes, first.truth)
        own_again = first.probabilities[np.arange(len(own)), own]
        assert (own_again[first.truth == "b"] == 0).all()
        assert (own_again[first.truth != "b"] > 0).all()


def test_area_of_a_fold_with_one_class_is_a_note_and_no_number(make_spec, with_component):
    with_component("resampling", "t_one_class", OneClass)
    blobs = {"use": "t_blobs", "classes": ["no", "yes"]}
    evaluation = {"resampling": "t_one_class", "measures": ["roc_auc"]}
    spec = make_spec(
        datasets=[blobs],
        pipelines=[make_spec.pipeline("shares", "t_shares")],
        evaluation=evaluation,
    )
    results = run_experiment(spec)
    assert np.isnan(one_of(results, "roc_auc")).all()
    notes = " ".join(results.notes)
    assert "roc_auc was not computed for blobs2, shares" in notes
    assert "none of the 12 answered cases is positive (1 of 2 scores)" in notes
    pooled = results.score({"use": "roc_auc", "pooled": True}, only=True)
    (area,) = one_of(pooled, pooled.measure)
    assert area == 0  # each fold says the other class only


def test_leave_one_out_pools_areas(make_spec):
    blobs = {"use": "t_blobs", "classes": ["no", "yes"]}
    spec = make_spec(
        datasets=[blobs],
        pipelines=[{"id": "lda", "steps": [{"classifier": "lda"}]}],
        evaluation={
            "resampling": "leave_one_out",
            "measures": [{"use": "roc_auc", "pooled": True}],
        },
    )
    results = run_experiment(spec)
    (area,) = one_of(results, results.measure)
    truth, chance = [], []
    for _, prediction in results.predictions("blobs2", "lda"):
        truth.append(prediction.truth[0] == "yes")
        chance.append(prediction.probabilities[0, 1])
    truth, chance = np.array(truth), np.array(chance)
    gaps = chance[truth][:, None] - chance[~truth]
    assert area == pytest.approx(np.mean((gaps > 0) + (gaps == 0) / 2))


def test_what_is_undefined_or_left_out_is_among_the_notes(make_spec, with_component):
    with_component("resampling", "t_one_class", OneClass)
    evaluation = {
        "resampling": "t_one_class",
        "measures": ["mean_class_accuracy", {"use": "precision", "positive": "b"}, "brier"],
    }
    spec = make_spec(
        datasets=ONE_DATASET,
        pipelines=[make_spec.pipeline("nearest", "t_nearest")],
        evaluation=evaluation,
    )
    notes = run_experiment(spec).notes
    assert any("over 1 of 3 classes" in note and "'b', 'c'" in note for note in notes)
    assert any("precision" in note and "not defined for class 'b'" in note for note in notes)
    assert any("brier: needs probabilities" in note and "labels only" in note for note in notes)


def test_many_reasons_are_counted(make_spec, with_component):
    class Picky(ilk.Measure):
        """Says another thing of each prediction."""

        def __call__(self, prediction):
            return 0.0

        def remarks(self, prediction):
            return ["the same", f"first case {prediction.indices[0]}"]

    with_component("measure", "t_picky", Picky)
    spec = make_spec(
        datasets=ONE_DATASET,
        pipelines=[make_spec.pipeline("nearest", "t_nearest")],
        evaluation={"resampling": "leave_one_out", "measures": ["t_picky"]},
    )
    notes = [note for note in run_experiment(spec).notes if "t_picky" in note]
    assert notes[0] == "t_picky for blobs2, nearest: the same"
    assert notes[1] == "t_picky for blobs2, nearest: first case 0 (1 of 24 scores)"
    assert notes[3:] == ["t_picky for blobs2, nearest: 22 more reasons of this kind"]


def test_an_infinite_loss_is_said_to_be_one():
    measures = ["log_loss", {"use": "risk", "loss": "log"}, {"use": "log_loss", "clip": 1e-6}]
    spec = {
        "datasets": ["iris"],
        "pipelines": [{"id": "1-NN", "steps": [{"classifier": {"use": "knn", "k": 1}}]}],
        "evaluation": {"resampling": {"use": "kfold", "folds": 5}, "measures": measures},
    }
    results = run_experiment(spec)
    plain, risk, clipped = results.design.measures
    assert np.isinf(results.table()[[plain, risk]]).all(axis=None)
    for name in (plain, risk):
        assert any(
            note.startswith(f"{name} for iris, 1-NN: infinite, as") for note in results.notes
        )
    assert not any(note.startswith(clipped) for note in results.notes)
