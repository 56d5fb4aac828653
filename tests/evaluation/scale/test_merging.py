"""Stores of parts are joined: the whole is as if it had been run at once."""

import shutil

import pytest

import ilk
from ilk.cli.shell import run as ilk_command
from ilk_evaluation import StoreError, merge_stores, run_experiment
from ilk_evaluation.lock import Lock
from ilk_evaluation.results.difference import compare
from stores import rewrite


def table(store):
    return ilk.results(store).table().drop(columns="fit_seconds")


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def copies(parts, tmp_path):
    """Stores of three shards, to be changed."""
    return [shutil.copy(store, tmp_path / store.name) for store in parts[0]]


def test_joined_parts_are_the_whole(parts, tmp_path):
    stores, whole = parts
    out = tmp_path / "deep" / "out.sqlite"
    merged = merge_stores(out, stores)
    assert (merged.path, merged.n_cells, merged.n_missing) == (out, 24, 0)
    assert (merged.n_twice, merged.unlike) == (0, ())
    assert table(out).equals(table(whole))
    assert not compare(ilk.results(out), ilk.results(whole))
    assert files(out.parent) == ["out.sqlite"]
    assert out.stat().st_mode == whole.stat().st_mode


def test_runs_are_kept_and_cells_know_theirs(parts, tmp_path):
    stores, _ = parts
    merge_stores(tmp_path / "out.sqlite", stores)
    with ilk.results(tmp_path / "out.sqlite").reading() as store:
        assert [run["id"] for run in store.runs()] == [1, 2, 3]
        assert store.cells_by_run() == {1: 8, 2: 8, 3: 8}


def test_a_merged_store_is_one_to_go_on_with(parts, tmp_path, make_spec):
    stores, whole = parts
    out = tmp_path / "out.sqlite"
    assert merge_stores(out, stores[:2]).n_missing == 8
    assert ilk.results(out).n_missing == 8
    results = run_experiment(make_spec(), store=out)
    assert results.table().drop(columns="fit_seconds").equals(table(whole))
    with results.reading() as store:
        assert store.cells_by_run() == {1: 8, 2: 8, 3: 8}


def test_what_was_done_twice_alike_counts_once(parts, tmp_path):
    stores, whole = parts
    merged = merge_stores(tmp_path / "out.sqlite", [stores[0], whole, *stores])
    assert (merged.n_cells, merged.n_twice, merged.unlike) == (24, 24, ())
    assert table(tmp_path / "out.sqlite").equals(table(whole))


FAILED = "UPDATE cells SET error = 'E: no', traceback = 'E', labels = NULL, probabilities = NULL"
ANSWERED = "UPDATE cells SET error = 'E: no', traceback = 'E', fallback = 1"


@pytest.mark.parametrize("bad", [FAILED, ANSWERED], ids=["failed", "fallback"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["first", "last"])
def test_done_beats_failed_whatever_the_order(parts, tmp_path, bad, order):
    _, whole = parts
    broken = shutil.copy(whole, tmp_path / "broken.sqlite")
    rewrite(broken, f"{bad} WHERE rowid IN (3, 5)")
    stores = [broken, whole]
    merge_stores(tmp_path / "out.sqlite", [stores[i] for i in order])
    assert ilk.results(tmp_path / "out.sqlite").failures.empty
    assert table(tmp_path / "out.sqlite").equals(table(whole))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["first", "last"])
def test_an_answer_of_the_fallback_beats_none(parts, tmp_path, order):
    stores = [shutil.copy(parts[1], tmp_path / f"{i}.sqlite") for i in (0, 1)]
    for store, bad in zip(stores, (FAILED, ANSWERED), strict=True):
        rewrite(store, f"{bad} WHERE rowid = 4")
    merge_stores(tmp_path / "out.sqlite", [stores[i] for i in order])
    failures = ilk.results(tmp_path / "out.sqlite").failures
    assert list(failures["fallback"]) == [True]


