"""``ilk check``: run the conformance checks of an installed distribution."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ilk.cli.kind_argument import OfKinds, kind_named
from ilk.cli.layout import heading
from ilk.discovery import installed

if TYPE_CHECKING:
    from ilk.testing import ComponentReport, Report

Key = TypeVar("Key", bound=Hashable)


@click.command(cls=OfKinds)
@click.argument("distribution")
@click.option("--kind", help="Check only components of this kind.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--slow/--fast", default=True, help="Run the full battery (default), or the rest.")
@click.pass_context
def check(
    ctx: click.Context, distribution: str, kind: str | None, as_json: bool, slow: bool
) -> None:
    """Check that the components of a DISTRIBUTION keep the contract of their kind.

    DISTRIBUTION is the name of an installed one, as `ilk --version` shows them. To check the
    file of an experiment, use `ilk run FILE --dry-run`.

    Exits with 1 if a check fails, if a waived check passes, or if a component ran none.
    """
    from ilk.errors import UnknownComponentError
    from ilk.testing import check_distribution

    chosen = kind_named(kind).name if kind else None
    try:
        report = check_distribution(distribution, chosen, slow=slow)
    except UnknownComponentError as error:
        raise UnknownComponentError(_no_distribution(distribution) or str(error)) from error
    if not report.components:
        what = f"no {chosen}" if chosen else "no component"
        raise UnknownComponentError(f"{report.distribution} offers {what}, so nothing was checked")
    if as_json:
        click.echo(json.dumps({"schema": 1, **report.to_dict()}, indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(_lines(report)))
    ctx.exit(0 if report.ok else 1)


def _no_distribution(given: str) -> str | None:
    """Return advice for a file or a folder; None for other arguments."""
    path = Path(given)
    if path.suffix == ".toml":
        return (
            f"{given}: is the file of an experiment, not an installed distribution; "
            f"`ilk run {given} --dry-run` checks it"
        )
    if path.exists():
        names = ", ".join(installed())
        return (
            f"{given}: is a path; give the name of an installed distribution (there are: {names})"
        )
    return None


def _lines(report: Report) -> Iterator[str]:
    yield heading(f"{report.distribution} {report.version}".rstrip())
    for component in report.components:
        yield from _component_lines(component)
    yield from _skipped_lines(report)
    failed = sum(len(component.problems) for component in report.components)
    verdict = click.style("ok", fg="green") if report.ok else click.style("failed", fg="red")
    yield (
        f"{verdict}: {_counted(len(report.components), 'component')}, "
        f"{_counted(report.count('passed'), 'check')} passed, "
        f"{failed} failed, {report.count('waived')} waived"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _component_lines(component: ComponentReport) -> Iterator[str]:
    passed, waived = component.those("passed"), component.those("waived")
    problems = component.problems
    title = f"{component.kind} {component.name}"
    yield f"  {title}: {len(passed)} passed, {len(problems)} failed, {len(waived)} waived"
    for message, names in _gathered((message, name) for name, message in problems).items():
        yield f"    {click.style('FAILED', fg='red')} {title}: {', '.join(names)}"
        yield textwrap.indent(message, " " * 6)
    for outcome in waived:
        yield f"    waived {outcome.check}: {outcome.message}"


def _skipped_lines(report: Report) -> Iterator[str]:
    """List checks that did not apply, grouped by components with the same reason."""
    skipped = (
        ((outcome.check, outcome.message), f"{component.kind} {component.name}")
        for component in report.components
        for outcome in component.those("skipped")
    )
    for (name, reason), titles in _gathered(skipped).items():
        yield f"  not applicable: {name} of {', '.join(titles)}: {reason}"


def _gathered(pairs: Iterable[tuple[Key, str]]) -> dict[Key, list[str]]:
    """Group values by key."""
    gathered: dict[Key, list[str]] = {}
    for key, value in pairs:
        gathered.setdefault(key, []).append(value)
    return gathered
