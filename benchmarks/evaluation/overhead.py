"""Costs of the machinery of experiments: of a cell, of executors, of a start, of large plans."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from measure import Row, compare
from sklearn.base import clone
from sklearn.model_selection import cross_validate

from ilk_evaluation import plan_experiment, run_experiment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TRIVIAL: dict[str, dict[str, Any]] = {
    "dummy": {"use": "sklearn", "estimator": "DummyClassifier"},
    "nearest_mean": {"use": "nearest_mean"},
}
REPEATS = 10  # of ten folds, for the cost of a cell
SIZES = 10_000, 100_000  # cells of the large plans
LIGHT = 20, 4_000  # cells of a small and of a large experiment, whose difference is no start


def rows() -> Iterator[Row]:
    """Yield rows of cells beside scikit-learn's, of starts, and of a large plan."""
    for name in TRIVIAL:
        for n in (1, 5):
            with tempfile.TemporaryDirectory() as folder:
                yield _cells(name, n, Path(folder))
    yield from _executors()
    yield from _starts()
    yield from _plans()


def _cells(name: str, n: int, folder: Path) -> Row:
    """Storage and scoring included; the peer stores and compares nothing."""
    stores = (folder / f"{i}.sqlite" for i in count())

    def ours() -> None:
        run_experiment(_spec(TRIVIAL[name], n, next(stores)))

    plan = plan_experiment(_spec(TRIVIAL[name], n, next(stores)))
    X, y = plan.datasets[0].data.Xy
    splits = [(split.train, split.test) for split in plan.splits(0)]
    models = [planned.pipeline.steps[-1]["classifier"] for planned in plan.pipelines]

    def bare() -> None:
        for train, test in splits:
            for model in models:
                fitted = clone(model).fit(X[train], y[train])
                labels = fitted.predict(X[test])
                fitted.predict_proba(X[test])
                np.mean(labels != y[test])

    def theirs() -> None:
        for model in models:
            cross_validate(model, X, y, cv=splits)

    cells = len(splits) * n
    alone = median(_seconds(bare, process_time) for _ in range(3)) / cells
    note = f"{1000 * alone:.2f} ms of a cell are the classifier's"
    work = f"an experiment of {cells} cells, {name}, {n} pipeline{'s' if n > 1 else ''}"
    row = compare(work, "scikit-learn's cross_validate", None, ours, theirs, repeats=3)
    note = f"{1000 * row.seconds / cells:.2f} ms a cell; {note}"
    return Row(row.work, row.peer, row.target, row.ratio, row.seconds, note)


def _spec(classifier: dict[str, Any], n: int, store: Path) -> dict[str, Any]:
    """An experiment on iris with n pipelines that differ in a parameter only."""
    steps = [[{"classifier": _differing(classifier, i)}] for i in range(n)]
    return {
        "datasets": ["iris"],
        "pipelines": [{"id": f"p{i}", "steps": own} for i, own in enumerate(steps)],
        "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 10, "repeats": REPEATS}},
        "output": {"store": str(store)},
    }


def _differing(classifier: dict[str, Any], number: int) -> dict[str, Any]:
    """Content keys would run equal pipelines once."""
    if classifier["use"] == "sklearn":
        return {**classifier, "random_state": number}
    return {**classifier, "metric": "mahalanobis", "shrinkage": number / 10}


def _executors() -> Iterator[Row]:
    """Yield light cells on two workers, beside `serial`, without the start of the workers."""
    serial = {"use": "serial"}
    for use, module, target in (
        ("loky", "loky", 1.7),
        ("dask", "distributed", 1.5),
        ("mpi", "mpi4py", None),
    ):
        if importlib.util.find_spec(module) is None:
            continue
        (by_clock, cpu), (wall, spent) = _light_cell(serial, {"use": use, "workers": 2})
        note = f"by the clock; {1000 * spent:.2f} ms of processors, serial {1000 * cpu:.2f} ms"
        work = f"a light cell (standardize, nearest_mean) on two workers of {use}"
        yield Row(work, "serial", target, by_clock / wall, wall, note)


def _light_cell(*executors: dict[str, Any]) -> list[tuple[float, float]]:
    """Seconds of a light cell by the clock and of all processors, on each executor in turn.

    They are the difference of the least times of two experiments, so that no start counts.
    """
    least = np.full((len(executors), len(LIGHT), 2), np.inf)
    for _ in range(3):
        for at, executor in enumerate(executors):
            for size, cells in enumerate(LIGHT):
                least[at, size] = np.minimum(least[at, size], _light_cells(executor, cells))
    differences = (least[:, 1] - least[:, 0]) / (LIGHT[1] - LIGHT[0])
    return [(clock, processors) for clock, processors in differences.tolist()]


