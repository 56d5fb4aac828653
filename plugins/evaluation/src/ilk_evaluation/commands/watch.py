"""The command ``ilk watch``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ilk_evaluation.commands.common import Number
from ilk_evaluation.executors.base import LONGEST

if TYPE_CHECKING:
    from rich.console import Console

    from ilk_evaluation.commands.observer import Observation

INTERRUPTED = 130


@click.command
@click.argument("store", type=click.Path(path_type=Path))
@click.option("--once", is_flag=True, help="Say how it is now, and no more.")
@click.option(
    "--interval",
    type=Number(min=0.05, max=LONGEST),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="How often to look.",
)
@click.option(
    "--wait",
    type=Number(min=0, max=LONGEST),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for a store, or for a run that stopped to go on.",
)
@click.pass_context
def watch(ctx: click.Context, store: Path, *, once: bool, interval: float, wait: float) -> None:
    """Follow the run that writes into STORE, from another terminal.

    Only the store is read, and nothing is written: the run does not notice. Shown is what
    `ilk run` shows; where no terminal is, a line now and then.

    Exit code: 0 finished (with --once: or still running), 1 finished but cells failed, 2 no
    store, or none that can be read, 4 stopped before its end, 5 died before its end (its lock
    is left behind), 130 interrupted.
    """
    from ilk_evaluation.commands.observer import Observer, follow, wait_for
    from ilk_evaluation.commands.tables import console_on

    console = console_on(sys.stdout)
    watching = Observer(store)
    try:
        sight = wait_for(watching, wait, float("inf") if once else interval, resumed=not once)
        if not once:
            sight = follow(watching, sight, console, interval, wait)
    except KeyboardInterrupt:
        ctx.exit(INTERRUPTED)
    _print(console, sight, store)
    ctx.exit(_code(sight))


def _print(console: Console, sight: Observation, store: Path) -> None:
    """Print what was seen last, and what can be done now."""
    from rich.text import Text

    from ilk.messages import printable
    from ilk_evaluation.commands.observer import State
    from ilk_evaluation.plan.shards import shard_name
    from ilk_evaluation.run.progress import Teller

    name = sight.name if sight.shard is None else f"{sight.name}, {shard_name(sight.shard)}"
    console.print(Text(printable(f"{name}: {sight.state.value}", keep=""), style="bold"))
    if console.is_terminal:
        console.print(sight.view)
    else:
        Teller(console).write(sight.view)
    if sight.state is State.FINISHED:
        console.print(Text(f"its tables: ilk results show {store}"))
        if sight.shard is not None:
            console.print(Text("join the stores of all shards by: ilk results merge OUT STORE..."))
    elif sight.state is not State.RUNNING:
        console.print(Text("its cells are kept; run the same command again to go on"))


def _code(sight: Observation) -> int:
    from ilk_evaluation.commands.observer import State

    if sight.state is State.FINISHED:
        return 1 if sight.view.run_state.failed else 0
    return {State.RUNNING: 0, State.STOPPED: 4, State.DIED: 5}[sight.state]
