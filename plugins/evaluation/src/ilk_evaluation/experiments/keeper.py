"""The keeper: writes what came of a cell, then tells whoever wants to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ilk_evaluation.experiments import record
from ilk_evaluation.experiments.leave_one_out import Batch

if TYPE_CHECKING:
    import ilk
    from ilk_evaluation.experiments.cell import Outcome
    from ilk_evaluation.experiments.crew import Task
    from ilk_evaluation.experiments.design import Cell
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
    """Keeps the outcomes of a run in a store, and first of all what they refer to.

    What is run anew is forgotten with the first outcome, not before: a run that comes to none,
    as no worker could be started, loses nothing.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        progress: Silent,
        listeners: ilk.Listeners,
        fallback: str | None,
        forget: list[str],
    ) -> None:
        self.plan = plan
        self.store = store
        self.progress = progress
        self.listeners = listeners
        self.n_kept = 0
        self._forget = forget
        self.run = record.begin(plan, store, fallback)

    def __call__(self, task: Task | Batch, outcome: Outcome) -> None:
        """Keep an outcome, or that of many cells; it is in the store when this returns."""
        if self._forget:
            self.store.drop(self._forget)
            self._forget = []
        if isinstance(task, Batch):
            self._keep_together(task, outcome)
            return
        cell = task.cell
        self.store.put(
            cell.key,
            outcome,
            run=self.run,
            pipeline=self.plan.pipelines[cell.pipeline].key,
            split=cell.split_key,
            fingerprint=self.plan.datasets[cell.dataset].data.fingerprint,
            test=task.split.test,
            n_train=len(task.split.train),
        )
        self._tell([(cell, outcome)])

    def _keep_together(self, batch: Batch, outcome: Outcome) -> None:
        dataset, pipeline = batch.cells[0].dataset, batch.cells[0].pipeline
        data = self.plan.datasets[dataset].data
        outcomes = list(batch.outcomes(outcome))
        self.store.put_together(
            outcomes,
            run=self.run,
            pipeline=self.plan.pipelines[pipeline].key,
            fingerprint=data.fingerprint,
            n_train=len(data) - 1,
        )
        self._tell(outcomes)

    def _tell(self, came: list[tuple[Cell, Outcome]]) -> None:
        """Tell of cells that were kept."""
        self.n_kept += len(came)
        self.progress.advance_all(came)
        for cell, outcome in came:
            failed = outcome.codes is None
            seconds = None if failed else outcome.fit_seconds + outcome.predict_seconds
            place = self.plan.design.place(cell)
            finished = FinishedCell(*place, cell.key, seconds, outcome.error, outcome.fallback)
            self.listeners.tell("ilk_cell_finished", cell=finished)
