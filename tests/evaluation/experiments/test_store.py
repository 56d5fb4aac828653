"""The store: what is put in comes out, survives a crash, and bad files are refused."""

import gc
import os
import sqlite3
import sys
from concurrent import futures
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import ilk
from cases import in_one_test, unix_only
from ilk.cli.shell import run as ilk_command
from ilk_evaluation import Store, StoreError, merge_stores, run_experiment
from ilk_evaluation.lock import Lock
from ilk_evaluation.results.opening import results
from ilk_evaluation.run.cell import Outcome
from ilk_evaluation.run.database import APPLICATION
from ilk_evaluation.run.sql import pack, pack_labels, unpack, unpack_labels
from stores import rewrite

DATA = ilk.Data(np.zeros((6, 2)), np.array(["a", "b", "c"] * 2), "six", ("u", "v"))
PLACE = {"run": 1, "pipeline": "p", "split": "s", "fingerprint": DATA.fingerprint}
TEST = np.array([1, 3, 4])


def outcome_of(**changes):
    given = {"codes": np.array([1, -1, 0], dtype=np.int32), "fit_seconds": 0.5}
    return Outcome(**{**given, "predict_seconds": 0.25, "reduction": 0.75, **changes})


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "a" / "b.sqlite") as opened:
        opened.add_dataset(DATA, 2)
        yield opened


def put(store, key="k", **changes):
    store.put(key, outcome_of(**changes), **PLACE, test=TEST)


def test_a_prediction_comes_back_as_it_was(store):
    probabilities = np.random.default_rng(0).random((3, 3))
    put(store, probabilities=probabilities)
    prediction = store.prediction("k")
    assert prediction.truth.tolist() == ["b", "a", "b"]
    assert prediction.labels[prediction.answered].tolist() == ["b", "a"]
    assert prediction.rejected.tolist() == [False, True, False]
    assert prediction.classes.tolist() == ["a", "b", "c"]
    assert prediction.indices.tolist() == TEST.tolist()
    np.testing.assert_array_equal(prediction.probabilities, probabilities)
    assert prediction.scores is None
    assert (prediction.fit_seconds, prediction.predict_seconds) == (0.5, 0.25)
    assert prediction.reduction == 0.75


def test_sizes_of_splits_are_kept_of_failed_cells_too(store):
    failed = Outcome(error="E: why", traceback="line 1")
    store.put("k", failed, **PLACE, test=TEST, n_train=7)
    store.put("m", failed, **{**PLACE, "split": "other"}, test=TEST)
    known, unknown = store.split_sizes().values()
    assert known == (7, len(TEST))
    assert np.isnan(unknown[0])


def test_a_failure_comes_back_as_it_was(store):
    failed = Outcome(warnings=("W: odd",), error="E: why", traceback="line 1\nline 2")
    store.put("k", failed, **PLACE, test=TEST)
    read = store.outcome("k")
    unknown = ("fit_seconds", "predict_seconds", "reduction")
    assert asdict(read) | dict.fromkeys(unknown, 0) == asdict(failed) | dict.fromkeys(unknown, 0)
    assert all(np.isnan(getattr(read, name)) for name in unknown)
    assert store.statuses() == {"k": "failed"}
    assert store.warnings() == {"k": ["W: odd"]}
    with pytest.raises(StoreError, match="failed: E: why"):
        store.prediction("k")


def test_an_unknown_key_is_named(store):
    with pytest.raises(StoreError, match=r"holds nothing under the key nope"):
        store.prediction("nope")


def test_a_cell_put_again_takes_the_place_of_the_first(store):
    put(store, fit_seconds=1.0)
    put(store, fit_seconds=2.0)
    assert store.outcome("k").fit_seconds == 2.0
    store.drop(["k", "unknown"])
    assert store.statuses() == {}


@given(
    arrays(
        st.sampled_from(["<f8", "<f4", "<i4", "<i8", "|b1"]),
        st.tuples(st.integers(0, 4), st.integers(0, 3)),
    )
)
def test_arrays_survive_packing(array):
    again = unpack(pack(array))
    assert again.dtype == array.dtype
    np.testing.assert_array_equal(again, array)


@in_one_test
@pytest.mark.parametrize("labels", [["ä", "b"], [-1, 1], [False, True], [0.5, 1.5]])
def test_labels_survive_packing(labels):
    array = np.array(labels)
    again = unpack_labels(pack_labels(array))
    assert again.dtype == array.dtype
    assert again.tolist() == labels


def test_nothing_is_pickled(store):
    with pytest.raises(TypeError, match="objects cannot be stored"):
        put(store, probabilities=np.array([object()], dtype=object))
    assert store.statuses() == {}


