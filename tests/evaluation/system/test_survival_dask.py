"""The executor `dask`: workers, the scheduler and the runner are killed; what is done is kept."""

import os
import re
import signal
import subprocess
import sys
import time
from concurrent import futures

import cloudpickle
import pytest

import ilk

pytest.importorskip("distributed", reason="the extra `dask` is not installed")

from ilk_evaluation import ExecutorError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # tests are no package

LOCAL = '{ use = "dask", workers = 2 }'


def crash():
    import ctypes

    ctypes.string_at(0)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def spin():
    """Hold the interpreter's lock for ages."""
    re.match("(a|a)+$", "a" * 60 + "b")


def threads():
    import numpy as np
    from threadpoolctl import threadpool_info

    np.ones((9, 9)) @ np.ones((9, 9))
    return {library["num_threads"] for library in threadpool_info()}


def workers_of(shell):
    """Process ids of the workers of a cluster of its own."""
    return [int(line.split()[0]) for line in shell.processes() if "spawn_main" in line]


@pytest.fixture(scope="module")
def pool():
    with ilk.executor("dask", workers=2, timeout=5).open() as opened:
        yield opened


def test_it_is_an_executor_of_the_standard_library(pool):
    assert isinstance(pool, futures.Executor)
    assert list(pool.map(pow, range(5), [2] * 5)) == [0, 1, 4, 9, 16]
    offset = 3
    assert pool.submit(lambda value: value + offset, 4).result() == 7
    assert pool.submit(threads).result() == {1}
    assert pool.n_workers == 2
    with pytest.raises(ZeroDivisionError):
        pool.submit(divmod, 1, 0).result()


@pytest.mark.parametrize(
    ("call", "cause", "where"),
    [
        ((os._exit, 7), r"EXIT\(7\)", ""),
        ((killed,), r"SIGKILL\(-9\)", ""),
        ((crash,), r"SIGSEGV\(-11\)", "in crash"),
    ],
    ids=["exit", "kill", "crash"],
)
def test_a_death_is_that_of_one_call(pool, call, cause, where):
    doomed = pool.submit(*call)
    others = [pool.submit(abs, -i) for i in range(2)]
    error = doomed.exception(timeout=60)
    assert isinstance(error, futures.BrokenExecutor)
    assert re.fullmatch(f"the worker died: {cause}", str(error))
    assert where in "\n".join(getattr(error, "__notes__", ()))
    futures.wait(others, timeout=60)
    assert pool.submit(abs, -9).result(timeout=60) == 9


def test_settings_of_the_user_lose_no_worker():
    """A worker may be long in coming back, whatever Dask's settings are."""
    import dask

    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "10ms"}),
        ilk.executor("dask", workers=2, patience=10).open() as opened,
    ):
        for _ in range(3):
            died = [opened.submit(killed) for _ in range(2)]
            assert {str(one.exception(timeout=60)) for one in died} == {
                "the worker died: SIGKILL(-9)"
            }
        assert opened.submit(abs, -9).result(timeout=60) == 9


def test_what_takes_too_long_is_ended(pool):
    error = pool.submit(spin).exception(timeout=60)
    assert isinstance(error, TimeoutError)
    assert str(error) == "exceeded the time limit of 5 s"
    (note,) = error.__notes__
    assert note.splitlines()[-1].endswith("in spin")


def test_the_environment_is_as_it_was(pool):
    pool.submit(abs, 1).result(timeout=60)
    assert "DASK_LOGGING__DISTRIBUTED" in os.environ  # while it is open
    assert os.environ.get("MALLOC_TRIM_THRESHOLD_") is None  # Dask leaves it behind otherwise


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"address": ""}, "must name a scheduler"),
        ({"address": "tcp://x:1", "workers": 2}, "workers must be None with an address"),
        ({"address": "tcp://x:1", "timeout": 2}, "timeout must be None with an address"),
    ],
    ids=["empty", "workers", "timeout"],
)
def test_parameters_that_do_not_go_together(parameters, message):
    with pytest.raises(ilk.ParameterError, match=message):
        ilk.executor("dask", **parameters).check_parameters()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://127.0.0.1:9", "no Dask scheduler answers at tcp://127.0.0.1:9"),
        ("there-is-none.json", "is neither the address nor the file of a Dask scheduler"),
    ],
    ids=["address", "file"],
)
def test_a_scheduler_that_is_not_there(address, message):
    start = time.monotonic()
    with (
        pytest.raises(ExecutorError, match=message),
        ilk.executor("dask", address=address, patience=0.5).open(),
    ):
        pass
    assert time.monotonic() - start < 60


