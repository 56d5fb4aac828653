"""Progress of a run: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Self

from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ilk import printable
from ilk_evaluation.run.leader import Estimate, Leader
from ilk_evaluation.run.run_state import CellSummary, RunState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.live import Live

    from ilk_evaluation.plan.design import Cell, Design
    from ilk_evaluation.run.cell import Outcome
    from ilk_evaluation.run.leader import Best
    from ilk_evaluation.run.run_state import Failure
    from ilk_evaluation.run.store import Store


SHARE = 0.01
"""Share of the run time that may be spent on scoring the leader."""
REFRESHED = 4
"""Refreshes of a terminal per second."""


class Silent(AbstractContextManager["Silent"]):
    """Shows no progress."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def advance(self, cell: Cell, outcome: Outcome) -> None:
        """Count a cell."""
        self.advance_all(((cell, outcome),))

    def advance_all(self, outcomes: Iterable[tuple[Cell, Outcome]]) -> None:
        """Count cells that finished together."""

    def say(self, text: str) -> None:
        """Write a line of text above the progress."""


class Shown(Silent):
    """Counts cells, and scores the leader within a small share of the run time.

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

    def advance_all(self, outcomes: Iterable[tuple[Cell, Outcome]]) -> None:
        """Count cells, and report progress if due."""
        for cell, outcome in outcomes:
            self.run_state.count(cell.key, CellSummary.of(outcome))
        now = monotonic()
        if now - self._looked > 1 / REFRESHED:
            self._looked = now
            seconds = SHARE * (now - self.began) - self.leader.spent
            self.leader.work(self.store, self.run_state, seconds)

    def say(self, text: str) -> None:
        """Write a line of text above the progress."""
        from rich.text import Text

        self.console.print(Text(text), soft_wrap=True)

    def view(self) -> View:
        """Return the current view."""
        return View(self.run_state, self.leader.best, monotonic() - self.began)


class Lines(Shown):
    """Writes a line at every tenth of the cells, and after a long silence."""

    def __enter__(self) -> Self:
        self._teller = Teller(self.console)
        self._teller.skip(self.run_state)
        return self

    def advance_all(self, outcomes: Iterable[tuple[Cell, Outcome]]) -> None:
        """Count cells, and write a line if due."""
        super().advance_all(outcomes)
        self._teller.tell(self.view())


class Bar(Shown):
    """A bar with counts, pace and time left; the leader; the latest failures."""

    def __enter__(self) -> Self:
        self._live = live(self.console, self.view)
        try:
            self._live.start()
        except BaseException:  # an interrupt after the cursor was hidden
            self._live.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()


class Teller:
    """Writes progress lines of a run, at a readable rate.

    Parameters
    ----------
    console : rich.console.Console
    seconds : float
        Longest time without a line.
    """

    def __init__(self, console: Console, seconds: float = 30.0) -> None:
        self.console = console
        self.seconds = seconds
        self.said = monotonic()
        self.tenths = self.n_failures = 0

    def skip(self, run_state: RunState) -> None:
        """Skip the progress that was made before this run."""
        self.tenths, self.n_failures = _tenths(run_state), run_state.n_failures

    def tell(self, view: View) -> None:
        """Write a line after another tenth of the cells, or a long silence."""
        if _tenths(view.run_state) != self.tenths or monotonic() - self.said > self.seconds:
            self.write(view)

    def write(self, view: View) -> None:
        """Write a line, and failures not yet reported."""
        run_state = view.run_state
        self.console.out(view.line(), highlight=False)
        new = run_state.n_failures - self.n_failures
        for failure in run_state.latest[-new:] if new > 0 else ():
            self.console.out(f"  {_failure_text(failure)}", highlight=False)
        self.said = monotonic()
        self.skip(run_state)


def live(console: Console, view: Callable[[], View], *, transient: bool = True) -> Live:
    """Return a live display that refreshes a view in its own thread."""
    from rich.live import Live

    return Live(
        console=console,
        get_renderable=view,
        refresh_per_second=REFRESHED,
        transient=transient,
        vertical_overflow="crop",
    )


def is_live(console: Console) -> bool:
    """Tell whether a console can be refreshed: a terminal, but not a dumb one."""
    return console.is_terminal and not console.is_dumb_terminal


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
    return (Bar if is_live(console) else Lines)(console, run_state, store, estimate)


def _tenths(run_state: RunState) -> int:
    return run_state.done * 10 // max(run_state.total, 1)


_GAP = "  "
_BAR = 10, 40  # narrowest and widest


@dataclass(frozen=True)
class View:
    """A snapshot of a run: several lines on a terminal, or a single line.

    Attributes
    ----------
    run_state : RunState
    best : Best or None
    elapsed : float or None
        Seconds since the run began; None if unknown.
    running : bool
        Whether the run goes on, so that the view shows the time left.
    """

    run_state: RunState
    best: Best | None
    elapsed: float | None
    running: bool = True

    def line(self) -> str:
        """All in one line: ``4/40 cells, 1 failed, about 12 s left``."""
        parts = [f"{self._counted()} cells", f"{self.run_state.failed} failed"]
        if self.run_state.fallbacks:
            parts.append(f"{self.run_state.fallbacks} answered by the fallback")
        if self.run_state.done < self.run_state.total:
            left = self._left()
            text = ", ".join([*parts, *([f"about {duration(left)} left"] if left else [])])
            return f"{text}; {leader_text(self.best)}" if self.best else text
        if self.elapsed is not None:
            parts.append(f"done in {duration(self.elapsed)}")
        return ", ".join(parts)

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        """Yield lines that fit the width of the terminal."""
        yield from self._first(options.max_width)
        yield from _packed(self._times(), options.max_width)
        complete = self.run_state.done == self.run_state.total
        rest = [Text(leader_text(self.best))] if self.best and not complete else []
        rest += [Text(_failure_text(failure), style="red") for failure in self.run_state.latest]
        more = self.run_state.n_failures - len(self.run_state.latest)
        if more:
            rest.append(Text(f"and {more} other failure{'s' * (more != 1)} before"))
        for text in rest:
            text.truncate(options.max_width, overflow="ellipsis")
            yield text

    def _first(self, width: int) -> Iterator[RenderableType]:
        """The counts, and a bar if there is room."""
        run_state = self.run_state
        pieces = [Text(f"{self._counted()} cells")]
        pieces.append(
            Text(f"{run_state.failed} failed", style="bold red" if run_state.failed else "")
        )
        if run_state.fallbacks:
            pieces.append(Text(f"{run_state.fallbacks} by fallback"))
        counts = Text(_GAP).join(pieces)
        room = width - len(counts) - len(_GAP)
        if room < _BAR[0]:
            yield from _packed(pieces, width)
            return
        grid = Table.grid(padding=(0, len(_GAP), 0, 0))
        bar = ProgressBar(run_state.total, run_state.done, width=min(room, _BAR[1]))
        grid.add_row(bar, counts)
        yield grid

    def _times(self) -> list[Text]:
        """Pace, elapsed time and time left; empty once the run has ended."""
        if self.elapsed is None:
            return []
        pieces = [Text(f"after {duration(self.elapsed)}")]
        if self.run_state.here and self.elapsed > 0:
            pieces.append(Text(rate(self.run_state.here / self.elapsed)))
        left = self._left()
        if left is not None:
            pieces.append(Text(f"about {duration(left)} left", style="bold"))
        return pieces

    def _counted(self) -> str:
        return f"{self.run_state.done}/{self.run_state.total}"

    def _left(self) -> float | None:
        if not self.running or self.elapsed is None or self.run_state.done == self.run_state.total:
            return None
        return self.run_state.seconds_left(self.elapsed)


def leader_text(best: Best) -> str:
    """``best so far: 5-NN (error 0.0492, mean over 3 of 12 data sets)``."""
    first, *others = best.pipelines
    names = first if not others else f"{first} and {len(others)} equal to it"
    sets = f"{best.n} of {best.of} data set{'s' * (best.of != 1)}"
    return f"best so far: {names} ({best.measure} {best.mean:.4f}, mean over {sets})"


def _failure_text(failure: Failure) -> str:
    """``wine, 80-NN (2 cells): InputError: ...``."""
    cells = f"{failure.number} cell{'s' * (failure.number != 1)}"
    return printable(f"{failure.dataset}, {failure.pipeline} ({cells}): {failure.error}", keep="")


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


def _packed(pieces: list[Text], width: int) -> Iterator[Text]:
    """Yield lines that hold as many pieces as fit."""
    line = Text()
    for piece in pieces:
        if line and len(line) + len(_GAP) + len(piece) > width:
            yield line
            line = Text()
        line = line + (_GAP if line else "") + piece
    if line:
        yield line
