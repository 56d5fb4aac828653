"""The section of failures: what went wrong where, with tracebacks and how to see it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ilk_evaluation.report.limits import MOST_TRACEBACKS
from ilk_evaluation.report.markup import Html, element
from ilk_evaluation.report.parts import Section, count, listed, paragraphs
from ilk_evaluation.report.tables import Column, table
from ilk_evaluation.results.failures import KEY, Failures, grouped, reproducer

if TYPE_CHECKING:
    from ilk_evaluation.figures.material import Material


def failures(material: Material, file: str | None) -> Section:
    """Return the failed cells, grouped by the code in which they failed, then one by one."""
    results = material.results
    if not len(results.failures):
        said = "No cell failed." if not results.n_missing else "No cell has failed so far."
        return Section("failures", "Failures", paragraphs(said))
    groups = grouped(results)
    told = [_group(material, group, file) for group in groups[:MOST_TRACEBACKS]]
    content = [*told, _beyond(len(groups)), _table(material)]
    return Section("failures", "Failures", Html("".join(content)))


def _beyond(number: int) -> Html:
    if number <= MOST_TRACEBACKS:
        return Html()
    said = f"The first {MOST_TRACEBACKS} of {number} sorts of failures have their tracebacks here."
    return paragraphs(f"{said} `ilk results failures --traceback` shows all.", class_="note")


def _group(material: Material, group: Failures, file: str | None) -> Html:
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
    again = reproducer(material.results, group.cells[0]["key"], file)
    return element(
        "details",
        element("summary", summary),
        paragraphs(f"In {listed(places, 12)}."),
        [element("p", "It also said:"), element("ul", others)] if others else None,
        element("p", "To see it again: ", element("code", again)),
        element("pre", element("code", group.traceback or "no traceback was kept"), tabindex="0"),
        class_="failure",
    )


def _table(material: Material) -> Html:
    columns = [
        Column("data set", "dataset"),
        Column("pipeline", "pipeline"),
        Column("repeat", "repeat", numeric=True),
        Column("fold", "fold", numeric=True),
        Column("what", "fallback", lambda fallback: "fallback" if fallback else "failed"),
        Column("error", "error", _first_line, class_="text"),
        Column("cell", "key", lambda key: element("code", str(key)[:KEY], class_="key")),
    ]
    rows: Any = material.results.failures.to_dict("records")
    return table(
        "Cells that failed, with the repeat and fold they are of",
        columns,
        rows,
        id_="failures-table",
        filters={"dataset": "Data set", "pipeline": "Pipeline"},
    )


def _first_line(error: str) -> str:
    return error.partition("\n")[0][:200]
