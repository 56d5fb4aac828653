"""The argument KIND of commands, and ``ilk schema`` and ``ilk new``, which do little else."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ilk.errors import UnknownComponentError
from ilk.kinds import Kind, kind_of, kinds
from ilk.registries import registry


class OfKinds(click.Command):
    """A command that takes a kind; its help names them."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of the kinds below the options."""
        with formatter.section("Kinds"):
            formatter.write_text(", ".join(kinds()))


def kind_named(text: str) -> Kind:
    """Return a kind by singular or plural; hyphens and capitals do not matter.

    Raises
    ------
    UnknownComponentError
        With a hint if a component has that name.
    """
    try:
        return kind_of(text.replace("-", "_").lower())
    except UnknownComponentError as error:
        having = [name for name in kinds() if text in registry(name)]
        if not having:
            raise
        hint = " or ".join(f"`ilk show {name} {text}`" for name in having)
        raise UnknownComponentError(
            f"there is no kind {text!r}; {text!r} is a component: {hint}"
        ) from error


@click.command(cls=OfKinds)
@click.argument("kind", required=False)
@click.argument("name", required=False)
def schema(kind: str | None, name: str | None) -> None:
    """Print JSON Schema: of experiment files, or of the table of one component.

    It describes the installed components. Configure your editor's TOML support to use it:
    ilk schema > experiment.schema.json
    """
    from ilk.schema import component_schema, installed_file_schema

    if kind is None:
        result = installed_file_schema("experiment")
    elif name is None:
        raise click.UsageError(f"which {kind_named(kind).name}? Say its NAME too")
    else:
        result = component_schema(kind_named(kind).name, name)
    click.echo(json.dumps(result, indent=2, ensure_ascii=False))


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
