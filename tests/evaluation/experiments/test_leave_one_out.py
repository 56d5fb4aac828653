"""Leave-one-out without refitting: what is kept is what fitting for each case would have given."""

import io
import os
from collections.abc import Sequence
from concurrent import futures
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import ilk
from ilk_evaluation import CellError, Store, plan_experiment, run_experiment
from ilk_evaluation.resamplings.leave_p_out import LeaveOneOut
from ilk_evaluation.run.tasks import shortcuts


class Grid(ilk.Dataset):
    """Whole numbers, of which many are equal and as far apart; classes of different sizes."""

    labels: Sequence[Any] = ilk.param(default=("b", "a", "c"), type=list)
    n: int = ilk.param(default=14)
    alone: bool = ilk.param(default=False)

    def load(self):
        generator = np.random.default_rng(self.n + len(self.labels))
        X = generator.integers(0, 4, size=(self.n, 3)).astype(float)
        codes = np.arange(self.n) % (len(self.labels) - self.alone)
        codes[-1] = len(self.labels) - 1
        return ilk.Data(X, np.array(self.labels)[codes], "grid", ("x", "y", "z"))


class Mean(ilk.Classifier):
    """The class whose mean is nearest; `how` it fails where all cases are asked about at once."""

    how: str = ilk.param(
        default="right",
        choices=("right", "raise", "short", "square", "warn", "die"),
    )
    capabilities = ilk.Capabilities(fast_leave_one_out=True)
    fits = calls = 0

    def fit(self, X, y):
        Mean.fits += 1
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        gaps = ((np.asarray(X)[:, None] - self.means_) ** 2).sum(axis=2)
        return self.classes_[gaps.argmin(axis=1)]

    def leave_one_out(self, X, y):
        Mean.calls += 1
        if self.how == "raise":
            raise ValueError("too much at once")
        if self.how == "die":
            os._exit(9)
        if self.how == "warn":
            import warnings

            warnings.warn("so many cases", UserWarning, stacklevel=2)
        rows, fits = np.arange(len(y)), Mean.fits
        twin = Mean()
        labels = np.array(
            [twin.fit(X[rows != i], y[rows != i]).predict(X[[i]])[0] for i in rows.tolist()]
        )
        Mean.fits = fits
        if self.how == "square":
            labels = labels[:, None]
        return ilk.Prediction(y, labels[:-1] if self.how == "short" else labels, np.unique(y))


class Sure(Mean):
    """Has probabilities after a fit, which it does not give for all cases at once."""

    def predict_proba(self, X):
        return (self.predict(X)[:, None] == self.classes_).astype(float)


class Few(Sure):
    """Forgets the probabilities of a case."""

    def leave_one_out(self, X, y):
        said = super().leave_one_out(X, y)
        return replace(said, probabilities=np.ones((len(y) - 1, len(said.classes))))


@pytest.fixture(autouse=True)
def more(with_component):
    Mean.fits = Mean.calls = 0
    with_component("dataset", "t_grid", Grid)
    with_component("classifier", "t_mean", Mean)
    with_component("classifier", "t_sure", Sure)
    with_component("classifier", "t_few", Few)


@pytest.fixture(autouse=True)
def untried(monkeypatch):
    """Count only what the cells themselves need; `test_trial.py` counts trials."""
    monkeypatch.setattr("ilk_evaluation.run.runner.cells_to_try", lambda *_, **__: [])
    monkeypatch.setattr("ilk_evaluation.run.worker_context.WorkerContext.is_new", lambda *_: False)


def table(*steps, **parameters):
    """A pipeline's steps: kinds and names before, then a classifier with its parameters."""
    *before, last = steps
    kinds = {"select": "transformer", "standardize": "transformer", "enn": "editor"}
    tables = [{kinds.get(name, "metric_learner"): name} for name in before]
    return [*tables, {"classifier": {"use": last, **parameters}}]


def spec_of(make_spec, pipelines, *, datasets=({"use": "t_grid"},), **changes):
    listed = [{"id": name, "steps": steps} for name, steps in pipelines.items()]
    evaluation = {"resampling": "leave_one_out", **changes.pop("evaluation", {})}
    return make_spec(datasets=list(datasets), pipelines=listed, evaluation=evaluation, **changes)


