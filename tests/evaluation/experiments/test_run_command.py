"""The command ``ilk run``: what it prints, keeps and returns."""

import re
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from ilk.cli.shell import run as ilk_command
from ilk_evaluation import Store, run_experiment

ROOT = Path(__file__).parents[3]
SPEC = """\
[[datasets]]
use = "t_blobs"
[[datasets]]
use = "t_blobs"
p = 3
[[pipelines]]
id = "nearest"
steps = [{ classifier = "t_nearest" }]
[[pipelines]]
id = "other"
steps = [{ classifier = "t_shares" }]
[evaluation]
resampling = { use = "kfold", folds = 2 }
"""


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(SPEC)
    return path


@pytest.fixture
def call(capsys):
    def run(*arguments):
        code = ilk_command(["run", *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


def test_it_prints_the_table_and_keeps_the_predictions(call, spec):
    code, out, err = call(spec)
    assert code == 0
    assert out.startswith("tiny: 2 data sets, 2 pipelines, kfold(folds=2), seed 0\n")
    assert err.splitlines()[-1] == "8/8 cells, 0 failed, done in 0 s"
    with Store.read(spec.parent / "results" / "tiny.sqlite") as store:
        assert len(store.statuses()) == 8


def test_python_gives_the_same_table(call, spec, capsys):
    from ilk_evaluation.commands.terminal_tables import console_on, print_results

    _, out, _ = call(spec)
    results = run_experiment(spec)
    print_results(console_on(sys.stdout), results)
    assert capsys.readouterr().out == out
    again = run_experiment(spec, fresh=True).table()
    pd.testing.assert_frame_equal(
        again.drop(columns="fit_seconds"), results.table().drop(columns="fit_seconds")
    )


def test_a_rerun_is_quiet_about_what_it_need_not_do(call, spec, components):
    first = call(spec)
    second = call(spec)
    assert second == (0, first[1], "")
    assert components["t_nearest"].fits == 2 + 4  # two of them are trials
    assert call(spec, "--fresh", "--quiet")[2] == ""
    assert components["t_nearest"].fits == 2 * (2 + 4)


def test_a_dry_run_fits_and_writes_nothing(call, spec, components):
    before = sorted(spec.parent.rglob("*"))
    code, out, err = call(spec, "--dry-run")
    assert (code, err) == (0, "")
    assert "8 cells, 0 of them done" in out
    assert components["t_nearest"].fits == 0
    assert sorted(spec.parent.rglob("*")) == before
    call(spec)
    spec.write_text(SPEC.replace("t_shares", "t_lot"))
    store = spec.parent / "results" / "tiny.sqlite"
    content = store.read_bytes()
    assert "8 cells, 4 of them done" in call(spec, "--dry-run")[1]
    assert "8 cells, 0 of them done" in call(spec, "--dry-run", "--fresh")[1]
    assert store.read_bytes() == content
    assert list(store.parent.iterdir()) == [store]


def test_the_store_can_be_elsewhere(call, spec, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call(spec, "--store", "there/mine.sqlite")[0] == 0
    assert (tmp_path / "there" / "mine.sqlite").exists()
    assert not (tmp_path / "results").exists()


def test_failed_cells_make_it_one(call, spec, components):
    spec.write_text(SPEC.replace("t_shares", "t_fussy"))
    code, out, _ = call(spec, "--keep-going")
    assert code == 1
    assert "4 of 8 cells failed:" in out
    assert call(spec)[0] == 1
    components["t_fussy"].on = False
    assert call(spec)[0] == 1
    assert call(spec, "--retry-failed")[0] == 0


def test_a_numeric_pipeline_on_nominal_data_fails_with_what_to_do(call, tmp_path):
    path = tmp_path / "words.toml"
    path.write_text(
        'datasets = ["tic_tac_toe"]\n[[pipelines]]\nid = "x"\nsteps = [{ classifier = "knn" }]\n'
        '[evaluation]\nresampling = "holdout"\n'
    )
    code, out, err = call(path)
    assert (code, out) == (2, "")
    assert re.match(rf"Error: {path}:2: pipelines\[0\]: 'x' fails on tic_tac_toe: .*one_hot", err)
    code, out, _ = call(path, "--keep-going")
    assert code == 1
    assert re.search(r"tic_tac_toe, x \(1 cell\): InputError: .*nominal columns.*one_hot", out)


def test_on_error_raise_makes_it_one_and_says_what_is_kept(call, spec):
    spec.write_text(SPEC.replace("t_shares", "t_fussy") + '[run]\non_error = "raise"\n')
    code, out, err = call(spec, "--quiet", "--keep-going")
    assert (code, out) == (1, "")
    first, second = err.splitlines()
    assert first == (
        "blobs2, other, repeat 0, fold 0 failed: ValueError: no appetite for 2 features"
    )
    assert second.startswith("1 of 8 cells are kept in ")


def test_an_interrupt_makes_it_130_and_says_how_to_go_on(call, spec, components):
    spec.write_text(
        SPEC.replace(
            'classifier = "t_shares"', 'classifier = { use = "t_fussy", how = "interrupt" }'
        )
    )
    code, out, err = call(spec, "--quiet")
    assert (code, out) == (130, "")
    assert re.fullmatch(
        r"interrupted: 5 of 8 cells are kept in .*tiny\.sqlite; run the same command again to "
        r"go on\n",
        err,
    )
    assert components["t_nearest"].fits == 2 + 3  # two of them are trials
    components["t_fussy"].on = False
    assert call(spec, "--quiet")[0] == 0
    assert components["t_nearest"].fits == 2 + 3 + 1 + 1  # it is warmed again


def test_the_quickstart_is_a_sound_plan(call, tmp_path):
    code, out, err = call(
        ROOT / "examples" / "quickstart.toml", "--dry-run", "--store", tmp_path / "x.sqlite"
    )
    assert (code, err) == (0, "")
    sets, pipelines = map(int, re.search(r"(\d+) data sets, (\d+) pipelines", out).groups())
    assert sets >= 4
    assert pipelines >= 5


@pytest.mark.slow
def test_the_quickstart_runs_without_a_failed_cell(call, tmp_path):
    start = time.monotonic()
    code, out, _ = call(ROOT / "examples" / "quickstart.toml", "--store", tmp_path / "x.sqlite")
    assert code == 0
    assert time.monotonic() - start < 120
    assert "friedman_nemenyi: " in out


@pytest.mark.parametrize("number", ["9" * 100, "9" * 5000], ids=["long", "very long"])
@pytest.mark.parametrize("shard", ["{}/2", "1/{}", "-{}/2"])
def test_a_shard_of_absurd_numbers_is_a_mistake_like_others(call, spec, number, shard):
    code, _, err = call(spec, "--dry-run", "--shard", shard.format(number))
    assert (code, "Error: shard must be i/n, the i-th of n, as in 1/4, got" in err) == (2, True)


def test_a_shard_of_many_more_than_there_are_cells_is_empty(call, spec):
    code, out, _ = call(spec, "--quiet", "--shard", f"1/{9 * 10**98}")
    assert (code, "has 0 of " in out) == (0, True)


def test_the_plan_names_data_from_elsewhere(call, tmp_path):
    folder = tmp_path / "theirs"
    folder.mkdir()
    spec = folder / "x.toml"
    tables = []
    for path in (folder / "near.csv", tmp_path / "far.csv"):
        path.write_text("a,class\n1,x\n2,y\n3,x\n4,y\n")
        tables.append(f'[[datasets]]\nuse = "csv"\npath = "{path}"\n')
    (folder / "link.csv").symlink_to(tmp_path / "far.csv")
    tables.append('[[datasets]]\nuse = "csv"\npath = "link.csv"\nmissing = "complete"\n')
    spec.write_text("".join(tables) + SPEC[SPEC.index("[[pipelines]]") :])
    code, out, _ = call(spec, "--dry-run")
    assert code == 0
    said = [line for line in out.splitlines() if line.startswith("reads ")]
    assert said == [f"reads {tmp_path / 'far.csv'}, which is not in the folder of the file"]
