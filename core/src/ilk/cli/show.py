"""``ilk show``: what a kind asks for, and what one of its components does and takes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from ilk.cli.layout import hanging, heading, indented
from ilk.cli.naming import kind_named
from ilk.registries import registry


@click.command()
@click.argument("kind")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def show(kind: str, name: str | None, as_json: bool) -> None:
    """Show a component: what it does, its parameters, capabilities, source and an example.

    Without a NAME: what the KIND asks of its components, and their names.
    """
    from ilk.cli.describe import describe_component, describe_kind

    chosen = kind_named(kind)
    if name is None:
        record, lines = describe_kind(chosen), _kind_lines
    else:
        offers = registry(chosen.name)
        record = describe_component(offers.lookup(name), offers.get(name))
        lines = _component_lines
    if as_json:
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(lines(record)))


def _component_lines(record: Mapping[str, Any]) -> Iterator[str]:
    yield f"{heading(record['kind'] + ' ' + record['name'])}: {record['summary']}"
    yield f"{record['object']} of {record['distribution']} {record['version']}".rstrip()
    if record["description"]:
        yield f"\n{record['description']}"
    yield f"\n{heading('Parameters')}"
    yield from _parameter_lines(record["parameters"])
    yield f"\n{heading('Capabilities')}"
    yield from _capability_lines(record["capabilities"])
    for key, title in (("source", "Source"), ("example", "Example")):
        if record[key]:
            yield f"\n{heading(title)}"
            yield indented(record[key])


def _parameter_lines(parameters: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not parameters:
        yield indented("none")
    for parameter in parameters:
        about = f"{parameter['accepts']}; default {parameter['default']!r}"
        yield from hanging(f"  {parameter['name']}", about, 20)
        if parameter["doc"]:
            yield from hanging(" " * 18, parameter["doc"], 20)


def _capability_lines(capabilities: Mapping[str, Any]) -> Iterator[str]:
    inputs = ", ".join(capabilities["inputs"])
    able = [name for name, value in capabilities.items() if value is True and name != "specable"]
    yield from hanging("  takes", inputs, 20)
    yield from hanging("  is, has", ", ".join(able).replace("_", " ") or "nothing special", 20)
    if not capabilities["specable"]:
        yield from hanging("  specs", "cannot be written to a file: it takes a function", 20)


def _kind_lines(record: Mapping[str, Any]) -> Iterator[str]:
    yield f"{heading(record['kind'])}: {record['summary']}"
    yield f"entry points in the group {record['group']}"
    if record["role"]:
        yield f"a step of a pipeline ({record['role']})"
    for interface in record["interfaces"]:
        yield f"\n{heading(interface['name'])}: {interface['summary']}"
        if interface["description"]:
            yield f"\n{indented(interface['description'])}"
        for key, title in (("must_define", "Must define"), ("may_override", "May override")):
            if interface[key]:
                yield f"\n{heading(title)}"
            for method in interface[key]:
                yield from hanging(f"  {method['signature']}", method["summary"], 40)
    names = ", ".join(record["components"]) or "none is installed"
    yield f"\n{heading('Installed')}"
    yield from hanging("  ", names, 2)
