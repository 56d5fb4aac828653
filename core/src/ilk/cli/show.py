"""``ilk show``: the interface of a kind, a component with its parameters, what cites a text."""

from __future__ import annotations

import inspect
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ilk.cli.docstrings import (
    TEXTS,
    key_of,
    lies_in,
    paragraphs,
    read_docstring,
    single_places,
    without_markup,
)
from ilk.cli.kind_argument import OfKinds, kind_named
from ilk.cli.layout import columns, hanging, heading, indented, on_terminal, table, wrapped
from ilk.messages import did_you_mean
from ilk.registries import registry
from ilk.resolution import defaults_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ilk.component import Component
    from ilk.discovery import Found
    from ilk.kinds import Kind


# Kinds without a table of cases as input: their declared kinds of input mean nothing.
_WITHOUT_CASES = {"combiner", "comparison", "dataset", "executor", "measure", "resampling"}


# Written by tests/helpers/citations.py from the docstrings of what ships with ilk.
_INDEX = Path(__file__).with_name("citations.json")


@click.command(cls=OfKinds)
@click.argument("kind", required=False)
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option(
    "--source",
    metavar="'TEXT [PLACE]'",
    help="Components and functions that cite a place of a source text, 'zaidi 4.7', all of it, or "
    "those on a subject, 'cunningham fish and shrink'.",
)
def show(kind: str | None, name: str | None, as_json: bool, source: str | None) -> None:
    """Show a component: its summary, parameters, capabilities, source and an example.

    Without a NAME: the interface of the KIND, and the names of its components. With --source
    instead of both: what cites a place of one of the texts that ilk implements.
    """
    if (kind is None) == (source is None):
        raise click.UsageError("give a KIND, with or without a NAME, or --source 'TEXT PLACE'")
    if source is not None:
        click.echo("\n".join(_cited_lines(source, as_json)))
        return
    assert kind is not None  # by the test above
    chosen = kind_named(kind)
    if name is None:
        record, lines = _describe_kind(chosen), _kind_lines
    else:
        offers = registry(chosen.name)
        record = _describe_component(offers.lookup(name), offers.get(name))
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


def _cited_lines(source: str, as_json: bool) -> Iterator[str]:
    """What cites a place: kind, name, the places that match, summary."""
    word, _, place = source.strip().partition(" ")
    key, place = word.lower(), place.strip()
    texts = {key_of(text): text for text in TEXTS}
    if key not in texts:
        raise _bad_source(
            f"there is no text {word!r}; the texts are {', '.join(texts)}{did_you_mean(key, texts)}"
        )
    records = list(_citing(key, place)) or list(_about(key, place))
    heads = ("kind", "name", "cites", "summary")
    rows = [[record[head] for head in heads] for record in records]
    if not records:
        raise _bad_source(
            f"nothing cites {place!r} of {texts[key]}, nor is anything named so; "
            f"`ilk show --source {key}` lists all that cites the text"
        )
    if as_json:
        yield json.dumps(records, indent=2, ensure_ascii=False)
    elif on_terminal():
        yield from (*_title(texts[key], TEXTS[texts[key]]), "", *table(heads, rows, whole=2))
    else:
        yield from columns(rows)


def _citing(key: str, place: str) -> Iterator[dict[str, Any]]:
    """The records of the index with the places that match."""
    for record in json.loads(_INDEX.read_text(encoding="utf-8")):
        cited = record["cites"].get(key, "")
        every = single_places(cited)
        hits = [each for each in every if lies_in(each, place)]
        if hits:
            yield {**record, "cites": cited if hits == every else "; ".join(hits)}


def _about(key: str, subject: str) -> Iterator[dict[str, Any]]:
    """The records that cite a text and have all words of a subject in their name or summary."""
    words = subject.lower().replace("-", " ").split()
    for record in json.loads(_INDEX.read_text(encoding="utf-8")):
        said = f" {record['name']} {record['summary']}".lower()
        said = said.replace("_", " ").replace("-", " ")
        if (
            len(subject) > 2
            and key in record["cites"]
            and all(f" {word}" in said for word in words)
        ):
            yield {**record, "cites": record["cites"][key]}


