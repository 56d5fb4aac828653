"""Progress of a run: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from time import monotonic
from typing import TYPE_CHECKING, Self

from ilk_evaluation.experiments.leading import Leader
from ilk_evaluation.experiments.standing import Came, Standing
from ilk_evaluation.experiments.view import View, failing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console
    from rich.live import Live

    from ilk_evaluation.experiments.cell import Outcome
    from ilk_evaluation.experiments.design import Cell, Design
    from ilk_evaluation.experiments.store import Store

SHARE = 0.01
"""How much of the time of a run may go into finding out which pipeline leads."""
REFRESHED = 4
"""How often a second a terminal is written anew."""


class Silent(AbstractContextManager["Silent"]):
    """Says nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def advance(self, cell: Cell, outcome: Outcome) -> None:
        """Count a cell."""
        self.advance_all(((cell, outcome),))

    def advance_all(self, came: Iterable[tuple[Cell, Outcome]]) -> None:
        """Count cells that came to an end at the same time."""

    def say(self, text: str) -> None:
        """Write a line about what is done."""


class Shown(Silent):
    """Counts cells, and looks for the leader as long as that takes next to no time.

    Parameters
    ----------
    console : rich.console.Console
    standing : Standing
    store : Store
        To which cells are written by the thread that calls `advance`.
    """

    def __init__(self, console: Console, standing: Standing, store: Store) -> None:
        self.console = console
        self.standing = standing
        self.leader = Leader(standing.design)
        self.store = store
        self.began = self._looked = monotonic()

    def advance_all(self, came: Iterable[tuple[Cell, Outcome]]) -> None:
        """Count cells and perhaps say so."""
        for cell, outcome in came:
            self.standing.count(cell.key, Came.of(outcome))
        now = monotonic()
        if now - self._looked > 1 / REFRESHED:
            self._looked = now
            seconds = SHARE * (now - self.began) - self.leader.spent
            self.leader.work(self.store, self.standing, seconds)

    def say(self, text: str) -> None:
        """Write a line about what is done."""
        from rich.text import Text

        self.console.print(Text(text), soft_wrap=True)

    def view(self) -> View:
        """Return what is to be shown now."""
        return View(self.standing, self.leader.best, monotonic() - self.began)


class Lines(Shown):
    """Writes a line at every tenth of the way, and where nothing was said for long."""

    def __enter__(self) -> Self:
        self._teller = Teller(self.console)
        self._teller.skip(self.standing)
        return self

    def advance_all(self, came: Iterable[tuple[Cell, Outcome]]) -> None:
        """Count cells and perhaps write a line."""
        super().advance_all(came)
        self._teller.tell(self.view())


class Bar(Shown):
    """A bar with counts, pace and time left; the leader; the latest failures."""

    def __enter__(self) -> Self:
        self._live = live(self.console, self.view)
        try:
            self._live.start()
        except BaseException:  # an interrupt, when the cursor is hidden already
            self._live.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()


class Teller:
    """Writes lines about a run, not more of them than anybody reads.

    Parameters
    ----------
    console : rich.console.Console
    seconds : float
        How long there may be no line.
    """

    def __init__(self, console: Console, seconds: float = 30.0) -> None:
        self.console = console
        self.seconds = seconds
        self.said = monotonic()
        self.tenths = self.n_failures = 0

    def skip(self, standing: Standing) -> None:
        """Take for said what was so before."""
        self.tenths, self.n_failures = _tenths(standing), standing.n_failures

    def tell(self, view: View) -> None:
        """Write if another tenth is done, or nothing was written for long."""
        if _tenths(view.standing) != self.tenths or monotonic() - self.said > self.seconds:
            self.write(view)

    def write(self, view: View) -> None:
        """Write a line, and failures of a new sort."""
        standing = view.standing
        self.console.out(view.line(), highlight=False)
        new = standing.n_failures - self.n_failures
        for failure in standing.latest[-new:] if new > 0 else ():
            self.console.out(f"  {failing(failure)}", highlight=False)
        self.said = monotonic()
        self.skip(standing)


def live(console: Console, view: Callable[[], View], *, transient: bool = True) -> Live:
    """Return a display that shows a view anew all the time, from a thread of its own."""
    from rich.live import Live

    return Live(
        console=console,
        get_renderable=view,
        refresh_per_second=REFRESHED,
        transient=transient,
        vertical_overflow="crop",
    )


def is_live(console: Console) -> bool:
    """Tell whether a console can be written anew: a terminal, and no dumb one."""
    return console.is_terminal and not console.is_dumb_terminal


def progress_on(
    console: Console | None, design: Design, store: Store, missing: Iterable[Cell]
) -> Silent:
    """Return what fits a console; None is silent, as is a run with nothing to do.

    Parameters
    ----------
    console : rich.console.Console or None
    design : Design
    store : Store
        Holds what is done already.
    missing : iterable of Cell
        What is to be run.
    """
    keys = [cell.key for cell in missing]
    if console is None or not keys:
        return Silent()
    standing = Standing(design)
    standing.start(store.since(0), keys)
    return (Bar if is_live(console) else Lines)(console, standing, store)


def _tenths(standing: Standing) -> int:
    return standing.done * 10 // max(standing.total, 1)
