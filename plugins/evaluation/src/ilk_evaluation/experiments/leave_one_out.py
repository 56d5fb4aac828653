"""Leave-one-out without refitting: all cells of a pipeline on a data set are one task.

It is done where the resampling leaves one case out in turn, and the pipeline can tell what it
would say of each case after a fit to the others (`ilk.Pipeline.fast_leave_one_out`): no step
before the learner depends on cases, and nothing is left to chance that each cell would seed anew.
What is kept is what the cells would have kept one by one, under the same keys.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

import numpy as np

import ilk
from ilk_evaluation.experiments.cell import Outcome, answers, guarded, ready, supports

if TYPE_CHECKING:
    from ilk_evaluation.experiments.bench import Bench
    from ilk_evaluation.experiments.crew import Task
    from ilk_evaluation.experiments.design import Cell, Design
    from ilk_evaluation.experiments.plan import Plan

SAID = "leave-one-out without refitting"


@dataclass(frozen=True)
class Batch:
    """Cells of a pipeline on a data set that are answered together.

    Attributes
    ----------
    cells : tuple of Cell
    one_by_one : function
        Takes what came of the batch where that failed, and gives a task for each cell.
    suspect : bool
        Whether a worker died of it, or beside it.
    """

    cells: tuple[Cell, ...]
    one_by_one: Callable[[Outcome], Iterator[Task]]
    suspect: bool = False
    failed: ClassVar[None] = None

    def outcomes(self, together: Outcome) -> Iterator[tuple[Cell, Outcome]]:
        """Yield each cell with its part of what came of all."""
        for cell in self.cells:
            yield cell, _of_case(together, cell.split)


def shortcuts(plan: Plan) -> frozenset[int]:
    """Positions of the pipelines whose cells can be answered together."""
    if not plan.resampling.leaves_one_out:
        return frozenset()
    fast = (i for i, planned in enumerate(plan.pipelines) if _is_fast(planned.pipeline))
    return frozenset(fast)


def _is_fast(pipeline: ilk.Pipeline) -> bool:
    try:
        return pipeline.fast_leave_one_out
    except Exception:  # noqa: BLE001  # anybody's code; what is wrong is said when it is fitted
        return False


def divided(plan: Plan, cells: Sequence[Cell]) -> tuple[list[tuple[Cell, ...]], list[Cell]]:
    """Divide cells into groups to be answered together, and those that are run by themselves.

    A single cell makes a group, too: its answer, which a fit may round otherwise, so does not
    depend on what else is to be run, be it in a shard or after an interrupted run.
    """
    fast = shortcuts(plan)
    groups: defaultdict[tuple[int, int], list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.pipeline in fast:
            groups[cell.dataset, cell.pipeline].append(cell)
    together = [tuple(group) for group in groups.values()]
    return together, [cell for cell in cells if cell.pipeline not in fast]


def leave_out(bench: Bench, dataset: int, pipeline: int) -> Outcome:
    """Answer for every case of a data set, here or in a worker; an outcome of all its cells.

    An exception becomes a failed outcome, as it does for a single cell.
    """
    return guarded(lambda: _leave_out(bench.pipelines[pipeline], bench.datasets[dataset]))


def _leave_out(pipeline: ilk.Pipeline, data: ilk.Data) -> Outcome:
    model, cases = ready(pipeline, data, seed=0)  # by which nothing is decided
    n = len(data)
    start = perf_counter()
    said: ilk.Prediction = model.leave_one_out(cases, data.y)
    seconds = perf_counter() - start
    for name in ("labels", "probabilities", "scores"):
        values = getattr(said, name)
        shape = np.shape(values)
        if values is not None and shape[: 2 if name == "labels" else 1] != (n,):
            raise ilk.InputError(f"leave_one_out gave {name} of shape {shape} for {n} cases")
    return Outcome(
        answers(model, said.labels, data.classes),
        *supports(model, said, data.classes),
        fit_seconds=seconds / n,
        predict_seconds=0.0,
        reduction=0.0,
        together=n,
    )


def _of_case(together: Outcome, row: int) -> Outcome:
    own = slice(row, row + 1)
    parts = (together.codes, together.probabilities, together.scores)
    codes, probabilities, scores = (None if part is None else part[own] for part in parts)
    return replace(together, codes=codes, probabilities=probabilities, scores=scores)


def notes_on(design: Design, keys: set[str]) -> list[str]:
    """Say which pipelines had cells that were answered together, and what their times are.

    Parameters
    ----------
    design : Design
    keys : set of str
        Of cells that were answered together.
    """
    if not keys:
        return []
    total = Counter(cell.pipeline for cell in design.cells)
    fast = Counter(cell.pipeline for cell in design.cells if cell.key in keys)
    return [
        f"{design.pipelines[column].label}: {SAID} ({n} of {total[column]} cells), all cases of a "
        f"data set by one call; the seconds of a cell are its equal share of that call"
        for column, n in sorted(fast.items())
    ]
