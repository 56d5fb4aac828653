"""The executor `loky`: its processes die, end, are limited and leave nothing behind."""

import ctypes
import os
import re
import signal
import sys
import time
from concurrent import futures
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

import ilk
from ilk_evaluation.executors import loky as workers
from ilk_evaluation.executors import worker
from ilk_evaluation.executors.worker import worker_death

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # tests are no package


def die_by(number):
    os.kill(os.getpid(), number)


def spin():
    """Hold the interpreter's lock for ages."""
    re.match("(a|a)+$", "a" * 60 + "b")


def crash():
    ctypes.string_at(0)


def threads():
    import numba
    import scipy.linalg  # noqa: F401  # loads its own BLAS
    import sklearn.cluster  # noqa: F401  # loads OpenMP
    from threadpoolctl import threadpool_info

    a = np.random.default_rng(0).random((200, 200))
    a @ a
    found = {library["num_threads"] for library in threadpool_info()}
    return found | {numba.get_num_threads()}, len(threadpool_info())


def test_it_is_an_executor_of_the_standard_library():
    executor = ilk.executor("loky", workers=2)
    assert executor.n_workers == 2
    with executor.open() as pool:
        assert isinstance(pool, futures.Executor)
        assert list(pool.map(pow, range(9), [2] * 9)) == [n * n for n in range(9)]
        pids = {pool.submit(os.getpid).result() for _ in range(4)}
        assert os.getpid() not in pids
        assert 1 <= len(pids) <= 2
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()
        offset = 3
        assert pool.submit(lambda value: value + offset, 4).result() == 7
    with pytest.raises(RuntimeError):
        pool.submit(pow, 2, 3)


def test_there_is_a_worker_for_each_processor_unless_told():
    assert ilk.executor("loky").n_workers >= 1
    assert "timeout" not in ilk.executor("serial").get_params()


@pytest.mark.parametrize(
    ("call", "cause", "where"),
    [
        ((os._exit, 7), r"EXIT\(7\)", None),
        ((die_by, signal.SIGKILL), "SIGKILL", None),
        ((crash,), "SIGSEGV", "in crash"),
    ],
    ids=["exit", "kill", "crash"],
)
@pytest.mark.skipif(os.name != "posix", reason="exit codes of POSIX")
def test_a_death_is_that_of_one_call(call, cause, where):
    with ilk.executor("loky", workers=2).open() as pool:
        assert pool.submit(abs, -1).result() == 1
        doomed = pool.submit(*call)
        others = [pool.submit(abs, -i) for i in range(3)]
        error = doomed.exception(timeout=60)
        assert isinstance(error, futures.BrokenExecutor)
        assert re.search(f"^the worker died: {cause}", str(error))
        notes = "\n".join(getattr(error, "__notes__", ()))
        assert (where or "") in notes
        assert [other.exception() for other in others[::2]] == [None, None]
        assert pool.submit(abs, -9).result() == 9


@pytest.mark.parametrize("call", [(time.sleep, 1000), (spin,)], ids=["sleep", "spin"])
def test_what_takes_too_long_is_ended(call):
    with ilk.executor("loky", workers=1, timeout=0.5).open() as pool:
        assert pool.submit(abs, -1).result() == 1
        start = time.monotonic()
        error = pool.submit(*call).exception(timeout=60)
        assert 0.5 <= time.monotonic() - start < 60
        assert isinstance(error, TimeoutError)
        assert str(error) == "exceeded the time limit of 0.5 s"
        assert pool.submit(abs, -2).result() == 2
        assert pool.submit(time.sleep, 0.1).result() is None
        time.sleep(0.6)  # the watch ends with the call: an idle worker lives on
        assert pool.submit(abs, -3).result() == 3


