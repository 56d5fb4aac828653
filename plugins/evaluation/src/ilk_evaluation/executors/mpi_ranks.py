"""The other ranks of an MPI job, used by its first rank."""

from __future__ import annotations

import sys
from concurrent import futures
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ilk_evaluation.executors import remote
from ilk_evaluation.executors.base import ExecutorError, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Ranks:
    """A pool of mpi4py, restarted for each shared input, which ranks receive as they start.

    Parameters
    ----------
    workers : int or None
        Number of calls to run at once; None: the number of other ranks.
    inner_threads : int or None, default=None
        Threads of numeric libraries in the ranks.
    """

    def __init__(self, workers: int | None, inner_threads: int | None = None) -> None:
        self._make = _library()
        self._workers = workers
        self._threads = inner_threads
        self._pool: Any = None

    @property
    def n_workers(self) -> int:
        """Number of ranks that run calls."""
        if self._pool is None:
            return self._workers or 1
        return min(int(self._pool.num_workers), self._workers or sys.maxsize)

    def keep(self, name: str, content: bytes) -> None:
        """Send bytes that each rank is to keep under a name."""
        self._start(name, content)

    def submit(self, function: Callable[..., Any], *args: Any) -> futures.Future[Any]:
        """Hand a call to a rank."""
        if self._pool is None:
            self._start()
        return self._pool.submit(function, *args)  # type: ignore[no-any-return]

    def shutdown(self, wait: bool = True, cancel_futures: bool = False) -> None:
        """Wait for the running calls; they cannot be cancelled."""
        if self._pool is not None:
            self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def _start(self, *shared: Any) -> None:
        self.shutdown()
        self._pool = self._make(
            max_workers=self._workers,
            initializer=remote.keep if shared else None,
            initargs=shared,
            env=environment(self._threads),
            main=False,
        ).bootup()


@contextmanager
def opened(workers: int | None, inner_threads: int | None) -> Iterator[futures.Executor]:
    """Give an executor that submits its calls to the other ranks."""
    pool = _RanksPool(Ranks(workers, inner_threads), inner_threads)
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


class _RanksPool(futures.Executor):
    """Packs calls for ranks."""

    def __init__(self, ranks: Ranks, inner_threads: int | None) -> None:
        self._ranks = ranks
        self._threads = inner_threads
        self._packer = remote.Packer(ranks.keep)
        self._closed = False

    @property
    def n_workers(self) -> int:
        """Number of ranks that run cells."""
        return self._ranks.n_workers

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Hand a call to a rank."""
        if self._closed:
            raise RuntimeError("the pool of MPI is closed, it takes no more work")
        task = self._packer.pack(fn, args, kwargs)
        return self._ranks.submit(remote.call, task, self._threads)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further calls, and wait for the running ones."""
        self._closed = True
        self._ranks.shutdown(wait, cancel_futures)


def _library() -> Callable[..., Any]:
    """Return mpi4py's constructor of pools."""
    try:
        from mpi4py.futures import MPIPoolExecutor
    except (ImportError, RuntimeError) as error:
        raise ExecutorError(f"mpi needs a library of MPI: {error}") from error
    pool: Callable[..., Any] = MPIPoolExecutor  # mpi4py is optional, so mypy has no types
    return pool
