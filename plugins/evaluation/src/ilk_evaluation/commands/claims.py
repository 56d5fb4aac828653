"""The command ``ilk claims``: the claims of the source texts, their runs and verdicts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ilk_evaluation.commands.common import INTERRUPTED, Number, written_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ilk_evaluation.claims.claim import Claim

STORES = Path("results") / "claims"
_FOLDER = click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Read claims here instead of the shipped ones.",
)
_STORE = click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    default=STORES,
    show_default=True,
    help="Folder of the stores, one for each claim.",
)
_OUTPUT = click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File of verdicts; claims.json beside the stores if left out.",
)


@click.group(invoke_without_command=True)
@_FOLDER
@_STORE
@_OUTPUT
@click.pass_context
def claims(ctx: click.Context, folder: Path | None, store: Path, output: Path | None) -> None:
    """List the claims of the source texts with their last verdicts; show or rerun them."""
    if ctx.invoked_subcommand is not None:
        return
    from ilk_evaluation.claims.claim import load_claims
    from ilk_evaluation.claims.claim_runs import read_verdicts
    from ilk_evaluation.commands.terminal_tables import console_on, new_table, print_table

    verdicts = read_verdicts(_file(store, output))
    table = new_table(["claim", "text", "place", "verdict", "statement"], [])
    for name, claim in load_claims(folder).items():
        verdict = last_verdict(claim, verdicts.get(name))
        table.add_row(name, claim.text, claim.place, verdict, claim.statement)
    print_table(console_on(sys.stdout), table)


@claims.command
@click.argument("claim_id", metavar="ID")
@_FOLDER
@_STORE
@_OUTPUT
def show(claim_id: str, folder: Path | None, store: Path, output: Path | None) -> None:
    """Print a claim: statement, protocol, rules and last verdict."""
    from ilk_evaluation.claims.claim import TEXTS, load_claims
    from ilk_evaluation.claims.claim_runs import read_verdicts
    from ilk_evaluation.claims.verdict import in_words

    claim = load_claims(folder, [claim_id])[claim_id]
    click.echo(f"{claim.id}: {claim.statement}")
    click.echo(f"  text      {TEXTS[claim.text]}, {claim.place}")
    if claim.number:
        click.echo(f"  reported  {claim.number}")
    click.echo(f"  protocol  {claim.protocol}")
    for rule in claim.rules:
        click.echo(f"  rule      {in_words(rule, claim.measure)}")
    click.echo(f"  file      {claim.spec.path}")
    record = read_verdicts(_file(store, output)).get(claim.id)
    click.echo(f"  verdict   {last_verdict(claim, record)}")
    if record is not None:
        _print(record)


@claims.command
@click.argument("claim_ids", metavar="[ID]...", nargs=-1)
@_FOLDER
@_STORE
@_OUTPUT
@click.option("--repeats", type=click.IntRange(min=1), help="Repeats of each, not the file's.")
@click.option(
    "--budget",
    type=Number(min=0),
    default=100.0,
    show_default=True,
    metavar="MINUTES",
    help="For all claims together.",
)
@click.option("--executor", metavar="NAME", default="loky", show_default=True)
@click.option("--dry-run", is_flag=True, help="Check the claims and load their data only.")
@click.pass_context
def run(
    ctx: click.Context,
    claim_ids: tuple[str, ...],
    *,
    folder: Path | None,
    store: Path,
    output: Path | None,
    repeats: int | None,
    budget: float,
    executor: str,
    dry_run: bool,
) -> None:
    """Rerun claims (all if none is named) and write their verdicts.

    Each claim gets one repeat of its experiment first; then repeats double as long as the budget
    lasts, which is divided by predicted costs. Predictions are stored at once, so that the
    same command resumes a run that was killed. Verdicts follow from the finished repeats.

    Exit code: 0 success, 2 an error in a claim, 130 interrupted.
    """
    from ilk_evaluation.claims.claim import load_claims
    from ilk_evaluation.claims.claim_runs import read_verdicts, run_claims, write_verdicts

    chosen = load_claims(folder, claim_ids, check=True).values()
    if dry_run:
        _show_plans(chosen, store, repeats)
        return
    path = _file(store, output)
    records = read_verdicts(path)
    with written_to(store):
        store.mkdir(parents=True, exist_ok=True)
    said: dict[str, str] = {}
    try:
        for record in run_claims(
            chosen,
            store,
            repeats=repeats,
            seconds=60 * budget,
            executor=executor,
            say=lambda text: click.echo(text, err=True),
        ):
            said[record["id"]] = record["verdict"]
            records[record["id"]] = record
            with written_to(path):
                write_verdicts(path, records)
    except KeyboardInterrupt:
        click.echo(f"interrupted: {store} keeps the finished cells; run the same again", err=True)
        ctx.exit(INTERRUPTED)
    for name in sorted(said):
        click.echo(f"{name}: {said[name]}")
        _print(records[name])


def _show_plans(chosen: Iterable[Claim], store: Path, repeats: int | None) -> None:
    """Load the data of claims and print how many cells are done; nothing is written."""
    from ilk_evaluation.claims.claim_runs import plan_claim
    from ilk_evaluation.run.runner import n_done

    for claim in chosen:
        plan, reason = plan_claim(claim, store, repeats)
        if plan is None:
            click.echo(
                f"{claim.id}: {f'skipped: {reason}' if reason else 'a value, no experiment'}"
            )
        else:
            sets = ", ".join(one.label for one in plan.datasets)
            click.echo(f"{claim.id}: {n_done(plan)} of {plan.n_cells} cells are done; on {sets}")


def _file(store: Path, output: Path | None) -> Path:
    return store / "claims.json" if output is None else output


def last_verdict(claim: Claim, record: Mapping[str, Any] | None) -> str:
    """The last verdict on a claim; marked if the claim has changed since."""
    if record is None:
        return "not run"
    stale = record["digest"] != claim.digest
    return f"{record['verdict']} (of an earlier form)" if stale else str(record["verdict"])


def _print(record: Mapping[str, Any]) -> None:
    """Print what a verdict rests on."""
    for finding in record["rules"]:
        click.echo(f"  {finding['rule']}: {finding['verdict']}{statistic(finding)}")
    click.echo(f"  {ran(record)}")


def statistic(finding: Mapping[str, Any]) -> str:
    """Write the statistic of a rule with its interval and threshold."""
    estimate, low, threshold = (finding[name] for name in ("estimate", "low", "threshold"))
    if estimate is None:
        return ""
    if threshold is None:
        return f" ({estimate:.4g})"
    between = "" if low is None else f" [{low:.4g}, {finding['high']:.4g}]"
    return f" ({estimate:.4g}{between}, more than {threshold:.4g} asked for)"


def ran(record: Mapping[str, Any]) -> str:
    """Write repeats, data, day and machine of a verdict, and why it cannot be told."""
    parts = [record["reason"]] if record["reason"] else []
    if record.get("repeats") is not None:
        sets = len(record["datasets"])
        parts.append(
            f"{record['repeats']} of {record['planned']} repeats on {sets} data set"
            f"{'s' * (sets != 1)}, {record['seconds']:.0f} s of fits and predictions"
        )
    if "date" in record:
        parts.append(f"{record['date']}, ilk {record['version']}, {record['machine']}")
    return "; ".join(parts)
