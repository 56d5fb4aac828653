"""Tables for the terminal: data sets, how they were read, their splits, and likely errors."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

import ilk
from ilk import printable
from ilk_evaluation.commands.terminal_tables import new_table, print_table
from ilk_evaluation.datasets.inspection import class_counts, columns_of, warnings_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from ilk_evaluation.plan.experiment_plan import Plan, PlannedData


_MOST_CLASSES = 20
_MOST_COLUMNS = 12
_FEW = 5


def print_data(console: Console, label: str, data: ilk.Data, most: int | None = None) -> None:
    """Print rows, dialect, columns, classes, and notes of a data set.

    Parameters
    ----------
    most : int, optional
        Number of columns to print; all of them if left out.
    """
    dialect = f" ({data.dialect})" if data.dialect else ""
    head = f"{label}: {len(data)} rows, {_width(data)} features{dialect}"
    console.print(Text(printable(head, keep=""), style="bold"))
    columns = columns_of(data)
    shown = columns[:most]
    if shown:
        table = new_table(["column", "kind", "values"], ["missing"])
        for column in shown:
            cells = (column.name, column.kind, column.values)
            missing = str(column.missing) if column.missing else "-"
            table.add_row(*(Text(printable(cell, keep="")) for cell in cells), missing)
        print_table(console, table)
    if len(shown) < len(columns):
        more = f"and {len(columns) - len(shown)} more" if shown else len(columns)
        _line(console, f"{more} columns (ilk data FILE shows all)")
    _line(console, _classes(data))
    print_notes(console, data)
    console.print()


def print_plan_data(console: Console, plan: Plan) -> None:
    """Print how the data sets of a plan were read; columns of the first ones of a few files."""
    read = _read(plan)
    for planned in read:
        print_data(console, planned.label, planned.data, _MOST_COLUMNS if len(read) <= _FEW else 0)
    _print_splits(console, plan)


def print_plan_notes(console: Console, plan: Plan) -> None:
    """Print notes on the data sets of a plan that were read from files."""
    for planned in _read(plan):
        print_notes(console, planned.data, planned.label)
    _print_splits(console, plan)


def _print_splits(console: Console, plan: Plan) -> None:
    print_same(console, [(one.label, one.data) for one in plan.datasets])
    for note in split_notes(plan):
        _line(console, f"note: {note}")


def _read(plan: Plan) -> list[PlannedData]:
    """The data sets that were read from files, so that something may have been guessed."""
    pairs = zip(plan.experiment.datasets, plan.datasets, strict=True)
    return [planned for table, planned in pairs if "path" in table or planned.data.notes]


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


_MOST_MISSING = 3
_NEAR = 0.05


def split_notes(plan: Plan) -> list[str]:
    """Note classes missing from training or test parts, and shares of cases, of grouped data."""
    notes: list[str] = []
    for position, planned in enumerate(plan.datasets):
        if planned.data.groups is not None:
            notes += (f"{planned.label}: {note}" for note in _notes_on(plan, position))
    return notes


def _notes_on(plan: Plan, position: int) -> Iterator[str]:
    data = plan.datasets[position].data
    labels = np.zeros(len(data)) if data.task == "regression" else data.y
    classes, codes = np.unique(labels, return_inverse=True)
    missing: Counter[tuple[str, int]] = Counter()
    shares = []
    for split in plan.splits(position):
        shares.append(len(split.test) / (len(split.train) + len(split.test)))
        for part, rows in (("training", split.train), ("test", split.test)):
            counts = np.bincount(codes[rows], minlength=len(classes))
            missing.update((part, code) for code in np.flatnonzero(counts == 0).tolist())
    why = _why_missing(plan.resampling)
    for (part, code), number in missing.most_common(_MOST_MISSING):
        yield (
            f"class {classes[code].item()!r} is missing from the {part} part of {number} of "
            f"{len(shares)} splits: {why}"
        )
    if len(missing) > _MOST_MISSING:
        yield f"{len(missing) - _MOST_MISSING} more classes are missing from parts of splits"
    wanted = _test_share(plan.resampling)
    if wanted < 1 and max(abs(s - wanted) for s in shares) > _NEAR:
        low, high = min(shares), max(shares)
        got = f"{low:.2f}" if high - low < _NEAR / 10 else f"{low:.2f} to {high:.2f}"
        yield (
            f"{wanted:.2g} of the groups are tested, which differ in size: the test parts hold "
            f"{got} of the cases"
        )


def _why_missing(resampling: ilk.Resampling) -> str:
    if resampling.uses_classes:
        return "its cases are in too few groups"
    remedy = (
        "set stratify = true" if "stratify" in resampling.parameters else "take stratified_kfold"
    )
    return f"{ilk.display_name(resampling)} divides groups without regard to classes; {remedy}"


def _test_share(resampling: ilk.Resampling) -> float:
    """The share of groups that is tested; 1 if a resampling has no such parameter."""
    sizes = getattr(resampling, "sizes", None)
    if sizes is not None:
        return float(sizes[-1] / sum(sizes))
    return float(getattr(resampling, "test_size", 1.0))