def kept(plan):
    """What the store of a plan has, by key."""
    with Store.read(plan.store) as store:
        return {cell.key: store.outcome(cell.key) for cell in plan.cells}


def n_kept(plan):
    if not plan.store.exists():
        return 0
    with Store.read(plan.store) as store:
        return len(store.statuses())


def run_both(make_spec, tmp_path, monkeypatch, pipelines, **options):
    """What is kept with and without the shortcut."""
    spec = spec_of(make_spec, pipelines, **options)
    plan = plan_experiment(spec)
    run_experiment(plan)
    monkeypatch.setattr(LeaveOneOut, "leaves_one_out", False)
    slow = plan_experiment(spec, store=tmp_path / "slow.sqlite")
    run_experiment(slow)
    return kept(plan), kept(slow)


EXACT = {
    "1-NN": table("knn", k=1),
    "5-NN": table("knn"),
    "by lot": table("knn", k=2, ties="random", random_state=4),
    "by prior": table("knn", k=4, vote="inverse_distance", ties="prior"),
    "rejecting": table("knn", k=2, ties="reject", reject_label="?"),
    "shepard": table("knn", k=6, vote="shepard", width=2.0, distance="manhattan"),
    "in a tree": table("knn", k=3, index="kd_tree"),
    "selected": table("select", "knn", k=3),
    "mapped": table("identity", "knn", k=3),
    "means": table("t_mean"),
}
DATASETS = {
    "texts": {"use": "t_grid"},
    "numbers": {"use": "t_grid", "labels": [3, -1], "n": 11},
    "booleans": {"use": "t_grid", "labels": [True, False], "n": 12},
    "a class of one": {"use": "t_grid", "labels": ["p", "q", "r"], "alone": True},
    "two classes, one of one": {"use": "t_grid", "labels": ["p", "q"], "alone": True, "n": 11},
}


def test_is_what_fitting_for_each_case_gives(make_spec, tmp_path, monkeypatch):
    fast, slow = run_both(make_spec, tmp_path, monkeypatch, EXACT, datasets=DATASETS.values())
    assert fast.keys() == slow.keys()
    assert len(fast) == len(EXACT) * (14 + 11 + 12 + 14 + 11)
    for key, expected in slow.items():
        got = fast[key]
        assert got.together is not None
        assert expected.together is None
        assert got.codes.dtype == expected.codes.dtype
        assert got.codes.tolist() == expected.codes.tolist()
        assert (got.probabilities is None) == (expected.probabilities is None)
        if expected.probabilities is not None:
            assert got.probabilities.dtype == expected.probabilities.dtype
            assert np.array_equal(got.probabilities, expected.probabilities)
        assert got.scores is expected.scores is None
        assert got.reduction == expected.reduction
        assert (got.error, got.warnings) == (None, ())
    assert any((outcome.codes == -1).any() for outcome in slow.values())


def test_discriminants_are_the_same_up_to_rounding(make_spec, tmp_path, monkeypatch):
    pipelines = {
        "lda": table("lda"),
        "shrunk": table("lda", shrinkage=0.2, priors="equal"),
        "mapped": table("identity", "lda", shrinkage="auto"),
    }
    fast, slow = run_both(make_spec, tmp_path, monkeypatch, pipelines)
    for key, expected in slow.items():
        assert fast[key].together == 14
        assert fast[key].codes.tolist() == expected.codes.tolist()
        np.testing.assert_allclose(fast[key].probabilities, expected.probabilities, rtol=1e-9)


def test_estimates_and_tables_are_the_same(make_spec, tmp_path, monkeypatch):
    pipelines = {name: EXACT[name] for name in ("5-NN", "rejecting", "means")}
    spec = spec_of(make_spec, pipelines, evaluation={"measures": ["error", "mean_class_accuracy"]})
    tables = [run_experiment(spec).table()]
    monkeypatch.setattr(LeaveOneOut, "leaves_one_out", False)
    tables.append(run_experiment(spec, store=tmp_path / "slow.sqlite").table())
    one, other = (found.drop(columns="fit_seconds") for found in tables)
    assert one.equals(other)


