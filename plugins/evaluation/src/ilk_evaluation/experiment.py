"""Run an experiment from its description to its results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.plan.experiment_plan import Plan, plan_experiment, with_shard
from ilk_evaluation.results.experiment_results import Results
from ilk_evaluation.results.scoring import first_estimates
from ilk_evaluation.run import run_record
from ilk_evaluation.run.progress import progress_on
from ilk_evaluation.run.runner import (
    missing_cells,
    open_store,
    run_cells,
    with_executor,
    with_sharing,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from ilk_evaluation.plan.experiment_file import Source
    from ilk_evaluation.plan.shards import Shard


def run_experiment(
    source: Source | Plan,
    *,
    store: str | Path | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    executor: ilk.ExecutorLike | None = None,
    share: bool | None = None,
    shard: Shard | None = None,
    console: Console | None = None,
    listeners: ilk.Listeners | None = None,
    keep_going: bool = False,
) -> Results:
    """Run the unfinished cells of an experiment and score it.

    Parameters
    ----------
    source : path, dict, ilk.Spec or Plan
        A TOML file, or tables of the same grammar. A dict without ``[output] store`` uses a
        temporary store.
    store : path, optional
        Replaces ``[output] store``.
    fresh : bool
        Run every cell again.
    retry_failed : bool
        Run failed cells again, and cells that the fallback answered.
    executor : str, table or ilk.Executor, optional
        Replaces ``[run] executor``.
    share : bool, optional
        Replaces ``[run] share``: whether steps with which several pipelines begin are fitted once
        for each split. Results are the same.
    shard : (int, int), optional
        Run only one part: ``(1, 3)`` is the first of three. Other machines run the others, each
        into its own store, and `merge_stores` joins the stores.
    console : rich.console.Console, optional
        Where progress is shown.
    listeners : ilk.Listeners, optional
        Called during the run; by default the listeners of all installed plugins.
    keep_going : bool
        Run the cells although a pipeline fails on a few rows of a data set. Before the first cell,
        each pipeline is tried on up to 60 rows of each data set without finished cells.

    Returns
    -------
    Results

    Raises
    ------
    ilk.SpecError
        Listing all problems of the specification and the data, before any fit.
    TrialError
        If pipelines fail on a few rows of a data set and on its first split, before any cell is
        stored; lists them with file and line.
    CellError
        If a cell fails and the experiment says ``on_error = "raise"``.
    StoreError
        If the store becomes unusable; it keeps the finished cells.
    ExecutorError
        If no worker can run cells any more; the store keeps the finished cells.

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
    plan = with_sharing(with_shard(with_executor(plan, executor), shard), share)
    on_error = plan.experiment.run["on_error"]
    opened = open_store(plan)
    try:
        listeners = listeners or ilk.Listeners()
        listeners.tell("ilk_plan", plan=plan)
        missing = missing_cells(plan, opened, fresh=fresh, retry_failed=retry_failed)
        if missing or not run_record.is_recorded(plan, opened):
            progress = progress_on(console, plan.design, opened, missing, first_estimates)
            run_cells(
                plan,
                opened,
                missing,
                listeners,
                progress,
                on_error=on_error,
                fresh=fresh,
                keep_going=keep_going,
            )
        pipelines = {planned.key: planned.pipeline for planned in plan.pipelines}
        results = Results(plan.design, opened, pipelines, _given(plan)).load()
    finally:
        if plan.store is not None:
            opened.close()
    listeners.tell("ilk_run_finished", results=results)
    return results


def _given(plan: Plan) -> dict[str, ilk.Data]:
    """Data sets given as objects, by fingerprint."""
    pairs = zip(plan.experiment.datasets, plan.datasets, strict=True)
    return {
        planned.data.fingerprint: planned.data
        for given, planned in pairs
        if not isinstance(given, dict)
    }
