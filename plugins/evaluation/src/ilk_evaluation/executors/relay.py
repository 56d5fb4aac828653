"""Futures of calls that run elsewhere; all of them fail when that place is lost."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from concurrent import futures
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from ilk_evaluation.executors.base import ExecutorError


class RelayExecutor(futures.Executor, ABC):
    """Numbers calls, passes them on, and completes their futures from any thread.

    Parameters
    ----------
    name : str
        Of the executor, for messages.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._pending: dict[int, futures.Future[Any]] = {}
        self._n_calls = 0
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._lost: ExecutorError | None = None

    @abstractmethod
    def _pack(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> bytes:
        """Pickle a call."""

    @abstractmethod
    def _pass_on(self, number: int, task: bytes) -> None:
        """Send a pickled call; its outcome arrives in `_complete`, under the same number."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Submit a call."""
        if self._closed.is_set():
            raise RuntimeError(f"{self._name} is closed, it takes no more work")
        task = self._pack(fn, args, kwargs)
        future: futures.Future[Any] = futures.Future()
        future.set_running_or_notify_cancel()
        with self._lock:
            if self._lost is not None:
                raise self._lost
            number = self._n_calls
            self._n_calls += 1
            self._pending[number] = future
        self._pass_on(number, task)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further calls; by default wait for the pending ones."""
        self._closed.set()
        with self._lock:
            pending = list(self._pending.values())
        if wait and not cancel_futures:
            futures.wait(pending)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(cancel_futures=kind is not None)

    def _complete(self, number: int, value: object, error: BaseException | None) -> None:
        with self._lock:
            future = self._pending.pop(number, None)
        if future is None:  # `_lose` was faster
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def _lose(self, error: ExecutorError) -> None:
        """Fail all calls, pending and later ones; the first error counts."""
        with self._lock:
            self._lost = self._lost or error
            pending = list(self._pending)
        for number in pending:
            self._complete(number, None, self._lost)
