"""The command ``ilk report``: the results of an experiment as one page."""

from __future__ import annotations

from pathlib import Path

import click

from ilk_evaluation.commands.common import FORCE, hook_warnings_in_a_line, written_to
from ilk_evaluation.commands.results import EXPERIMENT


@click.command
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write here, not beside STORE.",
)
@click.option(
    "--measure", "measures", multiple=True, metavar="NAME", help="Add a measure; may be repeated."
)
@click.option(
    "--dataset", "datasets", multiple=True, metavar="LABEL", help="Only this; may be repeated."
)
@click.option(
    "--pipeline", "pipelines", multiple=True, metavar="ID", help="Only this; may be repeated."
)
@click.option(
    "--spaces", is_flag=True, help="Load data again and fit metric learners; draw their spaces."
)
@EXPERIMENT
@FORCE
def report(
    store: Path,
    *,
    output: Path | None,
    measures: tuple[str, ...],
    datasets: tuple[str, ...],
    pipelines: tuple[str, ...],
    spaces: bool,
    experiment: str | None,
    force: bool,
) -> None:
    """Write the results of an experiment as one HTML page.

    The page is self-contained: it can be mailed, printed and read without a network. All content
    comes from the store, nothing is fitted (but for --spaces), and the run need not be finished.
    A file that is no earlier report is replaced only with --force. Figures need
    matplotlib (the extra `report` of ilk); without it they are left out.
    """
    from ilk_evaluation.atomic_write import check_no_link
    from ilk_evaluation.commands.results import open_results
    from ilk_evaluation.report import write_report

    path = store.with_suffix(".html") if output is None else output
    if output is None:
        check_no_link(path)
    stored = open_results(store, measures, datasets, pipelines, experiment)
    with written_to(path), hook_warnings_in_a_line():
        write_report(stored, path, spaces=spaces, force=force)
    click.echo(f"{path}: {path.stat().st_size / 1000:,.0f} kB")
