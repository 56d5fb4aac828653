"""What the machinery of experiments costs; run it with ``python benchmarks/overhead.py``.

1. A cell of `run_experiment`, storage and scoring included, against a hand-written loop over
   the same folds and against `sklearn.model_selection.cross_validate`.
2. Starting: `import ilk` and `ilk list` with 5 and with 300 more distributions installed.
3. A plan of many cells: built, run, resumed and reported, with the memory that takes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

TRIVIAL: dict[str, dict[str, Any]] = {
    "dummy": {"use": "sklearn", "estimator": "DummyClassifier"},
    "nearest_mean": {"use": "nearest_mean"},
}


def spec_of(classifier: dict[str, Any], n: int, repeats: int, store: Path) -> dict[str, Any]:
    """An experiment on iris with n pipelines that differ in a parameter only."""
    return {
        "datasets": ["iris"],
        "pipelines": [
            {"id": f"p{i}", "steps": [{"classifier": differing(classifier, i)}]} for i in range(n)
        ],
        "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 10, "repeats": repeats}},
        "output": {"store": str(store)},
    }


def differing(classifier: dict[str, Any], number: int) -> dict[str, Any]:
    """Content keys would run equal pipelines once."""
    if classifier["use"] == "sklearn":
        return {**classifier, "random_state": number}
    return {**classifier, "metric": "mahalanobis", "shrinkage": number / 10}


def seconds(action: Any, times: int, clock: Callable[[], float] = perf_counter) -> float:
    """Least time of an action: what else the machine does only adds to it."""
    taken = []
    for _ in range(times):
        start = clock()
        action()
        taken.append(clock() - start)
    return min(taken)


def cell_costs(name: str, n: int, repeats: int, times: int) -> dict[str, float]:
    """Milliseconds of processor time of a cell: bare loop, cross_validate, and ours."""
    import numpy as np
    from sklearn.base import clone
    from sklearn.model_selection import cross_validate

    from ilk_evaluation import plan_experiment, run_experiment

    with tempfile.TemporaryDirectory() as folder:
        stores = (Path(folder) / f"{i}.sqlite" for i in range(1000))

        def ours() -> None:
            run_experiment(spec_of(TRIVIAL[name], n, repeats, next(stores)))

        plan = plan_experiment(spec_of(TRIVIAL[name], n, repeats, next(stores)))
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

        ours()  # imports and caches
        cells = len(splits) * n
        return {
            what: seconds(action, times, process_time) / cells * 1000
            for what, action in (("bare", bare), ("sklearn", theirs), ("ilk", ours))
        }


def print_costs(arguments: argparse.Namespace) -> None:
    print("processor milliseconds a cell          bare  cross_validate     ilk  overhead  ilk/bare")
    for name in TRIVIAL:
        for n in (1, 5):
            cost = cell_costs(name, n, arguments.repeats, arguments.times)
            over, ratio = cost["ilk"] - cost["bare"], cost["ilk"] / cost["bare"]
            print(
                f"{name}, {n} pipeline{'s' if n > 1 else ''}".ljust(34),
                f"{cost['bare']:8.3f}  {cost['sklearn']:14.3f}  {cost['ilk']:6.3f}",
                f"{over:9.3f}  {ratio:8.2f}",
            )


def install(folder: Path, number: int) -> None:
    """Write the metadata of a distribution that offers two components."""
    info = folder / f"ilk_fake_{number}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: ilk-fake-{number}\nVersion: 1.0\n"
    )
    offers = ("ilk.distances", f"d{number}", "D"), ("ilk.classifiers", f"c{number}", "C")
    points = (f"[{group}]\n{name} = fake{number}:{cls}\n" for group, name, cls in offers)
    (info / "entry_points.txt").write_text("".join(points))


def start(code: str, folder: str) -> None:
    """Run a line of Python in a process that finds the distributions of a folder."""
    environment = {**os.environ, "PYTHONPATH": folder}
    command = [sys.executable, "-c", code]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)


def print_starts(arguments: argparse.Namespace) -> None:
    listing = "import sys; from ilk.cli import main; sys.argv = ['ilk', 'list', '--json']; main()"
    commands = {"python": "pass", "import ilk": "import ilk", "ilk list": listing}
    print("\nseconds to start".ljust(39), *(f"{name:>12}" for name in commands))
    for number in (0, 5, 300):
        with tempfile.TemporaryDirectory() as folder:
            for i in range(number):
                install(Path(folder), i)
            taken = [
                seconds(partial(start, code, folder), arguments.times) for code in commands.values()
            ]
        print(f"{number} more distributions".ljust(38), *(f"{value:12.3f}" for value in taken))


LARGE = """
import json, resource, sys, time
from pathlib import Path
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
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
before, start = peak(), time.perf_counter()
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
print(json.dumps([time.perf_counter() - start, before, peak()]))
"""


def print_plan(arguments: argparse.Namespace) -> None:
    repeats = arguments.cells // 10
    print(f"\na plan of {repeats * 10} cells".ljust(39), "     seconds   peak MiB  over the start")
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "large.sqlite"
        for what, title in (
            ("plan", "build"),
            ("run", "build, run, report"),
            ("resume", "build, find nothing to do, report"),
            ("report", "report from the store alone"),
        ):
            command = [sys.executable, "-c", LARGE, what, str(repeats), str(store)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            taken, before, peak = json.loads(done.stdout)
            print(title.ljust(38), f"{taken:12.1f} {peak:10.0f} {peak - before:15.0f}")
        print(f"{'the store':38} {store.stat().st_size / 2**20:12.1f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--repeats", type=int, default=30, help="of ten folds, for the cost of a cell"
    )
    parser.add_argument("--times", type=int, default=5, help="of which the least is taken")
    parser.add_argument("--cells", type=int, default=100_000, help="of the large plan")
    arguments = parser.parse_args()
    print_costs(arguments)
    print_starts(arguments)
    print_plan(arguments)


if __name__ == "__main__":
    main()
