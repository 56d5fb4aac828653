"""The command ``ilk figures``: the figures of the source texts."""

from __future__ import annotations

from pathlib import Path

import click

from ilk_evaluation.commands.common import FORCE, written_to


@click.command
@click.argument("name", required=False)
@click.option(
    "--output",
    "-o",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write into this file: .png, .svg or .pdf.  [default: NAME.png]",
)
@click.option(
    "--all",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Draw all figures into this folder.",
)
@FORCE
def figures(name: str | None, path: Path | None, folder: Path | None, *, force: bool) -> None:
    """List the figures of the source texts, or draw one or all.

    Without NAME, print the name, the place in the text and the summary of each. They are functions
    of Python, too, which take your own data and models: `ilk figures` names them. Drawing needs
    matplotlib (the extra `report` of ilk).
    """
    from ilk.plotting import text_figure
    from ilk_evaluation.figures.style import write_text_figure

    if folder is not None:
        if name is not None or path is not None:
            raise click.UsageError("--all draws all figures: say no NAME, and no --output")
        _draw_all(folder, force=force)
    elif name is not None:
        figure = text_figure(name)
        file = Path(f"{figure.found.name}.png") if path is None else path
        with written_to(file):
            write_text_figure(figure, file, force=force)
        click.echo(str(file))
    elif path is not None:
        raise click.UsageError("--output needs the NAME of a figure")
    else:
        _list()


def _draw_all(folder: Path, *, force: bool) -> None:
    """Draw each figure; one that cannot be drawn does not stop the others."""
    import ilk
    from ilk.plotting import text_figures
    from ilk_evaluation.figures.style import styled, write_text_figure

    with styled(), written_to(folder):  # without matplotlib nothing is drawn
        folder.mkdir(parents=True, exist_ok=True)
    failed: list[ilk.IlkError] = []
    for name, figure in text_figures().items():
        file = folder / f"{name.replace('/', '-')}.png"
        try:
            with written_to(file):
                write_text_figure(figure, file, force=force)
        except ilk.IlkError as error:
            failed.append(error)
        else:
            click.echo(str(file))
    for problem in failed[:-1]:
        click.echo(f"Error: {problem}", err=True)
    if failed:
        raise failed[-1]


def _list() -> None:
    """Print each figure on three lines; one that cannot be imported has the reason."""
    import ilk
    from ilk.plotting import text_figures

    for name, figure in text_figures().items():
        try:
            place, summary = figure.source, figure.summary
        except ilk.BrokenComponentError as error:
            place, summary = "cannot be drawn", str(error)
        click.echo(f"{name}  ({place})")
        click.echo(f"    {summary}")
        click.echo(f"    {figure.found.value.replace(':', '.')}()")
