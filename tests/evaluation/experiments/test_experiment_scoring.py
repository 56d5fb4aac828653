"""Scores: what is pooled, estimated, ranked and compared, and what is said if it cannot be."""

import numpy as np
import pandas as pd
import pytest

import ilk
from ilk_evaluation import run_experiment
from ilk_evaluation.results.scoring import pool, ranks

RESAMPLING = {"use": "repeated_kfold", "folds": 2, "repeats": 2}


class Cases(ilk.Measure):
    """Number of cases it is shown."""

    greater_is_better = True

    def __call__(self, prediction):
        return len(prediction)


class PooledCases(Cases):
    """Number of cases it is shown, all folds together."""

    pooled = True


class Demanding(ilk.Measure):
    """Needs probabilities."""

    needs = "probabilities"

    def __call__(self, prediction):
        if prediction.probabilities is None:
            raise ilk.InputError("t_demanding: the pipeline gives no probabilities")
        return 0.0


class Worst(ilk.Resampling):
    """Two halves; the estimate is the larger score."""

    def splits(self, X, y, groups=None, random_state=None):
        rows = np.arange(ilk.n_rows(X))
        yield ilk.Split(rows[::2], rows[1::2], fold=0)
        yield ilk.Split(rows[1::2], rows[::2], fold=1)

    def estimate(self, scores):
        return max(scores)


def test_pooled_measures_see_all_folds_of_a_repeat(make_spec, with_component):
    with_component("measure", "t_cases", Cases)
    with_component("measure", "t_pooled", PooledCases)
    evaluation = {"resampling": RESAMPLING, "measures": ["t_cases", "t_pooled"]}
    results = run_experiment(make_spec(evaluation=evaluation))
    first = results.scores.query("dataset == 'blobs2' and pipeline == 'shares'")
    single, pooled = (first[first["measure"] == name] for name in ("t_cases", "t_pooled"))
    assert single["value"].tolist() == [12] * 4
    assert pooled[["repeat", "fold", "value"]].to_numpy().tolist() == [[0, -1, 24], [1, -1, 24]]


def test_pooling_joins_what_every_part_has():
    def part(labels, rows, probabilities):
        truth = np.array(["a"] * len(labels))
        classes = np.array(["a", "b"])
        return ilk.Prediction(
            truth,
            np.array(labels),
            classes,
            probabilities,
            indices=np.array(rows),
            fit_seconds=1.0,
            predict_seconds=0.5,
            reduction=1 / len(rows),
        )

    both = pool([part(["a", "b"], [3, 4], np.eye(2)), part(["b"], [0], np.ones((1, 2)))])
    assert both.labels.tolist() == ["a", "b", "b"]
    assert both.indices.tolist() == [3, 4, 0]
    assert both.probabilities.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert (both.fit_seconds, both.predict_seconds) == (2.0, 1.0)
    assert both.reduction == 0.75
    assert pool([part(["a"], [0], np.ones((1, 2))), part(["a"], [1], None)]).probabilities is None


def test_the_resampling_makes_the_estimate(make_spec, with_component):
    with_component("resampling", "t_worst", Worst)
    results = run_experiment(make_spec(evaluation={"resampling": "t_worst"}))
    largest = results.scores.groupby(["dataset", "pipeline"])["value"].max()
    table = results.table().set_index(["dataset", "pipeline"])["error"]
    pd.testing.assert_series_equal(table, largest, check_names=False)


def test_ranks_share_ties_and_pass_over_gaps():
    nan = np.nan
    estimates = pd.DataFrame(
        [[0.1, 0.2, 0.1], [0.3, nan, 0.2], [nan, nan, nan]], index=list("xyz"), columns=list("abc")
    )
    low = ranks(estimates, greater_is_better=False).to_numpy()
    np.testing.assert_array_equal(low, [[1.5, 3, 1.5], [2, nan, 1], [nan, nan, nan]])
    high = ranks(estimates, greater_is_better=True).to_numpy()
    np.testing.assert_array_equal(high, [[2.5, 1, 2.5], [1, nan, 2], [nan, nan, nan]])


