"""What is shown of a run while it goes on, by itself and by who watches it: one renderer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ilk.wording import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

    from ilk_evaluation.experiments.leading import Best
    from ilk_evaluation.experiments.standing import Failure, Standing

_GAP = "  "
_BAR = 10, 40  # narrowest and widest


@dataclass(frozen=True)
class View:
    """A run at a moment: several lines on a terminal, or a single one.

    Attributes
    ----------
    standing : Standing
    best : Best or None
    elapsed : float or None
        Seconds since the run began; None where they are not known.
    running : bool
        Whether it goes on, so that there is a time left to be told.
    """

    standing: Standing
    best: Best | None
    elapsed: float | None
    running: bool = True

    def line(self) -> str:
        """All in one line: ``4/40 cells, 1 failed, about 12 s left``."""
        parts = [f"{self._counted()} cells", f"{self.standing.failed} failed"]
        if self.standing.fallbacks:
            parts.append(f"{self.standing.fallbacks} answered by the fallback")
        if self.standing.done < self.standing.total:
            left = self._left()
            said = ", ".join([*parts, *([f"about {duration(left)} left"] if left else [])])
            return f"{said}; {leading(self.best)}" if self.best else said
        if self.elapsed is not None:
            parts.append(f"done in {duration(self.elapsed)}")
        return ", ".join(parts)

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        """Yield the lines, none wider than the terminal."""
        yield from self._first(options.max_width)
        yield from _packed(self._times(), options.max_width)
        complete = self.standing.done == self.standing.total
        rest = [Text(leading(self.best))] if self.best and not complete else []
        rest += [Text(failing(failure), style="red") for failure in self.standing.latest]
        more = self.standing.n_failures - len(self.standing.latest)
        if more:
            rest.append(Text(f"and {more} other failure{'s' * (more != 1)} before"))
        for text in rest:
            text.truncate(options.max_width, overflow="ellipsis")
            yield text

    def _first(self, width: int) -> Iterator[RenderableType]:
        """The counts, and a bar if there is room for one."""
        standing = self.standing
        pieces = [Text(f"{self._counted()} cells")]
        pieces.append(
            Text(f"{standing.failed} failed", style="bold red" if standing.failed else "")
        )
        if standing.fallbacks:
            pieces.append(Text(f"{standing.fallbacks} by fallback"))
        counts = Text(_GAP).join(pieces)
        room = width - len(counts) - len(_GAP)
        if room < _BAR[0]:
            yield from _packed(pieces, width)
            return
        grid = Table.grid(padding=(0, len(_GAP), 0, 0))
        bar = ProgressBar(standing.total, standing.done, width=min(room, _BAR[1]))
        grid.add_row(bar, counts)
        yield grid

    def _times(self) -> list[Text]:
        """Pace, time since the run began, and time left; none of them once it has ended."""
        if self.elapsed is None:
            return []
        pieces = [Text(f"after {duration(self.elapsed)}")]
        if self.standing.here and self.elapsed > 0:
            pieces.append(Text(rate(self.standing.here / self.elapsed)))
        left = self._left()
        if left is not None:
            pieces.append(Text(f"about {duration(left)} left", style="bold"))
        return pieces

    def _counted(self) -> str:
        return f"{self.standing.done}/{self.standing.total}"

    def _left(self) -> float | None:
        if not self.running or self.elapsed is None or self.standing.done == self.standing.total:
            return None
        return self.standing.seconds_left(self.elapsed)


def leading(best: Best) -> str:
    """``best so far: 5-NN (error 0.0492, mean over 3 of 12 data sets)``."""
    first, *others = best.pipelines
    names = first if not others else f"{first} and {len(others)} equal to it"
    sets = f"{best.n} of {best.of} data set{'s' * (best.of != 1)}"
    return f"best so far: {names} ({best.measure} {best.mean:.4f}, mean over {sets})"


def failing(failure: Failure) -> str:
    """``wine, 80-NN (2 cells): InputError: ...``."""
    cells = f"{failure.number} cell{'s' * (failure.number != 1)}"
    return printable(f"{failure.dataset}, {failure.pipeline} ({cells}): {failure.error}", keep="")


def duration(seconds: float) -> str:
    """``48 s``, ``3 min 20 s``, ``2 h 5 min``, ``3 d 4 h``."""
    whole = max(round(seconds), 0)
    for large, small, size, count in (("d", "h", 3600, 24), ("h", "min", 60, 60)):
        upper, lower = divmod(whole // size, count)
        if upper:
            return f"{upper} {large} {lower} {small}"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def rate(per_second: float) -> str:
    """``12 cells/s``, ``3.5 cells/min``, ``1.2 cells/h``."""
    for factor, unit in ((1, "s"), (60, "min")):
        if per_second * factor >= 1:
            return f"{per_second * factor:.{0 if per_second * factor >= 10 else 1}f} cells/{unit}"
    return f"{per_second * 3600:.1f} cells/h"


def _packed(pieces: list[Text], width: int) -> Iterator[Text]:
    """Yield lines of as many pieces as fit."""
    line = Text()
    for piece in pieces:
        if line and len(line) + len(_GAP) + len(piece) > width:
            yield line
            line = Text()
        line = line + (_GAP if line else "") + piece
    if line:
        yield line
