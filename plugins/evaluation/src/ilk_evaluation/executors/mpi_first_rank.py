"""The ranks of an MPI job, used by its first rank, which serves the runner of `ilk run`.

``mpiexec -n N python -m mpi4py.futures -m`` runs this module. It talks to the runner through a
socket: calls come with a number, and answers go back with it.
"""

from __future__ import annotations

import os
import sys
import threading
from concurrent import futures
from functools import partial
from multiprocessing.connection import Client
from typing import TYPE_CHECKING, Any

import cloudpickle

from ilk_evaluation.executors import remote
from ilk_evaluation.executors.base import ExecutorError, environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

ADDRESS = "ILK_MPI_ADDRESS"
"""Environment variable with the path of the socket."""


class RanksPool(futures.Executor):
    """A pool of mpi4py, restarted for each shared input, which ranks receive as they start.

    Parameters
    ----------
    workers : int or None
        Number of calls to run at once; None: the number of other ranks.
    inner_threads : int or None
        Threads of numeric libraries in the ranks.
    """

    def __init__(self, workers: int | None, inner_threads: int | None) -> None:
        self._make = _library()
        self._workers = workers
        self._threads = inner_threads
        self._packer = remote.Packer(self.keep)
        self._pool = self._started()

    @property
    def n_workers(self) -> int:
        """Number of ranks that run calls."""
        return min(int(self._pool.num_workers), self._workers or sys.maxsize)

    def keep(self, name: str, content: bytes) -> None:
        """Send bytes that each rank is to keep under a name."""
        self._pool.shutdown()
        self._pool = self._started(initializer=remote.keep, initargs=(name, content))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Pack a call and hand it to a rank."""
        task = self._packer.pack(fn, args, kwargs)
        return self.hand_over(remote.call, task, self._threads)

    def hand_over(self, function: Callable[..., Any], *args: Any) -> futures.Future[Any]:
        """Hand a call to a rank as it is."""
        return self._pool.submit(function, *args)  # type: ignore[no-any-return]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further calls, and wait for the running ones, which cannot be cancelled."""
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(cancel_futures=kind is not None)

    def _started(self, **options: Any) -> Any:
        env = environment(self._threads)
        return self._make(max_workers=self._workers, env=env, main=False, **options).bootup()


def _library() -> Callable[..., Any]:
    """Return mpi4py's constructor of pools."""
    try:
        from mpi4py.futures import MPIPoolExecutor
    except (ImportError, RuntimeError) as error:
        raise ExecutorError(f"mpi needs a library of MPI: {error}") from error
    pool: Callable[..., Any] = MPIPoolExecutor  # mpi4py is optional, so mypy has no types
    return pool


def main() -> None:
    """Serve the runner until it is done; abort the job if the runner is gone."""
    runner = Client(os.environ[ADDRESS], family="AF_UNIX")
    try:
        ranks = _serve(runner)
    except (EOFError, OSError):
        from mpi4py import MPI

        MPI.COMM_WORLD.Abort(1)  # nobody waits for the running calls
    else:
        ranks.shutdown()


def _serve(runner: Connection) -> RanksPool:
    """Serve the runner's requests, to keep an input or to run a call; None ends."""
    ranks, turn = RanksPool(None, None), threading.Lock()
    while (message := runner.recv()) is not None:
        what, *rest = message
        if what == "keep":
            ranks.keep(*rest)
        else:
            number, task, n_threads = rest
            future = ranks.hand_over(remote.answer, task, n_threads)
            future.add_done_callback(partial(_reply, runner, turn, number))
    return ranks


def _reply(
    runner: Connection, turn: threading.Lock, number: int, done: futures.Future[bytes]
) -> None:
    error = done.exception()
    packed = done.result() if error is None else cloudpickle.dumps((None, error))
    with turn:
        runner.send((number, packed))


if __name__ == "__main__":
    main()
