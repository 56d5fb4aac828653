"""Leave-one-out of the nearest neighbour on 2000 rows, what a start costs, and shared work.

The work that pipelines share is measured on `examples/thesis_chapter4.toml`, with five k in place
of one for each of its learners.

Compiled code is in numba's cache, as it is after the first run on a machine.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import tomllib
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import measure
import numpy as np
import pandas as pd
from measure import Row, compare, within
from sklearn.model_selection import LeaveOneOut, cross_validate
from sklearn.neighbors import KNeighborsClassifier

import ilk
from ilk_evaluation import plan_experiment, run_experiment
from ilk_evaluation.run import runner
from ilk_evaluation.run.worker_context import SharedSteps

if TYPE_CHECKING:
    from collections.abc import Iterator

N, P, CLASSES = 2000, 20, 5
TRIED = 50  # splits of the peer, which takes as long for each
LIMIT = 0.5
SPEC = """
[[datasets]]
use = "csv"
path = "rows.csv"
target = "class"

[[pipelines]]
id = "1-NN"
steps = [{ classifier = { use = "knn", k = 1 } }]

[evaluation]
resampling = "leave_one_out"
measures = ["error"]
"""
START = "import sklearn.base"
RUN = "from ilk.cli import main; main()"


def rows() -> Iterator[Row]:
    """Yield rows: in a process that has started, beside scikit-learn; and of whole processes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        X, y = _written(folder)
        work = f"leave-one-out of 1-NN, {N} x {P}, from a TOML file to its tables"
        nearest = ilk.classifier("knn", k=1)
        stores = (folder / f"{i}.sqlite" for i in count())

        def ours() -> None:
            run_experiment(folder / "loo.toml", store=next(stores)).summary()

        def theirs() -> None:
            splits = list(LeaveOneOut().split(X))[:: N // TRIED]
            cross_validate(KNeighborsClassifier(1), X, y, cv=splits)

        yield within(work, LIMIT, ours, repeats=7)
        yield compare(work, "scikit-learn's cross_validate", None, ours, theirs, scale=N / TRIED)
        yield compare(
            work,
            "one search (knn.leave_one_out)",
            None,
            ours,
            lambda: nearest.leave_one_out(X, y),
            note="what the machinery of experiments adds",
        )
        yield from _processes(folder)
    yield from _shared()


def _written(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, N)
    X = (rng.normal(size=(N, P)) + 0.4 * y[:, None]).round(4)
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(P)])
    table.assign(**{"class": np.array(list("abcde"))[y]}).to_csv(folder / "rows.csv", index=False)
    (folder / "loo.toml").write_text(SPEC)
    return X, y


def _processes(folder: Path) -> Iterator[Row]:
    """Yield whole processes: start, imports, run, tables; most of it is imports."""
    command = [RUN, "run", str(folder / "loo.toml"), "--fresh", "--quiet"]
    wall, cpu = _process(command)
    _, floor = _process([START])
    yield Row(
        "the same by `ilk run`, a process of its own",
        f"a limit of {LIMIT:g} s",
        1.0,
        LIMIT / cpu,
        cpu,
        f"{floor:.2f} s of it is `{START}`; {wall:.2f} s by the clock",
    )


CHAPTER = Path(__file__).parents[2] / "examples" / "thesis_chapter4.toml"
ROUNDS = 2  # of 40
FACTOR = 1.3
"""Most that five k may cost, in runs with one k."""


def _shared() -> Iterator[Row]:
    """Yield five k for each learner of chapter 4, beside one k, and beside no shared work."""
    one, five = _chapter([1]), _chapter([1, 3, 5, 7, 9])
    work = f"thesis_chapter4.toml, {ROUNDS} x 2 folds, k in {{1, 3, 5, 7, 9}} for each learner"
    _run(one)
    times = [(_run(one)[0], *_run(five)) for _ in range(min(2, measure.most_repeats))]
    alone, shared = min(t for t, _, _ in times), min(t for _, t, _ in times)
    cells = plan_experiment(five).n_cells
    note = f"{shared / alone:.2f} runs with k = 1, of {alone:.1f} s"
    yield Row(work, f"{FACTOR} runs with k = 1", 1.0, FACTOR * alone / shared, shared, note)
    unshared, _ = _run(five, share=False)
    kept = max(n for _, _, n in times)
    note = f"{unshared:.0f} s for {cells} cells; {kept / 2**20:.1f} MiB of rows kept in memory"
    yield Row(work, "share = false", None, unshared / shared, shared, note)


def _chapter(ks: list[int]) -> dict[str, Any]:
    """Return the experiment with other k, in this process."""
    spec = tomllib.loads(CHAPTER.read_text())
    each = [
        {
            "id": f"{p['id']} {k}",
            "steps": [*p["steps"][:-1], {"classifier": {"use": "knn", "k": k}}],
        }
        for p in spec["pipelines"]
        for k in ks
    ]
    resampling = {**spec["evaluation"]["resampling"], "repeats": ROUNDS}
    evaluation = {**spec["evaluation"], "resampling": resampling}
    named = {name: spec[name] for name in ("experiment", "datasets")}
    return {**named, "pipelines": each, "evaluation": evaluation}


def _run(spec: dict[str, Any], *, share: bool = True) -> tuple[float, int]:
    """Seconds of processor time of a run, and most bytes of the results that it kept."""
    made: list[SharedSteps] = []

    class Seen(SharedSteps):
        most = 0

        def _remember(self, key: Any, content: bytes) -> None:
            super()._remember(key, content)
            self.most = max(self.most, sum(map(len, self._kept.values())))

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            made.append(self)

    usual, runner.SharedSteps = runner.SharedSteps, Seen  # type: ignore[misc]
    try:
        start = process_time()
        run_experiment(spec, share=share)
        return process_time() - start, max(seen.most for seen in made)
    finally:
        runner.SharedSteps = usual  # type: ignore[misc]


def _process(code: list[str], repeats: int = 3) -> tuple[float, float]:
    """Medians of seconds, by the clock and of the processor, of a program in Python."""
    taken = []
    for _ in range(repeats):
        before, start = _spent(), perf_counter()
        subprocess.run([sys.executable, "-c", *code], check=True, stdout=subprocess.DEVNULL)
        taken.append((perf_counter() - start, _spent() - before))
    return median(wall for wall, _ in taken), median(cpu for _, cpu in taken)


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
