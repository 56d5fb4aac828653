"""The commands ``ilk results``: what they print and write, and their exit codes."""

import csv
import io
import json
import re
import shlex
import shutil
import sqlite3
import sys
from contextlib import closing

import pandas as pd
import pytest
from markdown_it import MarkdownIt

import ilk
from ilk.cli.shell import run as ilk_command
from ilk_evaluation import Store, StoreError, run_experiment
from ilk_evaluation.lock import Lock
from ilk_evaluation.results.export import write

SPEC = """\
[[datasets]]
use = "t_blobs"
[[datasets]]
use = "t_blobs"
p = 3
[[pipelines]]
id = "near_est & 100%"
steps = [{ classifier = "t_nearest" }]
[[pipelines]]
id = "other"
steps = [{ classifier = "t_shares" }]
[evaluation]
resampling = { use = "kfold", folds = 2 }
"""


@pytest.fixture
def call(capsysbinary):
    def run(*arguments):
        code = ilk_command([*map(str, arguments)])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tiny.toml"
    path.write_text(SPEC)
    return path


@pytest.fixture
def store(spec):
    return run_experiment(spec).design.store


def test_show_prints_what_run_printed(call, spec, components):
    _, printed, _ = call("run", spec, "--quiet")
    fits = components["t_nearest"].fits
    assert call("results", "show", spec.parent / "results" / "tiny.sqlite") == (0, printed, "")
    assert components["t_nearest"].fits == fits


def test_show_takes_measures_and_parts(call, store):
    code, out, _ = call(
        "results",
        "show",
        store,
        "--measure",
        "accuracy",
        "--dataset",
        "blobs3",
        "--pipeline",
        "other",
    )
    assert code == 0
    assert out.startswith("tiny: 1 data set, 1 pipeline,")
    assert "accuracy" in out
    assert "blobs2" not in out


def test_csv_holds_the_table(call, store):
    code, out, _ = call("results", "export", store)
    assert code == 0
    found = pd.read_csv(io.StringIO(out))
    pd.testing.assert_frame_equal(found, ilk.results(store).table(), check_exact=True)


def test_either_of_two_experiments_in_a_store_is_shown(call, make_spec):
    alone = {}
    for name, classifier in [("one", "t_fussy"), ("other", "t_shares")]:
        pipelines = [make_spec.pipeline(f"by {name}", classifier)]
        ran = run_experiment(
            make_spec(experiment={"name": name}, pipelines=pipelines), keep_going=True
        )
        store = ran.design.store
        alone[name] = [call("results", command, store) for command in ("export", "failures")]
    for name, beside in [("one", "other"), ("other", "one")]:
        of_it = (store, "--experiment", name)
        code, shown, _ = call("results", "show", *of_it)
        assert (code, shown.startswith(f"{name}: 2 data sets, 1 pipeline,")) == (0, True)
        assert f"by {beside}" not in shown
        assert f"also holds the experiment '{beside}' (--experiment {beside})" in shown
        found = [call("results", command, *of_it) for command in ("export", "failures")]
        assert found == alone[name]
    code, _, err = call("results", "export", store, "--experiment", "othe")
    assert code == 2
    assert "holds no experiment 'othe'; did you mean 'other'? (there are: one, other)" in err


def test_without_timings_the_bytes_are_the_same_wherever_it_runs(call, spec, store, tmp_path):
    _, one, _ = call("results", "export", store, "--no-timings")
    turned = (
        SPEC
        + '[run]\nexecutor = { use = "t_threads", workers = 3 }\n[output]\nstore = "b.sqlite"\n'
    )
    spec.write_text(turned)
    run_experiment(spec)
    _, other, _ = call("results", "export", tmp_path / "b.sqlite", "--no-timings")
    assert one == other
    assert "seconds" not in one
    assert len(list(csv.reader(io.StringIO(one)))) == 5


@pytest.mark.parametrize("table", ["table", "summary", "scores", "cells"])
def test_timings_can_be_left_out_of_every_table(call, store, table):
    measure = ("--measure", "predict_seconds")
    _, out, _ = call("results", "export", store, "--table", table, "--no-timings", *measure)
    assert "seconds" not in out
    assert "seconds" in call("results", "export", store, "--table", table, *measure)[1]


def test_a_rank_by_the_clock_is_a_timing(call, spec, store):
    spec.write_text(SPEC + 'measures = ["fit_seconds"]\n')
    run_experiment(spec)
    _, out, _ = call("results", "export", store, "--no-timings")
    assert out.splitlines()[0] == "dataset,pipeline,n_failed,n_fallback,n_missing"


