"""Failed cells grouped by cause, each group with a command that reproduces the error."""

from __future__ import annotations

import re
import shlex
import sysconfig
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilk_evaluation.results.opening import default_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk_evaluation.results.experiment_results import Results


_STANDARD_LIBRARY = sysconfig.get_path("stdlib")

KEY = 16
"""Characters shown of a key: enough to identify a cell."""


@dataclass(frozen=True)
class Failures:
    """Cells that failed at the same place in the code.

    Attributes
    ----------
    messages : mapping of str to int
        Error messages, with the number of cells for each.
    traceback : str
        Traceback of the first cell.
    cells : tuple of mappings
        Rows of `Results.failures`.
    """

    messages: dict[str, int]
    traceback: str
    cells: tuple[dict[str, Any], ...]

    @property
    def places(self) -> dict[tuple[str, str], int]:
        """Number of cells by data set and pipeline."""
        return dict(Counter((cell["dataset"], cell["pipeline"]) for cell in self.cells))


def grouped(results: Results) -> list[Failures]:
    """Group the failed cells by the code lines in their tracebacks; largest group first."""
    groups: dict[tuple[str, ...], list[Any]] = {}
    for cell in results.failures.to_dict("records"):
        groups.setdefault(_course(cell["traceback"], cell["error"]), []).append(cell)
    failures = [
        Failures(
            dict(Counter(cell["error"] for cell in cells)), cells[0]["traceback"], tuple(cells)
        )
        for cells in groups.values()
    ]
    return sorted(failures, key=lambda group: -len(group.cells))


def _course(traceback: str | None, error: str) -> tuple[str, ...]:
    """The code lines in a traceback and the type of the error, without the message."""
    lines = re.findall(r'^ *File ".*$', traceback or "", re.MULTILINE)
    return (error.partition(":")[0], *lines)


def reproducer(results: Results, key: str, file: str | None) -> str:
    """Return a command that runs one cell again in this process, for a debugger.

    Parameters
    ----------
    results : Results
    key : str
    file : str or None
        The experiment file; None: described in Python.
    """
    if file is None:
        return f'run_cell_alone(plan_experiment(spec), "{key[:KEY]}")'
    path, store = Path(file), results.design.store
    command = ["ilk", "run", _shown(path), "--only", key[:KEY], "--executor", "serial"]
    if store is not None and store.absolute() != default_store(path).absolute():
        command += ["--store", _shown(store.absolute())]
    return shlex.join(command)


def _shown(path: Path) -> str:
    """Write a path relative to the current folder if it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def lines(results: Results, file: str | None, *, full: bool = False) -> Iterator[str]:
    """Yield the failures as text, group by group.

    Parameters
    ----------
    results : Results
    file : str or None
        The experiment file; None: described in Python.
    full : bool
        Whether to show whole tracebacks instead of their ends.
    """
    for number, group in enumerate(grouped(results), start=1):
        fallback = sum(cell["fallback"] for cell in group.cells)
        answered = f", {fallback} answered by the fallback" if fallback else ""
        yield f"{number}. {_count(len(group.cells))}{answered}"
        for message, count in group.messages.items():
            share = f" ({_count(count)})" if len(group.messages) > 1 else ""
            yield f"   {' '.join(message.split())}{share}"
        for (dataset, pipeline), count in group.places.items():
            yield f"   in {dataset}, {pipeline} ({_count(count)})"
        text = group.traceback.rstrip().splitlines()
        yield from (f"   | {line}" for line in (text if full else _end(text)))
        yield f"   again: {reproducer(results, group.cells[0]['key'], file)}"
        yield ""


def _end(text: list[str]) -> list[str]:
    """The last frame of a traceback, with its line of code."""
    at = [position for position, line in enumerate(text) if line.lstrip().startswith('File "')]
    if any("most recent call first" in line for line in text):  # of faulthandler
        places = [text[position].strip() for position in at]
        outside = (place for place in places if _STANDARD_LIBRARY not in place)
        return [next(outside, places[0])] if places else text[-1:]
    return [line.strip() for line in text[at[-1] :][:2]] if at else text[-1:]


def _count(number: int) -> str:
    return f"{number} cell" + ("s" if number != 1 else "")
