"""Run the cells of a plan that the store lacks, and write each as it finishes."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.executors.base import ExecutorError
from ilk_evaluation.plan.experiment_plan import built_pipeline
from ilk_evaluation.plan.keys import canonical
from ilk_evaluation.plan.shards import cells_of
from ilk_evaluation.run import run_record
from ilk_evaluation.run.database import StoreError, check_writable
from ilk_evaluation.run.other_predictors import FALLBACKS
from ilk_evaluation.run.progress import Silent
from ilk_evaluation.run.scheduler import Scheduler
from ilk_evaluation.run.store import Store
from ilk_evaluation.run.tasks import (
    WITHOUT_REFITTING,
    CellTask,
    Families,
    LeaveOneOutTask,
    Prefixes,
    Task,
    cell_tasks,
    divided,
    families,
    row_name,
    shared_prefixes,
)
from ilk_evaluation.run.trial import Trial, cells_to_try
from ilk_evaluation.run.worker_context import SharedSteps, WorkerContext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ilk_evaluation.plan.design import Cell
    from ilk_evaluation.plan.experiment_plan import Plan
    from ilk_evaluation.run.cell import Outcome


def run_cell_alone(
    plan: Plan, key: str, listeners: ilk.Listeners | None = None
) -> tuple[Cell, Outcome]:
    """Run a single cell, finished or not, and store its outcome.

    Parameters
    ----------
    plan : Plan
    key : str
        Key of the cell, or a unique beginning of it.
    listeners : ilk.Listeners, optional

    Raises
    ------
    ilk.InputError
        If no cell or several cells have this key.
    """
    keys = sorted({cell.key for cell in plan.cells if cell.key.startswith(key)})
    if len(keys) != 1:
        several = f"{len(keys)} cells have a key that begins so" if keys else "no cell has this key"
        raise ilk.InputError(f"{key}: {several}; `ilk results failures` lists keys")
    cell = next(cell for cell in plan.cells if cell.key == keys[0])
    with open_store(plan) as store:
        own = listeners or ilk.Listeners()
        run_cells(plan, store, [cell], own, Silent(), on_error="record", trial=False)
        return cell, store.outcome(cell.key)


def with_executor(plan: Plan, executor: ilk.ExecutorLike | None) -> Plan:
    """Return the plan with another executor: a name, a table or an instance; None: unchanged."""
    if executor is None:
        return plan
    if isinstance(executor, ilk.Executor):
        return replace(plan, executor=executor)
    return replace(plan, executor=ilk.build(executor, kind="executor"))


def with_sharing(plan: Plan, share: bool | None) -> Plan:
    """Return the plan with another choice of ``[run] share``; None: unchanged."""
    return plan if share is None else replace(plan, share=share)


def open_store(plan: Plan) -> Store:
    """Open the store of a plan for writing; errors name its line in the specification."""
    try:
        with ExitStack() as undo:
            store = undo.enter_context(Store.open(plan.store))
            store.verify()
            undo.pop_all()
            return store
    except StoreError as error:
        raise _store_problem(plan, error) from error


def _store_problem(plan: Plan, error: StoreError) -> ilk.IlkError:
    """Return the error with the line of the specification that names the store, if any."""
    chosen = plan.experiment.spec.data.get("output", {}).get("store")
    folder = plan.experiment.spec.folder or Path()
    if chosen is None or plan.store is None or not _same_place(folder / chosen, plan.store):
        return error
    return plan.experiment.error(ilk.Problem(("output", "store"), str(error)))


def _same_place(one: Path, other: Path) -> bool:
    return os.path.realpath(one.expanduser()) == os.path.realpath(other)


def n_done(
    plan: Plan, *, fresh: bool = False, retry_failed: bool = False, verified: bool = True
) -> int:
    """Number of cells that need not be run; reads an existing store and writes nothing.

    Without `verified` the digests are not read, for callers that open the store next.

    Raises
    ------
    ilk.IlkError
        If the store could not be written.
    """
    path = plan.store
    if path is None:
        return 0
    try:
        check_writable(path)
        if fresh or not path.exists() or not path.stat().st_size:
            return 0
        with Store.read(path) as store:
            if verified:
                store.verify()
            return plan.n_cells - len(missing_cells(plan, store, retry_failed=retry_failed))
    except StoreError as error:
        raise _store_problem(plan, error) from error


def missing_cells(
    plan: Plan, store: Store, *, fresh: bool = False, retry_failed: bool = False
) -> list[Cell]:
    """Cells to run: each key once; cells with an outcome only if requested."""
    cells = {cell.key: cell for cell in cells_of(plan.design, plan.shard)}
    if fresh:
        return list(cells.values())
    failed = store.failed()
    if not retry_failed and plan.experiment.run["on_error"] != "raise":
        wanted = _fallback_of(plan)
        text = None if wanted is None else wanted.text
        failed = {key: had for key, had in failed.items() if had != text}
    done = store.statuses().keys() - failed.keys()
    return [cell for key, cell in cells.items() if key not in done]


@dataclass(frozen=True)
class _Fallback:
    """The predictor that answers where a pipeline fails, and its spec as text."""

    pipeline: ilk.Pipeline
    text: str


def _fallback_of(plan: Plan) -> _Fallback | None:
    """Return the fallback of an experiment, if it asks for one."""
    if plan.experiment.run["on_error"] != "fallback":
        return None
    predictor = plan.experiment.predictor
    if predictor in FALLBACKS:
        answer = ilk.Pipeline([{predictor: FALLBACKS[predictor]()}])
        return _Fallback(answer, f"constant {predictor}")
    chosen = plan.experiment.resolved.part("run", "fallback")
    steps = ilk.Resolved([{"classifier": chosen.data}], chosen.versions)
    pipeline, versions = built_pipeline(steps)
    return _Fallback(pipeline, canonical([steps.data, versions]))


def run_cells(
    plan: Plan,
    store: Store,
    missing: list[Cell],
    listeners: ilk.Listeners,
    progress: Silent,
    *,
    on_error: str,
    fresh: bool = False,
    trial: bool = True,
    keep_going: bool = False,
) -> None:
    """Run cells and write their outcomes.

    Parameters
    ----------
    fresh : bool
        Replace the outcomes in the store.
    trial, keep_going : bool
        Whether to try pipelines first, and whether to run cells although some fail then.
    """
    fallback = _fallback_of(plan)
    pipelines = [planned.pipeline for planned in plan.pipelines]
    if fallback is not None:
        pipelines.append(fallback.pipeline)
    prefixes = shared_prefixes(plan) if plan.share else {}
    alike = families(plan) if plan.share else {}
    shared = SharedSteps(prefixes, families={at: each.identity for at, each in alike.items()})
    datasets = [planned.data for planned in plan.datasets]
    with WorkerContext(datasets, pipelines, shared) as context:
        text = None if fallback is None else fallback.text
        forget = [cell.key for cell in missing] if fresh else []
        writer = OutcomeWriter(plan, store, progress, listeners, text, forget)
        scheduler = Scheduler(
            plan.executor,
            context,
            writer,
            fallback=None if fallback is None else len(pipelines) - 1,
            name=(lambda cell: cell_name(plan, cell)) if on_error == "raise" else None,
        )
        try:
            with scheduler:
                wanted = cells_to_try(plan, store, missing, fresh=fresh) if trial else []
                tried = Trial(plan, scheduler, progress.say).work(wanted, keep_going=keep_going)
                _work(scheduler, missing, tried, writer, (prefixes, alike))
        except StoreError as error:
            n_kept = plan.n_cells - len(missing) + writer.n_kept
            raise StoreError(f"{error}\n{n_kept} of {plan.n_cells} cells are kept in it") from error
        except ExecutorError as error:
            if plan.store is None:
                raise
            cells = cells_of(plan.design, plan.shard)
            n_kept = len(store.statuses().keys() & {cell.key for cell in cells})
            raise ExecutorError(
                f"{error}\n{n_kept} of {plan.n_cells} cells are kept in {plan.store}; "
                f"run the same again{', but not afresh,' if forget else ''} to go on"
            ) from error


def _work(
    scheduler: Scheduler,
    missing: list[Cell],
    tried: list[tuple[CellTask, Outcome]],
    writer: OutcomeWriter,
    common: tuple[Prefixes, Families],
) -> None:
    """Write the outcomes of whole cells that the trial has computed, and run the other cells."""
    with writer.progress as progress:
        writer(tried)
        done = {task.cell.key for task, _ in tried}
        rest = [cell for cell in missing if cell.key not in done]
        scheduler.work(_tasks(writer.plan, rest, progress.say, common), len(rest))


def cell_name(plan: Plan, cell: Cell) -> str:
    """``"wine, 1-NN, repeat 0, fold 1"``."""
    dataset, pipeline = plan.datasets[cell.dataset].label, plan.pipelines[cell.pipeline].id
    return f"{dataset}, {pipeline}, repeat {cell.repeat}, fold {cell.fold}"


def _tasks(
    plan: Plan,
    cells: list[Cell],
    say: Callable[[str], None],
    common: tuple[Prefixes, Families],
) -> Iterator[Task]:
    """Yield groups of cells that one call answers, then the other cells one by one."""
    together, rest = divided(plan, cells)
    for group in together:
        say(f"{row_name(plan, group[0])}: {WITHOUT_REFITTING} ({len(group)} cells)")
        yield LeaveOneOutTask(group, partial(_one_by_one, plan, group, say))
    yield from cell_tasks(plan, rest, *common)


def _one_by_one(
    plan: Plan, cells: Iterable[Cell], say: Callable[[str], None], failed: Outcome
) -> Iterator[CellTask]:
    """Yield a task for each cell of a failed group."""
    cells = list(cells)
    say(
        f"{row_name(plan, cells[0])}: each case needs a fit, as {WITHOUT_REFITTING} failed: "
        f"{failed.error}"
    )
    yield from cell_tasks(plan, cells)


@dataclass(frozen=True)
class FinishedCell:
    """A finished cell, as listeners get it.

    Attributes
    ----------
    dataset, pipeline : str
        Labels in the tables.
    repeat, fold : int
    key : str
        Content hash of the cell.
    seconds : float or None
        For fitting and predicting; None if the cell failed.
    error : str or None
    fallback : bool
        Whether the fallback answered after the pipeline failed.
    """

    dataset: str
    pipeline: str
    repeat: int
    fold: int
    key: str
    seconds: float | None
    error: str | None
    fallback: bool


class OutcomeWriter:
    """Writes data sets and pipelines, then the outcomes that refer to them, into a store.

    It drops the cells to run again only with the first outcome: a run that ends without any, as
    no worker starts, loses nothing.
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
        self.run = run_record.begin_run(plan, store, fallback)

    def __call__(self, finished: Sequence[tuple[Task, Outcome]]) -> None:
        """Store the outcomes of tasks, all or none, then tell listeners."""
        if not finished:
            return
        if self._forget:
            self.store.drop(self._forget)
            self._forget = []
        with self.store.together():
            for task, outcome in finished:
                task.write(self.store, outcome, self.plan, self.run)
        self._tell([cell for task, outcome in finished for cell in task.outcomes(outcome)])

    def _tell(self, cells: list[tuple[Cell, Outcome]]) -> None:
        self.n_kept += len(cells)
        self.progress.advance_all(cells)
        for cell, outcome in cells:
            failed = outcome.codes is None
            seconds = None if failed else outcome.fit_seconds + outcome.predict_seconds
            place = self.plan.design.place(cell)
            finished = FinishedCell(*place, cell.key, seconds, outcome.error, outcome.fallback)
            self.listeners.tell("ilk_cell_finished", cell=finished)
