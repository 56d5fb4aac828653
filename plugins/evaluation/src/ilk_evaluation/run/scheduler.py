"""The scheduler: submits tasks to an executor, retries them, and collects their outcomes."""

from __future__ import annotations

from collections import deque
from concurrent import futures
from typing import TYPE_CHECKING, Any, Self

import ilk
from ilk_evaluation.executors.base import ExecutorError
from ilk_evaluation.run.cell import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from ilk_evaluation.plan.design import Cell
    from ilk_evaluation.run.tasks import Task
    from ilk_evaluation.run.worker_context import WorkerContext


class CellError(ilk.IlkError):
    """A cell failed and the experiment says ``on_error = "raise"``; the cause is chained."""


class Scheduler:
    """Runs tasks on an executor, at most one per worker at a time.

    A task whose worker dies may be innocent: another process may have used up the memory, or a
    user may have killed the worker. The scheduler therefore runs it again, alone, after all other
    tasks; a second death is a failure.

    Parameters
    ----------
    executor : ilk.Executor
    context : WorkerContext
    keep : function
        Takes a task and its final outcome.
    fallback : int, optional
        Position in the worker context of the pipeline that answers for a failed one.
    name : function, optional
        Names a cell. If given, the first failed cell ends the run.
    """

    def __init__(
        self,
        executor: ilk.Executor,
        context: WorkerContext,
        keep: Callable[[Task, Outcome], None],
        *,
        fallback: int | None = None,
        name: Callable[[Cell], str] | None = None,
    ) -> None:
        self.executor = executor
        self.context = context
        self.keep = keep
        self.fallback = fallback
        self.name = name
        self.pending: dict[futures.Future[Outcome], Task] = {}
        self.sources: list[Iterator[Task]] = []
        """Sources of tasks, the last one first: retries precede new tasks."""
        self.suspects: deque[Task] = deque()

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.__exit__(*error)  # type: ignore[arg-type]  # the interpreter's three

    def work(self, tasks: Iterator[Task]) -> None:
        """Run the tasks; if this ends early, the outcomes of finished tasks are kept."""
        self.sources = [tasks]
        try:
            while True:
                while len(self.pending) < self._n_workers and (task := self._next()):
                    self._submit(task)
                if not self.pending:
                    return
                done, _ = futures.wait(self.pending, return_when=futures.FIRST_COMPLETED)
                for future in done:
                    self._settle(self.pending.pop(future), future)
        except (KeyboardInterrupt, CellError, ExecutorError):
            self._rescue()
            raise

    def try_out(self, tasks: Iterator[Task], keep: Callable[[Any, Outcome], None]) -> None:
        """Run tasks whose failures are final and end nothing; another function keeps outcomes."""
        usual = self.keep, self.fallback, self.name
        self.keep, self.fallback, self.name = keep, None, None
        try:
            self.work(tasks)
        finally:
            self.keep, self.fallback, self.name = usual

    @property
    def _n_workers(self) -> int:
        """Number of tasks to run at once; an opened pool may know it better than its executor."""
        return getattr(self.pool, "n_workers", None) or self.executor.n_workers

    def _next(self) -> Task | None:
        """Return the next task; None: wait for running tasks first."""
        while self.sources:
            if (task := next(self.sources[-1], None)) is not None:
                return task
            self.sources.pop()
        return self.suspects.popleft() if self.suspects and not self.pending else None

    def _submit(self, task: Task) -> None:
        call = task.call(self.context)
        try:
            future = self.pool.submit(*call)
        except futures.BrokenExecutor:
            self._opened.__exit__(None, None, None)
            self._open()
            future = self.pool.submit(*call)
        self.pending[future] = task

    def _open(self) -> None:
        self._opened: AbstractContextManager[futures.Executor] = self.executor.open()
        self.pool = self._opened.__enter__()

    def _settle(self, task: Task, future: futures.Future[Outcome]) -> None:
        """Keep the outcome of a task, or schedule the tasks that replace it."""
        try:
            outcome = future.result()
        except TimeoutError as error:
            outcome = _lost(error)
        except futures.BrokenExecutor as error:
            if not task.suspect:
                self.suspects.append(task.suspected())
                return
            outcome = _lost(error)
        if outcome.error is not None:
            retries = task.retries(outcome, self.fallback)
            if retries is not None:
                self.sources.append(retries)
                return
            if self.name is not None:
                failed = CellError(f"{self.name(task.cells[0])} failed: {outcome.error}")
                raise failed from Cause(outcome.traceback)
        self.keep(task, task.final(outcome))

    def _rescue(self) -> None:
        """Keep the outcomes of tasks that are done when a run ends early."""
        for future, task in self.pending.items():
            if future.done() and not future.exception():
                outcome = task.final(future.result())
                if outcome.error is None or outcome.fallback:
                    self.keep(task, outcome)


class Cause(Exception):  # noqa: N818  # wraps an exception of any type
    """The traceback of a failed cell, perhaps from another process, as a chained cause."""


def _lost(error: BaseException) -> Outcome:
    """Return the outcome of a task whose worker died."""
    notes = "\n".join(getattr(error, "__notes__", ()))
    return Outcome(error=str(error), traceback=notes or str(error))