NEVER = {
    "behind what learns": table("standardize", "knn"),
    "behind an editor": table("enn", "knn"),
    "by open lots": table("knn", k=2, ties="random"),
    "with a learned distance": table("knn", distance="mahalanobis"),
    "with a learned metric": table("knn", metric_learner="rca"),
    "with an index that errs": table("knn", index="lsh"),
    "without it": table("nearest_mean"),
}


def test_nobody_else_is_answered_together(make_spec):
    plan = plan_experiment(spec_of(make_spec, NEVER, datasets=[{"use": "iris"}]))
    assert shortcuts(plan) == frozenset()


def test_open_lots_are_drawn_for_each_cell(make_spec, tmp_path, monkeypatch):
    lots = {"lots": NEVER["by open lots"]}
    fast, slow = run_both(make_spec, tmp_path, monkeypatch, lots)
    assert {key: o.codes.tolist() for key, o in fast.items()} == {
        key: o.codes.tolist() for key, o in slow.items()
    }
    assert {outcome.together for outcome in fast.values()} == {None}


def test_other_resamplings_fit_each_cell(make_spec):
    results = run_experiment(
        spec_of(
            make_spec,
            {"means": table("t_mean")},
            evaluation={"resampling": {"use": "kfold", "folds": 5}},
        )
    )
    assert (Mean.fits, Mean.calls) == (5, 0)
    assert results.notes == []


def test_one_call_answers_all_and_says_so(make_spec):
    told = []

    class Listener:
        @ilk.hookimpl
        def ilk_cell_finished(self, cell):
            told.append(cell)

    file = io.StringIO()
    spec = spec_of(make_spec, {"means": table("t_mean"), "1-NN": table("standardize", "knn", k=1)})
    results = run_experiment(
        spec, console=Console(file=file, width=200), listeners=ilk.Listeners(Listener())
    )
    assert (Mean.fits, Mean.calls) == (0, 1)
    assert "grid, means: leave-one-out without refitting (14 cells)\n" in file.getvalue()
    assert "28/28 cells" in file.getvalue()
    (note,) = results.notes
    assert note == (
        "means: leave-one-out without refitting (14 of 14 cells), all cases of a data set by one "
        "call; the seconds of a cell are its equal share of that call"
    )
    assert len(told) == 28
    ours = [cell for cell in told if cell.pipeline == "means"]
    assert sorted(cell.fold for cell in ours) == list(range(14))
    assert len({cell.seconds for cell in ours}) == 1
    assert run_experiment(spec).notes == results.notes
    assert Mean.calls == 1


def test_seconds_are_equal_shares(make_spec):
    plan = plan_experiment(spec_of(make_spec, {"means": table("t_mean")}))
    table_ = run_experiment(plan).table()
    outcomes = kept(plan).values()
    (share,) = {outcome.fit_seconds for outcome in outcomes}
    assert 0 < share < 1
    assert {outcome.predict_seconds for outcome in outcomes} == {0.0}
    assert {outcome.together for outcome in outcomes} == {14}
    assert table_["fit_seconds"][0] == pytest.approx(share)


def test_splits_are_kept_too(make_spec):
    plan = plan_experiment(spec_of(make_spec, {"means": table("t_mean")}))
    results = run_experiment(plan)
    for cell, prediction in results.predictions():
        assert prediction.indices.tolist() == [cell.fold]
        assert prediction.truth[0] == plan.datasets[0].data.y[cell.fold]
    with Store.read(plan.store) as store:
        assert store.split_sizes() == {cell.split_key: (13, 1) for cell in plan.cells}


