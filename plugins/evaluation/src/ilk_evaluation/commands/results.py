"""The commands ``ilk results ...``: read a store; nothing is fitted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ilk_evaluation.commands.common import FORCE, Number, written_to

if TYPE_CHECKING:
    from ilk_evaluation.results.experiment_results import Results

FORMATS = ("csv", "parquet", "markdown", "latex")
TABLES = ("table", "summary", "pivot", "learning", "scores", "cells", "predictions", "failures")

_STORE = click.argument("store", type=click.Path(path_type=Path))
_MEASURES = click.option(
    "--measure", "measures", multiple=True, metavar="NAME", help="Add a measure; may be repeated."
)
_DATASETS = click.option(
    "--dataset", "datasets", multiple=True, metavar="LABEL", help="Only this; may be repeated."
)
_PIPELINES = click.option(
    "--pipeline", "pipelines", multiple=True, metavar="ID", help="Only this; may be repeated."
)
EXPERIMENT = click.option(
    "--experiment", metavar="NAME", help="Use this experiment, not the last one run."
)


@click.group
def results() -> None:
    """Inspect the results of an experiment: tables, files, failures, differences, provenance."""


@results.command
@_STORE
@_MEASURES
@_DATASETS
@_PIPELINES
@EXPERIMENT
def show(
    store: Path,
    measures: tuple[str, ...],
    datasets: tuple[str, ...],
    pipelines: tuple[str, ...],
    experiment: str | None,
) -> None:
    """Print the tables of the last run, as `ilk run` did."""
    from ilk_evaluation.commands.terminal_tables import console_on, print_results

    stored = open_results(store, measures, datasets, pipelines, experiment)
    print_results(console_on(sys.stdout), stored)


@results.command
@_STORE
@click.option("--format", "format_", type=click.Choice(FORMATS), default="csv", show_default=True)
@click.option("--table", type=click.Choice(TABLES), default="table", show_default=True)
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write here, not to stdout."
)
@click.option("--no-timings", is_flag=True, help="Leave out measured times.")
@FORCE
@_MEASURES
@_DATASETS
@_PIPELINES
@EXPERIMENT
def export(
    store: Path,
    *,
    format_: str,
    table: str,
    output: Path | None,
    no_timings: bool,
    force: bool,
    measures: tuple[str, ...],
    datasets: tuple[str, ...],
    pipelines: tuple[str, ...],
    experiment: str | None,
) -> None:
    """Write a table as CSV, Parquet, Markdown or LaTeX.

    In LaTeX the estimates have their spread, and the best are bold.

    The same predictions give the same bytes, with --no-timings on every machine.
    """
    from ilk_evaluation.atomic_write import check_replaceable, replace_file
    from ilk_evaluation.results.export import for_paper, frame_of, is_export, write

    if format_ == "parquet" and output is None and sys.stdout.isatty():
        raise click.UsageError("Parquet is no text: say where to write it with --output")
    stored = open_results(store, measures, datasets, pipelines, experiment)
    if output is not None and output.exists() and output.samefile(store):
        raise click.UsageError(f"{output}: is the store itself, not a place for a table of it")
    if output is not None:
        with written_to(output):
            check_replaceable(output, "no table of results", is_export, force=force)
    frame = frame_of(stored, table, timings=not no_timings)
    content = write(for_paper(stored, table, frame) if format_ == "latex" else frame, format_)
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with written_to(output):
        replace_file(output, content)


@results.command
@_STORE
@click.option("--traceback", is_flag=True, help="Show whole tracebacks.")
@EXPERIMENT
def failures(store: Path, *, traceback: bool, experiment: str | None) -> None:
    """Group failed cells by cause, with commands that reproduce the errors."""
    from ilk import printable
    from ilk_evaluation.results.failures import lines
    from ilk_evaluation.results.opening import described_in

    stored = open_results(store, experiment=experiment)
    if not len(stored.failures):
        click.echo(f"no cell failed, of {stored.design.n_cells}")
        return
    text = lines(stored, described_in(store, stored.design.name), full=traceback)
    click.echo("\n".join(map(printable, text)).rstrip())


@results.command
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option(
    "--tolerance",
    type=Number(min=0),
    default=0.0,
    help="Largest difference that counts as none.",
)
@click.pass_context
def diff(ctx: click.Context, a: Path, b: Path, *, tolerance: float) -> None:
    """Show how the stores A and B differ; times do not count.

    Exit code, as of diff: 0 no difference, 1 some, 2 trouble.
    """
    from ilk_evaluation.results.difference import compare, lines

    difference = compare(open_results(a), open_results(b), tolerance=tolerance)
    click.echo("\n".join(lines(difference)))
    ctx.exit(1 if difference else 0)


@results.command
@_STORE
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with the specifications.")
def info(store: Path, *, as_json: bool) -> None:
    """Show the provenance of the predictions: runs, versions, machine, data, pipelines."""
    from ilk import printable
    from ilk_evaluation.results.opening import open_store, provenance, provenance_lines

    with open_store(store) as opened:
        opened.verify()
        record = provenance(opened)
    click.echo(
        json.dumps(record, indent=2, ensure_ascii=False)
        if as_json
        else "\n".join(map(printable, provenance_lines(record)))
    )


@results.command
@_STORE
@click.pass_context
def verify(ctx: click.Context, store: Path) -> None:
    """Read all of STORE and check whether any value was changed since it was written.

    This finds damage, not forgery: a deliberate change can replace the digests, too.

    Exit code: 0 unchanged, 1 written by an older ilk without digests, 2 damaged.
    """
    from ilk_evaluation.results.opening import open_store

    with open_store(store) as opened:
        opened.verify()
        n_cells, n_runs = len(opened.statuses()), len(opened.runs())
    if not opened.sealed:
        click.echo(f"{store}: not verifiable: an older ilk wrote it, without digests")
        ctx.exit(1)
    click.echo(f"{store}: as it was written (cells: {n_cells}, runs: {n_runs})")


@results.command
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("stores", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--force", is_flag=True, help="Replace OUT if it exists.")
def merge(out: Path, stores: tuple[Path, ...], *, force: bool) -> None:
    """Join STORES, which hold parts of one experiment, into the store OUT.

    If several hold a cell, the best outcome is taken: done before answered by a fallback before
    failed.
    """
    from ilk_evaluation.results.merging import lines, merge_stores

    click.echo("\n".join(lines(merge_stores(out, stores, force=force))))


def open_results(
    store: Path,
    measures: tuple[str, ...] = (),
    datasets: tuple[str, ...] = (),
    pipelines: tuple[str, ...] = (),
    experiment: str | None = None,
) -> Results:
    """Open the results in a store, with more measures or only a part of them.

    The store is open until the command ends.
    """
    from ilk_evaluation.results.opening import opened_results

    stored = click.get_current_context().with_resource(opened_results(store, experiment))
    return stored.score(*measures).filter(dataset=datasets or None, pipeline=pipelines or None)