def test_markdown_and_latex_escape_and_round(call, store):
    _, out, _ = call("results", "export", store, "--format", "markdown", "--no-timings")
    head, rule, *rows = out.splitlines()
    assert head.startswith("| dataset | pipeline | error |")
    assert rule.startswith("| --- | --- | ---: |")
    assert len(rows) == 4
    value = ilk.results(store).table()["error"][0]
    assert rows[0].startswith(f"| blobs2 | near_est & 100% | {value:.4f} |")
    _, out, _ = call("results", "export", store, "--format", "latex", "--table", "pivot")
    assert r"dataset & near\_est \& 100\% & other \\" in out
    assert r"\begin{tabular}{lrr}" in out
    assert out.count(r"\\") == 3


@pytest.mark.parametrize("up", [False, True])
def test_latex_has_spreads_rounded_ranks_and_the_best_in_bold(call, store, up):
    name = "accuracy" if up else "error"
    results = ilk.results(store).score(name, only=True)
    export = ("results", "export", store, "--format", "latex", "--measure", name, "--no-timings")
    values, spreads = results.pivot(name), results.pivot(name, spread=True)
    _, out, _ = call(*export, "--table", "table")
    rows = [line.split(" & ") for line in out.splitlines() if line.startswith("blobs")]
    head = next(line for line in out.splitlines() if line.startswith("dataset")).split(" & ")
    place = head.index(name)
    found = {(row[0], row[1].replace("\\", "")): row for row in rows}
    for dataset in values.index:
        best = values.loc[dataset].max() if up else values.loc[dataset].min()
        for pipeline in values:
            value, spread = values.loc[dataset, pipeline], spreads.loc[dataset, pipeline]
            text = rf"\textbf{{{value:.4f}}}" if value == best else f"{value:.4f}"
            assert found[dataset, pipeline][place] == rf"{text} $\pm$ {spread:.4f}"
    assert not any("spread" in cell for cell in head)
    ranks = [row[head.index("rank")].removeprefix(r"\textbf{").rstrip("}") for row in rows]
    assert all(re.fullmatch(r"\d\.\d", rank) for rank in ranks)
    _, out, _ = call(*export, "--table", "summary")
    mean, spread = values["other"].mean(), values["other"].std()
    assert rf"{mean:.4f}" in out
    assert rf"$\pm$ {spread:.4f}" in out


HOSTILE = [
    *("=1+1", "+1+1", "-x", "@x", "[1ex]", "*", "a|b", "a\\|b", "*a*", "_a_", "`a`", "<b>x</b>"),
    *("&amp;", "[a](b)", "-1", "+.5", "plain_name", "x-y=z@w"),
]


def test_csv_of_hostile_names_computes_nothing():
    frame = pd.DataFrame({"=a": HOSTILE, "label": pd.Series([1, None] * 9, dtype=object)})
    head, *rows = csv.reader(io.StringIO(write(frame, "csv").decode()))
    assert head == ["'=a", "label"]
    guarded = {f"'{name}" for name in HOSTILE[:4]}
    assert [row[0] for row in rows if row[0] in HOSTILE] == HOSTILE[4:]
    assert {row[0] for row in rows} - set(HOSTILE) == guarded
    assert {row[1] for row in rows} == {"1", ""}  # numbers among them stay what they are


def test_markdown_of_hostile_names_shows_them_as_they_are():
    text = write(pd.DataFrame({"a|b": HOSTILE}), "markdown").decode()
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    shown = [token.children for token in tokens if token.type == "inline"]
    said = ["".join(child.content for child in children) for children in shown]
    assert said == ["a|b", *HOSTILE]
    assert {child.type for children in shown for child in children} == {"text"}
    assert "plain_name" in text


def test_latex_of_hostile_names_gives_no_command_an_argument():
    frame = pd.DataFrame({"[a": HOSTILE})
    rows = write(frame, "latex").decode().splitlines()
    assert not [row for row in rows if row.startswith(("[", "*"))]
    assert "{}[1ex] \\\\" in rows


def test_parquet_comes_back(call, store, tmp_path):
    path = tmp_path / "out.parquet"
    for _ in range(2):  # the second replaces the first
        code, out, _ = call("results", "export", store, "--format", "parquet", "--output", path)
    assert (code, out) == (0, "")
    pd.testing.assert_frame_equal(pd.read_parquet(path), ilk.results(store).table())
    again = tmp_path / "again.parquet"
    call("results", "export", store, "--format", "parquet", "--output", again)
    assert again.read_bytes() == path.read_bytes()


