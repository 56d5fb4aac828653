"""Results from a store alone: the same tables, parts of them, more measures, without a fit."""

import io

import numpy as np
import pandas as pd
import pytest

import ilk
from ilk.discovery import forget
from ilk_evaluation import Store, StoreError, run_experiment, write_report
from ilk_evaluation.commands.terminal_tables import console_on, print_results


@pytest.fixture
def run(make_spec):
    return run_experiment(make_spec())


@pytest.fixture
def opened(run):
    return ilk.results(run.design.store)


def printed(results):
    file = io.StringIO()
    print_results(console_on(file), results)
    return file.getvalue()


def test_a_store_tells_all_that_the_run_told(make_spec):
    evaluation = {
        "resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 2},
        "measures": ["accuracy", "fit_seconds"],
        "comparisons": ["friedman_nemenyi"],
    }
    pipelines = [
        make_spec.pipeline("fussy", "t_fussy", features=3),
        make_spec.pipeline("nearest", "t_nearest"),
        make_spec.pipeline("warns", "t_fussy", how="warn"),
    ]
    run = run_experiment(make_spec(evaluation=evaluation, pipelines=pipelines), keep_going=True)
    opened = ilk.results(run.design.store)
    assert printed(opened) == printed(run)
    for what in ("table", "summary", "scores", "cells", "predictions", "failures"):
        pd.testing.assert_frame_equal(opened.to_pandas(what), run.to_pandas(what))
    assert opened.notes == run.notes
    assert [v.text for v in opened.verdicts] == [v.text for v in run.verdicts]


def test_names_are_those_of_the_last_run(make_spec, run):
    spec = make_spec(experiment={"name": "renamed", "seed": 3})
    spec["pipelines"][0]["id"] = "another"
    spec["datasets"] = spec["datasets"][::-1]
    run_experiment(spec)
    table = ilk.results(run.design.store).table()
    assert list(dict.fromkeys(table["pipeline"])) == ["another", "shares"]
    assert list(dict.fromkeys(table["dataset"])) == ["blobs3", "blobs2"]
    assert table["n_missing"].sum() == 0


def test_running_again_without_a_change_is_not_a_run(make_spec, run):
    run_experiment(make_spec())
    with Store.read(run.design.store) as store:
        assert len(store.runs()) == 1


def test_cells_that_were_not_run_are_missing_not_failed(make_spec, components):
    spec = make_spec(pipelines=[make_spec.pipeline("fussy", "t_fussy", how="interrupt")])
    with pytest.raises(KeyboardInterrupt):
        run_experiment(spec, keep_going=True)
    results = ilk.results(spec["output"]["store"])
    assert (results.n_failed, results.n_missing) == (0, 6)
    table = results.table()
    assert table["n_missing"].tolist() == [2, 4]
    assert table["error"].isna().all()
    assert "6 of 8 cells are not done yet" in printed(results)
    cells = results.to_pandas("cells")
    assert cells["status"].tolist() == ["done"] * 2 + ["missing"] * 6


def test_cells_of_a_fallback_count_and_are_counted(make_spec):
    spec = make_spec(pipelines=[make_spec.pipeline("fussy", "t_fussy", features=3)])
    spec["run"] = {"on_error": "fallback", "fallback": "t_shares"}
    run = run_experiment(spec, keep_going=True)
    results = ilk.results(run.design.store)
    assert (results.n_failed, results.n_fallback) == (0, 4)
    assert results.table()["n_fallback"].tolist() == [0, 4]
    assert results.table()["error"].notna().all()
    assert results.failures["fallback"].all()
    assert "4 of 8 cells failed and were answered by the fallback:" in printed(results)
    assert len(list(results.predictions(dataset="blobs3"))) == 4


def test_a_part_is_ranked_anew(opened):
    part = opened.filter(dataset="blobs3", pipeline=["shares"])
    row = part.table().iloc[0]
    whole = opened.table().query("dataset == 'blobs3' and pipeline == 'shares'").iloc[0]
    assert len(part.table()) == 1
    assert row["error"] == whole["error"]
    assert row["rank"] == 1
    turned = opened.filter(pipeline=["shares", "nearest"])
    assert list(turned.pivot().columns) == ["shares", "nearest"]
    np.testing.assert_array_equal(turned.pivot()["nearest"], opened.pivot()["nearest"])


