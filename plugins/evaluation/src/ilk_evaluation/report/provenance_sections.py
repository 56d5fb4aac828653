"""Sections of provenance and failures: specification, runs, versions, tracebacks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ilk_evaluation.report.components import (
    MOST_TRACEBACKS,
    Section,
    count,
    folded,
    listed,
    paragraphs,
)
from ilk_evaluation.report.markup import Column, Html, element, table
from ilk_evaluation.results.failures import KEY, Failures, grouped, reproducer

if TYPE_CHECKING:
    from ilk_evaluation.figures.figure_data import FigureData


def specification_section(known: Mapping[str, Any]) -> Section:
    """Return the specification of the last run, unchanged."""
    text = str(known["runs"][-1]["text"]) if known["runs"] else ""
    name, language = "as it was written, in TOML", "toml"
    try:
        text = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
        name, language = "described in Python, canonical, as JSON", "json"
    except ValueError:  # TOML
        pass
    lines = len(text.splitlines())
    code = element("pre", element("code", text, class_=f"language-{language}"), tabindex="0")
    return Section("specification", "Specification", folded(f"{lines} lines, {name}", code))


def provenance_section(known: Mapping[str, Any]) -> Section:
    """Return runs, versions, data sets and pipelines."""
    content = [_versions(known), _runs(known), _datasets(known), _pipelines(known)]
    return Section("origins", "Provenance", Html("".join(content)))


def _versions(known: Mapping[str, Any]) -> Html:
    """The environment of the last run."""
    if not known["runs"]:
        return Html()
    run = known["runs"][-1]
    facts = {
        "store": known["store"],
        "described in": run["file"] or "Python",
        "platform": run["platform"],
        "processors": run["processors"],
        "Python": run["python"],
        **run["versions"],
    }
    terms = [
        element("div", element("dt", name), element("dd", str(value)[:64]))
        for name, value in facts.items()
    ]
    return Html(element("h3", "Versions of the last run") + element("dl", terms, class_="facts"))


def _runs(known: Mapping[str, Any]) -> Html:
    columns = [
        Column("run", "run"),
        Column("started", "started"),
        Column("seed", "seed", numeric=True),
        Column("machine", "machine"),
        Column("cells kept", "cells", numeric=True),
    ]
    return table("Runs that wrote into the store", columns, known["runs"], id_="runs-table")


def _datasets(known: Mapping[str, Any]) -> Html:
    columns = [
        Column("data set", "label"),
        Column("rows", "n_rows", numeric=True),
        Column("features", "n_features", numeric=True),
        Column("classes", "n_classes", numeric=True),
        Column("fingerprint", "fingerprint", lambda text: element("code", text[:16], class_="key")),
    ]
    return table("Data sets of the last run", columns, known["datasets"], id_="data-table")


def _pipelines(known: Mapping[str, Any]) -> Html:
    columns = [
        Column("pipeline", "id"),
        Column("steps", "spec", _steps, class_="text"),
        Column("code", "versions", _code, class_="text"),
        Column("key", "key", lambda text: element("code", text[:16], class_="key")),
    ]
    rows = known["pipelines"]
    return table("Pipelines of the last run", columns, rows, id_="pipelines-table")


def _steps(spec: object) -> Html | str:
    from ilk_evaluation.plan.design import short

    steps = spec.get("steps") if isinstance(spec, Mapping) else spec
    if not isinstance(steps, list):
        return short(spec)
    return element("code", " > ".join(short(next(iter(step.values()))) for step in steps))


def _code(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version[:32]}" for name, version in versions.items())


def failure_section(figure_data: FigureData, file: str | None) -> Section:
    """Return the failed cells, grouped by the place of the error in the code, then one by one."""
    results = figure_data.results
    if not len(results.failures):
        message = "No cell failed." if not results.n_missing else "No cell has failed so far."
        return Section("failures", "Failures", paragraphs(message))
    groups = grouped(results)
    shown = [_failure_group(figure_data, group, file) for group in groups[:MOST_TRACEBACKS]]
    content = [*shown, _beyond(len(groups)), _failure_table(figure_data)]
    return Section("failures", "Failures", Html("".join(content)))


def _beyond(number: int) -> Html:
    if number <= MOST_TRACEBACKS:
        return Html()
    message = (
        f"The first {MOST_TRACEBACKS} of {number} groups of failures have their tracebacks here."
    )
    return paragraphs(f"{message} `ilk results failures --traceback` shows all.", class_="note")


def _failure_group(figure_data: FigureData, group: Failures, file: str | None) -> Html:
    messages = list(group.messages)
    first = messages[0].partition("\n")[0] if messages else ""
    fallback = sum(cell["fallback"] for cell in group.cells)
    summary = [
        element("strong", count(len(group.cells), "cell")),
        f", {fallback} answered by the fallback" if fallback else None,
        element("span", first, class_="message"),
    ]
    places = [
        f"{dataset}, {pipeline} ({count(number, 'cell')})"
        for (dataset, pipeline), number in group.places.items()
    ]
    others = [element("li", message) for message in messages[1:20]]
    again = reproducer(figure_data.results, group.cells[0]["key"], file)
    return element(
        "details",
        element("summary", summary),
        paragraphs(f"In {listed(places, 12)}."),
        [element("p", "Other messages:"), element("ul", others)] if others else None,
        element("p", "To reproduce: ", element("code", again)),
        element("pre", element("code", group.traceback or "no traceback was kept"), tabindex="0"),
        class_="failure",
    )


def _failure_table(figure_data: FigureData) -> Html:
    columns = [
        Column("data set", "dataset"),
        Column("pipeline", "pipeline"),
        Column("repeat", "repeat", numeric=True),
        Column("fold", "fold", numeric=True),
        Column("what", "fallback", lambda fallback: "fallback" if fallback else "failed"),
        Column("error", "error", _first_line, class_="text"),
        Column("cell", "key", lambda key: element("code", str(key)[:KEY], class_="key")),
    ]
    rows: Any = figure_data.results.failures.to_dict("records")
    return table(
        "Cells that failed, with the repeat and fold they are of",
        columns,
        rows,
        id_="failures-table",
        filters={"dataset": "Data set", "pipeline": "Pipeline"},
    )


def _first_line(error: str) -> str:
    return error.partition("\n")[0][:200]
