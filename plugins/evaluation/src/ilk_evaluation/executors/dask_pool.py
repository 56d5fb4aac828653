"""Calls on a client of Dask, and a watch over its scheduler and workers."""

from __future__ import annotations

import logging
import threading
from concurrent import futures
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from distributed import Client, WorkerPlugin
from distributed.scheduler import KilledWorker
from distributed.utils import silence_logging_cmgr

from ilk_evaluation.executors import remote
from ilk_evaluation.executors.base import ExecutorError
from ilk_evaluation.executors.relay import RelayExecutor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PACE = 1.0
"""Seconds between two looks at the cluster."""
SILENCE = logging.CRITICAL + 1
_LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application")


class DaskPool(RelayExecutor):
    """Submits calls to a cluster, and fails them all when no worker is left to run them.

    Parameters
    ----------
    client : distributed.Client
    pack : function
        Takes a function, its arguments and its keywords; returns the argument of `call`.
    call : tuple
        A function that runs in a worker, and its arguments after the packed call.
    died : function
        Turns Dask's error about a dead worker into the error of the call; may wait.
    place : str
        Where the scheduler is, for messages.
    patience : float
        Seconds without an answer of the scheduler, or without a worker, after which all calls fail.
    starting : function, optional
        Tells whether a worker is still starting, which extends `patience`.
    """

    def __init__(
        self,
        client: Any,
        pack: Callable[..., bytes],
        call: tuple[Any, ...],
        died: Callable[[KilledWorker], Exception],
        place: str,
        patience: float,
        starting: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__("the cluster")
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._pack_call = pack
        self._call, *self._how = call
        self._died = died
        self._place = place
        self._patience = patience
        self._starting = starting
        self.n_workers = max(1, len(client.nthreads()))
        threading.Thread(target=self._watch, name="ilk-dask-watch", daemon=True).start()

    def _pack(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> bytes:
        return self._pack_call(fn, args, kwargs)

    def _pass_on(self, number: int, task: bytes) -> None:
        future = self._executor.submit(self._call, task, *self._how)
        future.add_done_callback(lambda done: self._settle(number, done))

    def _settle(self, number: int, done: futures.Future[Any]) -> None:
        if done.cancelled():
            self._give_up("is gone")
            return
        error = done.exception()
        if isinstance(error, KilledWorker):  # its cause takes time: not in Dask's loop
            threading.Thread(target=self._bury, args=(number, error), daemon=True).start()
        else:
            self._complete(number, None if error else done.result(), error)

    def _bury(self, number: int, error: KilledWorker) -> None:
        self._complete(number, None, self._died(error))

    def _give_up(self, why: str) -> None:
        self._lose(ExecutorError(f"the Dask scheduler {self._place} {why}"))

    def _watch(self) -> None:
        """Check the cluster once per `PACE` until it is closed."""
        seen = monotonic()
        while not self._closed.wait(PACE) and self._lost is None:
            n_workers = self._look()
            if self._closed.is_set():
                return
            if n_workers is None:
                self._give_up("does not answer")
            elif n_workers or self._starting():
                self.n_workers, seen = n_workers or self.n_workers, monotonic()
            elif monotonic() - seen > self._patience:
                self._give_up(f"has had no worker for {self._patience:g} s")

    def _look(self) -> int | None:
        """Ask the scheduler for the number of its workers; None: no answer."""
        with suppress(Exception):  # any error means no answer
            ask = self._client.scheduler.ncores
            return len(self._client.sync(ask, workers=None, callback_timeout=self._patience))
        return None


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Dask's logs off the terminal: our errors report what matters."""
    with ExitStack() as stack:
        for name in _LOGGERS:
            stack.enter_context(silence_logging_cmgr(SILENCE, name))
        yield


_Client: Any = Client  # its constructor has no types


@contextmanager
def opened(address: str, inner_threads: int | None, patience: float) -> Iterator[DaskPool]:
    """Give a pool of the workers of a scheduler; see `Dask` for the parameters."""
    with quiet(), _joined(address, patience) as client, ExitStack() as sent:
        packer = remote.Packer(partial(_send, client, address, sent))
        call = (remote.call, inner_threads)
        with DaskPool(client, packer.pack, call, _died, f"at {address}", patience) as pool:
            yield pool


@contextmanager
def _joined(address: str, patience: float) -> Iterator[Any]:
    file = Path(address).expanduser()
    if file.is_file():
        where: dict[str, Any] = {"scheduler_file": str(file)}
    elif ":" in address:
        where = {"address": address}
    else:
        raise ExecutorError(f"{address}: is neither the address nor the file of a Dask scheduler")
    try:
        client = _Client(**where, timeout=patience, set_as_default=False)
    except (OSError, TypeError, ValueError) as error:
        raise ExecutorError(f"no Dask scheduler answers at {address}: {error}") from error
    try:
        yield client
    finally:
        with suppress(Exception):  # the scheduler may be gone
            client.close(timeout=min(patience, 5.0))


def _send(client: Any, address: str, sent: ExitStack, name: str, content: bytes) -> None:
    """Store bytes under a name on each worker, also on later ones, until the run ends."""
    try:
        client.register_plugin(_Keep(name, content), name=name)
    except Exception as error:
        raise ExecutorError(
            f"the workers of the Dask scheduler at {address} cannot take the experiment: "
            f"{type(error).__name__}: {error}"
        ) from error
    sent.callback(_withdraw, client, name)


def _withdraw(client: Any, name: str) -> None:
    if client.status == "running":
        with suppress(Exception):  # the scheduler may end meanwhile
            client.unregister_worker_plugin(name)


@dataclass(eq=False, repr=False)
class _Keep(WorkerPlugin):
    name: str
    content: bytes

    def setup(self, worker: Any) -> None:
        """Store the bytes."""
        remote.keep(self.name, self.content)

    def teardown(self, worker: Any) -> None:
        """Free its memory."""
        remote.forget(self.name)


def _died(error: KilledWorker) -> Exception:
    tries = error.allowed_failures + 1
    before = f", as {tries - 1} did before that tried" if tries > 1 else ""
    result = futures.BrokenExecutor(f"the worker died{before}")
    result.add_note(f"the last one was at {error.last_worker.address}")
    return result