@pytest.mark.parametrize("n_lost", [3, 1])
def test_only_missing_cells_are_taken(make_spec, n_lost):
    plan = plan_experiment(spec_of(make_spec, {"means": table("t_mean")}))
    first = run_experiment(plan).table()
    lost = [cell.key for cell in plan.cells[5 : 5 + n_lost]]
    with Store.open(plan.store) as store:
        store.drop(lost)
        rest = {row.key: row.row for row in store.since(0)}
    Mean.fits = Mean.calls = 0
    again = run_experiment(plan).table()
    assert (Mean.calls, Mean.fits) == (1, 0)
    assert again.drop(columns="fit_seconds").equals(first.drop(columns="fit_seconds"))
    with Store.read(plan.store) as store:
        rows = {row.key: row.row for row in store.since(0)}
        assert {key: row for key, row in rows.items() if key not in lost} == rest
        assert {row.run for row in store.since(0) if row.key in lost} == {2}


@pytest.mark.parametrize(
    ("name", "how", "why"),
    [
        ("t_mean", "raise", "ValueError: too much at once"),
        ("t_mean", "short", "InputError: leave_one_out gave labels of shape (13,) for 14 cases"),
        ("t_mean", "square", "InputError: leave_one_out gave labels of shape (14, 1) for 14"),
        ("t_few", "right", "InputError: leave_one_out gave probabilities of shape (13, 3) for 14"),
        ("t_sure", "right", "InputError: leave_one_out gave no probabilities, which there are"),
    ],
)
def test_where_it_fails_each_case_is_fitted(make_spec, name, how, why):
    file = io.StringIO()
    plan = plan_experiment(spec_of(make_spec, {"means": table(name, how=how)}))
    results = run_experiment(plan, console=Console(file=file, width=300))
    assert (Mean.fits, Mean.calls) == (14, 1)
    said = "grid, means: each case needs a fit, as leave-one-out without refitting failed: "
    assert said + why in file.getvalue()
    assert (results.n_failed, results.notes) == (0, [])
    assert {outcome.together for outcome in kept(plan).values()} == {None}


def alone(make_spec, **changes):
    """Without its only case, there is one class; `lda` refuses that."""
    datasets = [DATASETS["two classes, one of one"]]
    return spec_of(make_spec, {"lda": table("lda", shrinkage=0.5)}, datasets=datasets, **changes)


def test_only_the_cell_that_cannot_be_fitted_fails(make_spec):
    results = run_experiment(alone(make_spec))
    assert results.n_failed == 1
    failure = results.failures.iloc[0]
    assert failure["fold"] == 10
    assert failure["error"].startswith("InputError: lda: y has 1 class ('p')")
    assert "leave_one_out" not in failure["error"]
    assert "in fit" in failure["traceback"]


def test_the_cell_that_ends_a_run_is_named(make_spec):
    with pytest.raises(CellError, match=r"grid, lda, repeat 0, fold 10 failed: InputError: lda: "):
        run_experiment(alone(make_spec, run={"on_error": "raise"}))


def test_the_fallback_answers_the_cell_that_fails(make_spec):
    run = {"on_error": "fallback", "fallback": "t_shares"}
    results = run_experiment(alone(make_spec, run=run))
    assert (results.n_failed, results.n_fallback) == (0, 1)


def test_warnings_are_those_of_every_cell(make_spec):
    results = run_experiment(spec_of(make_spec, {"means": table("t_mean", how="warn")}))
    assert results.notes[-1] == "means warned in 14 cells: UserWarning: so many cases"


def test_a_cell_can_be_run_alone(make_spec):
    from ilk_evaluation.run.runner import run_cell_alone

    plan = plan_experiment(spec_of(make_spec, {"means": table("t_mean")}))
    _, outcome = run_cell_alone(plan, plan.cells[3].key)
    assert (Mean.calls, Mean.fits, outcome.together) == (1, 0, 14)


def test_shards_answer_their_own(make_spec, tmp_path):
    whole = run_experiment(spec_of(make_spec, {"5-NN": table("knn")}))
    plan = plan_experiment(spec_of(make_spec, {"5-NN": table("knn")}))
    found = {}
    for i in (1, 2):
        store = tmp_path / f"{i}.sqlite"
        run_experiment(spec_of(make_spec, {"5-NN": table("knn")}), store=store, shard=(i, 2))
        with Store.read(store) as opened:
            assert opened.answered_together() == opened.statuses().keys()
            assert not found.keys() & opened.statuses().keys()
            found |= {key: opened.prediction(key).labels[0] for key in opened.statuses()}
    expected = {cell.key: prediction.labels[0] for cell, prediction in whole.predictions()}
    assert found == expected
    assert len(found) == len(plan.cells)


