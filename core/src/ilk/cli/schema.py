"""``ilk schema``: JSON Schema of files and components, for editors and validators."""

from __future__ import annotations

import json

import click

from ilk.cli.kind_argument import OfKinds, kind_named


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
