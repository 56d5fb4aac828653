"""``ilk show``: what a kind asks for, and what one of its components does and takes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from ilk.cli.layout import hanging, heading, indented, wrapped
from ilk.cli.naming import OfKinds, kind_named
from ilk.cli.prose import paragraphs, plain
from ilk.registries import registry

# Kinds that are given no table of cases, so that what input they take says nothing.
_WITHOUT_CASES = {"combiner", "comparison", "dataset", "executor", "measure", "resampling"}


@click.command(cls=OfKinds)
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
    yield from _title(f"{record['kind']} {record['name']}", record["summary"])
    yield f"{record['object']} of {record['distribution']} {record['version']}".rstrip()
    if record["description"]:
        yield from ("", *paragraphs(record["description"]))
    takes_cases = record["kind"] not in _WITHOUT_CASES
    parts = {
        "Parameters": _parameter_lines(record["parameters"]),
        "Capabilities": _capability_lines(record["capabilities"], takes_cases=takes_cases),
        "Source": paragraphs(record["source"], indent=2),
        "Example": indented(record["example"]).splitlines(),
    }
    for title, part in parts.items():
        if lines := list(part):
            yield from ("", heading(title), *lines)


def _title(name: str, summary: str) -> list[str]:
    first, *rest = wrapped(f"{name}: {plain(summary)}", indent=2)
    return [first.replace(name, heading(name), 1), *rest]


def _parameter_lines(parameters: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not parameters:
        yield indented("none")
    for parameter in parameters:
        about = f"{parameter['accepts']}; default {parameter['default']!r}"
        yield from hanging(f"  {parameter['name']}", about, 20)
        if parameter["doc"]:
            yield from hanging(" " * 18, plain(parameter["doc"]), 20)


def _capability_lines(capabilities: Mapping[str, Any], *, takes_cases: bool) -> Iterator[str]:
    able = [name for name, value in capabilities.items() if value is True and name != "specable"]
    if takes_cases:
        yield from hanging("  takes", ", ".join(capabilities["inputs"]), 20)
    if able:
        yield from hanging("  is, has", ", ".join(able).replace("_", " "), 20)
    if not capabilities["specable"]:
        yield from hanging("  specs", "cannot be written to a file: it takes a function", 20)


def _kind_lines(record: Mapping[str, Any]) -> Iterator[str]:
    yield from _title(record["kind"], record["summary"])
    yield f"entry points in the group {record['group']}"
    if record["role"]:
        yield f"a step of a pipeline ({record['role']})"
    for interface in record["interfaces"]:
        yield from ("", *_title(interface["name"], interface["summary"]))
        if interface["description"]:
            yield from ("", *paragraphs(interface["description"], indent=2))
        for key, title in (("must_define", "Must define"), ("may_override", "May override")):
            if interface[key]:
                yield f"\n{heading(title)}"
            for method in interface[key]:
                yield from hanging(f"  {method['signature']}", plain(method["summary"]), 40)
    names = ", ".join(record["components"]) or "none is installed"
    yield f"\n{heading('Installed')}"
    yield from hanging("  ", names, 2)