def test_parquet_without_pyarrow_says_what_to_install(call, store, tmp_path, monkeypatch):
    monkeypatch.setattr("ilk_evaluation.results.export.find_spec", lambda name: None)
    path = tmp_path / "out.parquet"
    code, _, err = call("results", "export", store, "--format", "parquet", "--output", path)
    assert code == 2
    assert "pip install pyarrow" in err
    assert not path.exists()


@pytest.mark.parametrize(
    "table", ["predictions", "failures", "cells", "scores", "summary", "pivot"]
)
@pytest.mark.parametrize("format_", ["csv", "parquet", "markdown", "latex"])
def test_every_table_in_every_format(call, store, tmp_path, table, format_):
    path = tmp_path / "out"
    command = ("results", "export", store, "--format", format_, "--table", table, "--output", path)
    assert call(*command) == (0, "", "")
    assert path.stat().st_size > 0


def test_failures_are_grouped_and_can_be_seen_again(call, spec, components):
    spec.write_text(SPEC.replace('"t_shares"', '"t_fussy"'))
    call("run", spec, "--quiet", "--keep-going")
    code, out, _ = call("results", "failures", "results/tiny.sqlite")
    assert code == 0
    assert out.startswith("1. 4 cells\n")  # one place in the code, two messages
    assert "ValueError: no appetite for 2 features (2 cells)" in out
    assert "ValueError: no appetite for 3 features (2 cells)" in out
    assert "in blobs3, other (2 cells)" in out
    assert "| raise ValueError(" in out
    again = shlex.split(re.search(r"again: (.*)", out)[1])
    assert again[:4] == ["ilk", "run", "tiny.toml", "--only"]
    assert again[5:] == ["--executor", "serial"]
    calls = components["t_fussy"].calls
    code, out, err = call(*again[1:])
    assert code == 1
    assert components["t_fussy"].calls == calls + 2  # on a few rows, then on all
    assert "no appetite for 2 features" in out + err
    assert (
        "Traceback (most recent call last)"
        in call("results", "failures", "results/tiny.sqlite", "--traceback")[1]
    )


def test_the_reproducer_names_a_store_that_is_elsewhere(call, spec, tmp_path):
    spec.write_text(SPEC.replace('"t_shares"', '"t_fussy"'))
    call("run", spec, "--quiet", "--keep-going", "--store", "else where.sqlite")
    _, out, _ = call("results", "failures", "else where.sqlite")
    assert "--executor serial --store 'else where.sqlite'\n" in out


def test_no_failure_is_said(call, store):
    assert call("results", "failures", store) == (0, "no cell failed, of 8\n", "")


def test_diff_of_equal_stores(call, spec, store, tmp_path):
    other = tmp_path / "other.sqlite"
    run_experiment(spec, store=other)
    assert call("results", "diff", store, other) == (0, "no difference in 8 cells\n", "")


def test_diff_says_what_is_unlike_and_by_how_much(call, spec, store, tmp_path):
    other = tmp_path / "other.sqlite"
    changed = SPEC.replace('"t_nearest"', '{ use = "t_nearest", power = 0.1 }')
    spec.write_text(changed.replace('id = "other"', 'id = "third"').replace("p = 3", "p = 4"))
    run_experiment(spec, store=other)
    code, out, err = call("results", "diff", store, other)
    assert (code, err) == (1, "")
    for line in (
        "data set 'blobs3' only in A",
        "data set 'blobs4' only in B",
        "pipeline 'other' only in A",
        "pipeline 'third' only in B",
        "pipeline 'near_est & 100%': [0].classifier.power 2 in A, 0.1 in B",
    ):
        assert line in out.splitlines()
    a, b = (ilk.results(path).pivot().loc["blobs2", "near_est & 100%"] for path in (store, other))
    assert a != b
    assert f"error: {a:.4f} in A, {b:.4f} in B ({b - a:+.2g})" in out
    assert re.search(r"blobs2, near_est & 100%, repeat 0, fold \d: \d+ of 12 labels", out)
    assert call("results", "diff", store, other, "--tolerance", 1)[0] == 1


