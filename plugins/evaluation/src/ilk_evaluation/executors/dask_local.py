"""A cluster of Dask on this machine, which begins and ends with a run."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent import futures
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cloudpickle
import dask
from distributed import Client, LocalCluster, WorkerPlugin

from ilk_evaluation.executors import worker
from ilk_evaluation.executors.dask_pool import SILENCE, DaskPool, quiet
from ilk_evaluation.executors.epitaph import epitaph
from ilk_evaluation.executors.failure import ExecutorError
from ilk_evaluation.executors.interrupts import interrupts_blocked
from ilk_evaluation.executors.threads import environment
from ilk_evaluation.scratch import scratch

if TYPE_CHECKING:
    from distributed.scheduler import KilledWorker

_Client: Any = Client  # their constructors have no types
_LocalCluster: Any = LocalCluster

_SILENT = {"DASK_LOGGING__DISTRIBUTED": "critical"}
_SETTINGS: dict[str, Any] = {
    "distributed.nanny.pre-spawn-environ": {},  # the environment is what we make it
    "distributed.scheduler.worker-ttl": None,  # a worker may be silent while a cell runs
    "distributed.worker.multiprocessing-method": "spawn",
}


@contextmanager
def opened(
    n: int, inner_threads: int | None, seconds: float | None, patience: float
) -> Iterator[DaskPool]:
    """Give a pool of processes; see `Dask` for the parameters."""
    with (
        quiet(),
        scratch() as folder,
        _cluster(n, inner_threads, folder) as cluster,
        _Client(cluster, set_as_default=False) as client,
    ):
        client.register_plugin(_Prepare(os.getpid(), folder), name="ilk")
        with DaskPool(
            client,
            lambda fn, args, kwargs: cloudpickle.dumps((fn, args, kwargs)),
            (worker.call, seconds),
            _died(folder, seconds),
            "of this run",
            patience,
        ) as pool:
            yield pool


class _Prepare(WorkerPlugin):
    """Makes a process of Dask's one of ours: it goes when the runner goes, and has last words."""

    def __init__(self, runner: int, folder: Path) -> None:
        self.runner = runner
        self.folder = folder

    def setup(self, worker: Any) -> None:
        """Prepare the process."""
        _prepare(self.runner, self.folder)


def _prepare(runner: int, folder: Path) -> None:
    worker.end_with(runner)
    worker.listen(_last_words(folder, os.getpid()))


def _last_words(folder: Path, pid: int) -> Path:
    return folder / f"{pid}.words"


def _died(folder: Path, seconds: float | None) -> Callable[[KilledWorker], Exception]:
    """Return a function that says what a process of a folder died of."""

    def said(error: KilledWorker) -> Exception:
        pid = error.last_worker.pid
        with suppress(OSError):
            words = _last_words(folder, pid).read_text(encoding="utf-8")
            return epitaph(words.partition("\n")[0] or f"process {pid} is gone", words, seconds)
        return futures.BrokenExecutor(f"the worker died: process {pid} is gone")

    return said


@contextmanager
def _cluster(n: int, inner_threads: int | None, folder: Path) -> Iterator[LocalCluster]:
    """Run a cluster; its processes end with the block, whatever they are doing."""
    settings = {"temporary-directory": str(folder), **_SETTINGS}
    with (
        _environ({**environment(inner_threads), **_SILENT}),
        dask.config.set(settings),
        ExitStack() as stack,
    ):
        with interrupts_blocked():  # also in what begins here: Ctrl-C is ours to act upon
            cluster = stack.enter_context(_started(n, folder))
            stack.callback(_kill, cluster)
        yield cluster


def _started(n: int, folder: Path) -> Any:
    """Start a cluster without a dashboard and without limits of memory."""
    try:
        return _LocalCluster(
            n_workers=n,
            threads_per_worker=1,
            local_directory=str(folder),
            memory_limit=None,
            silence_logs=SILENCE,
            scheduler_kwargs={
                "allowed_failures": 0,
                "dashboard": False,
                "dashboard_address": "127.0.0.1:0",
            },
        )
    except (OSError, RuntimeError, TimeoutError) as error:
        guard = "does a script that runs an experiment so say `if __name__ == '__main__':`?"
        raise ExecutorError(f"no worker of Dask can be started ({error}); {guard}") from error


def _kill(cluster: LocalCluster) -> None:
    """End the processes at once: what is needed of them is here, or nobody wants it any more."""
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        if nanny.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(nanny.pid, signal.SIGKILL)


@contextmanager
def _environ(more: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables, which processes to be started find, for the time of a block."""
    before = {name: os.environ.get(name) for name in more}
    os.environ.update(more)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
