"""Sections of provenance and failures: specification, runs, versions, tracebacks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ilk_evaluation.report.blocks import (
    MOST_TRACEBACKS,
    Code,
    Facts,
    Folded,
    Heading,
    Items,
    Section,
    Text,
    count,
    listed,
    texts,
)
from ilk_evaluation.report.report_tables import Column, Table, records
from ilk_evaluation.results.failures import KEY, Failures, grouped, reproducer

if TYPE_CHECKING:
    from ilk_evaluation.figures.figure_data import FigureData


def specification_section(record: Mapping[str, Any]) -> Section:
    """Return the specification of the last run, unchanged."""
    text = str(record["runs"][-1]["text"]) if record["runs"] else ""
    name, language = "as it was written, in TOML", "toml"
    try:
        text = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
        name, language = "described in Python, canonical, as JSON", "json"
    except ValueError:  # TOML
        pass
    lines = len(text.splitlines())
    code = Folded(f"{lines} lines, {name}", [Code(text, language)])
    return Section("specification", "Specification", [code])


def provenance_section(record: Mapping[str, Any]) -> Section:
    """Return runs, versions, data sets and pipelines."""
    blocks = [*_versions(record), _runs(record), _datasets(record), _pipelines(record)]
    return Section("origins", "Provenance", blocks)


def _versions(record: Mapping[str, Any]) -> list[Any]:
    """The environment of the last run."""
    if not record["runs"]:
        return []
    run = record["runs"][-1]
    facts = {
        "store": record["store"],
        "described in": run["file"] or "Python",
        "platform": run["platform"],
        "processors": run["processors"],
        "Python": run["python"],
        **run["versions"],
    }
    short = {name: str(value)[:64] for name, value in facts.items()}
    return [Heading("Versions of the last run"), Facts(short)]


def _runs(record: Mapping[str, Any]) -> Table:
    columns = [
        Column("run", "run"),
        Column("started", "started"),
        Column("seed", "seed", numeric=True),
        Column("machine", "machine"),
        Column("cells kept", "cells", numeric=True),
    ]
    return Table("Runs that wrote into the store", columns, record["runs"], "runs-table")


def _datasets(record: Mapping[str, Any]) -> Table:
    columns = [
        Column("data set", "label"),
        Column("rows", "n_rows", numeric=True),
        Column("features", "n_features", numeric=True),
        Column("classes", "n_classes", lambda n: str(n or "numbers"), numeric=True),
        Column("fingerprint", "fingerprint", lambda text: text[:16], style="key"),
    ]
    return Table("Data sets of the last run", columns, record["datasets"], "data-table")


def _pipelines(record: Mapping[str, Any]) -> Table:
    columns = [
        Column("pipeline", "id"),
        Column("steps", "spec", _steps, style="code"),
        Column("code", "versions", _code, style="text"),
        Column("key", "key", lambda text: text[:16], style="key"),
    ]
    rows = record["pipelines"]
    return Table("Pipelines of the last run", columns, rows, "pipelines-table")


def _steps(spec: object) -> str:
    from ilk_evaluation.plan.design import short

    steps = spec.get("steps") if isinstance(spec, Mapping) else spec
    if not isinstance(steps, list):
        return short(spec)
    return " > ".join(short(next(iter(step.values()))) for step in steps)


def _code(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version[:32]}" for name, version in versions.items())


def failure_section(figure_data: FigureData, file: str | None) -> Section:
    """Return the failed cells, grouped by the place of the error in the code, then one by one."""
    results = figure_data.results
    if not len(results.failures):
        message = "No cell failed." if not results.n_missing else "No cell has failed so far."
        return Section("failures", "Failures", texts(message))
    groups = grouped(results)
    shown = [_failure_group(figure_data, group, file) for group in groups[:MOST_TRACEBACKS]]
    more = texts(_beyond(len(groups)), class_="note")
    return Section("failures", "Failures", [*shown, *more, _failure_table(figure_data)])


def _beyond(number: int) -> str:
    if number <= MOST_TRACEBACKS:
        return ""
    return (
        f"The first {MOST_TRACEBACKS} of {number} groups of failures have their tracebacks here. "
        f"`ilk results failures --traceback` shows all."
    )


def _failure_group(figure_data: FigureData, group: Failures, file: str | None) -> Folded:
    messages = list(group.messages)
    fallback = sum(cell["fallback"] for cell in group.cells)
    places = [
        f"{dataset}, {pipeline} ({count(number, 'cell')})"
        for (dataset, pipeline), number in group.places.items()
    ]
    others = [Text("Other messages:"), Items(messages[1:20])] if messages[1:] else []
    again = reproducer(figure_data.results, group.cells[0]["key"], file)
    return Folded(
        f", {fallback} answered by the fallback" if fallback else "",
        [
            Text(f"In {listed(places, 12)}."),
            *others,
            Text("To reproduce: ", code=again),
            Code(group.traceback or "no traceback was kept"),
        ],
        class_="failure",
        strong=count(len(group.cells), "cell"),
        message=messages[0].partition("\n")[0] if messages else "",
    )


def _failure_table(figure_data: FigureData) -> Table:
    columns = [
        Column("data set", "dataset"),
        Column("pipeline", "pipeline"),
        Column("repeat", "repeat", numeric=True),
        Column("fold", "fold", numeric=True),
        Column("what", "fallback", lambda fallback: "fallback" if fallback else "failed"),
        Column("error", "error", _first_line, style="text"),
        Column("cell", "key", lambda key: str(key)[:KEY], style="key"),
    ]
    return Table(
        "Cells that failed, with the repeat and fold they are of",
        columns,
        records(figure_data.results.failures),
        "failures-table",
        filter_names={"dataset": "Data set", "pipeline": "Pipeline"},
    )


def _first_line(error: str) -> str:
    return error.partition("\n")[0][:200]
