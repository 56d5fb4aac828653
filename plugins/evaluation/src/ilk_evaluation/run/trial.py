"""The trial: a cell of each pipeline and data set on a few rows, before the first real cell."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.run.scheduler import Cause
from ilk_evaluation.run.small_split import small_split
from ilk_evaluation.run.tasks import CellTask, TrialTask, cell_tasks, row_name, shortcuts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ilk_evaluation.plan.design import Cell
    from ilk_evaluation.plan.experiment_plan import Plan
    from ilk_evaluation.run.cell import Outcome
    from ilk_evaluation.run.scheduler import Scheduler
    from ilk_evaluation.run.store import Store

LONGEST = 30.0
"""Seconds after which no more cells are tried."""
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
        small = self._outcomes(self._small_tasks(cells))
        doubtful = {task.cell.key: (task, outcome) for task, outcome in small if outcome.error}
        whole = self._outcomes(cell_tasks(self.plan, [task.cell for task, _ in doubtful.values()]))
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
        began, told = monotonic(), False
        for number, task in enumerate(cell_tasks(self.plan, cells)):
            seconds = monotonic() - began
            if seconds > LONGEST:
                self.say(
                    f"note: tried {number} of {len(cells)} pairs of pipeline and data set before "
                    f"the run, in {seconds:.0f} s; the others were not tried"
                )
                return
            if seconds > PATIENCE and not told:
                self.say(f"trying {len(cells)} pairs of pipeline and data set on a few rows first")
                told = True
            y = self.plan.datasets[task.cell.dataset].data.y
            yield TrialTask(task.cell, small_split(task.split, y), task.seed, task.pipeline)

    def _outcomes(self, tasks: Iterator[CellTask]) -> list[tuple[CellTask, Outcome]]:
        found: dict[str, tuple[CellTask, Outcome]] = {}
        self.scheduler.try_out(tasks, lambda task, one: found.update({task.cell.key: (task, one)}))
        return list(found.values())

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
