"""The crew: hands cells to an executor and sees to it that each comes to an end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

import ilk
from ilk_evaluation.executors.failure import ExecutorError
from ilk_evaluation.experiments.cell import Outcome, evaluate
from ilk_evaluation.experiments.leave_one_out import Batch, leave_out

if TYPE_CHECKING:
    from ilk_evaluation.experiments.bench import Bench
    from ilk_evaluation.experiments.design import Cell


class CellError(ilk.IlkError):
    """A cell failed and the experiment says ``on_error = "raise"``; the cause is chained."""


@dataclass(frozen=True)
class Task:
    """A cell to be run.

    Attributes
    ----------
    cell : Cell
    split : ilk.Split
    seed : int
    pipeline : int
        Position on the bench.
    failed : Outcome or None
        What came of its own pipeline, once it is the turn of the fallback.
    suspect : bool
        Whether a worker died of it, or beside it.
    """

    cell: Cell
    split: ilk.Split
    seed: int
    pipeline: int
    failed: Outcome | None = None
    suspect: bool = False


class Crew:
    """Runs tasks on an executor, at most one for each worker at a time.

    A task whose worker dies may be innocent: another process may have taken the memory, or
    somebody may have killed it. So it is run again, alone, after all others; what dies then,
    too, has failed.

    Parameters
    ----------
    executor : ilk.Executor
    bench : Bench
    keep : function
        Takes a task and what came of it, for good.
    fallback : int, optional
        Position on the bench of the pipeline that answers where another fails.
    name : function, optional
        Names a cell. If it is given, the first cell that fails ends everything.
    """

    def __init__(
        self,
        executor: ilk.Executor,
        bench: Bench,
        keep: Callable[[Task | Batch, Outcome], None],
        *,
        fallback: int | None = None,
        name: Callable[[Cell], str] | None = None,
    ) -> None:
        self.executor = executor
        self.bench = bench
        self.keep = keep
        self.fallback = fallback
        self.name = name
        self.pending: dict[futures.Future[Outcome], Task | Batch] = {}
        self.tasks: Iterator[Task | Batch] = iter(())
        self.again: deque[Task] = deque()
        self.suspects: deque[Task | Batch] = deque()

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.__exit__(*error)  # type: ignore[arg-type]  # the interpreter's three

    def work(self, tasks: Iterator[Task | Batch]) -> None:
        """Run the tasks; whatever ends this early, finished ones are kept."""
        self.tasks = tasks
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

    @property
    def _n_workers(self) -> int:
        """How many cells may run at once, which the opened executor may know better."""
        return getattr(self.pool, "n_workers", None) or self.executor.n_workers

    def _next(self) -> Task | Batch | None:
        """Return what is to be run now; None: that depends on what is running."""
        if self.again:
            return self.again.popleft()
        task = next(self.tasks, None)
        if task is None and self.suspects and not self.pending:
            return self.suspects.popleft()
        return task

    def _submit(self, task: Task | Batch) -> None:
        call = self._call(task)
        try:
            future = self.pool.submit(*call)
        except futures.BrokenExecutor:
            self._opened.__exit__(None, None, None)
            self._open()
            future = self.pool.submit(*call)
        self.pending[future] = task

    def _call(self, task: Task | Batch) -> tuple[Any, ...]:
        """Return the function that runs a task, and what it is given."""
        if isinstance(task, Batch):
            return leave_out, self.bench, task.cells[0].dataset, task.cells[0].pipeline
        return run_cell, self.bench, task

    def _open(self) -> None:
        self._opened: AbstractContextManager[futures.Executor] = self.executor.open()
        self.pool = self._opened.__enter__()

    def _settle(self, task: Task | Batch, future: futures.Future[Outcome]) -> None:
        """Keep what came of a task, or say what is to be done next about it."""
        try:
            outcome = future.result()
        except TimeoutError as error:
            outcome = _lost(error)
        except futures.BrokenExecutor as error:
            if not task.suspect:
                self.suspects.append(replace(task, suspect=True))
                return
            outcome = _lost(error)
        if isinstance(task, Batch):
            self._settle_together(task, outcome)
            return
        if task.failed is None and outcome.error is not None:
            if self.name is not None:
                failed = CellError(f"{self.name(task.cell)} failed: {outcome.error}")
                raise failed from _Cause(outcome.traceback)
            if self.fallback is not None:
                self.again.append(replace(task, pipeline=self.fallback, failed=outcome))
                return
        self.keep(task, _merged(task, outcome))

    def _settle_together(self, batch: Batch, outcome: Outcome) -> None:
        """Keep what came of a batch; where it failed, each of its cells has its own turn."""
        if outcome.error is None:
            self.keep(batch, outcome)
        else:
            self.tasks = chain(batch.one_by_one(outcome), self.tasks)

    def _rescue(self) -> None:
        """Keep what is done when a run ends early."""
        for future, task in self.pending.items():
            if future.done() and not future.exception():
                outcome = _merged(task, future.result())
                if outcome.error is None or outcome.fallback:
                    self.keep(task, outcome)


def run_cell(bench: Bench, task: Task) -> Outcome:
    """Run a task, here or in a worker."""
    data = bench.datasets[task.cell.dataset]
    return evaluate(bench.pipelines[task.pipeline], data, task.split, task.seed)


class _Cause(Exception):  # noqa: N818  # it stands for whatever was raised
    """What ended a cell: a traceback, perhaps from another process."""


def _lost(error: BaseException) -> Outcome:
    """What came of a cell whose worker did not come back."""
    notes = "\n".join(getattr(error, "__notes__", ()))
    return Outcome(error=str(error), traceback=notes or str(error))


def _merged(task: Task | Batch, outcome: Outcome) -> Outcome:
    """Add to the outcome of a fallback what its pipeline failed of."""
    failed = task.failed
    if failed is None:
        return outcome
    if outcome.error is None:
        return replace(outcome, error=failed.error, traceback=failed.traceback, fallback=True)
    return replace(failed, error=f"{failed.error}; the fallback failed too: {outcome.error}")
