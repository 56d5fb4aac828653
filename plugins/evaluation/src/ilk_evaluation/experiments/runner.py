"""Run an experiment: the cells that are not in the store yet, kept as they finish."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ilk
from ilk_evaluation.executors.failure import ExecutorError
from ilk_evaluation.experiments import record
from ilk_evaluation.experiments.bench import Bench
from ilk_evaluation.experiments.crew import Crew, Task
from ilk_evaluation.experiments.database import StoreError, check_writable
from ilk_evaluation.experiments.keeper import Keeper
from ilk_evaluation.experiments.keys import canonical, code_versions
from ilk_evaluation.experiments.leave_one_out import SAID, Batch, divided
from ilk_evaluation.experiments.plan import Plan, plan_experiment
from ilk_evaluation.experiments.progress import progress_on
from ilk_evaluation.experiments.results import Results
from ilk_evaluation.experiments.sharding import Shard, cells_of, with_shard
from ilk_evaluation.experiments.store import Store

if TYPE_CHECKING:
    from rich.console import Console

    from ilk_evaluation.experiments.cell import Outcome
    from ilk_evaluation.experiments.design import Cell
    from ilk_evaluation.experiments.reading import Source


def run_experiment(
    source: Source | Plan,
    *,
    store: str | Path | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    executor: Any = None,
    shard: Shard | None = None,
    console: Console | None = None,
    listeners: ilk.Listeners | None = None,
) -> Results:
    """Run an experiment, or what is left of it, and score it.

    Parameters
    ----------
    source : path, dict, ilk.Spec or Plan
        A TOML file, or tables of the same grammar. A dict without ``[output] store`` keeps
        its predictions in a temporary store.
    store : path, optional
        Takes the place of ``[output] store``.
    fresh : bool
        Run every cell again.
    retry_failed : bool
        Run the cells again that failed, or that the fallback answered.
    executor : str, table or ilk.Executor, optional
        Takes the place of ``[run] executor``.
    shard : (int, int), optional
        Run only the first of three parts, say, by ``(1, 3)``. Other machines run the others,
        each into a store of its own, and `merge_stores` joins them.
    console : rich.console.Console, optional
        Where progress is shown.
    listeners : ilk.Listeners, optional
        Whom to tell; those of all installed plugins if left out.

    Returns
    -------
    Results

    Raises
    ------
    ilk.SpecError
        With everything that is wrong with the specification or the data, before any fit.
    CellError
        If a cell fails and the experiment says ``on_error = "raise"``.
    StoreError
        If the store cannot be used any more; what was finished is in it.
    ExecutorError
        If nothing can run cells any more; what was finished is in the store.

    Examples
    --------
    >>> from ilk_evaluation import run_experiment
    >>> results = run_experiment({
    ...     "datasets": [{"use": "iris"}],
    ...     "pipelines": [{"id": "1-NN", "steps": [{"classifier": {"use": "knn", "k": 1}}]}],
    ...     "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 1}},
    ... })
    >>> results.table()[["dataset", "pipeline", "n_failed"]].to_dict("records")
    [{'dataset': 'iris', 'pipeline': '1-NN', 'n_failed': 0}]
    """
    plan = source if isinstance(source, Plan) else plan_experiment(source, store=store)
    plan = with_shard(with_executor(plan, executor), shard)
    on_error = plan.experiment.run["on_error"]
    opened = open_store(plan)
    try:
        listeners = listeners or ilk.Listeners()
        listeners.tell("ilk_plan", plan=plan)
        missing = missing_cells(plan, opened, fresh=fresh, retry_failed=retry_failed)
        if missing or not record.is_recorded(plan, opened):
            _run(plan, opened, missing, listeners, console, on_error=on_error, fresh=fresh)
        results = Results(plan.design, opened).load()
    finally:
        if plan.store is not None:
            opened.close()
    listeners.tell("ilk_run_finished", results=results)
    return results


def run_cell_alone(
    plan: Plan, key: str, listeners: ilk.Listeners | None = None
) -> tuple[Cell, Outcome]:
    """Run a single cell, finished or not, and keep what comes of it.

    Parameters
    ----------
    plan : Plan
    key : str
        Key of the cell, or so much of it that no other cell has it.
    listeners : ilk.Listeners, optional

    Raises
    ------
    ilk.InputError
        If no cell has this key, or several have.
    """
    keys = sorted({cell.key for cell in plan.cells if cell.key.startswith(key)})
    if len(keys) != 1:
        several = f"{len(keys)} cells have a key that begins so" if keys else "no cell has this key"
        raise ilk.InputError(f"{key}: {several}; `ilk results failures` lists keys")
    cell = next(cell for cell in plan.cells if cell.key == keys[0])
    with open_store(plan) as store:
        _run(plan, store, [cell], listeners or ilk.Listeners(), on_error="record")
        return cell, store.outcome(cell.key)


def with_executor(plan: Plan, executor: Any) -> Plan:
    """Return a plan that runs on another executor: a name, a table, an instance; None: the same."""
    if executor is None:
        return plan
    if not isinstance(executor, ilk.Executor):
        executor = ilk.build(executor, kind="executor")
    return replace(plan, executor=executor)


def open_store(plan: Plan) -> Store:
    """Open the store of a plan for writing; an unusable one is an error of the specification."""
    try:
        with ExitStack() as undo:
            store = undo.enter_context(Store.open(plan.store))
            store.verify()
            undo.pop_all()
            return store
    except StoreError as error:
        raise store_problem(plan, error) from error


def store_problem(plan: Plan, error: StoreError) -> ilk.IlkError:
    """Return the error with the line of the specification that names the store, if one does."""
    chosen = plan.experiment.spec.data.get("output", {}).get("store")
    folder = plan.experiment.spec.folder or Path()
    if chosen is None or plan.store is None or not _same_place(folder / chosen, plan.store):
        return error
    return plan.experiment.error(ilk.Problem(("output", "store"), str(error)))


def _same_place(one: Path, other: Path) -> bool:
    return one.expanduser().absolute().resolve() == other.absolute().resolve()


def n_done(plan: Plan, *, fresh: bool = False, retry_failed: bool = False) -> int:
    """Number of cells that need not be run; reads the store, if there is one, and writes nothing.

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
            store.verify()
            return plan.n_cells - len(missing_cells(plan, store, retry_failed=retry_failed))
    except StoreError as error:
        raise store_problem(plan, error) from error


