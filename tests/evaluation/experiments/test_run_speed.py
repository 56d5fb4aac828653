"""What running costs beside the fits: imports, planning, storage, scoring."""

import tomllib

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
SPEC_TABLE = tomllib.loads(SPEC)
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
    results = run_experiment(folder / "loo.toml")
    data = ilk.dataset("csv", path=str(folder / "rows.csv"), target="class").load()
    X = np.asarray(data.X, dtype=float)
    gaps = ((X[:, None, :3] - X[None, :, :3]) ** 2).sum(axis=2)
    for column in range(3, 20):
        gaps += (X[:, None, column] - X[None, :, column]) ** 2
    np.fill_diagonal(gaps, np.inf)
    assert results.table()["error"][0] == np.mean(data.y[gaps.argmin(axis=1)] != data.y)


def test_a_run_imports_nothing_that_it_does_not_use(folder, run_python):
    done = run_python("-c", IMPORTED.format(names=SELDOM_NEEDED), cwd=folder)
    assert done.returncode == 0
    assert done.stderr == "\n"
    assert "leave-one-out without refitting (2000 of 2000 cells)" in done.stdout


def test_calls_do_not_grow_faster_than_rows_and_cells(folder, make_spec, count_calls):
    """Times are those of `benchmarks/evaluation/overhead.py`; calls are the same everywhere."""

    def leave_one_out(rows):
        table = pd.read_csv(folder / "rows.csv")[:rows]
        data = folder / f"{rows}.csv"
        table.to_csv(data, index=False)
        spec = {**SPEC_TABLE, "datasets": [{"use": "csv", "path": str(data), "target": "class"}]}
        return lambda: run_experiment(spec).summary()

    def folds(repeats):
        spec = make_spec(
            datasets=[{"use": "t_blobs"}],
            pipelines=[make_spec.pipeline("shares", "t_shares")],
            evaluation={"resampling": {"use": "repeated_kfold", "folds": 4, "repeats": repeats}},
        )
        del spec["output"]
        return lambda: run_experiment(spec)

    leave_one_out(100)()  # loads what all need
    folds(1)()
    rows = count_calls(leave_one_out(2000)) - count_calls(leave_one_out(1000))
    assert rows / 1000 < 500  # 150 to 460: nothing is fitted again for a row
    cells = count_calls(folds(11)) - count_calls(folds(1))
    assert cells / 40 < 2500  # 1350
