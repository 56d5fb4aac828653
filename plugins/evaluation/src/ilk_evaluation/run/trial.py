"""The trial: a cell of each pipeline and data set on a few rows, before the first real cell."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.run.scheduler import Cause
from ilk_evaluation.run.tasks import (
    CellTask,
    TrialTask,
    cell_tasks,
    row_name,
    shortcuts,
    small_split,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ilk_evaluation.plan.design import Cell
    from ilk_evaluation.plan.experiment_plan import Plan
    from ilk_evaluation.run.cell import Outcome
    from ilk_evaluation.run.scheduler import Scheduler
    from ilk_evaluation.run.store import Store

LONGEST = 30.0
"""Seconds after which no more cells are tried, on a few rows and once more on whole splits."""
PATIENCE = 1.0
"""Seconds after which a trial says what takes the time."""
_SHOWN = 3


class TrialError(ilk.SpecError):
    """Pipelines fail on data sets of the experiment; no cell was run."""

    def __init__(self, problems: list[ilk.Problem]) -> None:
        super().__init__(problems)
        remedy = "--keep-going (in Python keep_going=True) runs them all and heeds on_error"
        self.args = (f"{self}\nno cell was run; {remedy}",)


def cells_to_try(plan: Plan, store: Store, missing: Iterable[Cell], *, fresh: bool) -> list[Cell]:
    """Return the first missing cell of each pipeline and data set without any finished cell."""
    missing = list(missing)
    if not missing:
        return []
    finished = set() if fresh else store.statuses().keys()
    seen = {(cell.dataset, cell.pipeline) for cell in plan.design.cells if cell.key in finished}
    first: dict[tuple[int, int], Cell] = {}
    for cell in missing:
        if (cell.dataset, cell.pipeline) not in seen:
            first.setdefault((cell.dataset, cell.pipeline), cell)
    return list(first.values())


@dataclass
class Trial:
    """Tries pipelines before a run, on the workers of the run, which warms their compiled code.

    What fails on a few rows is tried on the whole split of its first cell: a failure for the
    small number of rows is only said.

    Parameters
    ----------
    plan : Plan
    scheduler : Scheduler
        Opened.
    say : function
        Writes a line for the user.
    """

    plan: Plan
    scheduler: Scheduler
    say: Callable[[str], None]

    def work(self, cells: list[Cell], *, keep_going: bool) -> list[tuple[CellTask, Outcome]]:
        """Try cells; return whole ones that succeeded, so that none is computed twice.

        Raises
        ------
        TrialError
            If pipelines fail and the run is not to go on.
        """
        if not cells:
            return []
        small = self._outcomes(self._small_tasks(cells), len(cells), "a few rows")
        doubtful = {task.cell.key: (task, outcome) for task, outcome in small if outcome.error}
        again = [cell for cell in cells if cell.key in doubtful]  # in the order of the plan
        whole = self._outcomes(cell_tasks(self.plan, again), len(again), "its first split")
        for task, outcome in whole:
            if outcome.error is None:
                tried, failed = doubtful[task.cell.key]
                self.say(
                    f"note: {row_name(self.plan, task.cell)}: fails on "
                    f"{len(tried.split.train)} training cases of the trial, but not on the "
                    f"{len(task.split.train)} of its first cell: {failed.error}"
                )
        self._judge([(task.cell, one) for task, one in whole if one.error], keep_going=keep_going)
        fast = shortcuts(self.plan)
        return [(t, one) for t, one in whole if one.error is None and t.cell.pipeline not in fast]

    def _small_tasks(self, cells: list[Cell]) -> Iterator[CellTask]:
        for task in cell_tasks(self.plan, cells):
            y = self.plan.datasets[task.cell.dataset].data.y
            yield TrialTask(task.cell, small_split(task.split, y), task.seed, task.pipeline)

    def _outcomes(
        self, tasks: Iterator[CellTask], number: int, rows: str
    ) -> list[tuple[CellTask, Outcome]]:
        """Run as many of a number of tasks as there is time for, on rows as named."""
        found: dict[str, tuple[CellTask, Outcome]] = {}
        self.scheduler.try_out(
            self._in_time(tasks, number, rows),
            lambda finished: found.update({pair[0].cell.key: pair for pair in finished}),
        )
        return list(found.values())

    def _in_time(self, tasks: Iterator[CellTask], number: int, rows: str) -> Iterator[CellTask]:
        """Yield tasks until the trial has lasted long enough, and say what takes the time."""
        began, told = monotonic(), False
        pairs = f"{number} pairs of pipeline and data set"
        for position, task in enumerate(tasks):
            seconds = monotonic() - began
            if seconds > LONGEST:
                self.say(
                    f"note: after {seconds:.0f} s only {position} of {pairs} are tried on {rows}"
                )
                return
            if seconds > PATIENCE and not told:
                self.say(f"trying each of {pairs} on {rows}")
                told = True
            yield task

    def _judge(self, failed: list[tuple[Cell, Outcome]], *, keep_going: bool) -> None:
        """Say the failures, or raise them."""
        problems = self._problems(failed)
        if problems and not keep_going:
            trace = failed[0][1].traceback
            raise TrialError(problems) from Cause(trace)
        for problem in problems:
            self.say(f"warning: {problem}")

    def _problems(self, failed: list[tuple[Cell, Outcome]]) -> list[ilk.Problem]:
        """Return a problem for each pipeline and error, with the data sets it occurs on."""
        places: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
        for cell, outcome in sorted(failed, key=lambda pair: (pair[0].pipeline, pair[0].dataset)):
            error = str(outcome.error).partition("\n")[0]
            places[cell.pipeline, error].append(self.plan.datasets[cell.dataset].label)
        problems = []
        for (position, error), labels in places.items():
            more = len(labels) - _SHOWN
            on = ", ".join(labels[:_SHOWN]) + (f" and {more} more data sets" if more > 0 else "")
            name = self.plan.pipelines[position].id
            problem = ilk.Problem(("pipelines", position), f"{name!r} fails on {on}: {error}")
            problems.append(self.plan.experiment.spec.locate(problem))
        return problems
