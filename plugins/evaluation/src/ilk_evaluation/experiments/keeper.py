"""The keeper: writes what came of a cell, then tells whoever wants to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ilk_evaluation.experiments import record

if TYPE_CHECKING:
    import ilk
    from ilk_evaluation.experiments.cell import Outcome
    from ilk_evaluation.experiments.crew import Task
    from ilk_evaluation.experiments.plan import Plan
    from ilk_evaluation.experiments.progress import Silent
    from ilk_evaluation.experiments.store import Store


@dataclass(frozen=True)
class FinishedCell:
    """What listeners are told of a cell.

    Attributes
    ----------
    dataset, pipeline : str
        As they are called in tables.
    repeat, fold : int
    key : str
        Content hash of the cell.
    seconds : float or None
        For fitting and predicting; None where the cell failed.
    error : str or None
    fallback : bool
        Whether the fallback answered, because the pipeline failed.
    """

    dataset: str
    pipeline: str
    repeat: int
    fold: int
    key: str
    seconds: float | None
    error: str | None
    fallback: bool


class Keeper:
    """Keeps the outcomes of a run in a store, and first of all what they refer to."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        progress: Silent,
        listeners: ilk.Listeners,
        fallback: str | None,
    ) -> None:
        self.plan = plan
        self.store = store
        self.progress = progress
        self.listeners = listeners
        self.n_kept = 0
        self.run = record.begin(plan, store, fallback)

    def __call__(self, task: Task, outcome: Outcome) -> None:
        """Keep an outcome; it is in the store when this returns."""
        cell = task.cell
        self.store.put(
            cell.key,
            outcome,
            run=self.run,
            pipeline=self.plan.pipelines[cell.pipeline].key,
            split=cell.split_key,
            fingerprint=self.plan.datasets[cell.dataset].data.fingerprint,
            test=task.split.test,
        )
        self.n_kept += 1
        self.progress.advance(failed=outcome.error is not None)
        failed = outcome.codes is None
        seconds = None if failed else outcome.fit_seconds + outcome.predict_seconds
        place = self.plan.design.place(cell)
        finished = FinishedCell(*place, cell.key, seconds, outcome.error, outcome.fallback)
        self.listeners.tell("ilk_cell_finished", cell=finished)
