"""The command ``ilk run``."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from ilk_evaluation.commands.common import INTERRUPTED, TERMINATED, hook_warnings_in_a_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    import ilk
    from ilk_evaluation.plan.experiment_plan import Plan
    from ilk_evaluation.results.experiment_results import Results


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Check everything, load the data, show the plan.")
@click.option("--fresh", is_flag=True, help="Run every cell again.")
@click.option(
    "--retry-failed", is_flag=True, help="Run cells again that failed or that a fallback answered."
)
@click.option(
    "--keep-going", is_flag=True, help="Run the cells although a pipeline fails on a few rows."
)
@click.option("--only", metavar="KEY", help="Run just this cell, finished or not.")
@click.option("--executor", metavar="NAME", help="Run the cells on this executor, not FILE's.")
@click.option("--address", metavar="ADDRESS", help="Run the cells on this existing cluster.")
@click.option(
    "--store", type=click.Path(path_type=Path), help="Store predictions here, not in FILE's store."
)
@click.option("--no-share", is_flag=True, help="Fit all steps in each cell, none once for several.")
@click.option(
    "--shard", metavar="I/N", help="Run only the I-th of N parts; other machines run the others."
)
@click.option("--trust", is_flag=True, help="Let FILE name an address, and a store in any folder.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def run(
    ctx: click.Context,
    file: Path,
    *,
    dry_run: bool,
    fresh: bool,
    retry_failed: bool,
    keep_going: bool,
    only: str | None,
    executor: str | None,
    address: str | None,
    store: Path | None,
    no_share: bool,
    shard: str | None,
    trust: bool,
    quiet: bool,
) -> None:
    """Run the experiment that FILE describes and print its tables.

    Each prediction is stored at once (by default in results/NAME.sqlite beside FILE), so
    running the same command again runs only the unfinished cells.

    First each pipeline is tried on a few rows of each data set, so that mistakes are reported
    at once, with their line in FILE, and nothing is run; --keep-going runs the cells all the same.

    With --shard each of N machines runs its own part, and `ilk results merge` joins their
    stores.

    Exit code: 0 success, 1 cells failed, 2 an error in FILE or in the data, a pipeline that
    fails on a few rows, or an unusable store, 130 interrupted, 143 terminated.
    """
    from ilk_evaluation.commands.data_tables import print_plan_notes
    from ilk_evaluation.commands.terminal_tables import console_on
    from ilk_evaluation.experiment import run_experiment
    from ilk_evaluation.plan.experiment_plan import plan_experiment, with_shard
    from ilk_evaluation.plan.shards import read_shard
    from ilk_evaluation.run.runner import n_done, with_executor, with_sharing
    from ilk_evaluation.run.scheduler import CellError

    if only is not None and shard is not None:
        raise click.UsageError("--only runs one cell, whatever its shard: leave --shard out")
    part = None if shard is None else read_shard(shard)
    plan: Plan | None = None
    debug = ctx.find_root().params.get("debug", False)
    try:
        with _once_at_a_time(), hook_warnings_in_a_line():
            plan = plan_experiment(file, store=store, trust=trust)
            plan = with_shard(with_executor(plan, _executor(plan, executor, address)), part)
            plan = with_sharing(plan, False if no_share else None)
            if dry_run:
                _show(plan, fresh=fresh, retry_failed=retry_failed)
            elif only is not None:
                ctx.exit(_run_only(plan, only, debug=debug))
            else:
                if not quiet and n_done(plan, fresh=fresh, verified=False) < plan.n_cells:
                    print_plan_notes(console_on(sys.stderr, patient=True), plan)
                listeners = _listeners()
                results = run_experiment(
                    plan,
                    fresh=fresh,
                    retry_failed=retry_failed,
                    console=None if quiet else console_on(sys.stderr, patient=True),
                    listeners=listeners,
                    keep_going=keep_going,
                )
                with suppress(BrokenPipeError):  # a closed pipe does not change the outcome
                    _print(plan, results, listeners)
                ctx.exit(1 if results.n_failed else 0)
    except KeyboardInterrupt as stop:
        with suppress(OSError):  # the terminal may be gone
            click.echo(_stopped(plan, stop, fresh=fresh), err=True)
        ctx.exit(TERMINATED if isinstance(stop, _Terminated) else INTERRUPTED)
    except CellError as error:
        with suppress(BrokenPipeError):
            if debug:
                click.echo(error.__cause__, err=True)
            click.echo(f"{error}\n{_kept(plan)}", err=True)
        ctx.exit(1)


def _executor(plan: Plan, name: str | None, address: str | None) -> Any:
    """The executor that the command line names, if any."""
    if address is None:
        return name
    table = plan.experiment.run["executor"] if name is None else {"use": name}
    return {**table, "address": address}


def _listeners() -> ilk.Listeners:
    import ilk

    return ilk.Listeners()


def _print(plan: Plan, results: Results, listeners: ilk.Listeners) -> None:
    """Print the tables, then the sections of listeners."""
    from ilk_evaluation.commands.terminal_tables import console_on, print_results, print_shard
    from ilk_evaluation.results.notes import sections_of

    print_results(console_on(sys.stdout), results)
    print_shard(console_on(sys.stdout), plan)
    for section in sections_of(listeners, results):
        click.echo(f"\n{section.title}\n\n{section.text}")


def _run_only(plan: Plan, key: str, *, debug: bool) -> int:
    """Run one cell and print its outcome; return the exit code."""
    from ilk_evaluation.run.runner import cell_name, run_cell_alone

    cell, outcome = run_cell_alone(plan, key, _listeners())
    name = cell_name(plan, cell)
    if outcome.error is None:
        seconds = f"fit {outcome.fit_seconds:.3g} s, predict {outcome.predict_seconds:.3g} s"
        click.echo(f"{name}: done, {seconds}")
        return 0
    if debug:
        click.echo(outcome.traceback, err=True)
    answered = " (the fallback answered)" if outcome.fallback else ""
    click.echo(f"{name} failed: {outcome.error}{answered}", err=True)
    return 1


def _show(plan: Plan, *, fresh: bool, retry_failed: bool) -> None:
    """Print the plan and the number of finished cells; check that the store is writable."""
    from ilk_evaluation.commands.data_tables import print_plan_data
    from ilk_evaluation.commands.terminal_tables import console_on, print_plan
    from ilk_evaluation.run.runner import n_done

    print_plan_data(console_on(sys.stdout), plan)
    print_plan(console_on(sys.stdout), plan, n_done(plan, fresh=fresh, retry_failed=retry_failed))


def _stopped(plan: Plan | None, stop: KeyboardInterrupt, *, fresh: bool) -> str:
    word = "terminated" if isinstance(stop, _Terminated) else "interrupted"
    if plan is None:
        return f"{word} before any cell was run"
    again = "run the command again without --fresh" if fresh else "run the same command again"
    return f"{word}: {_kept(plan)}; {again} to go on"


def _kept(plan: Plan | None) -> str:
    """Report how many cells the store has."""
    from ilk_evaluation.run.runner import n_done

    assert plan is not None
    return f"{n_done(plan)} of {plan.n_cells} cells are kept in {plan.store}"


PATIENCE = 10.0
"""Seconds to save finished cells after a signal; a second Ctrl-C meanwhile is ignored."""


class _Terminated(KeyboardInterrupt):
    """Raised by SIGTERM or SIGHUP."""


@contextmanager
def _once_at_a_time() -> Iterator[None]:
    """Turn signals into exceptions, but ignore further ones within `PATIENCE` and during exit."""
    handler = _Handler()
    try:
        before = {number: signal.signal(number, handler) for number in _numbers()}
    except ValueError:  # not the main thread, which alone may handle signals
        yield
        return
    try:
        yield
    finally:
        for number, usual in before.items():
            signal.signal(number, usual if handler.last is None else signal.SIG_IGN)


def _numbers() -> list[signal.Signals]:
    """Signals that end a run; SIGHUP of a closed terminal does not under `nohup`."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    return numbers


class _Handler:
    last: float | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = monotonic()
        if self.last is not None and now - self.last < PATIENCE:
            return
        self.last = now
        raise KeyboardInterrupt if number == signal.SIGINT else _Terminated