def test_a_part_of_the_splits_is_scored_on_them(opened):
    part = opened.filter(repeat=1)
    expected = opened.scores.query("repeat == 1").groupby(["dataset", "pipeline"])["value"].mean()
    found = part.table().set_index(["dataset", "pipeline"])["error"]
    pd.testing.assert_series_equal(found, expected, check_names=False)
    assert len(opened.filter(repeat=[0], fold=1).scores) == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.filter(dataset="blobs4"), r"no dataset 'blobs4'; did you mean 'blobs[23]'"),
        (lambda r: r.filter(pipeline=["nearest", "share"]), "no pipeline 'share'; did you mean"),
        (lambda r: r.filter(dataset=3), "there is no dataset 3"),
        (lambda r: r.filter(dataset=[]), "an empty list leaves nothing"),
        (lambda r: r.pivot("eror"), "no measure 'eror'; did you mean 'error'"),
        (lambda r: r.aggregate("pipelin"), "no column 'pipelin'; did you mean 'pipeline'"),
        (lambda r: r.to_pandas("tables"), "no table 'tables'; did you mean 'table'"),
        (lambda r: r.score("acuracy"), r"^there is no measure 'acuracy'; did you mean 'accuracy'"),
    ],
)
def test_a_wrong_name_is_told(opened, call, message):
    with pytest.raises(ilk.IlkError, match=message):
        call(opened)


def test_measures_are_added_without_a_fit(opened, components):
    fits = components["t_nearest"].fits
    more = opened.score("accuracy", {"use": "mean_class_accuracy"}, ilk.measure("error"))
    assert list(more.design.measures) == ["error", "accuracy", "mean_class_accuracy"]
    assert list(opened.design.measures) == ["error"]
    np.testing.assert_allclose(more.pivot("accuracy"), 1 - more.pivot("error"))
    assert components["t_nearest"].fits == fits
    other = ilk.results(opened.design.store, measures=["accuracy"])
    assert other.measure == "accuracy"
    assert list(other.scores["measure"].unique()) == ["accuracy"]
    with pytest.raises(ilk.InputError, match="at least one"):
        ilk.results(opened.design.store, measures=[])


def test_pivot_and_aggregate(opened):
    table = opened.table()
    pivot = opened.pivot()
    for row in table.to_dict("records"):
        assert pivot.loc[row["dataset"], row["pipeline"]] == row["error"]
    assert (
        opened.pivot("rank").to_numpy().tolist() == table["rank"].to_numpy().reshape(2, 2).tolist()
    )
    spread = opened.pivot(spread=True).to_numpy().ravel()
    np.testing.assert_array_equal(spread, table["error_spread"])
    by_pipeline = opened.aggregate("pipeline").set_index("pipeline")
    scores = opened.scores.query("pipeline == 'shares'")["value"]
    found = by_pipeline.loc["shares", ["mean", "std", "min", "max", "n"]].tolist()
    assert found == pytest.approx([scores.mean(), scores.std(), scores.min(), scores.max(), 8])
    assert len(opened.aggregate(["dataset", "repeat"])) == 4


def test_predictions_are_a_table(opened):
    frame = opened.filter(dataset="blobs2", pipeline="shares").to_pandas("predictions")
    assert len(frame) == 2 * 24
    assert list(frame.columns[4:]) == ["case", "truth", "label", "p(a)", "p(b)", "p(c)"]
    np.testing.assert_allclose(frame[["p(a)", "p(b)", "p(c)"]].sum(axis=1), 1)
    wrong = (
        frame[frame["repeat"] == 0]
        .groupby("fold")
        .apply(lambda f: (f["truth"] != f["label"]).mean())
    )
    expected = opened.scores.query("dataset == 'blobs2' and pipeline == 'shares' and repeat == 0")
    np.testing.assert_allclose(wrong, expected["value"])


def test_a_splitter_of_scikit_learn_can_stand_in_a_dict(make_spec):
    from sklearn.model_selection import ShuffleSplit

    spec = make_spec(evaluation={"resampling": ShuffleSplit(3, test_size=0.5, random_state=1)})
    results = run_experiment(spec)
    assert ilk.results(results.design.store).table().equals(results.table())
    table = {"use": "sklearn", "splitter": "ShuffleSplit"}
    table["params"] = {"n_splits": 3, "test_size": 0.5, "random_state": 1}
    again = run_experiment(make_spec(evaluation={"resampling": table}))
    assert {c.key for c in again.design.cells} == {c.key for c in results.design.cells}
    (cell, prediction), *_ = results.predictions()
    _, test = next(iter(ShuffleSplit(3, test_size=0.5, random_state=1).split(np.zeros(24))))
    assert (cell.repeat, cell.fold) == (0, 0)
    np.testing.assert_array_equal(prediction.indices, test)


