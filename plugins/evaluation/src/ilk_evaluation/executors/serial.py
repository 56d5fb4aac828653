"""One cell after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

import ilk

P = ParamSpec("P")
T = TypeVar("T")


class Serial(ilk.Executor):
    """Runs one cell after the other in this process; good for debugging and small plans.

    A cell runs when it is submitted, and its future is done when `submit` returns. What a
    cell raises is kept by its future, except for an interrupt (Ctrl-C) and a request to exit,
    which pass through at once.

    Examples
    --------
    >>> import ilk
    >>> with ilk.executor("serial").open() as pool:
    ...     pool.submit(pow, 2, 10).result()
    1024
    """

    @contextmanager
    def open(self) -> Iterator[futures.Executor]:
        """Give an executor that refuses work after the block."""
        with InProcess() as pool:
            yield pool


class InProcess(futures.Executor):
    """Runs what it is given at once, in the calling thread."""

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
        except Exception as error:  # noqa: BLE001  # a future keeps whatever its call raised
            future.set_exception(error)
        else:
            future.set_result(result)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further work; nothing is pending."""
        self._closed = True
