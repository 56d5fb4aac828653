"""``ilk list``: installed components, from metadata; with ``--check`` also imported."""

from __future__ import annotations

import json
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from ilk.cli.docstrings import summary_of, without_markup
from ilk.cli.kind_argument import OfKinds, kind_named
from ilk.cli.layout import columns, indented, on_terminal, table
from ilk.kinds import Kind, kinds
from ilk.registries import registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk.discovery import Found


@click.command("list", cls=OfKinds)
@click.argument("kind", required=False)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--check", is_flag=True, help="Import each and report broken or ambiguous names.")
@click.pass_context
def list_(ctx: click.Context, kind: str | None, as_json: bool, check: bool) -> None:
    """List the components that are installed: all of them, or those of one KIND.

    In a pipe every line is a component: kind, name, distribution, version, summary.

    Only --check imports them; it exits with 1 if something is broken or ambiguous.
    """
    chosen = [kind_named(kind)] if kind else list(kinds().values())
    if check:
        ctx.exit(_check(chosen, as_json, everything=kind is None))
    offers = [found for one in chosen for found in registry(one.name).find()]
    if as_json:
        _print_json([_record(found) for found in offers])
    elif not offers:
        click.echo(f"no {chosen[0].name} is installed", err=True)
    elif not on_terminal():
        _print_lines(offers)
    elif kind:
        _print_kind(offers)
    else:
        _print_all(offers)


def _print_lines(offers: Sequence[Found]) -> None:
    """A line for each component; its first four words are never empty."""
    rows = [
        (f.kind, f.name, f.distribution, f.version or "-", without_markup(summary_of(f)))
        for f in offers
    ]
    click.echo("\n".join(line.rstrip() for line in columns(rows)))


def _print_all(offers: Sequence[Found]) -> None:
    """A table of kinds, distributions and their components."""
    rows, previous = [], ""
    ordered = sorted(offers, key=lambda f: (_position(f.kind), f.distribution, f.name))
    for (kind, distribution), group in groupby(ordered, key=lambda f: (f.kind, f.distribution)):
        names = ", ".join(found.name for found in group)
        rows.append(("" if kind == previous else kind, distribution, names))
        previous = kind
    click.echo("\n".join(table(("kind", "from", "names"), rows, whole=2)))


def _position(kind: str) -> int:
    return list(kinds()).index(kind)


def _print_kind(offers: Sequence[Found]) -> None:
    """A table of the components of one kind with their summaries."""
    rows = ((f.name, f.distribution, without_markup(summary_of(f))) for f in offers)
    click.echo("\n".join(table(("name", "from", "summary"), rows, whole=2)))


def _check(chosen: Sequence[Kind], as_json: bool, *, everything: bool) -> int:
    """Import every component, print its status, and return the exit code."""
    from ilk.cli.doctor import try_commands_and_strays, try_components

    tried = [*try_components(chosen), *(try_commands_and_strays() if everything else ())]
    if as_json:
        _print_json(
            [_record(t.found) | {"status": t.status, "problem": t.problem or None} for t in tried]
        )
    else:
        rows = [(t.status, t.found.kind, t.found.name, t.found.distribution) for t in tried]
        for line, one in zip(columns(rows), tried, strict=True):
            click.echo(line)
            if one.problem:
                click.echo(indented(one.problem))
        count = Counter(t.status for t in tried)
        click.echo(f"{count['ok']} ok, {count['broken']} broken, {count['ambiguous']} ambiguous")
    return int(any(t.status != "ok" for t in tried))


def _record(found: Found) -> dict[str, Any]:
    """A component as JSON; later versions may add keys, but change or remove none."""
    return {
        "kind": found.kind,
        "name": found.name,
        "distribution": found.distribution,
        "version": found.version,
        "object": found.value,
        "summary": summary_of(found),
    }


def _print_json(records: list[dict[str, Any]]) -> None:
    click.echo(json.dumps({"schema": 1, "components": records}, indent=2, ensure_ascii=False))
