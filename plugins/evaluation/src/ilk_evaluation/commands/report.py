"""The commands ``ilk report`` and ``ilk plot``: results as one page, figures as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ilk_evaluation.commands.common import FORCE, hook_warnings_in_a_line, written_to
from ilk_evaluation.commands.results import EXPERIMENT

if TYPE_CHECKING:
    from ilk_evaluation.figures import FigureSpec


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


@click.command
@click.argument("store", type=click.Path(path_type=Path))
@click.argument("figures", nargs=-1, metavar="[FIGURE]...")
@click.option("--list", "list_", is_flag=True, help="List the available figures.")
@click.option(
    "--output",
    "-o",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=".",
    help="Write into this folder.  [default: the current one]",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["png", "svg", "pdf"]),
    default="png",
    show_default=True,
)
@click.option("--measure", metavar="NAME", help="Use this measure, not the ranking one.")
@click.option(
    "--dataset", "datasets", multiple=True, metavar="LABEL", help="Only this; may be repeated."
)
@click.option(
    "--pipeline", "pipelines", multiple=True, metavar="ID", help="Only this; may be repeated."
)
@EXPERIMENT
@FORCE
def plot(
    store: Path,
    figures: tuple[str, ...],
    *,
    list_: bool,
    folder: Path,
    format_: str,
    measure: str | None,
    datasets: tuple[str, ...],
    pipelines: tuple[str, ...],
    experiment: str | None,
    force: bool,
) -> None:
    """Draw figures of an experiment into files.

    Without FIGURE all figures are drawn except those of each data set and pipeline (confusion,
    predicted, space; the latter loads the data again and fits). Needs matplotlib (the extra
    `report` of ilk).
    """
    import ilk
    from ilk_evaluation.commands.results import open_results
    from ilk_evaluation.figures import available
    from ilk_evaluation.figures.style import chosen, write_figures

    stored = open_results(store, (), datasets, pipelines, experiment)
    if measure is not None:
        stored = stored.score(measure, only=True)
    specs = available(stored)
    if list_:
        _show(specs)
        return
    wanted = chosen(specs, figures)
    path = None
    with written_to(folder):
        for path in write_figures(wanted, folder, format_, force=force):
            click.echo(str(path))
    if path is None:
        raise ilk.InputError(f"{store}: there is nothing to draw; --list shows the reasons")


def _show(specs: dict[str, FigureSpec]) -> None:
    """Print the names, summaries and numbers of files of figures."""
    width = max(map(len, specs))
    for spec in specs.values():
        n = len(spec.places)
        summary = f"none: {spec.lacking}" if spec.lacking else spec.summary
        files = f" ({n} files)" if n > 1 else ""
        click.echo(f"{spec.name:{width}}  {summary}{files}")
