"""A live view of a run on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.columns import Columns
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console, RenderableType

    from ilk_evaluation.run.run_view import View

REFRESHED = 4
"""Refreshes of a terminal per second."""


class LiveView(Progress):
    """A bar with the counts; pace and time left; the leader; the latest failures.

    Parameters
    ----------
    console : rich.console.Console
    view : function
        Returns the current view; called in the thread that refreshes the terminal.
    """

    def __init__(self, console: Console, view: Callable[[], View]) -> None:
        self._view = view
        columns = BarColumn(), TextColumn("{task.description}", markup=False)
        super().__init__(*columns, console=console, refresh_per_second=REFRESHED, transient=True)
        self.live.vertical_overflow = "crop"
        self.add_task("", total=None)

    def get_renderables(self) -> Iterator[RenderableType]:
        """Yield the bar, and lines that are wrapped or cut at the width of the terminal."""
        view = self._view()
        run_state, counts = view.run_state, ", ".join(view.counts())
        for task in self.task_ids:
            self.update(task, description=counts, total=run_state.total, completed=run_state.done)
        yield self.make_tasks_table(self.tasks)
        yield Columns(view.times(), padding=(0, 2))
        if view.best and run_state.done < run_state.total:
            yield _cut(view.leader())
        failures = run_state.failures()
        for failure in failures:
            yield _cut(failure, style="red")
        if more := run_state.n_failures - len(failures):
            yield _cut(f"and {more} other failure{'s' * (more != 1)} before")


def _cut(line: str, style: str = "") -> Text:
    return Text(line, style=style, no_wrap=True, overflow="ellipsis")
