"""Progress of a run: a bar with the time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

from contextlib import AbstractContextManager
from time import monotonic
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


class Silent(AbstractContextManager["Silent"]):
    """Says nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def advance(self, *, failed: bool) -> None:
        """Count a cell."""


class Lines(Silent):
    """Writes a line at every tenth of the way, and where nothing was said for long.

    Parameters
    ----------
    console : rich.console.Console
    total : int
        Number of cells to run.
    seconds : float
        How long there may be no line.
    """

    def __init__(self, console: Console, total: int, seconds: float = 30.0) -> None:
        self.console = console
        self.total = total
        self.seconds = seconds
        self.done = self.failed = 0
        self.start = self.said = monotonic()

    def advance(self, *, failed: bool) -> None:
        """Count a cell and perhaps write a line."""
        self.done += 1
        self.failed += failed
        now = monotonic()
        tenth = self.done * 10 // self.total > (self.done - 1) * 10 // self.total
        if tenth or now - self.said > self.seconds:
            self.said = now
            took = now - self.start
            left = took / self.done * (self.total - self.done)
            time = f"about {left:.0f} s left" if self.done < self.total else f"done in {took:.0f} s"
            self.console.out(
                f"{self.done}/{self.total} cells, {self.failed} failed, {time}", highlight=False
            )


class Bar(Silent):
    """A bar with the count, the failures and the time left."""

    def __init__(self, console: Console, total: int) -> None:
        from rich import progress

        self.failed = 0
        self._bar: Progress = progress.Progress(
            progress.TextColumn("cells"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[failed]} failed"),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("cells", total=total, failed=0)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def advance(self, *, failed: bool) -> None:
        """Count a cell and move the bar."""
        self.failed += failed
        self._bar.update(self._task, advance=1, failed=self.failed)


def progress_on(console: Console | None, total: int) -> Silent:
    """Return what fits a console; None is silent, as is a run with nothing to do."""
    if console is None or not total:
        return Silent()
    return Bar(console, total) if console.is_terminal else Lines(console, total)
