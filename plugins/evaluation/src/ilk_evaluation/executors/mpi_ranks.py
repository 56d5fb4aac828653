"""The other ranks of an MPI job, used by its first rank."""

from __future__ import annotations

import sys
from concurrent import futures
from typing import TYPE_CHECKING, Any

from ilk_evaluation.executors import remote
from ilk_evaluation.executors.base import ExecutorError, environment

if TYPE_CHECKING:
    from collections.abc import Callable


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
