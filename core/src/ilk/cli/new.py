"""``ilk new``: start a plugin project."""

from __future__ import annotations

from pathlib import Path

import click

from ilk.cli.kind_argument import OfKinds, kind_named


@click.command(cls=OfKinds)
@click.argument("kind")
@click.argument("name")
@click.option(
    "--path",
    type=click.Path(path_type=Path),
    help="The folder to create; default: the name of the distribution, in the current folder.",
)
@click.option("--dist", help="The distribution's name; default: ilk-NAME.")
def new(kind: str, name: str, path: Path | None, dist: str | None) -> None:
    """Start a plugin with a component of a KIND called NAME.

    It is a complete project: a working class, its entry point, tests that pass, a README.
    Install it into the environment of ilk.
    """
    from ilk.scaffold.project import Project

    project = Project(kind_named(kind), name, dist or f"ilk-{name.replace('_', '-')}")
    folder = path or Path(project.dist)
    project.write(folder)
    click.echo(f"{folder}: the {project.kind.name} {name!r}, src/{project.package}/{name}.py")
    steps = f"cd {folder} && pip install -e '.[test]' && pytest"
    click.echo(f"next, in the environment that has ilk: {steps}")
