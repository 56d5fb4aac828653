"""What running costs beside the fits: imports, planning, storage, scoring."""

import subprocess
import sys
from time import process_time

import numpy as np
import pandas as pd
import pytest

import ilk
from ilk_evaluation import run_experiment

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
SELDOM_NEEDED = [
    "dask",
    "distributed",
    "ilk_evaluation.report",
    "loky",
    "matplotlib",
    "mpi4py",
    "sklearn.metrics",
    "sklearn.model_selection",
    "sklearn.neighbors",
]
IMPORTED = """
import sys
from ilk.cli import main
sys.argv = ["ilk", "run", "loo.toml", "--quiet"]
try:
    main()
finally:
    print(*[name for name in {names!r} if name in sys.modules], sep=",", file=sys.stderr)
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with an experiment and its 2000 rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 2000)
    X = (rng.normal(size=(2000, 20)) + 0.4 * y[:, None]).round(4)
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(20)])
    table.assign(**{"class": np.array(list("abcde"))[y]}).to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "loo.toml").write_text(SPEC)
    return tmp_path


def test_leave_one_out_of_2000_rows(folder):
    file = folder / "loo.toml"
    results = run_experiment(file)
    seconds = []
    for i in range(3):
        start = process_time()
        results = run_experiment(file, store=folder / f"{i}.sqlite")
        results.summary()
        seconds.append(process_time() - start)
    assert min(seconds) < 1.0  # 0.25 on a machine that does nothing else
    data = ilk.dataset("csv", path=str(folder / "rows.csv"), target="class").load()
    X = np.asarray(data.X, dtype=float)
    gaps = ((X[:, None, :3] - X[None, :, :3]) ** 2).sum(axis=2)
    for column in range(3, 20):
        gaps += (X[:, None, column] - X[None, :, column]) ** 2
    np.fill_diagonal(gaps, np.inf)
    assert results.table()["error"][0] == np.mean(data.y[gaps.argmin(axis=1)] != data.y)


def test_a_run_imports_nothing_that_it_does_not_use(folder):
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED.format(names=SELDOM_NEEDED)],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0
    assert done.stderr == "\n"
    assert "leave-one-out without refitting (2000 of 2000 cells)" in done.stdout


def test_a_cell_costs_little_beside_its_fit(make_spec):
    def run(repeats):
        spec = make_spec(
            datasets=[{"use": "t_blobs"}],
            pipelines=[make_spec.pipeline("shares", "t_shares")],
            evaluation={"resampling": {"use": "repeated_kfold", "folds": 4, "repeats": repeats}},
        )
        del spec["output"]
        start = process_time()
        run_experiment(spec)
        return process_time() - start

    run(1)
    few, many = (min(run(repeats) for _ in range(3)) for repeats in (1, 100))
    assert (many - few) / 396 < 0.003  # 0.7 ms on a machine that does nothing else
