"""Run an experiment: the cells that are not in the store yet, kept as they finish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent import futures
from pathlib import Path
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.experiments import record
from ilk_evaluation.experiments.cell import Outcome, describe, evaluate
from ilk_evaluation.experiments.database import StoreError, check_writable
from ilk_evaluation.experiments.plan import Plan, plan_experiment
from ilk_evaluation.experiments.progress import Silent, progress_on
from ilk_evaluation.experiments.results import Results
from ilk_evaluation.experiments.store import Store

if TYPE_CHECKING:
    from rich.console import Console

    from ilk_evaluation.experiments.design import Cell
    from ilk_evaluation.experiments.reading import Source


class CellError(ilk.IlkError):
    """A cell failed and the experiment says ``on_error = "raise"``; the cause is chained."""


def run_experiment(
    source: Source | Plan,
    *,
    store: str | Path | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    console: Console | None = None,
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
        Run the cells again that failed.
    console : rich.console.Console, optional
        Where progress is shown.

    Returns
    -------
    Results

    Raises
    ------
    ilk.SpecError
        With everything that is wrong with the specification or the data, before any fit.
    CellError
        If a cell fails and the experiment says ``on_error = "raise"``.

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
    opened = open_store(plan)
    try:
        missing = missing_cells(plan, opened, fresh=fresh, retry_failed=retry_failed)
        if missing or not record.is_recorded(plan, opened):
            _run(plan, opened, missing, console)
        results = Results(plan.design, opened).load()
    finally:
        if plan.store is not None:
            opened.close()
    return results


def open_store(plan: Plan) -> Store:
    """Open the store of a plan for writing; an unusable one is an error of the specification."""
    try:
        return Store.open(plan.store)
    except StoreError as error:
        raise store_problem(plan, error) from error


def store_problem(plan: Plan, error: StoreError) -> ilk.IlkError:
    """Return the error with the line of the specification that names the store, if one does."""
    chosen = plan.experiment.spec.data.get("output", {}).get("store")
    if chosen is None or plan.store is None or not plan.store.match(Path(chosen).name):
        return error
    return plan.experiment.error(ilk.Problem(("output", "store"), str(error)))


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
            total = len({cell.key for cell in plan.cells})
            return total - len(missing_cells(plan, store, retry_failed=retry_failed))
    except StoreError as error:
        raise store_problem(plan, error) from error


def missing_cells(
    plan: Plan, store: Store, *, fresh: bool = False, retry_failed: bool = False
) -> list[Cell]:
    """Cells that are to be run: each key once, those with an outcome only if asked for."""
    cells = {cell.key: cell for cell in plan.cells}
    if fresh:
        store.drop(cells)
    retry = retry_failed or plan.experiment.run["on_error"] == "raise"
    done = {key for key, status in store.statuses().items() if status == "done" or not retry}
    return [cell for key, cell in cells.items() if key not in done]


def _run(plan: Plan, store: Store, missing: list[Cell], console: Console | None) -> None:
    writer = _Writer(plan, store)
    with progress_on(console, len(missing)) as progress, plan.executor.open() as pool:
        _Crew(plan, pool, writer, progress).work(missing)


class _Writer:
    """Writes outcomes into the store, and first of all what they refer to."""

    def __init__(self, plan: Plan, store: Store) -> None:
        self.plan = plan
        self.store = store
        self.run = record.begin(plan, store)

    def __call__(self, cell: Cell, split: ilk.Split, outcome: Outcome) -> None:
        self.store.put(
            cell.key,
            outcome,
            run=self.run,
            pipeline=self.plan.pipelines[cell.pipeline].key,
            split=cell.split_key,
            fingerprint=self.plan.datasets[cell.dataset].data.fingerprint,
            test=split.test,
        )


class _Crew:
    """Hands cells to an executor, a few ahead of the workers, and keeps what comes back."""

    def __init__(
        self, plan: Plan, pool: futures.Executor, writer: _Writer, progress: Silent
    ) -> None:
        self.plan = plan
        self.pool = pool
        self.writer = writer
        self.progress = progress
        self.catch = plan.experiment.run["on_error"] == "record"
        self.ahead = 2 * plan.executor.n_workers - 1
        self.pending: dict[futures.Future[Outcome], tuple[Cell, ilk.Split]] = {}

    def work(self, missing: Iterable[Cell]) -> None:
        """Run the cells; whatever ends this early, finished cells are kept."""
        try:
            for cell, split in _with_splits(self.plan, missing):
                self._submit(cell, split)
                if len(self.pending) >= self.ahead:
                    self._collect()
            while self.pending:
                self._collect()
        except (KeyboardInterrupt, CellError):
            done = (future for future in self.pending if future.done())
            self._keep(future for future in done if future.exception() is None)
            raise
        finally:
            for future in self.pending:
                future.cancel()

    def _submit(self, cell: Cell, split: ilk.Split) -> None:
        future = self.pool.submit(
            evaluate,
            self.plan.pipelines[cell.pipeline].pipeline,
            self.plan.datasets[cell.dataset].data,
            split,
            self.plan.cell_seed(cell),
            catch=self.catch,
        )
        self.pending[future] = cell, split

    def _collect(self) -> None:
        done, _ = futures.wait(self.pending, return_when=futures.FIRST_COMPLETED)
        self._keep(done)

    def _keep(self, done: Iterable[futures.Future[Outcome]]) -> None:
        for future in list(done):
            cell, split = self.pending.pop(future)
            outcome = self._outcome(future, cell)
            self.writer(cell, split, outcome)
            self.progress.advance(failed=outcome.error is not None)

    def _outcome(self, future: futures.Future[Outcome], cell: Cell) -> Outcome:
        if self.catch:
            return future.result()
        try:
            return future.result()
        except Exception as error:
            raise CellError(f"{cell_name(self.plan, cell)} failed: {describe(error)}") from error


def cell_name(plan: Plan, cell: Cell) -> str:
    """``"wine, 1-NN, repeat 0, fold 1"``."""
    dataset, pipeline = plan.datasets[cell.dataset].label, plan.pipelines[cell.pipeline].id
    return f"{dataset}, {pipeline}, repeat {cell.repeat}, fold {cell.fold}"


def _with_splits(plan: Plan, cells: Iterable[Cell]) -> Iterator[tuple[Cell, ilk.Split]]:
    """Pair cells, which are in the plan's order, with their splits, made one at a time."""
    current, position, split = -1, -1, None
    for cell in cells:
        if cell.dataset != current:
            current, position = cell.dataset, -1
            splits = plan.splits(current)
        while position < cell.split:
            position, split = position + 1, next(splits)
        assert split is not None
        yield cell, split
