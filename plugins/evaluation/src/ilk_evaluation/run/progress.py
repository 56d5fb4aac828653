"""Progress of a run: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Self

from ilk_evaluation.run.leader import Estimate, Leader
from ilk_evaluation.run.run_state import CellSummary, RunState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.console import Console

    from ilk_evaluation.plan.design import Cell, Design
    from ilk_evaluation.run.cell import Outcome
    from ilk_evaluation.run.leader import Best
    from ilk_evaluation.run.store import Store


SHARE = 0.01
"""Share of the run time that may be spent on scoring the leader."""
PAUSE = 0.25
"""Seconds between two looks for the leader."""
SILENCE = 30.0
"""Longest time without a line, in seconds."""


@dataclass(frozen=True)
class View:
    """A snapshot of a run, as text.

    Attributes
    ----------
    run_state : RunState
    best : Best or None
    began : float or None
        When the run began, by `time.monotonic`; None if unknown.
    running : bool
        Whether the run goes on, so that the view shows the time left.
    """

    run_state: RunState
    best: Best | None
    began: float | None
    running: bool = True

    def line(self) -> str:
        """All in one line: ``4/40 cells, 1 failed, about 12 s left``."""
        if self.run_state.done < self.run_state.total:
            text = ", ".join([*self.counts(), *self._left()])
            return f"{text}; {self.leader()}" if self.best else text
        end = [] if self.began is None else [f"done in {duration(monotonic() - self.began)}"]
        return ", ".join([*self.counts(), *end])

    def counts(self) -> list[str]:
        """``4/40 cells``, ``1 failed``, ``1 answered by the fallback``."""
        run_state = self.run_state
        parts = [f"{run_state.done}/{run_state.total} cells", f"{run_state.failed} failed"]
        if run_state.fallbacks:
            parts.append(f"{run_state.fallbacks} answered by the fallback")
        return parts

    def times(self) -> list[str]:
        """``after 12 s``, ``3.5 cells/min``, ``about 12 s left``; empty if the run has ended."""
        if self.began is None:
            return []
        elapsed, here = monotonic() - self.began, self.run_state.here
        pace = [rate(here / elapsed)] if here and elapsed > 0 else []
        return [f"after {duration(elapsed)}", *pace, *self._left()]

    def leader(self) -> str:
        """``best so far: 5-NN (error 0.0492, mean over 3 of 12 data sets)``."""
        best = self.best
        assert best is not None
        first, *others = best.pipelines
        names = first if not others else f"{first} and {len(others)} equal to it"
        sets = f"{best.n} of {best.of} data set{'s' * (best.of != 1)}"
        return f"best so far: {names} ({best.measure} {best.mean:.4f}, mean over {sets})"

    def _left(self) -> list[str]:
        if not self.running or self.began is None or self.run_state.done == self.run_state.total:
            return []
        left = self.run_state.seconds_left(monotonic() - self.began)
        return [f"about {duration(left)} left"] if left else []


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
        Written by the thread that calls `advance`.
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
        self.began = self._looked = monotonic()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
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
        Progress made so far, of which no line is written.
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


def duration(seconds: float) -> str:
    """``48 s``, ``3 min 20 s``, ``2 h 5 min``, ``3 d 4 h``."""
    rounded = max(round(seconds), 0)
    for large, small, size, count in (("d", "h", 3600, 24), ("h", "min", 60, 60)):
        upper, lower = divmod(rounded // size, count)
        if upper:
            return f"{upper} {large} {lower} {small}"
    minutes, rest = divmod(rounded, 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def rate(per_second: float) -> str:
    """``12 cells/s``, ``3.5 cells/min``, ``1.2 cells/h``."""
    for factor, unit in ((1, "s"), (60, "min")):
        if per_second * factor >= 1:
            return f"{per_second * factor:.{0 if per_second * factor >= 10 else 1}f} cells/{unit}"
    return f"{per_second * 3600:.1f} cells/h"
