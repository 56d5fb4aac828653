"""Leave-one-out of the nearest neighbour on 2000 rows as an experiment, and what a start costs.

Compiled code is in numba's cache, as it is after the first run on a machine.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from measure import Row, compare, within
from sklearn.model_selection import LeaveOneOut, cross_validate
from sklearn.neighbors import KNeighborsClassifier

import ilk
from ilk_evaluation import run_experiment

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
