"""One cell after the other, in this process."""

from __future__ import annotations

from concurrent import futures
from contextlib import contextmanager
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import ilk
from ilk_evaluation.executors.base import MOST_THREADS, limited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

P = ParamSpec("P")
T = TypeVar("T")


class Serial(ilk.Executor):
    """Runs one cell after the other in this process, for debugging and small plans.

    A cell runs when it is submitted, and its future is done when `submit` returns. The future
    holds the exception of a cell, except an interrupt (Ctrl-C) and a request to exit, which
    propagate at once. A cell that crashes ends the program, and there is no time limit: `loky`
    handles both.

    Examples
    --------
    >>> import ilk
    >>> with ilk.executor("serial").open() as pool:
    ...     pool.submit(pow, 2, 10).result()
    1024
    """

    inner_threads: int | None = ilk.param(
        default=1,
        ge=1,
        le=MOST_THREADS,
        none=True,
        doc="Number of threads that numeric libraries may use. With the same number, `loky` gives "
        "the same results to the last bit. None sets no limit.",
    )

    @contextmanager
    def open(self) -> Iterator[futures.Executor]:
        """Give an executor that refuses work after the block."""
        with limited(self.inner_threads), InProcess() as pool:
            yield pool


class InProcess(futures.Executor):
    """Runs each call at once, in the calling thread."""

    def __init__(self) -> None:
        self._closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> futures.Future[T]:
        """Run a function; return its finished future."""
        if self._closed:
            raise RuntimeError("the serial executor is closed, it takes no more work")
        future: futures.Future[T] = futures.Future()
        future.set_running_or_notify_cancel()
        try:
            result = fn(*args, **kwargs)
        except Exception as error:  # noqa: BLE001  # the future holds it
            future.set_exception(error)
        else:
            future.set_result(result)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further work; nothing is pending."""
        self._closed = True
