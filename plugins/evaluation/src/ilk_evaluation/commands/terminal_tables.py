"""Tables for the terminal: the plan of an experiment, and its results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ilk import printable, replaced_components
from ilk_evaluation.plan.design import short, short_resampling
from ilk_evaluation.plan.experiment_file import data_outside
from ilk_evaluation.plan.shards import shard_name
from ilk_evaluation.run.tasks import WITHOUT_REFITTING, shortcuts

if TYPE_CHECKING:
    import pandas as pd

    from ilk_evaluation.plan.design import Design
    from ilk_evaluation.plan.experiment_plan import Plan
    from ilk_evaluation.results.experiment_results import Results


WIDE = 10_000
"""Width without a terminal: tables take the width they need and no text is wrapped."""
MOST_ERRORS = 3
"""Different errors printed per pipeline and data set; `ilk results failures` has all."""
Column = tuple[str, str, Callable[[Any], str]]
"""Heading, column of the data frame, and function that writes a value."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Raise the error for the caller to handle; rich would end the process."""
        raise BrokenPipeError


@dataclass(eq=False, repr=False)
class _Patient:
    """A stream that ignores errors of writing: a closed pipe, a full disk."""

    file: IO[str]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def write(self, text: str) -> int:
        """Write a text; ignore errors."""
        with suppress(OSError):
            self.file.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush; ignore errors."""
        with suppress(OSError):
            self.file.flush()


def console_on(file: IO[str], *, patient: bool = False) -> Console:
    """Return a console that writes plain, unwrapped text unless the file is a terminal.

    Parameters
    ----------
    file : text stream
    patient : bool
        Whether to ignore errors of writing: a run goes on when nobody reads its progress any more.
    """
    to: Any = _Patient(file) if patient else file
    console = _Console(file=to, highlight=False)
    return console if console.is_terminal else _Console(file=to, highlight=False, width=WIDE)


def print_results(console: Console, results: Results) -> None:
    """Print a table per data set and one over all, verdicts, notes and failures."""
    design = results.design
    console.print(Text(_headline(design), style="bold"), end="\n\n")
    print_table(console, _by_dataset(results))
    if len(design.datasets) > 1:
        print_table(console, _over_datasets(results))
    for verdict in results.verdicts:
        console.print(Text(printable(f"{verdict.comparison}: {verdict.text}")))
    for note in results.notes:
        console.print(Text(printable(f"note: {note}")))
    for line in _failure_lines(results):
        console.print(Text(printable(line)))
    if design.store is not None:
        console.print(Text(f"store: {_place(design.store)}"))


def print_plan(console: Console, plan: Plan, n_done: int) -> None:
    """Print the plan of an experiment."""
    console.print(Text(_headline(plan.design), style="bold"), end="\n\n")
    target = "target" if plan.experiment.predictor == "regressor" else "classes"
    data = new_table(["data set"], ["rows", "features", target, "splits"])
    for planned in plan.datasets:
        n_classes = len(planned.data.classes) or "numbers"
        counts = (len(planned.data), planned.n_features, n_classes)
        data.add_row(
            Text(printable(planned.label, keep="")), *map(str, counts), str(planned.n_splits)
        )
    print_table(console, data)
    pipelines = new_table(["pipeline"], [])
    pipelines.add_column("steps", overflow="fold")
    for written in plan.experiment.spec.data["pipelines"]:
        steps = " > ".join(short(next(iter(step.values()))) for step in written["steps"])
        pipelines.add_row(Text(written["id"]), Text(steps))
    _emit(console, pipelines)
    for column in sorted(shortcuts(plan)):
        console.print(Text(f"{plan.pipelines[column].id}: {WITHOUT_REFITTING}"))
    for path in data_outside(plan.experiment.spec, plan.experiment.datasets):
        console.print(Text(printable(f"reads {path}, which is not in the folder of the file")))
    for found in replaced_components():
        note = f"{found.kind} {found.name}: registered by hand ({found.value}), wherever named"
        console.print(Text(printable(note)))
    place = _place(plan.store) if plan.store else "none"
    shard = f" of {plan.design.n_cells}, {shard_name(plan.shard)}" if plan.shard else ""
    console.print(Text(f"{plan.n_cells} cells{shard}, {n_done} of them done; store: {place}"))


def print_shard(console: Console, plan: Plan) -> None:
    """Print the number of cells left to other machines, if a shard was run."""
    if plan.shard is not None:
        shares = f"{shard_name(plan.shard)} has {plan.n_cells} of {plan.design.n_cells} cells"
        console.print(Text(f"{shares}; join the stores of all by: ilk results merge OUT STORE..."))


def _place(path: Path) -> Path:
    """A path, relative to the current folder if it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _headline(design: Design) -> str:
    parts = (
        _count(len(design.datasets), "data set"),
        _count(len(design.pipelines), "pipeline"),
        short_resampling(design),
        f"seed {design.seed}",
    )
    return f"{design.name}: {', '.join(parts)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("s" if number != 1 else "")