def test_diff_of_what_is_not_done_yet_names_no_gap(call, spec, store, tmp_path):
    part = tmp_path / "part.sqlite"
    run_experiment(spec, store=part, shard=(1, 2))
    code, out, err = call("results", "diff", part, store)
    assert (code, err) == (1, "")
    assert re.search(r"error: none in A, \d\.\d{4} in B$", out, re.MULTILINE)
    assert "nan" not in out


def test_diff_tells_status_seed_and_data_apart(call, spec, store, tmp_path, components):
    other = tmp_path / "other.sqlite"
    components["t_shares"].fit, fit = lambda *_: 1 / 0, components["t_shares"].fit
    try:
        run_experiment(spec, store=other, keep_going=True)
    finally:
        components["t_shares"].fit = fit
    code, out, _ = call("results", "diff", store, other)
    assert code == 1
    assert "4 of 8 cells differ:" in out
    assert "blobs2, other, repeat 0, fold 0: done in A, failed in B" in out
    spec.write_text(SPEC.replace("[[datasets]]", "[experiment]\nseed = 1\n[[datasets]]", 1))
    third = tmp_path / "third.sqlite"
    run_experiment(spec, store=third, keep_going=True)
    _, out, _ = call("results", "diff", store, third)
    assert "seed: 0 in A, 1 in B" in out.splitlines()
    assert "other test cases" in out


def test_diff_of_a_missing_store_is_trouble(call, store):
    code, out, err = call("results", "diff", store, "stor.sqlite")
    assert (code, out) == (2, "")
    assert err == "Error: stor.sqlite: there is no such store\n"


def test_info_tells_where_predictions_come_from(call, spec, store):
    code, out, _ = call("results", "info", store)
    assert code == 0
    for part in (
        f"from      {spec}",
        "8 in the store",
        "numpy",
        "ilk-core",
        "blobs2: 24 rows, 2 features, 3 classes, fingerprint ",
        "near_est & 100%: (session)/t_nearest ",
    ):
        assert part in out
    spec.write_text(SPEC.replace("kfold", "stratified_kfold"))
    run_experiment(spec)
    known = json.loads(call("results", "info", store, "--json")[1])
    assert [run["run"] for run in known["runs"]] == [1, 2]
    assert [run["text"] for run in known["runs"]] == [SPEC, spec.read_text()]
    assert known["runs"][0]["seed"] == 0
    assert known["pipelines"][1]["spec"] == [{"classifier": {"use": "t_shares"}}]
    assert "as in the run before" in call("results", "info", store)[1]


def test_info_of_an_experiment_in_python_holds_its_tables(call, make_spec):
    run = run_experiment(make_spec())
    code, out, _ = call("results", "info", run.design.store, "--json")
    assert code == 0
    text = json.loads(out)["runs"][0]["text"]
    assert json.loads(text)["pipelines"][0]["id"] == "nearest"


@pytest.mark.parametrize("command", ["show", "export", "failures", "info"])
def test_what_is_no_store_is_one_message_and_two(call, command, tmp_path):
    wrong = tmp_path / "wrong.sqlite"
    wrong.write_bytes(b"nothing of the kind" * 100)
    code, out, err = call("results", command, wrong)
    assert (code, out) == (2, "")
    assert err == f"Error: {wrong}: is not a store of ilk\n"


@pytest.fixture
def parts(spec, tmp_path):
    """Stores of two shards, and that of the whole."""
    stores = [tmp_path / f"{i}.sqlite" for i in (1, 2)]
    for i, part in enumerate(stores, 1):
        run_experiment(spec, store=part, shard=(i, 2))
    return stores, run_experiment(spec, store=tmp_path / "whole.sqlite").design.store


def names(folder):
    return sorted(path.name for path in folder.glob("*.sqlite*"))


def rewrite(store, statement):
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(statement)


