"""Progress of a run: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Self

from ilk_evaluation.run.leader import Estimate, Leader
from ilk_evaluation.run.run_state import CellSummary, RunState
from ilk_evaluation.run.run_view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.console import Console

    from ilk_evaluation.plan.design import Cell, Design
    from ilk_evaluation.run.cell import Outcome
    from ilk_evaluation.run.store import Store


SHARE = 0.01
"""Share of the run time that may be spent on scoring the leader."""
PAUSE = 0.25
"""Seconds between two looks for the leader."""
SILENCE = 30.0
"""Longest time without a line, in seconds."""


class Silent(AbstractContextManager["Silent"]):
    """Shows no progress."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def advance_all(self, outcomes: Iterable[tuple[Cell, Outcome]]) -> None:
        """Count cells that finished together."""

    def say(self, text: str) -> None:
        """Write a line of text above the progress."""


class Shown(Silent):
    """Counts and shows cells, and scores the leader within a small share of the run time.

    Parameters
    ----------
    console : rich.console.Console
    run_state : RunState
    store : Store
        Written by the thread that calls `advance_all`.
    estimate : function
        As for `Leader`.
    """

    def __init__(
        self, console: Console, run_state: RunState, store: Store, estimate: Estimate
    ) -> None:
        self.console = console
        self.run_state = run_state
        self.leader = Leader(run_state.design, estimate)
        self.store = store
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self.began = self._looked = monotonic()
        self._tell = self._stack.enter_context(shown_on(self.console, self.view))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def advance_all(self, outcomes: Iterable[tuple[Cell, Outcome]]) -> None:
        """Count cells, and report progress if due."""
        for cell, outcome in outcomes:
            self.run_state.count(cell.key, CellSummary.of(outcome))
        now = monotonic()
        if now - self._looked > PAUSE:
            self._looked = now
            seconds = SHARE * (now - self.began) - self.leader.spent
            self.leader.work(self.store, self.run_state, seconds)
        self._tell()

    def say(self, text: str) -> None:
        """Write a line of text above the progress."""
        from rich.text import Text

        self.console.print(Text(text), soft_wrap=True)

    def view(self) -> View:
        """Return the current view."""
        return View(self.run_state, self.leader.best, self.began)


class Teller:
    """Writes progress lines of a run, at a readable rate.

    Parameters
    ----------
    console : rich.console.Console
    told : RunState, optional
        Progress made so far, without a line.
    """

    def __init__(self, console: Console, told: RunState | None = None) -> None:
        self.console = console
        self._remember(told)

    def tell(self, view: View) -> None:
        """Write a line after another tenth of the cells, or a long silence."""
        if _tenths(view.run_state) != self.tenths or monotonic() - self.said > SILENCE:
            self.write(view)

    def write(self, view: View) -> None:
        """Write a line, and failures not yet reported."""
        run_state = view.run_state
        self.console.out(view.line(), highlight=False)
        for failure in run_state.failures(max(run_state.n_failures - self.n_failures, 0)):
            self.console.out(f"  {failure}", highlight=False)
        self._remember(run_state)

    def _remember(self, told: RunState | None) -> None:
        self.said = monotonic()
        self.tenths, self.n_failures = (_tenths(told), told.n_failures) if told else (0, 0)


@contextmanager
def shown_on(
    console: Console, view: Callable[[], View], *, at_once: bool = False
) -> Iterator[Callable[[], None]]:
    """Show a run within the block; give a function to call when the view has changed.

    Parameters
    ----------
    console : rich.console.Console
    view : function
        Returns the current view.
    at_once : bool
        Whether to write a line about the progress made before the block.
    """
    if console.is_terminal and not console.is_dumb_terminal:
        from ilk_evaluation.run.live_view import LiveView

        live = LiveView(console, view)
        try:
            live.start()
            yield lambda: None  # it refreshes itself
        finally:  # an interrupt during the start may leave the cursor hidden
            live.stop()
        return
    teller = Teller(console, None if at_once else view().run_state)
    if at_once:
        teller.write(view())
    yield lambda: teller.tell(view())


def progress_on(
    console: Console | None,
    design: Design,
    store: Store,
    missing: Iterable[Cell],
    estimate: Estimate,
) -> Silent:
    """Return the progress display that fits a console; silent for None and for an empty run.

    Parameters
    ----------
    console : rich.console.Console or None
    design : Design
    store : Store
        Holds the finished cells.
    missing : iterable of Cell
        Cells to run.
    estimate : function
        As for `Leader`.
    """
    keys = [cell.key for cell in missing]
    if console is None or not keys:
        return Silent()
    run_state = RunState(design)
    run_state.start(store.since(0), keys)
    return Shown(console, run_state, store, estimate)


def _tenths(run_state: RunState) -> int:
    return run_state.done * 10 // max(run_state.total, 1)
