"""The trial: what must fail is said before the run, with its line, and nothing is run."""

import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import ilk
from ilk.cli.shell import run as ilk_command
from ilk_evaluation import Store, plan_experiment, run_experiment
from ilk_evaluation.run import trial
from ilk_evaluation.run.tasks import small_split
from ilk_evaluation.run.trial import TrialError

NOMINAL = """\
[[datasets]]
use = "csv"
path = "words.csv"
target = "kind"
[[datasets]]
use = "iris"

[[pipelines]]
id = "bare"
steps = [{ classifier = "knn" }]

[[pipelines]]
id = "coded"
steps = [{ transformer = "one_hot" }, { classifier = "knn" }]

[[pipelines]]
id = "vote"
steps = [{ transformer = "one_hot" }, { classifier = { use = "voting", members = ["svm"] } }]

[evaluation]
resampling = { use = "kfold", folds = 2 }
"""


@pytest.fixture
def nominal(tmp_path):
    """An experiment whose first pipeline cannot take a data set, and whose third takes none."""
    rows = [f"{'red' if i % 2 else 'blue'},{i % 7},{'p' if i % 3 else 'q'}" for i in range(90)]
    (tmp_path / "words.csv").write_text("\n".join(["color,size,kind", *rows]) + "\n")
    path = tmp_path / "nominal.toml"
    path.write_text(NOMINAL)
    return path


@pytest.fixture
def recorder(with_component):
    """A classifier that records the sizes it is fitted to, and fails where it is told to."""

    class Recorder(ilk.Classifier):
        least: int = ilk.param(default=0)
        seen: list = []

        def fit(self, X, y):
            Recorder.seen.append((len(y), len(np.unique(y))))
            if len(y) < self.least:
                raise ValueError(f"needs {self.least} cases, got {len(y)}")
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.full(len(X), self.classes_[0])

    with_component("classifier", "t_recorder", Recorder)
    return Recorder


def of_many(make_spec, *parameters, n=600, **tables):
    pipelines = [make_spec.pipeline(f"{i}", "t_recorder", **p) for i, p in enumerate(parameters)]
    return make_spec(datasets=[{"use": "t_blobs", "n": n}], pipelines=pipelines, **tables)


def test_what_must_fail_is_said_once_with_its_line_and_nothing_is_kept(nominal, capsys):
    assert ilk_command(["run", str(nominal)]) == 2
    out, err = capsys.readouterr()
    lines = err.splitlines()
    (first,) = [line for line in lines if "'bare'" in line]
    assert first.startswith(f"{nominal}:8: pipelines[0]: 'bare' fails on words: InputError: ")
    assert "one_hot" in first
    (second,) = [line for line in lines if "'vote'" in line]
    assert second.startswith(f"{nominal}:16: pipelines[2]: 'vote' fails on words, iris: ")
    assert lines[-1].startswith("no cell was run; --keep-going")
    assert "'coded'" not in err
    assert out == ""
    with Store.read(nominal.parent / "results" / "nominal.sqlite") as store:
        assert store.statuses() == {}


def test_keep_going_says_it_and_records_the_failures(nominal, capsys):
    assert ilk_command(["run", str(nominal), "--keep-going"]) == 1
    out, err = capsys.readouterr()
    assert len(re.findall(r"^warning: .*:\d+: pipelines\[\d\]: ", err, flags=re.MULTILINE)) == 2
    assert "6 of 12 cells failed" in out
    assert ilk_command(["run", str(nominal)]) == 1  # these pairs have cells: no trial
    assert "warning" not in capsys.readouterr().err


def test_the_cause_is_chained(nominal):
    with pytest.raises(TrialError) as caught:
        run_experiment(nominal)
    assert "Traceback" in str(caught.value.__cause__)
    assert [problem.line for problem in caught.value.problems] == [8, 16]


def test_it_takes_a_few_rows_of_every_class(make_spec, recorder):
    run_experiment(of_many(make_spec, {}))
    assert recorder.seen == [(40, 3)] + 4 * [(300, 3)]


def test_a_rerun_tries_nothing_and_a_new_pipeline_only_itself(make_spec, recorder):
    run_experiment(of_many(make_spec, {}))
    recorder.seen.clear()
    run_experiment(of_many(make_spec, {}))
    assert recorder.seen == []
    run_experiment(of_many(make_spec, {}, {"least": 1}))
    assert recorder.seen == [(40, 3)] + 4 * [(300, 3)]


def test_a_dry_run_tries_nothing(nominal, capsys):
    assert ilk_command(["run", str(nominal), "--dry-run"]) == 0
    assert "12 cells" in capsys.readouterr().out