def test_answers_are_the_same_to_the_last_digit_however_cells_are_divided(make_spec, tmp_path):
    spec = spec_of(make_spec, {"lda": table("lda"), "5-NN": table("knn")})
    whole = plan_experiment(spec)
    run_experiment(whole)
    expected, shards = kept(whole), [(i, 14) for i in range(1, 15)]
    other = plan_experiment(spec, store=tmp_path / "parts.sqlite")
    sizes = []
    for shard in shards:
        before = n_kept(other)
        run_experiment(other, shard=shard)
        sizes.append(n_kept(other) - before)
    assert min(sizes) == 2  # one cell of each pipeline
    for key, got in kept(other).items():
        assert got.codes.tolist() == expected[key].codes.tolist()
        assert got.probabilities.tobytes() == expected[key].probabilities.tobytes()


@pytest.mark.parametrize("executor", [{"use": "t_threads", "workers": 3}, "loky"])
def test_executors_agree(make_spec, tmp_path, executor):
    pipelines = {name: EXACT[name] for name in ("1-NN", "by lot", "selected", "means")}
    pipelines |= {"by open lots": NEVER["by open lots"]}
    one = plan_experiment(spec_of(make_spec, pipelines))
    run_experiment(one)
    if executor == "loky":
        executor = {"use": "loky", "workers": 1}
        pipelines |= {"deadly": table("t_mean", how="die")}
    other = plan_experiment(spec_of(make_spec, pipelines), store=tmp_path / "other.sqlite")
    results = run_experiment(other, executor=executor)
    assert results.n_failed == 0
    got = kept(other)
    for key, expected in kept(one).items():
        assert got[key].codes.tolist() == expected.codes.tolist()
        assert (got[key].together is None) == (expected.together is None)
    deadly = [got[cell.key] for cell in other.cells if other.design.pipeline(cell) == "deadly"]
    assert {outcome.together for outcome in deadly} <= {None}


class Frail(ilk.Executor):
    """Its worker dies of the first few tasks, then it runs all that is sent."""

    deaths: int = ilk.param(default=1)
    n_workers = 1

    def open(self):
        return Pool(self)


class Pool(futures.Executor):
    def __init__(self, owner):
        self.owner = owner

    def submit(self, fn, /, *args, **kwargs):
        future = futures.Future()
        self.owner.deaths -= 1
        if self.owner.deaths >= 0:
            future.set_exception(futures.BrokenExecutor("a worker died"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.parametrize(("deaths", "calls", "fits"), [(1, 1, 0), (2, 0, 14)])
def test_all_cases_are_asked_about_again_where_a_worker_died(make_spec, deaths, calls, fits):
    """Something else may have killed it; only what dies twice is fitted for each case."""
    plan = plan_experiment(spec_of(make_spec, {"means": table("t_mean")}))
    results = run_experiment(plan, executor=Frail(deaths=deaths))
    assert (results.n_failed, Mean.calls, Mean.fits) == (0, calls, fits)


def test_a_dry_run_says_so(make_spec):
    from ilk_evaluation.commands.terminal_tables import print_plan

    file = io.StringIO()
    plan = plan_experiment(
        spec_of(make_spec, {"1-NN": EXACT["1-NN"], "std": table("standardize", "knn")})
    )
    print_plan(Console(file=file, width=200), plan, 0)
    assert "1-NN: leave-one-out without refitting\n" in file.getvalue()
    assert "std: leave-one-out" not in file.getvalue()


def test_a_property_that_breaks_is_no_shortcut(make_spec, with_component):
    class Broken(Mean):
        """Cannot tell."""

        @property
        def fast_leave_one_out(self):
            raise RuntimeError("who knows")

    with_component("classifier", "t_broken", Broken)
    results = run_experiment(spec_of(make_spec, {"broken": table("t_broken")}))
    assert (results.n_failed, Mean.fits) == (0, 14)
