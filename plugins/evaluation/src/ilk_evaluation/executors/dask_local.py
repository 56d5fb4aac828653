"""A Dask cluster on this machine that starts and ends with a run."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import cloudpickle
import dask
from distributed import Client, LocalCluster, Nanny, WorkerPlugin

from ilk_evaluation.executors import worker
from ilk_evaluation.executors.base import ExecutorError, environment
from ilk_evaluation.executors.dask_pool import SILENCE, DaskPool, quiet
from ilk_evaluation.executors.worker import interrupts_blocked, scratch, worker_death

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from distributed.scheduler import KilledWorker

_Client: Any = Client  # their constructors have no types
_LocalCluster: Any = LocalCluster

PATIENCE = 10.0
"""Seconds to wait for a nanny to learn how its process ended, enough on a busy machine."""
GRACE = 1.0
"""Seconds after which the exit of a process without an address is taken for it."""

_SILENT = {"DASK_LOGGING__DISTRIBUTED": "critical"}
_SETTINGS: dict[str, Any] = {
    "distributed.comm.timeouts.connect": "30s",
    "distributed.comm.timeouts.tcp": "30s",
    "distributed.deploy.lost-worker-timeout": "1h",  # the nanny restarts dead workers, perhaps late
    "distributed.nanny.pre-spawn-environ": {},  # `_environ` sets the environment
    "distributed.scheduler.idle-timeout": None,
    "distributed.scheduler.no-workers-timeout": None,  # `patience` limits this
    "distributed.scheduler.worker-ttl": None,  # a long cell blocks the heartbeat
    "distributed.worker.lifetime.duration": None,
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
            _died(cluster, folder, seconds),
            "of this run",
            patience,
            lambda: any(nanny.is_alive() for nanny in list(cluster.workers.values())),
        ) as pool:
            yield pool


@dataclass(eq=False)
class _Prepare(WorkerPlugin):
    """Prepares a worker process: it ends with the runner, and logs its last words."""

    runner: int
    folder: Path

    def setup(self, worker: Any) -> None:
        """Prepare the process."""
        _prepare(self.runner, self.folder)


def _prepare(runner: int, folder: Path) -> None:
    worker.end_with(runner)
    worker.listen(_last_words(folder, os.getpid()))


def _last_words(folder: Path, pid: int) -> Path:
    return folder / f"{pid}.words"


class _Nanny(Nanny):
    """Records how its processes ended, by address; by None if they died while starting."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ends: dict[str | None, int] = {}

    async def _on_worker_exit(self, exitcode: int) -> None:
        address = self.worker_address  # of the previous process, if this one had none yet
        self.ends[None if address in self.ends else address] = exitcode
        await super()._on_worker_exit(exitcode)


def _died(
    cluster: LocalCluster, folder: Path, seconds: float | None
) -> Callable[[KilledWorker], Exception]:
    """Return a function that explains how a process of the cluster died."""

    def explain(error: KilledWorker) -> Exception:
        dead, words = error.last_worker, ""
        with suppress(OSError):
            words = _last_words(folder, dead.pid).read_text(encoding="utf-8")
        return worker_death(_end(cluster.workers.get(dead.name), dead.address), words, seconds)

    return explain


def _end(nanny: Any, address: str) -> str:
    """How a process ended, in loky's words; its nanny learns of it about now."""
    ends = {} if nanny is None else nanny.ends
    began = monotonic()
    while address not in ends and monotonic() - began < (GRACE if None in ends else PATIENCE):
        sleep(GRACE / 20)
    code = ends.get(address, ends.get(None))
    if code is None:
        return "its process is gone"
    return f"{signal.Signals(-code).name}({code})" if code < 0 else f"EXIT({code})"


@contextmanager
def _cluster(n: int, inner_threads: int | None, folder: Path) -> Iterator[LocalCluster]:
    """Run a cluster; the block's end kills its processes."""
    settings = {"temporary-directory": str(folder), **_SETTINGS}
    with (
        _environ({**environment(inner_threads), **_SILENT}),
        dask.config.set(settings),
        ExitStack() as stack,
    ):
        with interrupts_blocked():  # new processes inherit this: only the runner handles Ctrl-C
            cluster = stack.enter_context(_started(n, folder))
            stack.callback(_kill, cluster)
        yield cluster


def _started(n: int, folder: Path) -> Any:
    """Start a cluster without a dashboard and without limits of memory."""
    try:
        return _LocalCluster(
            n_workers=n,
            threads_per_worker=1,
            processes=True,
            worker_class=_Nanny,
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
    """Kill the processes: their results have arrived or are no longer wanted."""
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        if nanny.pid is not None:
            with suppress(ProcessLookupError):
                # Windows lacks SIGKILL; its SIGTERM cannot be caught either
                os.kill(nanny.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


@contextmanager
def _environ(more: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables within a block, for the processes started there."""
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
