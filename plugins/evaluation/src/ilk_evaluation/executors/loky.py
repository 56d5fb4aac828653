"""Several cells at once, in processes of this machine that can die one by one."""

from __future__ import annotations

import os
import re
from concurrent import futures
from contextlib import ExitStack, closing, contextmanager, suppress
from multiprocessing import Pipe
from typing import TYPE_CHECKING, Any

import cloudpickle

import ilk
from ilk_evaluation.executors import worker
from ilk_evaluation.executors.base import (
    LONGEST,
    MOST_THREADS,
    MOST_WORKERS,
    ExecutorError,
    environment,
)
from ilk_evaluation.executors.worker import interrupts_blocked, scratch, worker_death

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from pathlib import Path

    from loky import ProcessPoolExecutor

STILLBORN = 3
"""Processes in a row that may die while starting; then the run ends, as more would die too."""


class Loky(ilk.Executor):
    """Runs several cells at once in processes, and survives the death of any of them.

    loky starts the processes. Each runs one cell at a time, so the cell that killed a process is
    known; another process replaces a dead one. Each process reads the shared inputs (data,
    pipelines, classes registered by hand) once; large arrays are memory-mapped and not copied.
    The results equal those of `serial`, bit for bit, for any number of workers.

    Examples
    --------
    >>> import ilk
    >>> with ilk.executor("loky", workers=2).open() as pool:
    ...     sorted(pool.map(abs, [-3, 2, -1]))
    [1, 2, 3]
    """

    workers: int | None = ilk.param(
        default=None,
        type=int,
        ge=1,
        le=MOST_WORKERS,
        doc="Number of processes; None: the number of processors that this process may use.",
    )
    inner_threads: int | None = ilk.param(
        default=1,
        ge=1,
        le=MOST_THREADS,
        none=True,
        doc="Number of threads that numeric libraries may use in each. None sets no limit.",
    )
    timeout: float | None = ilk.param(
        default=None,
        type=float,
        gt=0,
        le=LONGEST,
        doc="Time limit of one cell in seconds. A process that exceeds it ends, and the cell "
        "counts as failed.",
    )

    @property
    def n_workers(self) -> int:
        """Number of processes."""
        from loky import cpu_count

        return self.workers or cpu_count()

    @contextmanager
    def open(self) -> Iterator[futures.Executor]:
        """Give an executor whose processes start with their first call."""
        with LokyPool(self.n_workers, self.inner_threads, self.timeout) as pool:
            yield pool


class LokyPool(futures.Executor):
    """Several loky pools of one process each; a dead process is replaced.

    A call whose process dies raises `BrokenExecutor`; a call that exceeds its time raises
    `TimeoutError`. A note on the error shows the stack of the process. Other calls go on.

    Parameters
    ----------
    n : int
        Number of processes.
    inner_threads : int or None
        Threads of numeric libraries in each.
    seconds : float or None
        Time limit of a call.
    """

    def __init__(self, n: int, inner_threads: int | None, seconds: float | None) -> None:
        self._stack = ExitStack()
        folder = self._stack.enter_context(scratch())
        lifeline, mine = Pipe(duplex=False)
        self._stack.enter_context(closing(lifeline))
        self._stack.enter_context(closing(mine))
        env = environment(inner_threads)
        self._workers = [_Worker(folder / str(i), lifeline, env, seconds) for i in range(n)]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Submit a call to the process with the fewest pending calls."""
        task = cloudpickle.dumps((fn, args, kwargs))
        return min(self._workers, key=lambda one: one.n_calls).submit(task)

    def shutdown(
        self, wait: bool = True, *, cancel_futures: bool = False, kill: bool = False
    ) -> None:
        """End the processes, after their pending calls or (`kill`) at once."""
        for one in self._workers:
            one.end(wait=wait, kill=kill)
        self._stack.close()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(kill=kind is not None)


class _Worker:
    """A sequence of processes: the next one starts on a call when none is alive."""

    def __init__(
        self, stem: Path, lifeline: Connection, env: dict[str, str], seconds: float | None
    ) -> None:
        self.n_calls = 0
        self._stem = stem
        self._lifeline = lifeline
        self._env = env
        self._seconds = seconds
        self._pool: ProcessPoolExecutor | None = None
        self._generation = 0
        self._stillborn = 0

    def submit(self, task: bytes) -> futures.Future[Any]:
        """Run a pickled call."""
        inner = self._hand_over(task)
        outer: futures.Future[Any] = futures.Future()
        outer.set_running_or_notify_cancel()
        self.n_calls += 1
        last_words = self._last_words
        inner.add_done_callback(lambda done: self._pass_on(done, outer, last_words))
        return outer

    def end(self, *, wait: bool, kill: bool) -> None:
        """End the process, if there is one."""
        if self._pool is not None:
            self._pool.shutdown(wait=wait, kill_workers=kill)

    @property
    def _last_words(self) -> Path:
        return self._stem.with_suffix(f".{self._generation}")

    def _hand_over(self, task: bytes) -> futures.Future[Any]:
        """Submit a call to the process; start one if needed."""
        if self._pool is not None:
            with suppress(futures.BrokenExecutor):
                return self._submit(self._pool, task)
            self._pool.shutdown(wait=False)
        from loky import ProcessPoolExecutor
        from loky.backend import get_context

        self._generation += 1
        self._pool = ProcessPoolExecutor(
            max_workers=1,
            timeout=None,  # an idle process stays
            context=get_context("loky"),
            initializer=worker.start,
            initargs=(os.getpid(), self._lifeline, self._last_words),
            env=self._env,
        )
        return self._submit(self._pool, task)

    def _submit(self, pool: ProcessPoolExecutor, task: bytes) -> futures.Future[Any]:
        with interrupts_blocked():  # a new process inherits the blocked signals
            return pool.submit(worker.call, task, self._seconds)  # type: ignore[no-any-return]

    def _pass_on(
        self, done: futures.Future[Any], outer: futures.Future[Any], last_words: Path
    ) -> None:
        """Copy the outcome of a call to the future returned for it."""
        self.n_calls -= 1
        error = done.exception()
        if not isinstance(error, futures.BrokenExecutor):
            self._stillborn = 0
        elif last_words.exists():
            self._stillborn = 0
            error = worker_death(
                _cause(error), last_words.read_text(encoding="utf-8"), self._seconds
            )
        else:
            self._stillborn += 1
            error = worker_death(_cause(error), "", self._seconds)
            if self._stillborn >= STILLBORN:
                error = ExecutorError(f"no worker process can be started: {error}")
        if error is None:
            outer.set_result(done.result())
        else:
            outer.set_exception(error)


def _cause(error: BaseException) -> str:
    """How a process ended, from loky's message."""
    found = re.search(r"exit codes of the workers are \{(.*?)\}", str(error))
    return found[1] if found else str(error)