def test_a_killed_process_leaves_what_it_finished(tmp_path, run_python):
    path = tmp_path / "store.sqlite"
    script = """if True:
        import os, sys, numpy as np
        from pathlib import Path
        from ilk_evaluation import Store
        from ilk_evaluation.run.cell import Outcome
        store = Store.open(Path(sys.argv[1]))
        for key in "abc":
            store.put(key, Outcome(np.zeros(1, np.int32)), run=1, pipeline="p", split="s",
                      fingerprint="f", test=np.zeros(1, int))
        os.kill(os.getpid(), 9)
    """
    finished = run_python("-c", script, path)
    assert finished.returncode == -9
    with Store.read(path) as store:
        assert store.statuses() == dict.fromkeys("abc", "done")
    with Store.open(path) as store:
        put(store, "d")
        assert len(store.statuses()) == 4


def test_outcomes_put_together_are_kept_all_or_none(store):
    def write(keys):
        with Store.read(store.path) as reader, store.together():
            for key in keys:
                put(store, key)
                assert reader.statuses() == {}
            if len(keys) < 3:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write("ab")
    assert store.statuses() == store.split_sizes() == {}
    write("abc")
    assert store.statuses() == dict.fromkeys("abc", "done")
    assert len(store.split_sizes()) == 1


def test_others_can_read_while_a_run_writes(store):
    put(store)
    with Store.read(store.path) as reader:
        assert reader.statuses() == {"k": "done"}
        put(store, "l")
        assert reader.statuses() == {"k": "done", "l": "done"}


def test_reading_writes_nothing_not_even_beside(store):
    put(store)
    store.close()
    folder = store.path.parent
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with Store.read(store.path) as reader:
        assert reader.statuses() == {"k": "done"}
        with pytest.raises(StoreError, match="read-only"):
            reader.drop(["k"])
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert set(before) == {store.path}


def test_a_temporary_store_has_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Store.open(None) as store:
        put(store)
        assert store.statuses() == {"k": "done"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", [None, "store.sqlite"])
def test_any_thread_may_read_and_collect(tmp_path, path, components, make_spec, monkeypatch):
    """As the garbage collector does, which runs in whatever thread asks for memory."""
    complaints = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: complaints.append(told.exc_value))
    place = None if path is None else tmp_path / path

    held = []

    def collect():
        held.clear()
        gc.collect()

    def read():
        assert held[0].statuses() == {}

    def elsewhere(work):
        with futures.ThreadPoolExecutor(1) as thread:
            thread.submit(work).result()

    for open_it in (Store.open, Store.read) if place else (Store.open,):
        held.append(open_it(place))
        elsewhere(collect)
        held.append(open_it(place))
        elsewhere(read)
        held.pop().close()
    held.append(run_experiment(make_spec(output={}), store=place))
    elsewhere(collect)
    assert complaints == []


def as_text(path):
    path.write_text("data,class\n1,a\n" * 100)


def as_other_database(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (name TEXT)")
    connection.close()


@pytest.mark.parametrize("make", [as_text, as_other_database])
@pytest.mark.parametrize("open_it", [Store.open, Store.read])
def test_another_kind_of_file_is_refused_and_left_alone(tmp_path, make, open_it):
    path = tmp_path / "x.sqlite"
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"x\.sqlite: is not a store of ilk"):
        open_it(path)
    assert path.read_bytes() == before


@pytest.fixture
def old(tmp_path):
    """A store of version 5, without digests, into which two experiments were run."""
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(Path(__file__).with_name("version5.sql").read_text())
        connection.executescript(f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 5")
    return path


def test_a_store_without_digests_is_read_and_gains_them_when_it_is_written(old):
    content = old.read_bytes()
    unlike = results(old)
    table = unlike.table()
    assert table["error"].tolist() == [0.0]
    assert any("the store is not verifiable" in note for note in unlike.notes)
    assert ilk_command(["results", "verify", str(old)]) == 1
    with pytest.raises(StoreError, match=r"only the cells of the experiment 'first'"):
        results(old, experiment="first")
    assert old.read_bytes() == content
    with Store.open(old) as store:
        assert store.sealed
    assert results(old).table().equals(table)
    assert not any("verifiable" in note for note in results(old).notes)
    assert ilk_command(["results", "verify", str(old)]) == 0


def test_stores_without_digests_are_merged_into_one_with(old, tmp_path):
    merged = merge_stores(tmp_path / "new.sqlite", [old, old])
    assert (merged.n_cells, merged.n_twice) == (2, 2)
    assert results(merged.path).table().equals(results(old).table())
    assert ilk_command(["results", "verify", str(merged.path)]) == 0


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE cells SET labels = CAST('<i4 3' || x'0a' || zeroblob(12) AS BLOB)",
        "UPDATE planned SET fold = 'first'",
        f"UPDATE runs SET spec = '{'[' * 100_000}'",
        "UPDATE runs SET environment = ''",
        "UPDATE runs SET environment = '{}'",
        "UPDATE datasets SET classes = json_set(classes, '$.dtype', '<U999999999')",
        "UPDATE datasets SET name = CAST(x'ff' AS TEXT)",
    ],
)
def test_an_old_store_with_a_value_changed_is_one_problem(old, damage, capsys):
    """Without digests: whatever reads the value says that the store is damaged."""
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute(damage)
    said = []
    for command in ("show", "info"):
        code = ilk_command(["results", command, str(old)])
        said.append((code, capsys.readouterr().err))
    assert {code for code, _ in said} <= {0, 2}
    errors = [err for code, err in said if code == 2]
    assert errors
    assert all(err.count("\n") == 1 and "old.sqlite: is damaged" in err for err in errors)


