"""A snapshot of a run, as text."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ilk_evaluation.run.leader import Best
    from ilk_evaluation.run.run_state import RunState


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