def test_other_predictions_are_told_of_and_the_first_is_taken(parts, tmp_path, capsys):
    _, whole = parts
    other = shutil.copy(whole, tmp_path / "other.sqlite")
    rewrite(
        other,
        "UPDATE cells SET labels = (SELECT labels FROM cells WHERE rowid = 1)"
        " WHERE rowid IN (2, 3)",
    )
    merged = merge_stores(tmp_path / "out.sqlite", [whole, other])
    assert [what[0] for what in merged.unlike] == [other] * 2
    assert {what[1] for what in merged.unlike} == {"iris"}
    assert table(tmp_path / "out.sqlite").equals(table(whole))
    code = ilk_command(["results", "merge", str(tmp_path / "b.sqlite"), str(other), str(whole)])
    out = capsys.readouterr().out
    assert code == 0
    assert "24 of 24 cells\n24 cells were in more than one" in out
    assert "2 were done with other predictions; the earlier were taken:\n  iris, " in out
    assert not table(tmp_path / "b.sqlite").equals(table(whole))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"experiment": {"name": "parts", "seed": 2}}, "seed: 1 in A, 2 in B"),
        ({"datasets": ["iris"]}, "data set 'wine' only in A"),
        ({"datasets": ["wine", "iris"]}, "the order of data sets and pipelines"),
        (
            {"evaluation": {"resampling": {"use": "kfold", "folds": 2}}},
            'resampling: .*use "repeated_kfold" in A, "kfold" in B',
        ),
        (
            {
                "evaluation": {
                    "resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 3},
                    "measures": ["accuracy"],
                }
            },
            "measure 'error' only in A; measure 'accuracy' only in B",
        ),
        (
            {"pipelines": [{"id": "means", "steps": [{"classifier": "knn"}]}]},
            "pipeline '1-NN' only in A",
        ),
        (
            {"run": {"on_error": "fallback", "fallback": "nearest_mean"}},
            "the handling of failed cells",
        ),
    ],
    ids=["seed", "data", "order", "resampling", "measures", "pipelines", "fallback"],
)
def test_other_experiments_are_not_joined(parts, tmp_path, make_spec, changes, message):
    spec = make_spec(**changes)
    run_experiment(spec, store=tmp_path / "other.sqlite", shard=(1, 8))
    with pytest.raises(StoreError, match=message) as caught:
        merge_stores(tmp_path / "out.sqlite", [*parts[0], tmp_path / "other.sqlite"])
    assert "other.sqlite (B) holds another experiment than" in str(caught.value)
    assert files(tmp_path) == ["other.sqlite"]


def test_nothing_is_replaced_unless_forced(parts, tmp_path, copies, capsys):
    out = tmp_path / "out.sqlite"
    shutil.copy(parts[1], out)
    before = out.read_bytes()
    assert ilk_command(["results", "merge", str(out), *map(str, copies)]) == 2
    assert "out.sqlite: is there already; choose another name, or say --force" in (
        capsys.readouterr().err
    )
    assert out.read_bytes() == before
    merge_stores(copies[0], copies, force=True)
    assert ilk.results(copies[0]).n_missing == 0
    assert files(tmp_path) == ["1.sqlite", "2.sqlite", "3.sqlite", "out.sqlite"]


@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_store_is_never_replaced(parts, tmp_path, force):
    out = tmp_path / "notes.txt"
    out.write_text("do not lose me")
    with pytest.raises(StoreError, match=r"notes.txt: is (there already|not a store)"):
        merge_stores(out, parts[0], force=force)
    assert out.read_text() == "do not lose me"
    assert files(tmp_path) == ["notes.txt"]


def test_a_store_in_use_is_not_replaced(parts, tmp_path):
    out = tmp_path / "out.sqlite"
    lock = Lock(tmp_path / "out.sqlite.lock")
    try:
        with pytest.raises(StoreError, match="in use by another run"):
            merge_stores(out, parts[0])
    finally:
        lock.release()
    assert files(tmp_path) == []


def test_an_error_on_the_way_leaves_nothing(copies, tmp_path):
    rewrite(copies[2], "ALTER TABLE cells DROP COLUMN warnings", sealed=False)
    with pytest.raises(StoreError, match="is damaged .no such column: warnings"):
        merge_stores(tmp_path / "out.sqlite", copies)
    assert files(tmp_path) == ["1.sqlite", "2.sqlite", "3.sqlite"]


@pytest.mark.parametrize(
    ("stores", "message"),
    [
        ([], "there is nothing to merge"),
        (["none.sqlite"], "there is no such store"),
        (["text.sqlite"], "is not a store of ilk"),
    ],
    ids=["nothing", "missing", "text"],
)
def test_stores_that_are_none(tmp_path, stores, message):
    (tmp_path / "text.sqlite").write_text("no")
    with pytest.raises(StoreError, match=message):
        merge_stores(tmp_path / "out.sqlite", [tmp_path / name for name in stores])
    assert files(tmp_path) == ["text.sqlite"]


def test_a_killed_merge_is_no_obstacle(parts, tmp_path):
    """Its remains beside the store are of another process, and of no consequence."""
    (tmp_path / "out.sqlite.99.part").write_bytes(b"half")
    merge_stores(tmp_path / "out.sqlite", parts[0])
    assert table(tmp_path / "out.sqlite").equals(table(parts[1]))