def _light_cells(executor: dict[str, Any], cells: int) -> tuple[float, float]:
    steps = [{"transformer": "standardize"}, {"classifier": "nearest_mean"}]
    with tempfile.TemporaryDirectory() as folder:
        spec = _spec(TRIVIAL["nearest_mean"], 1, Path(folder) / "light.sqlite")
        spec["pipelines"] = [{"id": "light", "steps": steps}]
        spec["evaluation"]["resampling"]["repeats"] = cells // 10
        start, before = perf_counter(), _spent()
        run_experiment(spec, executor=executor)
        return perf_counter() - start, _spent() - before


def _spent() -> float:
    """Processor time of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _starts() -> Iterator[Row]:
    """Yield whole processes, by the clock, with few and with many distributions installed."""
    listing = "import sys; from ilk.cli import main; sys.argv = ['ilk', 'list', '--json']; main()"
    for number in (5, 300):
        with tempfile.TemporaryDirectory() as folder:
            for i in range(number):
                _install(Path(folder), i)
            python = _start("pass", folder)
            for what, code in (("import ilk", "import ilk"), ("ilk list", listing)):
                yield Row(
                    f"{what}, {number} more distributions installed",
                    "",
                    None,
                    math.nan,
                    _start(code, folder),
                    f"by the clock; Python alone {python:.3f} s",
                )


def _install(folder: Path, number: int) -> None:
    """Write the metadata of a distribution that offers two components."""
    info = folder / f"ilk_fake_{number}-1.0.dist-info"
    info.mkdir()
    name = f"Metadata-Version: 2.1\nName: ilk-fake-{number}\nVersion: 1.0\n"
    (info / "METADATA").write_text(name, encoding="utf-8")
    offers = ("ilk.distances", f"d{number}", "D"), ("ilk.classifiers", f"c{number}", "C")
    points = (f"[{group}]\n{name} = fake{number}:{cls}\n" for group, name, cls in offers)
    (info / "entry_points.txt").write_text("".join(points), encoding="utf-8")


def _start(code: str, folder: str) -> float:
    """Least seconds of a line of Python in a process that finds the distributions of a folder."""
    path = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
    environment, command = {**os.environ, "PYTHONPATH": path}, [sys.executable, "-c", code]

    def process() -> None:
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)

    return min(_seconds(process, perf_counter) for _ in range(5))


def _seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


LARGE = """
import json, resource, sys, time
from pathlib import Path
def peak():
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
import ilk, numpy as np
from ilk_evaluation import plan_experiment, run_experiment
class Constant(ilk.Classifier):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.full(len(X), self.classes_[0])
ilk.registry("classifier").register("constant", Constant)
what, repeats, store = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
run_experiment({
    "datasets": ["iris"], "pipelines": [{"id": "p", "steps": [{"classifier": "constant"}]}],
    "evaluation": {"resampling": {"use": "kfold", "folds": 2}},
})
before, start = peak(), time.process_time()
if what == "report":
    ilk.results(store).table()
else:
    spec = {
        "datasets": ["iris"],
        "pipelines": [{"id": "p", "steps": [{"classifier": "constant"}]}],
        "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 10, "repeats": repeats}},
        "output": {"store": str(store)},
    }
    plan = plan_experiment(spec)
    if what != "plan":
        run_experiment(plan)
print(json.dumps([time.process_time() - start, peak() - before]))
"""


def _plans() -> Iterator[Row]:
    """Yield the work around ever more trivial cells, which grows no faster than their number."""
    titles = {
        "plan": "build",
        "run": "build, run, score",
        "resume": "build, find nothing to do, score",
        "report": "score from the store alone",
    }
    before = dict.fromkeys(titles, math.nan)
    for cells in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "large.sqlite"
            for what, title in titles.items():
                command = [sys.executable, "-c", LARGE, what, str(cells // 10), str(store)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                taken, grown = json.loads(done.stdout)
                note = f"{1e6 * taken / cells:.0f} us a cell; {grown:.0f} MiB beyond the start"
                if what == "report":
                    note += f"; the store is {store.stat().st_size / 2**20:.1f} MiB"
                faster, peer = before[what] / (taken / cells), f"a cell of {SIZES[0]}"
                first = math.isnan(faster)
                yield Row(
                    f"a plan of {cells} cells: {title}",
                    "" if first else peer,
                    None if first else 0.8,
                    faster,
                    taken,
                    note,
                )
                before[what] = taken / cells