def test_what_fails_for_the_few_rows_only_is_a_note_and_no_cell_is_fitted_twice(
    make_spec, recorder
):
    said = io.StringIO()
    results = run_experiment(of_many(make_spec, {"least": 100}), console=Console(file=said))
    text = " ".join(said.getvalue().split())
    assert (
        "note: blobs2, 0: fails on 40 training cases of the trial, but not on the 300 of its first "
        "cell: ValueError: needs 100 cases, got 40" in text
    )
    assert results.n_failed == 0
    assert recorder.seen == [(40, 3)] + 4 * [(300, 3)]


def test_splits_belong_to_their_cells_on_several_workers(make_spec, recorder, tmp_path):
    """Outcomes arrive in any order, but whole splits are drawn in the order of the plan."""
    resampling = {"use": "kfold", "folds": 3}
    parameters = [{"least": 100 + i} for i in range(6)]
    tables = {"n": 300, "evaluation": {"resampling": resampling}}
    spec = of_many(make_spec, *parameters, **tables, run={"executor": "t_threads"})
    run_experiment(spec, shard=(1, 3))
    parts = run_experiment(spec)
    whole = run_experiment(spec, store=tmp_path / "whole.sqlite", executor="serial")
    assert (
        parts.table().drop(columns="fit_seconds").equals(whole.table().drop(columns="fit_seconds"))
    )
    for one, other in zip(parts.predictions(), whole.predictions(), strict=True):
        assert one[1].indices.tolist() == other[1].indices.tolist()


def test_its_time_is_bounded(make_spec, recorder, monkeypatch):
    monkeypatch.setattr(trial, "LONGEST", -1.0)
    said = io.StringIO()
    console = Console(file=said, width=200)
    assert run_experiment(of_many(make_spec, {"least": 999}), console=console).n_failed == 4
    assert "only 0 of 1 pairs of pipeline and data set are tried on a few rows" in said.getvalue()


def test_each_worker_runs_a_few_rows_before_its_first_cell(make_spec, recorder, monkeypatch):
    """A worker that took no part in the trial compiles outside of measured times, too."""
    monkeypatch.setattr("ilk_evaluation.run.runner.cells_to_try", lambda *_, **__: [])
    run_experiment(of_many(make_spec, {}))
    assert recorder.seen == [(40, 3)] + 4 * [(300, 3)]


def test_the_fallback_answers_only_where_the_run_goes_on(make_spec, recorder):
    run = {"on_error": "fallback", "fallback": "t_shares"}
    spec = of_many(make_spec, {"least": 9999}, run=run)
    with pytest.raises(TrialError, match=r"'0' fails on blobs2: ValueError: needs 9999"):
        run_experiment(spec)
    assert run_experiment(spec, keep_going=True).n_fallback == 4


def test_many_data_sets_are_counted(make_spec, recorder):
    spec = of_many(make_spec, {"least": 9999})
    spec["datasets"] = [{"use": "t_blobs", "p": p, "n": 60} for p in range(1, 7)]
    with pytest.raises(TrialError, match="fails on blobs1, blobs2, blobs3 and 3 more data sets: "):
        run_experiment(spec)


def test_cells_are_the_same_as_without_it(make_spec, tmp_path, monkeypatch):
    pipelines = [make_spec.pipeline("lot", "t_lot"), make_spec.pipeline("nearest", "t_nearest")]
    spec = make_spec(pipelines=pipelines)
    tried = run_experiment(spec).table()
    monkeypatch.setattr("ilk_evaluation.run.runner.cells_to_try", lambda *_, **__: [])
    other = run_experiment(spec, store=tmp_path / "other.sqlite").table()
    assert tried.drop(columns="fit_seconds").equals(other.drop(columns="fit_seconds"))
    assert len(plan_experiment(spec).cells) == 16


@given(
    codes=st.lists(st.integers(0, 70), min_size=2, max_size=300),
    n_test=st.integers(1, 40),
)
def test_a_small_split_has_every_class_and_only_rows_of_the_split(codes, n_test):
    y = np.array(codes)
    split = ilk.Split(np.arange(len(y))[::-1], np.arange(min(n_test, len(y))), repeat=3)
    few = small_split(split, y)
    assert set(y[few.train]) == set(y)
    assert len(few.train) == min(len(y), max(40, len(set(codes))))
    assert len(few.test) == min(10, len(split.test))
    assert len(set(few.train.tolist())) == len(few.train)
    assert set(few.test) <= set(split.test)
    assert list(few.train) == sorted(few.train, reverse=True)  # their order is kept
    assert few.repeat == 3


def test_a_quantity_has_no_classes():
    y = np.random.default_rng(0).normal(size=500)
    assert len(small_split(ilk.Split(np.arange(500), np.arange(9)), y).train) == 40
