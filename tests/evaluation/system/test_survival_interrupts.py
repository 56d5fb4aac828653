"""Ctrl-C, SIGTERM and kill -9: finished cells are kept, nothing else is left, a rerun goes on."""

import os
import random
import re
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def goes_on(shell, undisturbed, *how):
    """Run again, and compare with a run that nothing disturbed."""
    kept, before = shell.cells(), [key for key, _ in shell.log()]
    assert set(before) <= kept.keys()
    code, _, err = shell.here("--quiet", *how)
    assert (code, err) == (0, "")
    assert shell.outcome() == undisturbed
    told = [key for key, _ in shell.log()]
    assert len(set(told)) == len(told)
    assert set(told[len(before) :]) == shell.cells().keys() - kept.keys()


SERIAL = ("--executor", "serial")  # in no need of workers that take long to start
ENDS = [
    ("serial", signal.SIGINT, 1, 130, "interrupted"),
    ("loky", signal.SIGINT, 2, 130, "interrupted"),
    ("loky", signal.SIGTERM, 1, 143, "terminated"),
    ("loky", signal.SIGHUP, 1, 143, "terminated"),
]


@pytest.mark.parametrize(("name", "number", "times", "code", "word"), ENDS)
def test_a_signal_to_all_processes(
    long_run, executors, undisturbed, name, number, times, code, word
):
    shell = long_run(executors[name])
    process = shell.start("--quiet")
    shell.wait_for_cells(5, process)
    for _ in range(times):
        os.killpg(process.pid, number)
        time.sleep(0.2)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (code, "")
    line = rf"{word}: (\d+) of 80 cells are kept in \S+x\.sqlite; run the same command again to go "
    said = re.fullmatch(f"{line}on\n", err)
    assert said, err
    assert int(said[1]) == shell.n_cells() >= 5
    assert shell.left_over() == []
    assert [path.name for path in shell.store.parent.iterdir()] == ["x.sqlite"]
    goes_on(shell, undisturbed, *SERIAL)


def test_nohup_outlives_the_terminal(long_run):
    shell = long_run('"serial"', repeats=3)
    process = shell.start(
        "--quiet", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    shell.wait_for_cells(2, process)
    os.killpg(process.pid, signal.SIGHUP)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err, shell.n_cells()) == (0, "", 24)


@pytest.mark.parametrize("streams", ["2>&1 |", "2>/dev/full |"], ids=["no reader", "full disk"])
def test_what_nobody_reads_ends_no_run(long_run, streams):
    shell = long_run('"serial"', repeats=3)
    command = (
        f"{sys.executable} -u -m ilk run {shell.file} {streams} head -1; exit ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(
        ["bash", "-c", command],
        env=shell.environment,
        cwd=shell.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr, shell.n_cells()) == (0, "", 24)


def test_kill_9_of_the_runner(long_run, executors, undisturbed):
    """With workers, which must end; `test_kill_9_at_any_moment` kills runs without."""
    shell = long_run(executors["loky"])
    process = shell.start("--quiet")
    shell.wait_for_cells(5, process)
    process.kill()
    process.communicate(timeout=60)
    assert shell.left_over() == []
    assert shell.n_cells() >= 5
    goes_on(shell, undisturbed, *SERIAL)


def test_kill_9_of_a_worker_costs_nothing(long_run, executors, undisturbed):
    shell = long_run(executors["loky"])

    def kill():
        for n in (5, 30):
            shell.wait_for_cells(n)
            workers = [line.split()[0] for line in shell.processes() if "popen_loky" in line]
            assert len(workers) == 2
            os.kill(int(workers[0]), signal.SIGKILL)

    code, _, err = shell.here("--quiet", meanwhile=kill)
    assert (code, err) == (0, "")
    assert shell.outcome() == undisturbed
    assert shell.left_over() == []


@pytest.mark.slow
def test_kill_9_at_any_moment(long_run, executors, undisturbed_longer):
    """Twelve lives of a run; no cell is lost and none is run twice."""
    generator = random.Random(7)
    shell = long_run(executors["serial"], repeats=20)
    with shell.nursery() as begin:
        for life in range(12):
            long_run(executors["loky" if life in {0, 4} else "serial"], repeats=20)
            pid, wait = begin()
            if life % 5:
                shell.wait_for_cells(shell.n_cells() + generator.randrange(1, 5))
            time.sleep(generator.random() * (0.05 if life % 5 else 0.5))
            (os.killpg if life % 3 == 0 else os.kill)(pid, signal.SIGKILL)
            wait()
            # folders wait for the next run on loky
            assert shell.left_over(folders=False) == [], life
            told = [key for key, _ in shell.log()]
            assert set(told) <= shell.cells().keys()
            assert len(set(told)) == len(told)
    assert 12 < shell.n_cells() < 160
    long_run(executors["loky"], repeats=20)
    goes_on(shell, undisturbed_longer)
    assert shell.left_over() == []
