"""The command ``ilk run``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ilk_evaluation.experiments.plan import Plan

INTERRUPTED = 130


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Check everything, load the data, show the plan.")
@click.option("--fresh", is_flag=True, help="Run every cell again.")
@click.option("--retry-failed", is_flag=True, help="Run the cells again that failed.")
@click.option(
    "--store", type=click.Path(path_type=Path), help="Keep predictions here, not where FILE says."
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def run(
    ctx: click.Context,
    file: Path,
    *,
    dry_run: bool,
    fresh: bool,
    retry_failed: bool,
    store: Path | None,
    quiet: bool,
) -> None:
    """Run the experiment that FILE describes and print its tables.

    Every prediction is kept in a store as soon as it is made (by default
    results/NAME.sqlite beside FILE), so running the same command again does only what is
    not done yet.

    Exit code: 0 fine, 1 cells failed, 2 a mistake in FILE or in the data, 130 interrupted.
    """
    from ilk_evaluation.experiments.plan import plan_experiment
    from ilk_evaluation.experiments.report import console_on, print_results
    from ilk_evaluation.experiments.runner import CellError, run_experiment

    plan: Plan | None = None
    try:
        plan = plan_experiment(file, store=store)
        if dry_run:
            _show(plan, fresh=fresh, retry_failed=retry_failed)
            return
        progress = None if quiet else console_on(sys.stderr)
        results = run_experiment(plan, fresh=fresh, retry_failed=retry_failed, console=progress)
    except KeyboardInterrupt:
        click.echo(_interrupted(plan), err=True)
        ctx.exit(INTERRUPTED)
    except CellError as error:
        click.echo(f"{error}\n{_kept(plan)}", err=True)
        ctx.exit(1)
    print_results(console_on(sys.stdout), results)
    ctx.exit(1 if results.n_failed else 0)


def _show(plan: Plan, *, fresh: bool, retry_failed: bool) -> None:
    """Print the plan, how much of it is done, and whether the store can be written."""
    from ilk_evaluation.experiments.report import console_on, print_plan
    from ilk_evaluation.experiments.runner import n_done

    print_plan(console_on(sys.stdout), plan, n_done(plan, fresh=fresh, retry_failed=retry_failed))


def _interrupted(plan: Plan | None) -> str:
    if plan is None:
        return "interrupted before any cell was run"
    return f"interrupted: {_kept(plan)}; run the same command again to go on"


def _kept(plan: Plan | None) -> str:
    """Say how many cells the store has."""
    from ilk_evaluation.experiments.runner import n_done

    assert plan is not None
    total = len({cell.key for cell in plan.cells})
    return f"{n_done(plan)} of {total} cells are kept in {plan.store}"
