"""Executor: runs the cells of an experiment."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from ilk.component import Component

if TYPE_CHECKING:
    from concurrent import futures
    from contextlib import AbstractContextManager


class Executor(Component):
    """Runs the cells of an experiment; opened, owned and reopened by the runner.

    The future of a call has three normal outcomes: a result; a
    `concurrent.futures.BrokenExecutor`, which describes the death of the worker; a
    `TimeoutError` if the call exceeded the time limit of the executor. Notes on these errors
    describe the worker's activity. Any other exception ends the run: an `ilk.IlkError` with one
    line on why no cell can run any more (such as a lost scheduler), or a defect of the executor.
    """

    kind: ClassVar[str] = "executor"

    @abstractmethod
    def open(self) -> AbstractContextManager[futures.Executor]:
        """Return a context manager that gives a `concurrent.futures.Executor`.

        If the block ends in an exception, running calls need not be finished. If a dead worker
        breaks the whole executor, `submit` raises `BrokenExecutor`, and the runner opens another.
        """

    @property
    def n_workers(self) -> int:
        """Maximum number of concurrent cells; the runner submits no more.

        If the number is known only after opening, or changes, the executor from `open` has an
        attribute of this name, which takes precedence.
        """
        return 1