def _bad_source(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="--source")


def _title(name: str, summary: str) -> list[str]:
    first, *rest = wrapped(f"{name}: {without_markup(summary)}", indent=2)
    return [first.replace(name, heading(name), 1), *rest]


def _parameter_lines(parameters: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not parameters:
        yield indented("none")
    elif on_terminal():
        rows = (
            (p["name"], p["accepts"], repr(p["default"]), without_markup(p["doc"]))
            for p in parameters
        )
        yield from table(("name", "accepts", "default", "meaning"), rows, whole=1)
        return
    for parameter in parameters:
        about = f"{parameter['accepts']}; default {parameter['default']!r}"
        yield from hanging(f"  {parameter['name']}", about, 20)
        if parameter["doc"]:
            yield from hanging(" " * 18, without_markup(parameter["doc"]), 20)


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
                yield from _method_lines(interface[key])
    names = ", ".join(record["components"]) or "none is installed"
    yield f"\n{heading('Installed')}"
    yield from hanging("  ", names, 2)


def _method_lines(methods: Sequence[Mapping[str, str]]) -> Iterator[str]:
    rows = [(method["signature"], without_markup(method["summary"])) for method in methods]
    if on_terminal():
        yield from table(("method", "summary"), rows, whole=0)
        return
    for signature, summary in rows:
        yield from hanging(f"  {signature}", summary, 40)


def _describe_component(found: Found, cls: type[Component]) -> dict[str, Any]:
    """Describe a component's class."""
    doc = read_docstring(cls)
    defaults = defaults_of(cls)
    return {
        "kind": found.kind,
        "name": found.name,
        "distribution": found.distribution,
        "version": found.version,
        "object": found.value,
        "summary": doc.summary,
        "description": doc.description,
        "parameters": [
            {
                "name": name,
                "accepts": param.describe(),
                "default": _as_json(defaults[name]),
                "doc": param.doc,
            }
            for name, param in cls.parameters.items()
        ],
        "capabilities": asdict(cls.capabilities),
        "source": doc.section("References"),
        "example": doc.section("Examples").partition("\n\n")[0],
    }


def _describe_kind(kind: Kind) -> dict[str, Any]:
    """Describe the interface of a kind."""
    return {
        "kind": kind.name,
        "group": kind.group,
        "summary": kind.summary,
        "role": kind.role,
        "interfaces": [_describe_interface(cls) for cls in kind.interface_classes()],
        "components": registry(kind.name).names(),
    }


def _describe_interface(cls: type[Component]) -> dict[str, Any]:
    doc = read_docstring(cls)
    must = sorted(cls.__abstractmethods__)
    may = [
        name
        for name, member in vars(cls).items()
        if inspect.isfunction(member) and not name.startswith("_") and name not in must
    ]
    return {
        "name": f"ilk.{cls.__name__}",
        "summary": doc.summary,
        "description": doc.description,
        "must_define": _describe_methods(cls, must),
        "may_override": _describe_methods(cls, may),
    }


def _describe_methods(cls: type, names: Iterable[str]) -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "signature": _signature(getattr(cls, name)),
            "summary": read_docstring(getattr(cls, name)).summary,
        }
        for name in names
    ]


def _signature(method: Any) -> str:
    """``name(arguments)`` without self and annotations."""
    full = inspect.signature(method)
    _, *arguments = (p.replace(annotation=p.empty) for p in full.parameters.values())
    bare = full.replace(parameters=arguments, return_annotation=full.empty)
    return f"{method.__name__}{bare}"


def _as_json(value: object) -> Any:
    """A default as a JSON value, or as text if JSON cannot represent it."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return repr(value)
