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

    The runner tells three ends of a call apart by its future: a result; a
    `concurrent.futures.BrokenExecutor`, which says how the worker died; a `TimeoutError`, where
    the call took longer than the executor allows. Notes on these errors say what the worker
    was doing. Whatever else a future raises ends the run: an `ilk.IlkError`, which says in a
    line why nothing can be run any more (a scheduler is gone, say), or a defect of the executor.
    """

    kind: ClassVar[str] = "executor"

    @abstractmethod
    def open(self) -> AbstractContextManager[futures.Executor]:
        """Return a context manager that gives a `concurrent.futures.Executor`.

        When the block ends in an exception, what is running need not be finished. Where a
        dead worker spoils the whole executor, `submit` raises `BrokenExecutor`, and the runner
        opens another.
        """

    @property
    def n_workers(self) -> int:
        """How many cells run at once; the runner submits no more than that.

        Where that is known only once it is opened, or changes, what `open` gives has an
        attribute of this name, which counts then.
        """
        return 1
