"""Calls on a client of Dask, and a watch over its scheduler and workers."""

from __future__ import annotations

import logging
import threading
from concurrent import futures
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from distributed import Client, WorkerPlugin
from distributed.scheduler import KilledWorker
from distributed.utils import silence_logging_cmgr

from ilk_evaluation.executors import remote
from ilk_evaluation.executors.base import ExecutorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PACE = 1.0
"""Seconds between two looks at the cluster."""
SILENCE = logging.CRITICAL + 1
_LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application")


class DaskPool(futures.Executor):
    """Submits calls to a cluster, and fails them all when no worker is left to run them.

    Parameters
    ----------
    client : distributed.Client
    pack : function
        Takes a function, its arguments and its keywords; returns the argument of `call`.
    call : function
        Runs in a worker.
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
        self._client = client
        self._inner = client.get_executor(pure=False)
        self._pack = pack
        self._call, *self._how = call
        self._died = died
        self._place = place
        self._patience = patience
        self._starting = starting
        self._waiting: set[futures.Future[Any]] = set()
        self._lock = threading.Lock()
        self._lost: ExecutorError | None = None
        self._closed = threading.Event()
        self._count = max(1, len(client.nthreads()))
        self._watchman = threading.Thread(target=self._watch, name="ilk-dask-watch", daemon=True)
        self._watchman.start()

    @property
    def n_workers(self) -> int:
        """Current number of workers."""
        return self._count

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Submit a call to the cluster."""
        if self._closed.is_set():
            raise RuntimeError("the cluster is closed, it takes no more work")
        task = self._pack(fn, args, kwargs)
        outer: futures.Future[Any] = futures.Future()
        outer.set_running_or_notify_cancel()
        with self._lock:
            if self._lost is not None:
                raise self._lost
            self._waiting.add(outer)
        inner = self._inner.submit(self._call, task, *self._how)
        inner.add_done_callback(lambda done: self._pass_on(done, outer))
        return outer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further calls; by default wait for the pending ones."""
        self._closed.set()
        with self._lock:
            waiting = set(self._waiting)
        if wait and not cancel_futures:
            futures.wait(waiting)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(cancel_futures=kind is not None)

    def _pass_on(self, done: futures.Future[Any], outer: futures.Future[Any]) -> None:
        """Copy the outcome of a call to the future returned for it."""
        if done.cancelled():
            self._lose(f"the Dask scheduler {self._place} is gone")
            return
        error = done.exception()
        if error is None:
            self._end(outer, done.result(), None)
        elif isinstance(error, KilledWorker):  # its cause takes time: not in Dask's loop
            threading.Thread(target=self._bury, args=(outer, error), daemon=True).start()
        else:
            self._end(outer, None, error)

    def _bury(self, outer: futures.Future[Any], error: KilledWorker) -> None:
        self._end(outer, None, self._died(error))

    def _end(self, outer: futures.Future[Any], value: object, error: BaseException | None) -> None:
        with self._lock:
            if outer not in self._waiting:  # failed meanwhile by `_lose`
                return
            self._waiting.remove(outer)
        if error is None:
            outer.set_result(value)
        else:
            outer.set_exception(error)

    def _lose(self, why: str) -> None:
        """Fail all calls: no worker will run them."""
        with self._lock:
            self._lost = self._lost or ExecutorError(why)
            waiting = list(self._waiting)
        for outer in waiting:
            self._end(outer, None, self._lost)

    def _watch(self) -> None:
        """Check the cluster once per `PACE` until it is closed."""
        seen = monotonic()
        while not self._closed.wait(PACE) and self._lost is None:
            n_workers = self._look()
            if self._closed.is_set():
                return
            if n_workers is None:
                self._lose(f"the Dask scheduler {self._place} does not answer")
            elif n_workers:
                self._count, seen = n_workers, monotonic()
            elif self._starting():
                seen = monotonic()
            elif monotonic() - seen > self._patience:
                waited = f"{self._patience:g} s"
                self._lose(f"the Dask scheduler {self._place} has had no worker for {waited}")

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
    with quiet(), _joined(address, patience) as client, _Sender(client, address) as sender:
        packer = remote.Packer(sender.send)
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


class _Sender:
    """Stores shared inputs on each worker, also on later ones, until the run ends."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address
        self._names: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._names if self._client.status == "running" else ():
            with suppress(Exception):  # the scheduler may end meanwhile
                self._client.unregister_worker_plugin(name)

    def send(self, name: str, content: bytes) -> None:
        """Store bytes under a name on all workers."""
        try:
            self._client.register_plugin(_Keep(name, content), name=name)
        except Exception as error:
            raise ExecutorError(
                f"the workers of the Dask scheduler at {self._address} cannot take the experiment: "
                f"{type(error).__name__}: {error}"
            ) from error
        self._names.append(name)


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
