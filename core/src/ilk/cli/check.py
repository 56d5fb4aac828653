"""``ilk check``: run the conformance checks of an installed distribution."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ilk.cli.layout import hanging, heading, indented
from ilk.cli.naming import kind_named

if TYPE_CHECKING:
    from ilk.testing import ComponentReport, Report


@click.command()
@click.argument("distribution")
@click.option("--kind", help="Check only components of this kind.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--slow/--fast", default=True, help="Run the full battery (default), or the rest.")
@click.pass_context
def check(
    ctx: click.Context, distribution: str, kind: str | None, as_json: bool, slow: bool
) -> None:
    """Check that the components of a DISTRIBUTION keep the contract of their kind.

    Exits with 1 if a check fails, if a waived check passes, or if a component ran none.
    """
    from ilk.errors import UnknownComponentError
    from ilk.testing import check_distribution

    chosen = kind_named(kind).name if kind else None
    report = check_distribution(distribution, chosen, slow=slow)
    if not report.components:
        what = f"no {chosen}" if chosen else "no component"
        raise UnknownComponentError(f"{report.distribution} offers {what}, so nothing was checked")
    if as_json:
        click.echo(json.dumps({"schema": 1, **report.to_dict()}, indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(_lines(report)))
    ctx.exit(0 if report.ok else 1)


def _lines(report: Report) -> Iterator[str]:
    yield heading(f"{report.distribution} {report.version}".rstrip())
    for component in report.components:
        yield from _component_lines(component)
    failed = sum(len(component.problems) for component in report.components)
    verdict = click.style("ok", fg="green") if report.ok else click.style("failed", fg="red")
    yield (
        f"{verdict}: {len(report.components)} components, {report.count('passed')} checks passed, "
        f"{failed} failed, {report.count('waived')} waived"
    )


def _component_lines(component: ComponentReport) -> Iterator[str]:
    passed, waived = component.those("passed"), component.those("waived")
    skipped, problems = component.those("skipped"), component.problems
    counts = f"{len(passed)} passed, {len(problems)} failed, {len(waived)} waived"
    counts += f", {len(skipped)} not applicable" if skipped else ""
    yield f"  {component.kind} {component.name}: {counts}"
    for message, names in _by_message(problems).items():
        mark = click.style("FAILED", fg="red")
        yield from hanging(f"    {mark} {component.kind} {component.name}: ", ", ".join(names), 6)
        yield indented(indented(indented(message)))
    for label, some in (("waived", waived), ("not applicable", skipped)):
        for outcome in some:
            yield from hanging(f"    {label} {outcome.check}: ", outcome.message, 6)


def _by_message(problems: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Gather the checks that fail for the same reason."""
    gathered: dict[str, list[str]] = {}
    for name, message in problems:
        gathered.setdefault(message, []).append(name)
    return gathered
