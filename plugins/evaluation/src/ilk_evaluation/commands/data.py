"""The command ``ilk data``."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    import ilk

_OF_TEXT = ("encoding", "inflated_mb")


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--target", metavar="NAME", help="Column of the labels: name or position (-1: last).")
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help='A parameter of the reader, such as header=false or delimiter=";"; may be repeated.',
)
@click.pass_context
def data(ctx: click.Context, file: Path, target: str | None, settings: tuple[str, ...]) -> None:
    """Show how data sets are read, and what looks wrong in them.

    FILE is a table (CSV, ARFF, KEEL, LIBSVM, Parquet), or a TOML file with data sets: a spec, or
    the datasets.toml of a folder. Columns have their kind, their range or levels, and the number
    of missing values. What was guessed is a note, what looks wrong a warning.

    Exit code: 0 success, 2 a data set cannot be read.
    """
    import ilk
    from ilk_evaluation.commands.data_tables import print_data, print_same
    from ilk_evaluation.commands.terminal_tables import console_on

    console = console_on(sys.stdout)
    loaded: list[tuple[str, ilk.Data]] = []
    failed = []
    for title, dataset in _datasets(file, target, settings):
        try:
            found = dataset.load()
        except ilk.IlkError as error:
            failed.append(error)
            continue
        loaded.append((title or found.name, found))
        print_data(console, title or dataset.title(), found)
        if file.suffix != ".toml" and found.labelled:
            click.echo(_as_spec(dataset))
    print_same(console, loaded)
    for problem in failed:
        click.echo(f"Error: {problem}", err=True)
    ctx.exit(2 if failed else 0)


def _datasets(
    file: Path, target: str | None, settings: tuple[str, ...]
) -> Iterator[tuple[str, ilk.Dataset]]:
    """Yield each data set with the title that a spec gives it, if any."""
    import ilk
    from ilk_evaluation.datasets.rows import reader_of

    if file.suffix == ".toml":
        if target is not None or settings:
            raise click.UsageError("--target and --set are for a table, not for a TOML file")
        yield from _of_spec(file)
        return
    given = {"path": str(file), **dict(map(_setting, settings))}
    cls: Any = reader_of(file, **{k: given[k] for k in _OF_TEXT if k in given})
    if target is not None:
        given["target"] = int(target) if target.lstrip("-").isdecimal() else target
    elif "target" not in given and cls.parameters.get("target") is not None:
        given.update(_without_target(cls, given))
    yield "", ilk.build({"use": ilk.display_name(cls()), **given}, kind="dataset")


def _of_spec(file: Path) -> Iterator[tuple[str, ilk.Dataset]]:
    """Build the data sets of a TOML file; its other tables may be absent or wrong."""
    import ilk
    from ilk_evaluation.plan.expansion import expand
    from ilk_evaluation.plan.experiment_plan import built_datasets

    spec, problems = expand(ilk.load_spec(file))
    if isinstance(spec.data.get("datasets"), dict):  # the description of a folder
        for name in spec.data["datasets"]:
            yield "", ilk.dataset("folder", path=file.parent, name=name)
        return
    if wrong := [problem for problem in problems if problem.path[0] == "datasets"]:
        raise ilk.SpecError(wrong)
    yield from built_datasets(spec)


def _setting(text: str) -> tuple[str, Any]:
    """Parse NAME=VALUE; the value is TOML, or a plain text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set takes NAME=VALUE, got {text!r}")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value


def _without_target(cls: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Read all columns as features if none has the name of the default target."""
    usual = cls.parameters["target"].default
    names = cls(**{**given, "labels": "unknown", "target": ""}).names()
    if usual is None or usual in names:
        return {}
    click.echo(
        f"no target: --target {names[-1]!r} or --target -1 takes the last column for the labels\n"
    )
    return {"labels": "unknown", "target": ""}


def _as_spec(dataset: ilk.Dataset) -> str:
    """The data set as lines of a TOML file."""
    import ilk

    table: Any = ilk.to_spec(dataset)
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]
    return "\n".join(["[[datasets]]", *lines])
