"""A store that is full, locked, read-only, truncated or of another version: one clear message."""

import os
import re
import signal
import sqlite3
import stat
import subprocess

import pytest

from ilk_evaluation import Store, StoreError
from ilk_evaluation.lock import HeldError, Lock

resource = pytest.importorskip("resource", reason="limits of POSIX")


def total(shell, *, executor='"serial"'):
    """Write a file of 40 cells."""
    shell.write(
        pipelines={"a": '{ use = "slow", seconds = 0.001 }', "b": '"slow"'},
        repeats=5,
        executor=executor,
    )
    return 40


def test_a_store_that_can_grow_no_more(shell):
    """The limit of a file's size stands for a full disk."""
    n = total(shell)
    limit = 150_000
    code, out, err = shell.run(
        "--quiet", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    assert (code, out) == (2, "")
    first, second = err.splitlines()
    assert re.search(r"Error: \S*x\.sqlite: cannot be (read or )?written: ", first)
    kept = int(re.fullmatch(rf"(\d+) of {n} cells are kept in it", second)[1])
    assert 0 < kept < n
    assert len(shell.log()) == kept == shell.n_cells()
    assert shell.here("--quiet")[0] == 0
    assert shell.n_cells() == len(shell.log()) == n


def mounted(folder):
    return (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)],
            capture_output=True,
            check=False,
        ).returncode
        == 0
    )


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="mounting needs root")
def test_a_disk_that_is_full(shell):
    n = total(shell)
    disk = shell.store.parent
    disk.mkdir()
    if not mounted(disk):
        pytest.skip("nothing can be mounted here")
    try:
        code, out, err = shell.here("--quiet")
        assert (code, out) == (2, "")
        assert "x.sqlite: cannot be" in err
        assert "Traceback" not in err
        told = {key for key, _ in shell.log()}
        subprocess.run(["mount", "-o", "remount,size=10m", str(disk)], check=True)
        assert set(shell.cells()) >= told
        assert len(told) > 0
        assert shell.here("--quiet")[0] == 0
        assert shell.n_cells() == len(shell.log()) == n
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_second_run_is_told_who_has_the_store(shell):
    shell.write(pipelines={"a": '{ use = "slow", seconds = 0.2 }'}, repeats=20)
    first = shell.start("--quiet")
    shell.wait_for_cells(2, first)
    code, out, err = shell.here("--quiet")
    assert (code, out) == (2, "")
    assert re.fullmatch(
        rf"Error: \S*x\.sqlite: is in use by another run \(process {first.pid} on \S+\); "
        r"wait for it or choose another store\n",
        err,
    )
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=60)
    assert shell.store.with_name("x.sqlite.lock").exists()  # which keeps nobody out
    with Store.open(shell.store) as store:
        assert len(store.statuses()) >= 2
    assert [path.name for path in shell.store.parent.iterdir()] == ["x.sqlite"]


def test_a_lock_is_held_by_one_and_goes_with_it(tmp_path):
    path = tmp_path / "lock"
    lock = Lock(path)
    with pytest.raises(HeldError, match=f"process {os.getpid()} on "):
        Lock(path)
    lock.release()
    lock.release()
    assert not path.exists()
    Lock(path).release()


def test_a_lock_on_a_file_that_was_removed_meanwhile_counts_for_nothing(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl", reason="of POSIX")
    path = tmp_path / "lock"
    usual, removed = fcntl.flock, []

    def slow_lock(*arguments):
        if not removed:
            removed.append(path.unlink())
        usual(*arguments)

    monkeypatch.setattr("fcntl.flock", slow_lock)
    lock = Lock(path)
    assert path.exists()
    with pytest.raises(HeldError):
        Lock(path)
    lock.release()


@pytest.fixture
def finished(shell):
    """A shell with a store that is complete."""
    total(shell)
    assert shell.here("--quiet")[0] == 0
    return shell


def test_a_truncated_store_is_refused_and_left_alone(finished):
    content = finished.store.read_bytes()
    finished.store.write_bytes(content[: len(content) // 2])
    code, out, err = finished.here("--quiet")
    assert (code, out) == (2, "")
    assert re.match(r"Error: \S*x\.sqlite: is damaged \(database disk image is malformed\); ", err)
    assert f"sqlite3 {finished.store} .recover" in err
    assert err.count("\n") == 1
    assert finished.store.read_bytes() == content[: len(content) // 2]


def test_a_store_of_another_version_is_refused_and_left_alone(finished):
    connection = sqlite3.connect(finished.store)
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    content = finished.store.read_bytes()
    code, _, err = finished.here("--quiet")
    assert code == 2
    assert "x.sqlite: has version 1 of the store's format, this ilk writes version " in err
    assert finished.store.read_bytes() == content


def test_a_foreign_database_keeps_its_mode(tmp_path):
    path = tmp_path / "x.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE people (name TEXT)")
    connection.close()
    with pytest.raises(StoreError, match="is not a store of ilk"):
        Store.open(path)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


@pytest.mark.parametrize("what", ["folder", "store"])
def test_a_place_without_permission_is_named(finished, monkeypatch, what):
    place = finished.store.parent if what == "folder" else finished.store
    usual = os.access
    monkeypatch.setattr(
        "os.access", lambda path, mode: str(path) != str(place) and usual(path, mode)
    )
    with pytest.raises(StoreError, match=f"cannot be written: no permission for {place}$"):
        Store.open(finished.store)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only(finished):
    folder = finished.store.parent
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        code, _, err = finished.here("--quiet", "--fresh")
        assert (code, err.count("no permission for")) == (2, 1)
    finally:
        folder.chmod(stat.S_IRWXU)