def pages_of(store):
    """Where the content of each table is in the file."""
    with closing(sqlite3.connect(store)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        rows = connection.execute("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'")
        return {name: slice((page - 1) * size, page * size) for name, page in rows}


@pytest.mark.parametrize("table", ["runs", "planned", "datasets", "pipelines", "splits", "cells"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["last", "first"])
def test_merge_names_the_store_that_is_damaged(call, parts, tmp_path, table, order):
    (_, bad), _ = parts
    content, place = bytearray(bad.read_bytes()), pages_of(bad)[table]
    content[place] = bytes([255]) * (place.stop - place.start)
    bad.write_bytes(content)
    before = names(tmp_path)
    stores = [parts[0][i] for i in order]
    code, _, err = call("results", "merge", tmp_path / "out.sqlite", *stores)
    assert (code, names(tmp_path)) == (2, before)
    assert f"{bad}: is damaged (" in err
    assert ".part" not in err


@pytest.mark.parametrize(
    "statement",
    ["DROP TABLE cells", "DROP TABLE splits", "ALTER TABLE cells DROP COLUMN warnings"],
)
def test_merge_names_the_store_that_lacks_something(call, parts, tmp_path, statement):
    (good, bad), _ = parts
    rewrite(bad, statement)
    code, _, err = call("results", "merge", tmp_path / "out.sqlite", good, bad)
    assert (code, f"Error: {bad}: " in err) == (2, True)
    assert "out.sqlite" not in "".join(names(tmp_path))


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are Unix's")
def test_merge_on_a_full_disk_names_the_store_that_lacks_room(call, parts, tmp_path):
    import resource

    (one, two), whole = parts
    before = names(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    codes = []
    for room in range(0, 2 * whole.stat().st_size, 8192):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
        try:
            code, _, err = call("results", "merge", tmp_path / "out.sqlite", one, two)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        codes.append(code)
        if code == 0:
            break
        assert (names(tmp_path), ".part" in err) == (before, False)
        assert "out.sqlite: cannot be " in err
    assert len(codes) > 3
    assert codes[-1] == 0
    assert call("results", "diff", tmp_path / "out.sqlite", whole)[0] == 0


@pytest.mark.parametrize("statement", ["DELETE FROM cells", "UPDATE cells SET error = 'E: no'"])
def test_merge_leaves_a_store_alone_that_is_read(call, parts, tmp_path, statement):
    """What was written ahead beside it would be taken for a part of the store in its place."""
    (one, two), whole = parts
    target = shutil.copy(whole, tmp_path / "target.sqlite")
    with closing(sqlite3.connect(f"{target.as_uri()}?mode=ro", uri=True)) as reader:
        with closing(sqlite3.connect(target)) as writer:
            writer.execute("PRAGMA journal_mode = WAL")
            reader.execute("SELECT * FROM cells").fetchone()
            with writer:
                writer.execute(statement)
        code, _, err = call("results", "merge", target, one, two, "--force")
        assert code == 2
        assert "target.sqlite: cannot be replaced: a part of a store is in target.sqlite-wal" in err
    assert not [name for name in names(tmp_path) if "part" in name or "lock" in name]
    assert call("results", "merge", target, one, two, "--force")[0] == 0
    assert call("results", "diff", target, whole)[:2] == (0, "no difference in 8 cells\n")
    assert not (tmp_path / "target.sqlite-wal").exists()


@pytest.mark.parametrize("end", ["wal", "journal"])
def test_merge_takes_no_name_beside_which_a_part_of_another_is_left(call, parts, tmp_path, end):
    left = tmp_path / f"out.sqlite-{end}"
    left.write_bytes(b"of a store that was moved away")
    code, _, err = call("results", "merge", tmp_path / "out.sqlite", *parts[0])
    assert (code, f"a part of a store is in {left.name}" in err) == (2, True)
    assert left.read_bytes() == b"of a store that was moved away"
    assert not (tmp_path / "out.sqlite").exists()


@pytest.mark.parametrize("there", [True, False])
def test_merge_writes_where_a_link_leads(call, parts, tmp_path, there):
    (one, two), whole = parts
    place = tmp_path / "far" / "place.sqlite"
    place.parent.mkdir()
    if there:
        shutil.copy(one, place)
    link = tmp_path / "link.sqlite"
    link.symlink_to(place)
    lock = Lock(tmp_path / "far" / "place.sqlite.lock")
    code, _, err = call("results", "merge", link, one, two, "--force")
    lock.release()
    assert (code, "in use by another run" in err) == (2, True)
    with pytest.raises(StoreError, match="in use by another run"), Store.open(place):
        Store.open(link)
    assert call("results", "merge", link, one, two, "--force")[0] == 0
    assert link.is_symlink()
    assert names(place.parent) == ["place.sqlite"]
    assert call("results", "diff", place, whole)[0] == 0


def test_merge_takes_a_store_that_is_written_as_it_is(call, parts, tmp_path):
    (one, two), whole = parts
    with closing(sqlite3.connect(two)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM cells")
        assert call("results", "merge", tmp_path / "out.sqlite", one, two)[0] == 0
        writer.rollback()
    assert call("results", "diff", tmp_path / "out.sqlite", whole)[0] == 0