def test_a_store_of_another_version_is_refused(store):
    store.close()
    connection = sqlite3.connect(store.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="has version 99 of the store's format, this ilk writes"):
        Store.open(store.path)


def test_places_that_cannot_be_written_are_named(tmp_path):
    with pytest.raises(StoreError, match="is a folder, not a file"):
        Store.open(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"cannot be written: .*file is a file, not a folder"):
        Store.open(tmp_path / "file" / "deeper" / "x.sqlite")
    with pytest.raises(StoreError, match="there is no such store"):
        Store.read(tmp_path / "none.sqlite")


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "x.sqlite"
    path.touch()
    with Store.open(path) as store:
        assert store.statuses() == {}


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE cells SET labels = x'00'",
        "UPDATE cells SET labels = 'text'",
        "UPDATE cells SET labels = NULL",
        "UPDATE cells SET fit_seconds = 'long'",
        "UPDATE cells SET warnings = '{'",
        "UPDATE datasets SET classes = 'xx'",
        "UPDATE datasets SET y = x'ff0a'",
        "UPDATE splits SET test = NULL",
        "UPDATE cells SET reduction = 0.5",
        "UPDATE cells SET key = 'k' || key WHERE rowid = 1",
        "UPDATE runs SET seed = 4",
        "UPDATE runs SET environment = ''",
        "UPDATE planned SET fold = fold + 1",
        "UPDATE pipelines SET spec = CAST(x'ff' AS TEXT)",
    ],
)
def test_damaged_values_are_said_to_be_the_stores(tmp_path, components, damage):
    path = tmp_path / "s.sqlite"
    spec = {
        "datasets": ["t_blobs"],
        "pipelines": [{"id": "a", "steps": [{"classifier": "t_nearest"}]}],
        "evaluation": {"resampling": {"use": "kfold", "folds": 2}},
        "output": {"store": str(path)},
    }
    run_experiment(spec)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(damage)
    for believe in (lambda: run_experiment(spec), lambda: results(path)):
        with pytest.raises(ilk.IlkError, match=r"s\.sqlite: is damaged"):
            believe()


def test_what_a_writer_of_bad_values_sealed_is_one_problem_too(store):
    put(store)
    store.close()
    rewrite(store.path, "UPDATE cells SET labels = substr(labels, 1, 5) || x'0a'")
    with Store.read(store.path) as reader:
        reader.verify()
        with pytest.raises(StoreError, match="is damaged"):
            reader.prediction("k")


@pytest.mark.parametrize("name", [":memory:", "file:x?mode=memory", "100%41.sqlite", "a?b#c"])
def test_a_path_is_a_path(tmp_path, monkeypatch, make_spec, name):
    """Also one that SQLite takes for something else: what it keeps would be lost."""
    monkeypatch.chdir(tmp_path)
    run_experiment(make_spec(output={}), store=name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert ilk.results(name).n_missing == 0


@pytest.mark.parametrize(
    "active", ["VIEW v AS SELECT 1", "TRIGGER t INSERT ON cells BEGIN DELETE FROM cells; END"]
)
@pytest.mark.parametrize("open_it", [Store.open, Store.read])
def test_a_store_that_acts_by_itself_is_refused(store, active, open_it):
    store.close()
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute(f"CREATE {active}")
    with pytest.raises(StoreError, match="has triggers or views, which no store of ilk has"):
        open_it(store.path)


@unix_only
@pytest.mark.parametrize("place", ["/dev/null", "pipe"])
def test_devices_and_pipes_are_no_stores(tmp_path, place):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="is a device or a pipe, not a file"):
        Store.open(tmp_path / place)


@unix_only
def test_a_link_to_itself_is_no_store(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(StoreError, match="it is a link that leads to itself"):
        Store.open(tmp_path / "loop")


def test_a_lock_is_not_written_through_a_link(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("kept")
    (tmp_path / "lock").symlink_to(precious)
    with pytest.raises(OSError, match="symbolic links"):
        Lock(tmp_path / "lock")
    assert precious.read_text() == "kept"
