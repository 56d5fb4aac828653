"""The scheduler: submits tasks to an executor in batches, retries them, collects their outcomes."""

from __future__ import annotations

import math
from collections import deque
from concurrent import futures
from typing import TYPE_CHECKING, Any, Self

import ilk
from ilk_evaluation.executors.base import ExecutorError
from ilk_evaluation.run.cell import Outcome
from ilk_evaluation.run.tasks import run_batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from ilk_evaluation.plan.design import Cell
    from ilk_evaluation.run.tasks import Task
    from ilk_evaluation.run.worker_context import WorkerContext


BATCH = 0.1
"""Seconds of work in one call: its cost is small beside it, and an interrupt loses little."""
SMALLEST = 0.02
"""Seconds of work in one call near the end of a run, where batches shrink to balance workers."""
_OVERHEAD = 5e-4
"""Seconds that a cell takes besides fitting and predicting."""


class CellError(ilk.IlkError):
    """A cell failed and the experiment says ``on_error = "raise"``; the cause is chained."""


class Scheduler:
    """Runs tasks on an executor, at most one call per worker at a time.

    Light cells share a call: as many as take `BATCH` seconds, judged by the last cell of the same
    pipeline and data set. Cells of a split that share steps are one call, too, so that one worker
    fits these steps; a call that lasts ends early, and the rest of its cells are the next call.
    Outcomes, failures and retries are those of single cells.

    A task whose worker dies may be innocent: another process may have used up the memory, or a
    user may have killed the worker, or another cell of its batch was the cause. The scheduler
    therefore runs it again, alone, after all other tasks; a second death is a failure.

    Parameters
    ----------
    executor : ilk.Executor
    context : WorkerContext
    keep : function
        Takes tasks that finished together, with their final outcomes.
    fallback : int, optional
        Position in the worker context of the pipeline that answers for a failed one.
    name : function, optional
        Names a cell. If given, the first failed cell ends the run.
    """

    def __init__(
        self,
        executor: ilk.Executor,
        context: WorkerContext,
        keep: Callable[[Sequence[tuple[Any, Outcome]]], None],
        *,
        fallback: int | None = None,
        name: Callable[[Cell], str] | None = None,
    ) -> None:
        self.executor = executor
        self.context = context
        self.keep = keep
        self.fallback = fallback
        self.name = name
        self.pending: dict[futures.Future[Any], list[Task]] = {}
        self.sources: list[Iterator[Task]] = []
        """Sources of tasks, the last one first: retries precede new tasks."""
        self.suspects: deque[Task] = deque()
        self._costs: dict[tuple[int, int], float] = {}
        self._n_left = 0

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.__exit__(*error)  # type: ignore[arg-type]  # the interpreter's three

    def work(self, tasks: Iterator[Task], n_cells: int = 0) -> None:
        """Run the tasks; if this ends early, the outcomes of finished tasks are kept.

        Parameters
        ----------
        tasks : iterator of Task
        n_cells : int
            Number of their cells, which limits batches, so that every worker gets some.
        """
        self.sources, self._n_left = [tasks], n_cells
        try:
            while True:
                while len(self.pending) < self._n_workers and (batch := self._batch()):
                    self._submit(batch)
                if not self.pending:
                    return
                done, _ = futures.wait(self.pending, return_when=futures.FIRST_COMPLETED)
                for future in done:
                    self._settle(self.pending.pop(future), future)
        except (KeyboardInterrupt, CellError, ExecutorError):
            self._rescue()
            raise

    def try_out(
        self, tasks: Iterator[Task], keep: Callable[[Sequence[tuple[Any, Outcome]]], None]
    ) -> None:
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

    def _batch(self) -> list[Task]:
        """Return tasks for one call: light cells, or a task alone; none: wait for running tasks."""
        first = self._next()
        if first is None:
            return [self.suspects.popleft()] if self.suspects and not self.pending else []
        batch, cost = [first], self._cost(first)
        most = self._most(cost)
        grouped = first.group is not None and getattr(self.executor, "timeout", None) is None
        while (cost < most or grouped) and (task := self._next()):
            cost += self._cost(task)
            grouped = grouped and task.group == first.group
            if cost > most and not grouped:
                self.sources.append(iter((task,)))
            else:
                batch.append(task)
        self._n_left -= len(batch)
        return batch

    def _next(self) -> Task | None:
        while self.sources:
            if (task := next(self.sources[-1], None)) is not None:
                return task
            self.sources.pop()
        return None

    def _cost(self, task: Task) -> float:
        """Seconds that a task is likely to take; infinite if unknown: it gets its own call."""
        return math.inf if task.alike is None else self._costs.get(task.alike, math.inf)

    def _most(self, cost: float) -> float:
        """Seconds of work for one call, if all cells left take the given seconds."""
        share = self._n_left * cost / (2 * self._n_workers)
        limit = getattr(self.executor, "timeout", None) or math.inf  # of a whole call
        return min(BATCH, max(SMALLEST, share), limit / 4)

    def _submit(self, batch: list[Task]) -> None:
        call = batch[0].call(self.context)
        if len(batch) > 1:
            call = run_batch, self.context, batch, 2 * BATCH, self.name is not None
        try:
            future = self.pool.submit(*call)
        except futures.BrokenExecutor:
            self._opened.__exit__(None, None, None)
            self._open()
            future = self.pool.submit(*call)
        self.pending[future] = batch

    def _open(self) -> None:
        self._opened: AbstractContextManager[futures.Executor] = self.executor.open()
        self.pool = self._opened.__enter__()

    def _settle(self, batch: list[Task], future: futures.Future[Any]) -> None:
        """Keep the outcomes of tasks, or schedule the tasks that replace them."""
        try:
            outcomes, interrupted = self._outcomes(batch, future)
        except (TimeoutError, futures.BrokenExecutor) as error:
            again = not isinstance(error, TimeoutError) and not batch[0].suspect
            if again or len(batch) > 1:
                self.suspects.extend(task.suspected() for task in batch)
                return
            outcomes, interrupted = [_lost(error)], False
        self._again(batch[len(outcomes) :], len(batch) - len(outcomes))
        finished, failure = [], None
        for task, outcome in zip(batch, outcomes, strict=False):
            if outcome.error is not None:
                retries = task.retries(outcome, self.fallback)
                if retries is not None:
                    self._again(retries, len(task.cells))
                    continue
                if self.name is not None:
                    failure = CellError(f"{self.name(task.cells[0])} failed: {outcome.error}")
                    failure.__cause__ = Cause(outcome.traceback)
                    break
            finished.append((task, task.final(outcome)))
        self.keep(finished)
        if failure is not None:
            raise failure
        if interrupted:
            raise KeyboardInterrupt

    def _outcomes(
        self, batch: list[Task], future: futures.Future[Any]
    ) -> tuple[list[Outcome], bool]:
        """Return the outcomes of a finished call, and whether it was interrupted."""
        result = future.result()
        outcomes, interrupted = result if len(batch) > 1 else ([result], False)
        for task, outcome in zip(batch, outcomes, strict=False):
            if task.alike is not None:
                seconds = outcome.fit_seconds + outcome.predict_seconds + _OVERHEAD
                seconds -= outcome.saved_seconds
                self._costs[task.alike] = seconds if seconds >= 0 else math.inf  # NaN: it failed
        return outcomes, interrupted

    def _again(self, tasks: Iterable[Task], n_cells: int) -> None:
        """Run tasks before the waiting ones."""
        self.sources.append(iter(tasks))
        self._n_left += n_cells

    def _rescue(self) -> None:
        """Keep the outcomes of tasks that are done when a run ends early."""
        for future, batch in self.pending.items():
            if future.done() and not future.exception():
                outcomes, _ = self._outcomes(batch, future)
                finished = [(t, t.final(one)) for t, one in zip(batch, outcomes, strict=False)]
                self.keep([pair for pair in finished if not pair[1].error or pair[1].fallback])


class Cause(Exception):  # noqa: N818  # wraps an exception of any type
    """The traceback of a failed cell, perhaps from another process, as a chained cause."""


def _lost(error: BaseException) -> Outcome:
    """Return the outcome of a task whose worker died."""
    notes = "\n".join(getattr(error, "__notes__", ()))
    return Outcome(error=str(error), traceback=notes or str(error))