def test_the_note_says_where_the_call_was():
    with ilk.executor("loky", workers=1, timeout=0.5).open() as pool:
        (note,) = pool.submit(spin).exception(timeout=60).__notes__
        lines = note.splitlines()
        assert lines[-1].endswith("in spin")
        assert all(line.startswith("  File") for line in lines[1:] if "Thread" not in line)


@pytest.mark.parametrize("n", [1, 2])
def test_threads_are_limited(n):
    with ilk.executor("loky", workers=1, inner_threads=n).open() as pool:
        found, n_libraries = pool.submit(threads).result(timeout=120)
    assert n_libraries >= 2
    usable = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count()))
    # some libraries stay within the cores that this process may use
    assert max(found) == min(n, os.cpu_count())
    assert min(found) >= min(n, len(usable(0)))


def test_serial_limits_threads_for_as_long_as_it_is_open():
    before = threads()
    with ilk.executor("serial", inner_threads=1).open() as pool:
        assert pool.submit(threads).result()[0] == {1}
    assert threads() == before
    with ilk.executor("serial", inner_threads=None).open() as pool:
        assert pool.submit(threads).result() == before


def test_a_worker_that_cannot_start_is_no_fault_of_a_call(monkeypatch, capfd):
    monkeypatch.setattr(workers.worker, "start", os._exit)  # which takes no three arguments
    with ilk.executor("loky", workers=1).open() as pool:
        errors = [pool.submit(abs, -1).exception(timeout=60) for _ in range(3)]
    assert [type(error) for error in errors[:2]] == [futures.BrokenExecutor] * 2
    assert isinstance(errors[2], ilk.IlkError)
    assert "no worker process can be started" in str(errors[2])
    capfd.readouterr()


def test_nothing_is_left_after_the_block(temporary_folders):
    before = temporary_folders()
    with ilk.executor("loky", workers=2).open() as pool:
        pids = list(pool.map(lambda _: (time.sleep(0.05), os.getpid())[1], range(6)))
        assert temporary_folders() > before
    assert temporary_folders() <= before

    def broken_off():
        with ilk.executor("loky", workers=1).open() as pool:
            pids.append(pool.submit(os.getpid).result())
            pool.submit(time.sleep, 1000)
            raise KeyError

    with pytest.raises(KeyError):
        broken_off()
    assert temporary_folders() <= before
    for pid in set(pids):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_what_a_dead_process_left_is_swept(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    from ilk_evaluation.executors.worker import scratch

    dead, strange = tmp_path / "ilk-dead", tmp_path / "ilk-strange"
    for folder in (dead, strange):
        folder.mkdir()
    (dead / "lock").touch()
    (dead / "array.npy").touch()
    with scratch() as mine:
        assert not dead.exists()
        assert strange.exists()
        with scratch() as other:
            assert mine.exists()
        assert not other.exists()
    assert list(tmp_path.iterdir()) == [strange]


@pytest.mark.skipif(sys.platform != "linux", reason="a signal that only Linux has")
def test_a_worker_whose_runner_is_gone_does_not_begin(tmp_path):
    script = (
        "import multiprocessing, pathlib, sys\n"
        "from ilk_evaluation.executors import worker\n"
        "reader, writer = multiprocessing.Pipe(duplex=False)\n"
        f"worker.start(1, reader, pathlib.Path({str(tmp_path / 'words')!r}))\n"
        "print('alive')"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.stdout == b""
    assert not (tmp_path / "words").exists()


def test_a_worker_outlasts_the_lifeline_by_nothing():
    from multiprocessing import Pipe

    reader, writer = Pipe(duplex=False)
    writer.close()
    ends = []
    worker._outlast(reader, ends.append)
    assert ends == [1]


def test_last_words_that_nobody_understands_are_passed_on():
    error = worker_death("SIGKILL(-9)", "gibberish\n", None)
    assert (str(error), error.__notes__) == ("the worker died: SIGKILL(-9)", ["gibberish"])
    assert Path(workers.worker.__file__).name == "worker.py"
