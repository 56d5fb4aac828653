"""What verdicts leave out, and what notes say of it."""

import numpy as np
import pandas as pd
import pytest

import ilk
from ilk_evaluation import run_experiment


def pipeline(name, classifier, *datasets):
    chosen = {"datasets": list(datasets)} if datasets else {}
    return {"id": name, "steps": [{"classifier": classifier}], **chosen}


FULL = [pipeline("lda", "lda"), pipeline("means", "nearest_mean"), pipeline("bayes", "naive_bayes")]


def tried(pipelines, comparisons=("friedman_nemenyi", "corrected_resampled_t")):
    return run_experiment(
        {
            "datasets": ["iris", "wine", "breast_cancer"],
            "pipelines": pipelines,
            "evaluation": {
                "resampling": {"use": "kfold", "folds": 2},
                "comparisons": list(comparisons),
            },
        }
    )


def test_pipelines_on_some_data_sets_leave_the_others_as_if_alone():
    alone, beside = (
        tried(FULL),
        tried([*FULL[:1], pipeline("stump", "decision_stump", "iris"), *FULL[1:]]),
    )
    for one, other in zip(alone.verdicts, beside.verdicts, strict=True):
        assert one.text == other.text
        assert one.ranks == other.ranks
    expected = alone.summary().set_index("pipeline")["rank"]
    got = beside.summary().set_index("pipeline")["rank"]
    pd.testing.assert_series_equal(got.drop("stump"), expected)
    assert np.isnan(got["stump"])
    assert (
        "ranks and comparisons leave out stump: it is planned on 1 of 3 data sets only (iris)"
        in beside.notes
    )
    assert beside.filter(dataset="iris").summary()["rank"].notna().all()  # planned on all of it


def test_ranks_say_over_how_many_data_sets():
    some = [pipeline("a", "lda", "iris", "wine"), pipeline("b", "nearest_mean", "wine")]
    results = tried([*some, pipeline("c", "naive_bayes")], comparisons=())
    assert results.design.partial == {}  # else nothing would remain to compare
    assert results.ranked == ["wine"]
    assert (
        "mean ranks are over 1 of 3 data sets, those that every ranked pipeline finished"
        in results.notes
    )


def rare(n=10, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150 + n, 2))
    return X, np.array(["common"] * 150 + ["rare"] * n)


def test_a_class_that_editors_remove_is_a_note():
    results = ilk.compare(
        {"edited": [{"editor": "enn"}, {"classifier": "knn"}], "plain": "knn"},
        *rare(),
        resampling={"use": "stratified_kfold", "folds": 3},
    )
    warned = [note for note in results.notes if "warned" in note]
    assert warned == [
        (
            "edited warned in 3 cells: UserWarning: the editors left no training case of class "
            "'rare', so it is never predicted"
        )
    ]


@pytest.mark.parametrize(
    ("measures", "expected"),
    [
        (
            ["error", "f1", "precision_at_recall", "roc_auc"],
            (
                "the positive class of f1, precision_at_recall is 'rare' (a), 'common' (b), the "
                "second of two; the parameter positive names another"
            ),
        ),
        ([{"use": "f1", "average": "macro"}, "roc_auc"], None),
    ],
)
def test_measures_name_the_class_that_they_took(measures, expected):
    X, y = rare(75)
    other = np.where(y == "rare", "but", "common")
    data = {"a": (X, y), "b": (X, other)}
    results = ilk.compare({"means": "naive_bayes"}, data, measures=measures, resampling="holdout")
    assert [n for n in results.notes if "positive class" in n] == ([expected] if expected else [])


def test_an_infinite_loss_names_the_remedy():
    X, y = rare(40)
    results = ilk.compare({"1-NN": {"use": "knn", "k": 1}}, X, y, measures=["log_loss"])
    (note,) = [note for note in results.notes if "log_loss" in note]
    assert "probability 0 for its true class; log_loss with clip" in note
    clipped = results.score({"use": "log_loss", "clip": 1e-6}, only=True)
    assert clipped.notes == []


def test_of_many_differences_those_with_the_smallest_p_values_are_listed():
    rng = np.random.default_rng(0)
    names = [f"p{number}" for number in range(6)]
    rows = [
        {"dataset": "one", "pipeline": name, "repeat": repeat, "fold": 0}
        | {"value": 0.1 * (6 - at) + 0.02 * noise}
        for at, name in enumerate(names)
        for repeat, noise in enumerate(rng.normal(size=10))
    ]
    sizes = pd.DataFrame(
        [{"dataset": "one", "repeat": r, "fold": 0, "n_train": 90, "n_test": 10} for r in range(10)]
    )
    scores = ilk.Scores(
        pd.DataFrame(rows),
        "error",
        greater_is_better=False,
        resampling="holdout",
        pipelines=tuple(names),
        datasets=("one",),
        sizes=sizes,
    )
    verdict = ilk.comparison("corrected_resampled_t").compare(scores)
    different = [pair for pair in verdict.pairs if pair["different"]]
    assert len(different) > 8
    first = min(different, key=lambda pair: pair["raw_p_value"])
    assert first["better"] != different[0]["better"]
    assert f"at 0.05 {first['better']} is better than" in verdict.text
