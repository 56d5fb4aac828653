"""The executor `mpi`: ranks share the cells; a lost rank ends the job, and the next goes on."""

import os
import re
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


def start(shell, mpiexec, n):
    """Start the command on so many ranks, of which all but one run cells."""
    python = [sys.executable, "-m", "mpi4py.futures", "-m", "ilk", "run", str(shell.file)]
    return subprocess.Popen(
        [mpiexec, "-n", str(n), *python, "--quiet", "--executor", "mpi"],
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
    process = start(shell, mpiexec, 3)
    shell.wait_for_cells(5, process)
    assert len(ranks(shell)) == 3
    os.kill(ranks(shell)[victim], signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert shell.left_over(folders=False) == []
    kept = shell.cells()
    assert 5 <= len(kept) < 80
    if victim:
        process = start(shell, mpiexec, 2)
        _, err = process.communicate(timeout=120)
        assert (err, process.returncode) == ("", 0)
    else:
        code, _, err = shell.here("--quiet")  # in no need of ranks, which take long to start
        assert (err, code) == ("", 0)
    assert shell.outcome() == undisturbed
    assert kept.items() <= shell.cells().items()
    assert shell.left_over() == []


SERIAL = ("--executor", "serial")  # in no need of ranks that take long to start


@pytest.mark.slow
@pytest.mark.parametrize(
    ("victim", "how"),
    [("worker", ()), ("first", SERIAL), ("mpiexec", SERIAL)],
    ids=["worker", "first", "mpiexec"],
)
def test_a_lost_rank_ends_its_own_job_but_not_the_run(
    shell, long_run, undisturbed, mpiexec, victim, how
):
    long_run('{ use = "mpi", workers = 2 }')

    def kill():
        shell.wait_for_cells(5)
        first, *others = ranks(shell)
        (started,) = shell.children(os.getpid(), "mpiexec")
        os.kill({"worker": others[-1], "first": first, "mpiexec": started}[victim], signal.SIGKILL)

    code, _, err = shell.here("--quiet", meanwhile=kill)
    assert code == 2
    said, kept = err.splitlines()
    assert re.fullmatch(r"Error: the MPI job ended before its time \(exit code -?\d+\): .*", said)
    n_kept = shell.n_cells()
    assert kept.startswith(f"{n_kept} of 80 cells are kept in")
    assert shell.left_over() == []
    code, _, err = shell.here("--quiet", *how)
    assert (err, code) == ("", 0)
    assert shell.outcome() == undisturbed
    assert shell.left_over() == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "ctrl-c"])
def test_its_own_job_ends_with_the_run(shell, long_run, mpiexec, how):
    long_run('{ use = "mpi", workers = 1 }')
    process = shell.start("--quiet")
    shell.wait_for_cells(5, process)
    os.kill(process.pid, how)
    process.communicate(timeout=60)
    assert process.returncode in {-signal.SIGKILL, 130}
    assert shell.left_over() == []


SCRIPT = """
import os, ilk
if __name__ == "__main__":
    with ilk.executor("mpi", workers=1).open() as pool:
        print(pool.submit(pow, 2, 5).result(), flush=True)
        {open}
    {closed}
"""
ENDS = ["os._exit(3)", "os.kill(os.getpid(), 9)"]


@pytest.mark.slow
def test_who_used_it_may_end_without_harm_to_its_process_group(shell, mpiexec):
    """MPICH kills the group of a process that started ranks as a rank itself and says no more."""
    scripts = [SCRIPT.format(open=end, closed="pass") for end in ENDS]
    scripts += [SCRIPT.format(open="pass", closed=end) for end in ENDS]
    groups = []  # all at once, as most of the time is spent waiting for what must not come
    for i, script in enumerate(scripts):
        file = shell.folder / f"script{i}.py"
        file.write_text(script)
        groups.append(
            subprocess.Popen(
                f"{sys.executable} {file}; sleep 2; echo the shell lives",
                shell=True,
                stdout=subprocess.PIPE,
                text=True,
                env=shell.environment,
                cwd=shell.folder,
                start_new_session=True,
            )
        )
    said = [group.communicate(timeout=120)[0] for group in groups]
    assert dict(zip(scripts, said, strict=True)) == dict.fromkeys(scripts, "32\nthe shell lives\n")
    assert shell.left_over() == []
