"""The section of comparisons: verdicts, their figures, pairs and details."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from ilk_evaluation.figures import compared
from ilk_evaluation.report.markup import Html, element, html
from ilk_evaluation.report.parts import Figures, Section, count, folded, paragraphs, shortened
from ilk_evaluation.report.tables import columns_of, short, table

if TYPE_CHECKING:
    import ilk
    from ilk_evaluation.figures.material import Material


def comparisons(material: Material, figures: Figures) -> Section:
    """Return what each comparison found, or why it found nothing."""
    offers = {offer.name: offer for offer in compared.offers(material)}
    parts = []
    done = material.comparisons()
    for label, comparison, verdict in done:
        name = label.replace(compared.use_of(comparison), compared.name_of(comparison), 1)
        picture = figures.figure(offers[name].picture()) if name in offers else None
        inside = (
            element("h3", label, id=figures.id_for(f"comparison-{label}")),
            _told(verdict.text),
            picture,
            *_behind(label, verdict, figures),
        )
        parts.append(element("article", *inside, class_="comparison"))
    silent = [label for label in material.results.design.comparisons if label not in _labels(done)]
    for label in silent:
        reason = compared.reason(material, label)
        parts.append(
            element("article", element("h3", label), element("p", reason), class_="comparison")
        )
    if not parts:
        parts.append(html(paragraphs("The experiment asks for no comparison.")))
    return Section("comparisons", "Comparisons", Html("".join(parts)))


def _told(text: str) -> Html:
    """Return a verdict, folded behind its beginning if it is about very many pipelines."""
    begin = shortened(text, 900)
    if begin == text:
        return element("p", text)
    return Html(element("p", begin) + folded("The whole verdict", element("p", text)))


def _labels(done: list[tuple[str, Any, Any]]) -> set[str]:
    return {label for label, _, _ in done}


def _behind(label: str, verdict: ilk.Verdict, figures: Figures) -> Iterator[Html]:
    if verdict.pairs:
        frame = pd.DataFrame(list(verdict.pairs)).rename(columns={"p_value": "p-value"})
        rows: Any = frame.to_dict("records")
        columns = columns_of(frame)
        filters = {key: key for key in ("dataset",) if key in frame}
        pairs = table(
            f"Pairs by {label}; effect is how much more a has than b",
            columns,
            rows,
            id_=figures.id_for(f"pairs-{label}"),
            filters=filters,
        )
        yield folded(f"{count(len(frame), 'pair')}", pairs)
    known = {
        "statistic": verdict.statistic,
        "p-value or probability": verdict.p_value,
        **{
            str(name).replace("_", " "): value
            for name, value in verdict.details.items()
            if not isinstance(value, dict)
        },
    }
    terms = [
        element("div", element("dt", name), element("dd", _said(value)))
        for name, value in known.items()
    ]
    yield folded("Statistics", element("dl", terms, class_="facts"))


def _said(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value)) or "none"
    return short(value)
