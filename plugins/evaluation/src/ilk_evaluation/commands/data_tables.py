"""Tables for the terminal: data sets, how they were read, their splits, and likely errors."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

from ilk import printable
from ilk_evaluation.commands.terminal_tables import new_table, print_table
from ilk_evaluation.datasets.inspection import class_counts, columns_of, warnings_of
from ilk_evaluation.run.run_record import read_from_files, split_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    import ilk
    from ilk_evaluation.plan.experiment_plan import Plan


_MOST_CLASSES = 20
_MOST_COLUMNS = 12
_WIDEST = 60
"""Characters of the name of a column."""
_FEW = 5


def print_data(console: Console, label: str, data: ilk.Data, most: int | None = None) -> None:
    """Print rows, dialect, columns, classes, and notes of a data set.

    Parameters
    ----------
    most : int, optional
        Number of columns to print; all of them if left out.
    """
    dialect = f" ({data.dialect})" if data.dialect else ""
    head = f"{label}: {len(data)} rows, {_width(data)} features{_density(data)}{dialect}"
    console.print(Text(printable(head, keep=""), style="bold"))
    columns = columns_of(data)
    shown = columns[:most]
    if shown:
        table = new_table(["column", "kind", "values"], ["missing"])
        for column in shown:
            cells = (_shortened(column.name), column.kind, column.values)
            missing = str(column.missing) if column.missing else "-"
            table.add_row(*(Text(printable(cell, keep="")) for cell in cells), missing)
        print_table(console, table)
    if len(shown) < len(columns):
        more = f"and {len(columns) - len(shown)} more" if shown else len(columns)
        _line(console, f"{more} columns (ilk data FILE shows all)")
    _line(console, _classes(data))
    print_notes(console, data)
    console.print()


def _shortened(name: str) -> str:
    """Cut the name of a column that would make the table too wide."""
    return name if len(name) <= _WIDEST else name[: _WIDEST - 3] + "..."


def print_plan_data(console: Console, plan: Plan) -> None:
    """Print how the data sets of a plan were read; columns of the first ones of a few files."""
    read = read_from_files(plan)
    for planned in read:
        print_data(console, planned.label, planned.data, _MOST_COLUMNS if len(read) <= _FEW else 0)
    _print_splits(console, plan)


def print_plan_notes(console: Console, plan: Plan) -> None:
    """Print notes on the data sets of a plan that were read from files."""
    for planned in read_from_files(plan):
        print_notes(console, planned.data, planned.label)
    _print_splits(console, plan)


def _print_splits(console: Console, plan: Plan) -> None:
    print_same(console, [(one.label, one.data) for one in plan.datasets])
    for position, planned in enumerate(plan.datasets):
        for note in split_notes(plan, position):
            _line(console, f"note: {planned.label}: {note}")


def print_notes(console: Console, data: ilk.Data, label: str = "") -> None:
    """Print the guesses of the reader, and probable errors."""
    about = f"{label}: " if label else ""
    for note in data.notes:
        _line(console, f"note: {about}{note}")
    for warning in warnings_of(data):
        _line(console, f"warning: {about}{warning}")


def print_same(console: Console, loaded: Sequence[tuple[str, ilk.Data]]) -> None:
    """Print which data sets hold the same data."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    for label, data in loaded:
        named[data.fingerprint].append(label)
    for labels in named.values():
        if len(labels) > 1:
            _line(
                console,
                f"warning: {', '.join(labels)} are the same data; comparisons count them once",
            )


def _line(console: Console, text: str) -> None:
    console.print(Text(printable(text, keep="")))


def _width(data: ilk.Data) -> int:
    shape: Any = getattr(data.X, "shape", ())
    return len(data.feature_names) or (int(shape[1]) if len(shape) > 1 else 0)


def _density(data: ilk.Data) -> str:
    share = data.density
    return "" if share is None else f", sparse: {100 * share:.3g} % of the values stored"


def _classes(data: ilk.Data) -> str:
    if not data.labelled:
        return "labels: unknown"
    if data.task == "regression":
        low, middle, high = np.quantile(data.y, [0, 0.5, 1]).tolist()
        return f"target: numbers from {low:.6g} to {high:.6g}, median {middle:.6g}"
    counts = class_counts(data)
    shown = [f"{label} {count}" for label, count in list(counts.items())[:_MOST_CLASSES]]
    more = ", ..." if len(counts) > _MOST_CLASSES else ""
    return f"{len(counts)} classes: {', '.join(shown)}{more}"