def missing_cells(
    plan: Plan, store: Store, *, fresh: bool = False, retry_failed: bool = False
) -> list[Cell]:
    """Cells that are to be run: each key once, those with an outcome only if asked for."""
    cells = {cell.key: cell for cell in cells_of(plan.design, plan.shard)}
    if fresh:
        return list(cells.values())
    failed = store.failed()
    if not retry_failed and plan.experiment.run["on_error"] != "raise":
        wanted = fallback_of(plan)
        text = None if wanted is None else wanted.text
        failed = {key: had for key, had in failed.items() if had != text}
    done = store.statuses().keys() - failed.keys()
    return [cell for key, cell in cells.items() if key not in done]


@dataclass(frozen=True)
class Fallback:
    """What answers where a pipeline fails, and a text that says what it is made of."""

    pipeline: ilk.Pipeline
    text: str


def fallback_of(plan: Plan) -> Fallback | None:
    """Return the fallback that an experiment asks for, if it does."""
    if plan.experiment.run["on_error"] != "fallback":
        return None
    steps = [{"classifier": plan.experiment.run["fallback"]}]
    resolved = ilk.resolve({"steps": steps}, kind="classifier")
    pipeline = ilk.build(resolved.data, kind="classifier")
    versions = code_versions(pipeline, resolved.versions)
    return Fallback(pipeline, canonical([resolved.data["steps"], versions]))


def _run(
    plan: Plan,
    store: Store,
    missing: list[Cell],
    listeners: ilk.Listeners,
    console: Console | None = None,
    *,
    on_error: str,
    fresh: bool = False,
) -> None:
    """Run cells and keep what comes of them; `fresh`: in place of what there was of all."""
    fallback = fallback_of(plan)
    pipelines = [planned.pipeline for planned in plan.pipelines]
    if fallback is not None:
        pipelines.append(fallback.pipeline)
    with (
        progress_on(console, plan.design, store, missing) as progress,
        Bench([planned.data for planned in plan.datasets], pipelines) as bench,
    ):
        text = None if fallback is None else fallback.text
        forget = [cell.key for cell in missing] if fresh else []
        keeper = Keeper(plan, store, progress, listeners, text, forget)
        crew = Crew(
            plan.executor,
            bench,
            keeper,
            fallback=None if fallback is None else len(pipelines) - 1,
            name=(lambda cell: cell_name(plan, cell)) if on_error == "raise" else None,
        )
        try:
            with crew:
                crew.work(_tasks(plan, missing, progress.say))
        except StoreError as error:
            n_kept = plan.n_cells - len(missing) + keeper.n_kept
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


def cell_name(plan: Plan, cell: Cell) -> str:
    """``"wine, 1-NN, repeat 0, fold 1"``."""
    dataset, pipeline = plan.datasets[cell.dataset].label, plan.pipelines[cell.pipeline].id
    return f"{dataset}, {pipeline}, repeat {cell.repeat}, fold {cell.fold}"


def _tasks(plan: Plan, cells: list[Cell], say: Callable[[str], None]) -> Iterator[Task | Batch]:
    """Yield what is done together, then the other cells one by one."""
    together, rest = divided(plan, cells)
    for group in together:
        say(f"{_row_name(plan, group[0])}: {SAID} ({len(group)} cells)")
        yield Batch(group, partial(_one_by_one, plan, group, say))
    yield from _singly(plan, rest)


def _one_by_one(
    plan: Plan, cells: Iterable[Cell], say: Callable[[str], None], failed: Outcome
) -> Iterator[Task]:
    """Yield cells that could not be answered together."""
    cells = list(cells)
    say(f"{_row_name(plan, cells[0])}: each case needs a fit, as {SAID} failed: {failed.error}")
    yield from _singly(plan, cells)


def _row_name(plan: Plan, cell: Cell) -> str:
    return f"{plan.datasets[cell.dataset].label}, {plan.pipelines[cell.pipeline].id}"


def _singly(plan: Plan, cells: Iterable[Cell]) -> Iterator[Task]:
    """Pair cells, which are in the plan's order, with their splits, made one at a time."""
    current, position, split = -1, -1, None
    for cell in cells:
        if cell.dataset != current:
            current, position = cell.dataset, -1
            splits = plan.splits(current)
        while position < cell.split:
            position, split = position + 1, next(splits)
        assert split is not None
        yield Task(cell, split, plan.cell_seed(cell), cell.pipeline)