def test_what_cannot_be_opened_is_told(tmp_path, run):
    store = run.design.store
    with pytest.raises(StoreError, match=r"no such store; did you mean 'store\.sqlite'"):
        ilk.results(store.with_name("stor.sqlite"))
    with pytest.raises(StoreError, match="no such store$"):
        ilk.results(tmp_path / "nowhere" / "x.sqlite")
    with pytest.raises(StoreError, match="is a folder"):
        ilk.results(tmp_path)
    (tmp_path / "text.sqlite").write_text("this is not SQLite, not at all" * 10)
    with pytest.raises(StoreError, match="is not a store of ilk"):
        ilk.results(tmp_path / "text.sqlite")
    spec = tmp_path / "mine.toml"
    spec.write_text('[output]\nstore = "store.sqlite"\n')
    with pytest.raises(StoreError, match=r"its store is .*store\.sqlite"):
        ilk.results(spec)
    spec.write_text("")
    with pytest.raises(StoreError, match=r"run it first: ilk run .*mine\.toml"):
        ilk.results(spec)
    with Store.open(tmp_path / "empty.sqlite"):
        pass
    with pytest.raises(StoreError, match="holds no run yet"):
        ilk.results(tmp_path / "empty.sqlite")


def test_without_the_plugin_it_says_what_to_install(monkeypatch):
    monkeypatch.setenv("ILK_PLUGINS", "ilk-core")
    forget()
    try:
        with pytest.raises(ilk.UnknownComponentError, match="pip install ilk-evaluation"):
            ilk.results("x.sqlite")
    finally:
        monkeypatch.undo()
        forget()


def test_what_fails_everywhere_costs_the_others_neither_ranks_nor_verdicts(
    make_spec, with_component, tmp_path
):
    """A pipeline that fails on all data sets, and a data set on which all pipelines fail."""
    sets = [{"use": "t_blobs", "p": p} for p in (1, 2, 3, 4, 5)]
    good = [make_spec.pipeline(f"good {power}", "t_nearest", power=power) for power in (1, 2, 3)]
    comparisons = ["friedman_nemenyi", "wilcoxon", "bayesian_signed_rank", "robustness"]
    evaluation = {"resampling": {"use": "kfold", "folds": 2}, "comparisons": comparisons}
    alone = run_experiment(
        make_spec(datasets=sets, pipelines=good, evaluation=evaluation, output={}), keep_going=True
    )
    bad = [make_spec.pipeline("bad", "t_fussy")]
    lost = {"use": "t_blobs", "p": 6, "n": 4, "classes": ["a", "b"]}
    steps = [{"transformer": {"use": "t_picky"}}]

    class Picky(ilk.Transformer):
        """Fails where there are six features."""

        def fit(self, X, y=None):
            if np.shape(X)[1] == 6:
                raise ValueError("six")
            return self

        def transform(self, X):
            return np.asarray(X)

    with_component("transformer", "t_picky", Picky)
    every = [{**one, "steps": [*steps, *one["steps"]]} for one in [*good, *bad]]
    both = run_experiment(
        make_spec(datasets=[*sets, lost], pipelines=every, evaluation=evaluation, output={}),
        keep_going=True,
    )
    ours, theirs = (found.summary().set_index("pipeline") for found in (both, alone))
    columns = ["error", "rank"]
    pd.testing.assert_frame_equal(ours.loc[theirs.index, columns], theirs[columns])
    assert ours.loc["bad", columns].isna().all()
    assert [(one.p_value, one.ranks) for one in both.verdicts] == [
        (one.p_value, one.ranks) for one in alone.verdicts
    ]
    assert all("Left out for missing scores: 2 (pipeline bad, " in v.text for v in both.verdicts)
    said = "\n".join(both.notes)
    assert "leave out 1 pipeline (bad): no error of any data set" in said
    assert "leave out 1 data set (blobs6): no error of any pipeline" in said
    assert "was not computed" not in said
    assert "and not ranked: bad." in write_report(both, tmp_path / "r.html").read_text()


def test_a_baseline_that_fails_everywhere_is_named(make_spec):
    comparison = {"use": "wilcoxon", "baseline": "bad"}
    spec = make_spec(
        pipelines=[
            make_spec.pipeline("bad", "t_fussy"),
            *(make_spec.pipeline(f"{k}", "t_nearest", power=k) for k in (1, 2)),
        ],
        evaluation={"resampling": {"use": "kfold", "folds": 2}, "comparisons": [comparison]},
        output={},
    )
    assert any(
        "the baseline 'bad' has no score on any data set" in n
        for n in run_experiment(spec, keep_going=True).notes
    )
