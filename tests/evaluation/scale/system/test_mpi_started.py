"""An MPI job that cannot be started, and what is said of it; and one that is."""

import os
import sys
import time
from types import SimpleNamespace

import pytest

import ilk
from ilk_evaluation import ExecutorError
from ilk_evaluation.executors import mpi_job, mpi_started


@pytest.fixture
def mpiexec(tmp_path, monkeypatch):
    """Make a command of that name do what a script of the shell says, and nothing else."""
    monkeypatch.setattr(mpi_job.importlib.util, "find_spec", lambda name: True)
    for name in mpi_job._RANK:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")

    def write(script):
        file = tmp_path / "mpiexec"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    return write


def opened():
    with ilk.executor("mpi", workers=1).open():
        pass


def test_without_anything_that_starts_processes(mpiexec, monkeypatch, tmp_path):
    monkeypatch.setattr(mpi_started.shutil, "which", lambda name: None)
    here = SimpleNamespace(executable=str(tmp_path / "python"), path=sys.path)
    monkeypatch.setattr(mpi_started, "sys", here)
    with pytest.raises(ExecutorError, match="finds no mpiexec, which starts processes"):
        opened()


def test_what_stands_in_the_way_of_a_job_is_said(mpiexec):
    mpiexec("echo first >&2; echo there is no host; echo ---- >&2; exit 3")
    with pytest.raises(ExecutorError) as caught:
        opened()
    assert str(caught.value) == "mpiexec starts no job (exit code 3): there is no host"
    assert caught.value.__notes__ == ["first\nthere is no host"]
    mpiexec("exit 0")
    with pytest.raises(ExecutorError, match=r"^mpiexec starts no job \(exit code 0\)$"):
        opened()


def test_a_job_that_never_starts_is_given_up_and_ended(mpiexec, monkeypatch, tmp_path):
    monkeypatch.setattr(mpi_started, "START", 0.5)
    mpiexec(f"echo $$ > {tmp_path / 'pid'}; exec sleep 1000")
    start = time.monotonic()
    with pytest.raises(ExecutorError, match=r"^mpiexec starts no job \(no rank in 0.5 s\)$"):
        opened()
    assert time.monotonic() - start < 60
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_job_that_does_not_listen_is_ended_all_the_same(mpiexec, monkeypatch, tmp_path):
    monkeypatch.setattr(mpi_started, "START", 0.5)
    monkeypatch.setattr(mpi_started, "END", 0.5)
    mpiexec(f"trap '' TERM; echo $$ > {tmp_path / 'pid'}; while true; do sleep 0.1; done")
    with pytest.raises(ExecutorError, match="no rank in"):
        opened()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_whatever_comes_of_a_call_comes_back():
    """Also what cannot be packed or unpacked; and other calls are not harmed."""
    pytest.importorskip("mpi4py", reason="the extra `mpi` is not installed")

    def generator():
        return (x for x in "ab")

    def unreadable():
        class TwoPartsError(Exception):
            def __init__(self, one, two):
                super().__init__(one)

        raise TwoPartsError(1, 2)

    with ilk.executor("mpi", workers=1).open() as pool:
        bad = [pool.submit(generator), pool.submit(unreadable), pool.submit(divmod, 1, 0)]
        good = pool.submit(bytes, 30_000_000)
        packing, unpacking, division = [str(one.exception(timeout=60)) for one in bad]
        assert good.result(timeout=60) == bytes(30_000_000)
    assert packing == "cannot pickle 'generator' object"
    assert "missing 1 required positional argument: 'two'" in unpacking
    assert division == "integer division or modulo by zero"
    with pytest.raises(RuntimeError, match="closed"):
        pool.submit(abs, 1)
