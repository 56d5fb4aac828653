"""Executor: runs the cells of an experiment."""

from __future__ import annotations

from abc import abstractmethod
from concurrent import futures
from contextlib import AbstractContextManager
from typing import ClassVar

from ilk.component import Component


class Executor(Component):
    """Runs the cells of an experiment; opened, owned and reopened by the runner."""

    kind: ClassVar[str] = "executor"

    @abstractmethod
    def open(self) -> AbstractContextManager[futures.Executor]:
        """Return a context manager that gives a `concurrent.futures.Executor`."""

    @property
    def n_workers(self) -> int:
        """How many cells run at once."""
        return 1
