"""The page: its sections, put together."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.figures.material import Material
from ilk_evaluation.report.added import added
from ilk_evaluation.report.comparisons import comparisons
from ilk_evaluation.report.estimates import estimates
from ilk_evaluation.report.failures import failures
from ilk_evaluation.report.limits import MOST_PIPELINES
from ilk_evaluation.report.markup import Html, element
from ilk_evaluation.report.origins import origins, specification
from ilk_evaluation.report.overview import facts, summary
from ilk_evaluation.report.parts import Figures, Section, paragraphs
from ilk_evaluation.report.predictions import from_predictions
from ilk_evaluation.report.times import times
from ilk_evaluation.results.provenance import provenance

if TYPE_CHECKING:
    from ilk_evaluation.experiments.results import Results


def html_report(results: Results, *, listeners: ilk.Listeners | None = None) -> str:
    """Return what an experiment found as a page of HTML, which needs nothing else.

    Nothing is fitted: all comes from the store. Predictions are read a data set and a pipeline
    at a time; how much is read and shown is bounded, and the page says what is left out.

    Parameters
    ----------
    results : Results
    listeners : ilk.Listeners, optional
        May add sections; those of all installed plugins if left out.

    Returns
    -------
    str
    """
    results = _timed(results).load()
    material, figures = Material(results, MOST_PIPELINES), Figures()
    with results.reading() as store:
        known = provenance(store, results.design.name)
    listeners = ilk.Listeners() if listeners is None else listeners
    sections = [
        summary(material),
        comparisons(material, figures),
        estimates(material, figures),
        *from_predictions(material, figures),
        times(material, figures),
        failures(material, known["runs"][-1]["file"] if known["runs"] else None),
        _notes(results),
        *added(listeners, results, figures),
        specification(known),
        origins(known),
    ]
    return _page(results.design.name, facts(material), sections, figures.problem)


def _timed(results: Results) -> Results:
    """Add the seconds of predicting, unless the experiment measures them."""
    if "predict_seconds" in results.design.measures:
        return results
    return results.score("predict_seconds")


def _notes(results: Results) -> Section:
    notes = [element("li", note) for note in results.notes]
    content = element("ul", notes) if notes else paragraphs("There are none.")
    return Section("notes", "Notes and warnings", content)


def _page(name: str, line: str, sections: Sequence[Section], problem: str) -> str:
    style, script = _asset("report.css"), _asset("report.js")
    head = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content=f"ilk {ilk.__version__}"),
        element("title", f"{name} – report"),
        element("link", rel="icon", href="data:,"),
        Html(f"<style>{style}</style><script>{script}</script>"),
    ]
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    body = [
        element("a", "Skip to the content", href="#content", class_="skip"),
        element("header", element("h1", name), element("p", line, class_="facts-line")),
        _contents(sections),
        element(
            "main",
            paragraphs(problem, class_="state"),
            [section.html() for section in sections],
            id="content",
            tabindex="-1",
        ),
        element("footer", element("p", f"Written {written} by ilk {ilk.__version__}.")),
    ]
    root = element("html", element("head", head), element("body", body), lang="en")
    return f"<!DOCTYPE html>\n{root}\n"


def _contents(sections: Sequence[Section]) -> Html:
    links = [
        element("li", element("a", section.title, href=f"#{section.id}")) for section in sections
    ]
    return element("nav", element("ul", links), aria_label="Contents")


def _policy(style: str, script: str) -> str:
    """Allow the page its own style and script by their hashes, and nothing else."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        f"img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _asset(name: str) -> str:
    return files("ilk_evaluation.report").joinpath("assets", name).read_text(encoding="utf-8")
