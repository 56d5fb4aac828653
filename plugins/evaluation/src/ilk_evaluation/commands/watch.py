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

INTERRUPTED = 130  # as shells: 128 + SIGINT


@click.command
@click.argument("store", type=click.Path(path_type=Path))
@click.option("--once", is_flag=True, help="Show the present state and exit.")
@click.option(
    "--interval",
    type=Number(min=0.05, max=LONGEST),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Interval between checks.",
)
@click.option(
    "--wait",
    type=Number(min=0, max=LONGEST),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Time to wait for a store, or for a stopped run to resume.",
)
@click.pass_context
def watch(ctx: click.Context, store: Path, *, once: bool, interval: float, wait: float) -> None:
    """Follow the run that writes into STORE, from another terminal.

    It only reads the store and does not disturb the run. It shows the same progress as `ilk run`;
    without a terminal, a line now and then.

    Exit code: 0 finished (with --once: or still running), 1 finished but cells failed, 2 no
    readable store, 4 stopped before its end, 5 died before its end (its lock is left behind),
    130 interrupted.
    """
    from ilk_evaluation.commands.observer import Observer, follow, wait_for
    from ilk_evaluation.commands.terminal_tables import console_on

    console = console_on(sys.stdout)
    watching = Observer(store)
    try:
        observation = wait_for(watching, wait, float("inf") if once else interval, resumed=not once)
        if not once:
            observation = follow(watching, observation, console, interval, wait)
    except KeyboardInterrupt:
        ctx.exit(INTERRUPTED)
    _print(console, observation, store)
    ctx.exit(_code(observation))


def _print(console: Console, observation: Observation, store: Path) -> None:
    """Print the last observation, and the next command to use."""
    from rich.text import Text

    from ilk import printable
    from ilk_evaluation.commands.observer import State
    from ilk_evaluation.plan.shards import shard_name
    from ilk_evaluation.run.progress import Teller

    name = (
        observation.name
        if observation.shard is None
        else f"{observation.name}, {shard_name(observation.shard)}"
    )
    console.print(Text(printable(f"{name}: {observation.state.value}", keep=""), style="bold"))
    Teller(console).write(observation.view)
    if observation.state is State.FINISHED:
        console.print(Text(f"its tables: ilk results show {store}"))
        if observation.shard is not None:
            console.print(Text("join the stores of all shards by: ilk results merge OUT STORE..."))
    elif observation.state is not State.RUNNING:
        console.print(Text("its cells are kept; run the same command again to go on"))


def _code(observation: Observation) -> int:
    from ilk_evaluation.commands.observer import State

    if observation.state is State.FINISHED:
        return 1 if observation.view.run_state.failed else 0
    return {State.RUNNING: 0, State.STOPPED: 4, State.DIED: 5}[observation.state]
