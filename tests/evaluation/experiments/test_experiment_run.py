"""Running: against a plain loop, again after changes, with failures and interruptions."""

import tracemalloc
from concurrent import futures
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ilk
from ilk_evaluation import CellError, ExecutorError, Store, plan_experiment, run_experiment
from ilk_evaluation.plan.experiment_plan import splits_of

TRIED = 2
"""Fits of the trial: one on each data set."""


def comparable(results):
    """The table without what a clock decides."""
    return results.table().drop(columns=["fit_seconds"])


def same(one, other):
    pd.testing.assert_frame_equal(comparable(one), comparable(other))


def test_errors_equal_those_of_a_plain_loop(make_spec, components):
    results = run_experiment(make_spec())
    plan = plan_experiment(make_spec())
    for number, planned in enumerate(plan.datasets):
        X, y = planned.data.Xy
        expected = []
        for split in plan.splits(number):
            model = components["t_nearest"]().fit(X[split.train], y[split.train])
            expected.append(np.mean(model.predict(X[split.test]) != y[split.test]))
        row = results.table().query("dataset == @planned.label and pipeline == 'nearest'").iloc[0]
        assert row["error"] == pytest.approx(np.mean(expected))
        assert row["error_spread"] == pytest.approx(np.std(expected, ddof=1))
        assert row["n_failed"] == 0


def test_equal_splits_share_cells_with_the_answers_of_just_these_splits():
    X, y = (rows[::25] for rows in ilk.dataset("iris").load().Xy)  # six cases: few divisions
    folds = {"use": "repeated_kfold", "folds": 2, "repeats": 20}
    results = ilk.compare(
        {"means": "nearest_mean", "1-NN": {"use": "knn", "k": 1}}, X, y, resampling=folds
    )
    assert results.design.n_cells < len(results.design.cells) == 80
    models = {"means": ilk.classifier("nearest_mean"), "1-NN": ilk.classifier("knn", k=1)}
    given = results.to_pandas("predictions").groupby(["pipeline", "repeat", "fold"])
    for split in splits_of(results.design.resampling, ilk.Data(X, y), results.design.seed):
        for name, model in models.items():
            answers = given.get_group((name, split.repeat, split.fold)).set_index("case")["label"]
            expected = model.fit(X[split.train], y[split.train]).predict(X[split.test])
            assert answers[split.test].tolist() == expected.tolist()


def test_a_rerun_fits_nothing_and_says_the_same(make_spec, components):
    first = run_experiment(make_spec())
    assert components["t_nearest"].fits == TRIED + 8
    again = run_experiment(make_spec())
    assert components["t_nearest"].fits == TRIED + 8
    pd.testing.assert_frame_equal(first.table(), again.table())


def test_only_what_is_new_is_run(make_spec, components):
    run_experiment(make_spec())
    spec = make_spec()
    spec["pipelines"].append(make_spec.pipeline("cubic", "t_nearest", power=3.0))
    spec["datasets"].append({"use": "t_blobs", "p": 4})
    run_experiment(spec)
    assert components["t_nearest"].fits == TRIED + 8 + 4 + 3 * 4 + (1 + 3)  # the new ones


def test_fresh_runs_everything_again(make_spec, components):
    run_experiment(make_spec())
    run_experiment(make_spec(), fresh=True)
    assert components["t_nearest"].fits == 2 * (TRIED + 8)


class Nowhere(ilk.Executor):
    """Starts no worker, or one that is gone after so many calls."""

    calls: Any = ilk.param(default=None, type=object)

    n_workers = 1

    @contextmanager
    def open(self):
        if not self.calls:
            raise ExecutorError("nobody is there")
        yield self

    def submit(self, function, *args):
        self.calls -= 1
        future = futures.Future()
        if self.calls < 0:
            future.set_exception(ExecutorError("nobody is there any more"))
        else:
            future.set_result(function(*args))
        return future


def test_fresh_loses_nothing_where_nothing_can_run(make_spec, tmp_path):
    store = tmp_path / "x.sqlite"
    before = run_experiment(make_spec(), store=store)
    for calls, kept in ((0, 16), (4 + 1, 1)):  # four are tried
        with pytest.raises(ExecutorError, match=f"\n{kept} of 16 cells are kept in .*not afresh"):
            run_experiment(make_spec(), store=store, fresh=True, executor=Nowhere(calls=calls))
        with Store.read(store) as left:
            assert len(left.statuses()) == kept
    same(run_experiment(make_spec(), store=store), before)


def test_equal_pipelines_are_fitted_once(make_spec, components):
    twins = [make_spec.pipeline("one", "t_nearest"), make_spec.pipeline("two", "t_nearest")]
    table = run_experiment(make_spec(pipelines=twins)).table()
    assert components["t_nearest"].fits == TRIED + 8
    assert table["error"][0] == table["error"][1]


def test_order_and_executor_change_nothing(make_spec, tmp_path):
    random = make_spec.pipeline("lot", "t_lot")
    spec = make_spec(pipelines=[*make_spec()["pipelines"], random])
    straight = run_experiment(spec)
    turned = {
        **spec,
        "datasets": spec["datasets"][::-1],
        "pipelines": spec["pipelines"][::-1],
        "run": {"executor": {"use": "t_threads", "workers": 4}},
        "output": {"store": str(tmp_path / "other.sqlite")},
    }
    columns = ["dataset", "pipeline"]
    one, other = (
        comparable(results).sort_values(columns).reset_index(drop=True)
        for results in (straight, run_experiment(turned))
    )
    pd.testing.assert_frame_equal(one.drop(columns="rank"), other.drop(columns="rank"))