def test_kill_9_of_a_worker_then_of_the_runner(long_run, undisturbed):
    shell = long_run(LOCAL)
    process = shell.start("--quiet")
    shell.wait_for_cells(5, process)
    os.kill(workers_of(shell)[0], signal.SIGKILL)
    shell.wait_for_cells(30, process)
    process.kill()
    process.communicate(timeout=60)
    assert shell.left_over() == []
    assert 30 <= shell.n_cells() < 80
    code, _, err = shell.here("--quiet", "--executor", "serial")
    assert (err, code) == ("", 0)
    assert shell.outcome() == undisturbed
    assert shell.left_over() == []


@pytest.mark.slow
def test_ctrl_c(long_run):
    shell = long_run(LOCAL)
    process = shell.start("--quiet")
    shell.wait_for_cells(5, process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    said = re.fullmatch(r"interrupted: (\d+) of 80 cells are kept in .*; run the same .* on\n", err)
    assert said, err
    assert int(said[1]) == shell.n_cells() >= 5
    assert shell.left_over() == []


class Cluster:
    """A scheduler and two workers, started as on a cluster of machines."""

    def __init__(self, shell):
        self.shell = shell
        self.file = shell.folder / "scheduler.json"
        self.executor = f'{{ use = "dask", address = "{self.file}", patience = 60 }}'

    def start(self, workers=2):
        self.file.unlink(missing_ok=True)
        where = ["--scheduler-file", str(self.file), "--no-dashboard"]
        self.scheduler = self._command("scheduler", "--port", "0", "--host", "127.0.0.1", *where)
        self.workers = self._command(
            "worker", "--nworkers", str(workers), "--nthreads", "1", *where
        )
        deadline = time.monotonic() + 60
        while not self.file.exists():
            assert time.monotonic() < deadline, "the scheduler does not start"
            time.sleep(0.05)

    def _command(self, name, *arguments):
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{name}", *arguments],
            env=self.shell.environment,
            cwd=self.shell.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def stop(self):
        for process in (self.workers, self.scheduler):
            with process:
                process.kill()


@pytest.fixture
def cluster(shell):
    made = Cluster(shell)
    made.start()
    yield made
    made.stop()


def test_kill_9_of_the_scheduler(cluster, shell, long_run, undisturbed):
    long_run(cluster.executor)

    def kill():
        shell.wait_for_cells(5)
        workers = shell.children(cluster.workers.pid, "spawn_main")
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        shell.wait_for_cells(30)
        cluster.scheduler.kill()

    code, out, err = shell.here("--quiet", "--trust", meanwhile=kill)
    assert (code, out) == (2, "")
    gone = rf"Error: the Dask scheduler at {re.escape(str(cluster.file))} is gone\n"
    said = re.fullmatch(
        rf"{gone}(\d+) of 80 cells are kept in .*x.sqlite; run the same .* on\n", err
    )
    assert said, err
    assert 30 <= int(said[1]) == shell.n_cells() < 80
    cluster.stop()
    cluster.start(workers=1)
    code, _, err = shell.here("--quiet", "--trust")
    assert (err, code) == ("", 0)
    assert shell.outcome() == undisturbed


@pytest.mark.slow
def test_many_short_cells_survive_the_kill_of_workers(shell):
    plan = {
        "pipelines": {"a": '"nearest_mean"', "b": '"slow"'},
        "datasets": ["iris"],
        "repeats": 60,
    }
    other = shell.folder / "serial.sqlite"
    shell.write(**plan)
    assert shell.here("--quiet", "--store", str(other))[::2] == (0, "")
    shell.write(**plan, executor=LOCAL)

    def kill():
        for n in (40, 120):
            shell.wait_for_cells(n)
            os.kill(workers_of(shell)[0], signal.SIGKILL)

    code, _, err = shell.here("--quiet", meanwhile=kill)
    assert (err, code) == ("", 0)
    assert shell.n_cells() == 240
    assert shell.cells() == shell.cells(other)
    assert shell.outcome()[1] == shell.outcome(other)[1]
    assert shell.left_over() == []
