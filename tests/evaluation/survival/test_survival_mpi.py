"""The executor `mpi`: ranks share the cells; a lost rank ends the job, and the next goes on."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mpi4py", reason="the extra `mpi` is not installed")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


@pytest.fixture(scope="module")
def mpiexec():
    """The command that starts MPI jobs, if it does so here."""
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        pytest.skip("there is no mpiexec")
    hello = [found, "-n", "2", sys.executable, "-c", "from mpi4py import MPI"]
    try:
        tried = subprocess.run(hello, check=False, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        pytest.skip("mpiexec does not come to an end here")
    if tried.returncode:
        pytest.skip(f"mpiexec starts no job here: {tried.stderr[-200:]}")
    return found


def start(shell, mpiexec):
    """Start the command on three ranks, of which two run cells."""
    python = [sys.executable, "-m", "mpi4py.futures", "-m", "ilk", "run", str(shell.file)]
    return subprocess.Popen(
        [mpiexec, "-n", "3", *python, "--quiet", "--executor", "mpi"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=shell.environment,
        cwd=shell.folder,
        start_new_session=True,
    )


def ranks(shell):
    """Process ids of the ranks, the runner first."""
    found = {}
    for pid in (int(line.split()[0]) for line in shell.processes() if "mpi4py" in line):
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        rank = next((line[9:] for line in environment if line.startswith(b"PMI_RANK=")), None)
        if rank is not None:
            found[int(rank)] = pid
    return [found[rank] for rank in sorted(found)]


@pytest.mark.parametrize(
    "victim", [pytest.param(0, marks=pytest.mark.slow), 2], ids=["runner", "worker"]
)
def test_a_lost_rank_ends_the_job_and_the_next_goes_on(
    shell, long_run, undisturbed, mpiexec, victim
):
    long_run('"serial"')
    process = start(shell, mpiexec)
    shell.wait_for_cells(5, process)
    assert len(ranks(shell)) == 3
    os.kill(ranks(shell)[victim], signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert shell.left_over(folders=False) == []
    kept = shell.cells()
    assert 5 <= len(kept) < 80
    process = start(shell, mpiexec)
    _, err = process.communicate(timeout=120)
    assert (err, process.returncode) == ("", 0)
    assert shell.outcome() == undisturbed
    assert kept.items() <= shell.cells().items()
    assert shell.left_over() == []


@pytest.mark.slow
def test_it_starts_ranks_of_its_own(shell, long_run, undisturbed, mpiexec):
    long_run('{ use = "mpi", workers = 2 }')
    code, _, err = shell.run("--quiet")
    assert (err, code) == ("", 0)
    assert shell.outcome() == undisturbed
    assert shell.left_over() == []