def new_table(names: Iterable[str], figures: Iterable[str]) -> Table:
    """A table with columns of names and of numbers; no column is wrapped or cut."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for heading in names:
        table.add_column(Text(heading), no_wrap=True)
    for heading in figures:
        table.add_column(Text(heading), justify="right", no_wrap=True)
    return table


def print_table(console: Console, table: Table) -> None:
    """Print a table; if the console is narrow, headings wrap but numbers are never cut."""
    width = console.width
    if _needed(console, table) > width:
        for column in table.columns:
            column.header = Text(str(column.header).replace("_", "\n"))
    console.width = max(width, _needed(console, table))
    _emit(console, table)
    console.width = width


def _emit(console: Console, table: Table) -> None:
    """Print a table and a blank line; outside a terminal without trailing blanks."""
    if console.is_terminal:
        console.print(table)
    else:
        with console.capture() as captured:
            console.print(table)
        lines = captured.get().rstrip("\n").split("\n")
        console.file.write("\n".join(line.rstrip() for line in lines) + "\n")
    console.print()


def _needed(console: Console, table: Table) -> int:
    options = console.options.update(max_width=WIDE)
    return Measurement.get(console, options, table).maximum


def _by_dataset(results: Results) -> Table:
    columns = _columns(results, spread=True, digits=1)
    table = new_table(["data set", "pipeline"], [heading for heading, _, _ in columns])
    for dataset, rows in results.table().groupby("dataset", sort=False):
        _add(table, str(dataset), rows, columns)
    return table


def _over_datasets(results: Results) -> Table:
    columns = _columns(results, spread=False, digits=2)
    table = new_table(["data set", "pipeline"], [heading for heading, _, _ in columns])
    tried = results.table().groupby("pipeline")["dataset"].nunique()
    number = len(results.design.datasets)
    _add(
        table, f"all {number}" if (tried == number).all() else "its own", results.summary(), columns
    )
    return table


def _columns(results: Results, *, spread: bool, digits: int) -> list[Column]:
    """Measures with their spread, then rank, times and failures."""
    columns: list[Column] = []
    times = ["fit_seconds"]
    for name, measure in results.design.measures.items():
        if measure.needs == "seconds":
            times = list(dict.fromkeys((*times, name)))
            continue
        columns.append((name, name, _rounded_text))
        if spread:
            columns.append(("±", f"{name}_spread", _rounded_text))
    columns.append(("rank", "rank", lambda value: _rounded_text(value, digits)))
    columns += [(name.removesuffix("_seconds"), name, _seconds) for name in times]
    columns.append(("failed", "n_failed", str))
    others = (("fallback", results.n_fallback), ("missing", results.n_missing))
    return columns + [(name, f"n_{name}", str) for name, number in others if number]


def _add(table: Table, title: str, rows: pd.DataFrame, columns: list[Column]) -> None:
    """Add a section, its best pipelines in bold."""
    best = rows["rank"].min()
    for position, row in enumerate(rows.to_dict("records")):
        figures = [write(row[key]) for _, key, write in columns]
        style = "bold" if row["rank"] == best else None
        head = Text(printable(title, keep="") if position == 0 else "")
        table.add_row(head, Text(row["pipeline"]), *figures, style=style)
    table.add_section()


def _rounded_text(value: float, digits: int = 4) -> str:
    return "-" if isnan(value) else f"{value:.{digits}f}"


def _seconds(value: float) -> str:
    """Seconds with their unit: ``1.5 ms``, ``2.50 s``."""
    if isnan(value):
        return "-"
    return f"{1000 * value:.1f} ms" if value < 1 else f"{value:.2f} s"


def _failure_lines(results: Results) -> Iterator[str]:
    """Yield the failures: a line for each data set, pipeline and error."""
    total = _count(len(results.design.cells), "cell")
    for failures, what in (
        (results.failures[~results.failures["fallback"]], "failed"),
        (
            results.failures[results.failures["fallback"]],
            "failed and were answered by the fallback",
        ),
    ):
        if len(failures):
            yield f"{len(failures)} of {total} {what}:"
            yield from _grouped(failures)
    if results.n_missing:
        yield f"{results.n_missing} of {total} are not done yet"


def _grouped(failures: pd.DataFrame) -> Iterator[str]:
    columns = ("dataset", "pipeline", "error")
    groups = Counter(zip(*(failures[column] for column in columns), strict=True))
    shown: Counter[tuple[str, str]] = Counter()
    for (dataset, pipeline, error), number in groups.items():
        shown[dataset, pipeline] += 1
        if shown[dataset, pipeline] <= MOST_ERRORS:
            first_line = error.partition("\n")[0]
            yield f"  {dataset}, {pipeline} ({_count(number, 'cell')}): {first_line}"
    for (dataset, pipeline), number in shown.items():
        if number > MOST_ERRORS:
            yield f"  {dataset}, {pipeline}: and {number - MOST_ERRORS} other errors"