def test_the_summary_is_the_mean_over_data_sets(make_spec):
    evaluation = {"resampling": RESAMPLING, "measures": ["accuracy", "fit_seconds"]}
    results = run_experiment(make_spec(evaluation=evaluation))
    table, summary = results.table(), results.summary().set_index("pipeline")
    for column in ("accuracy", "rank", "fit_seconds"):
        expected = table.groupby("pipeline")[column].mean()
        np.testing.assert_allclose(summary[column], expected[summary.index])
    assert summary["rank"].idxmin() == table.groupby("pipeline")["accuracy"].mean().idxmax()


def test_what_has_no_estimate_has_no_spread(tmp_path):
    knn = {"use": "knn", "k": 113}  # half of the four folds leave as many cases of iris to train
    spec = {
        "datasets": ["iris"],
        "pipelines": [{"id": "large", "steps": [{"classifier": knn}]}],
        "evaluation": {"resampling": {"use": "kfold", "folds": 4}},
    }
    results = run_experiment(spec, store=tmp_path / "x.sqlite", keep_going=True)
    (row,) = results.table().to_dict("records")
    assert (row["n_failed"], len(results.scores)) == (2, 2)
    assert np.isnan([row["error"], row["error_spread"], row["rank"]]).all()


def test_a_summary_over_failed_cells_is_no_mean(make_spec):
    pipelines = [
        make_spec.pipeline("fussy", "t_fussy", features=3),
        make_spec.pipeline("shares", "t_shares"),
    ]
    summary = (
        run_experiment(make_spec(pipelines=pipelines), keep_going=True)
        .summary()
        .set_index("pipeline")
    )
    assert np.isnan(summary.loc["fussy", "error"])
    assert np.isfinite(summary.loc["shares", "error"])
    assert summary["n_failed"].to_dict() == {"fussy": 4, "shares": 0}
    assert set(summary["rank"]) <= {1.0, 1.5, 2.0}


def test_measures_are_added_without_fitting(make_spec, components):
    run_experiment(make_spec())
    fits = components["t_nearest"].fits
    evaluation = {"resampling": RESAMPLING, "measures": ["mean_class_accuracy", "predict_seconds"]}
    table = run_experiment(make_spec(evaluation=evaluation)).table()
    assert components["t_nearest"].fits == fits
    assert list(table.columns) == [
        "dataset",
        "pipeline",
        "mean_class_accuracy",
        "mean_class_accuracy_spread",
        "predict_seconds",
        "predict_seconds_spread",
        "rank",
        "fit_seconds",
        "n_failed",
        "n_fallback",
        "n_missing",
    ]


def test_a_measure_that_lacks_something_is_a_note(make_spec, with_component):
    with_component("measure", "t_demanding", Demanding)
    evaluation = {"resampling": RESAMPLING, "measures": ["error", "t_demanding"]}
    results = run_experiment(make_spec(evaluation=evaluation))
    assert results.notes == [
        f"t_demanding was not computed for {name}, nearest: "
        f"t_demanding: the pipeline gives no probabilities"
        for name in ("blobs2", "blobs3")
    ]
    table = results.table().set_index(["dataset", "pipeline"])["t_demanding"]
    assert table.isna().tolist() == [True, False, True, False]


def test_a_comparison_gets_the_first_measure(make_spec):
    evaluation = {
        "resampling": RESAMPLING,
        "measures": ["accuracy", "error"],
        "comparisons": ["friedman_nemenyi"],
    }
    results = run_experiment(make_spec(evaluation=evaluation))
    (verdict,) = results.verdicts
    assert verdict.measure == "accuracy"
    assert dict(verdict.ranks) == results.summary().set_index("pipeline")["rank"].to_dict()


def test_a_comparison_that_does_not_fit_is_a_note(make_spec):
    evaluation = {"resampling": RESAMPLING, "comparisons": ["friedman_nemenyi"]}
    results = run_experiment(make_spec(evaluation=evaluation, datasets=["t_blobs"]))
    assert results.verdicts == []
    (note,) = results.notes
    assert note.startswith("friedman_nemenyi was not computed: ")
    assert "at least 2" in note


@pytest.mark.parametrize("name", ["error", "accuracy"])
def test_a_measure_may_be_better_when_small_or_large(make_spec, name):
    table = run_experiment(
        make_spec(evaluation={"resampling": RESAMPLING, "measures": [name]})
    ).table()
    for _, rows in table.groupby("dataset"):
        best = rows.loc[rows["rank"].idxmin(), name]
        assert best == (rows[name].min() if name == "error" else rows[name].max())