def test_predictions_can_be_asked_for(make_spec):
    results = run_experiment(make_spec())
    found = list(results.predictions(dataset="blobs3", pipeline="shares"))
    assert [(cell.repeat, cell.fold) for cell, _ in found] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    truth = plan_experiment(make_spec()).datasets[1].data.y
    for _, prediction in found:
        np.testing.assert_array_equal(prediction.truth, truth[prediction.indices])
        assert prediction.probabilities.shape == (len(prediction), 3)
    assert len(list(results.predictions())) == 16


def test_a_dict_without_a_store_leaves_no_file(make_spec, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spec = make_spec()
    del spec["output"]
    results = run_experiment(spec)
    assert len(list(results.predictions())) == 16
    assert list(tmp_path.iterdir()) == []


def test_the_store_tells_where_its_cells_come_from(make_spec):
    run_experiment(make_spec())
    with Store.read(plan_experiment(make_spec()).store) as store:
        row = store._connection.execute("SELECT name, seed, spec, environment FROM runs").fetchone()
        assert row[:2] == ("tiny", 3)
        assert '"nearest"' in row[2]
        assert '"numpy"' in row[3]
        specs = store._connection.execute("SELECT spec FROM pipelines").fetchall()
    assert ('[{"classifier":{"power":2,"use":"t_nearest"}}]',) in specs


def fussy(make_spec, **parameters):
    pipelines = [make_spec.pipeline("fussy", "t_fussy", **parameters)]
    return make_spec(pipelines=[*pipelines, make_spec.pipeline("shares", "t_shares")])


def test_failures_are_recorded_and_the_rest_goes_on(make_spec):
    results = run_experiment(fussy(make_spec, features=3), keep_going=True)
    assert results.n_failed == 4
    assert set(results.failures["dataset"]) == {"blobs3"}
    assert set(results.failures["error"]) == {"ValueError: no appetite for 3 features"}
    assert results.failures["traceback"].str.contains("raise ValueError").all()
    table = results.table().set_index(["dataset", "pipeline"])
    assert table["n_failed"].to_dict() == {
        ("blobs2", "fussy"): 0,
        ("blobs2", "shares"): 0,
        ("blobs3", "fussy"): 4,
        ("blobs3", "shares"): 0,
    }
    assert np.isnan(table.loc[("blobs3", "fussy"), "error"])
    assert np.isnan(table.loc[("blobs3", "fussy"), "rank"])
    assert table.loc[("blobs3", "shares"), "rank"] == 1


def test_failed_cells_are_run_again_only_when_asked(make_spec, components):
    fussy_class = components["t_fussy"]
    run_experiment(fussy(make_spec, features=3), keep_going=True)
    calls = fussy_class.calls
    fussy_class.on = False
    assert run_experiment(fussy(make_spec, features=3), keep_going=True).n_failed == 4
    assert fussy_class.calls == calls
    assert (
        run_experiment(fussy(make_spec, features=3), retry_failed=True, keep_going=True).n_failed
        == 0
    )
    assert fussy_class.calls == calls + 1 + 4  # one warms the compiled code


@pytest.mark.parametrize("executor", ["serial", "t_threads"])
def test_on_error_raise_stops_keeps_the_rest_and_goes_on_later(make_spec, components, executor):
    spec = fussy(make_spec, features=3) | {"run": {"on_error": "raise", "executor": executor}}
    with pytest.raises(CellError, match=r"^blobs3, fussy, repeat \d, fold \d failed: ValueError"):
        run_experiment(spec, keep_going=True)
    with Store.read(plan_experiment(spec).store) as store:
        kept = store.statuses()
    assert set(kept.values()) == {"done"}
    assert len(kept) == 8 if executor == "serial" else len(kept) >= 4
    components["t_fussy"].on = False
    assert run_experiment(spec, keep_going=True).n_failed == 0


def test_recorded_failures_are_raised_once_raise_is_asked_for(make_spec):
    assert run_experiment(fussy(make_spec, features=3), keep_going=True).n_failed == 4
    with pytest.raises(CellError):
        run_experiment(
            fussy(make_spec, features=3) | {"run": {"on_error": "raise"}}, keep_going=True
        )


def test_an_interrupt_keeps_what_is_done(make_spec, components):
    spec = fussy(make_spec, how="interrupt")
    with pytest.raises(KeyboardInterrupt):
        run_experiment(spec)
    with Store.read(plan_experiment(spec).store) as store:
        assert len(store.statuses()) == 4  # two splits, two pipelines
    components["t_fussy"].on = False
    assert run_experiment(spec).n_failed == 0
    assert components["t_fussy"].calls == TRIED + 2 + 1 + 1 + 6  # blobs3 is tried again


def test_warnings_of_cells_become_notes(make_spec):
    notes = run_experiment(fussy(make_spec, how="warn")).notes
    assert notes == ["fussy warned in 8 cells: RuntimeWarning: not to my taste"]


def test_predictions_are_not_held_in_memory(make_spec, with_component, components):
    class Many(components["t_shares"]):
        def predict_proba(self, X):
            return np.full((ilk.n_rows(X), 3), 1 / 3)

    with_component("classifier", "t_many", Many)
    spec = make_spec(
        datasets=[{"use": "t_blobs", "n": 20_000, "p": 1}],
        pipelines=[make_spec.pipeline("many", "t_many")],
        evaluation={"resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 50}},
    )
    plan = plan_experiment(spec)
    every = 100 * 10_000 * (3 * 8 + 4)
    tracemalloc.start()
    try:
        results = run_experiment(plan)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert results.n_failed == 0
    assert peak < every / 4
