"""The page: its sections assembled and written to a file atomically."""

from __future__ import annotations

import base64
import hashlib
import os
from dataclasses import replace
from datetime import UTC, datetime
from errno import ENOENT
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.atomic_write import replace_file
from ilk_evaluation.figures.figure_data import FigureData
from ilk_evaluation.report.components import MOST_PIPELINES, Figures, Section, paragraphs
from ilk_evaluation.report.markup import Html, element
from ilk_evaluation.report.plugin_sections import plugin_sections
from ilk_evaluation.report.prediction_sections import prediction_sections
from ilk_evaluation.report.provenance_sections import (
    failure_section,
    provenance_section,
    specification_section,
)
from ilk_evaluation.report.score_sections import (
    comparison_section,
    estimate_section,
    facts,
    summary,
    time_section,
)
from ilk_evaluation.results.provenance import provenance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk_evaluation.results.experiment_results import Results
    from ilk_evaluation.run.store import Store


def html_report(results: Results, *, listeners: ilk.Listeners | None = None) -> str:
    """Return the results of an experiment as a self-contained HTML page.

    All content comes from the store; nothing is fitted. Predictions are read for one data set and
    pipeline at a time, up to a limit, and the page lists omissions.

    Parameters
    ----------
    results : Results
    listeners : ilk.Listeners, optional
        May add sections; by default the listeners of all installed plugins.

    Returns
    -------
    str
    """
    with results.reading() as store:
        return _filled(replace(results, store=store), store, listeners)


def _filled(results: Results, store: Store, listeners: ilk.Listeners | None) -> str:
    """Return the page of results whose store is open."""
    results = _timed(results).load()
    figure_data, figures = FigureData(results, MOST_PIPELINES), Figures()
    known = provenance(store, results.design.name)
    listeners = ilk.Listeners() if listeners is None else listeners
    sections = [
        summary(figure_data),
        comparison_section(figure_data, figures),
        estimate_section(figure_data, figures),
        *prediction_sections(figure_data, figures),
        time_section(figure_data, figures),
        failure_section(figure_data, known["runs"][-1]["file"] if known["runs"] else None),
        _notes(results),
        *plugin_sections(listeners, results, figures),
        specification_section(known),
        provenance_section(known),
    ]
    return _page(results.design.name, facts(figure_data), sections, figures.problem)


def _timed(results: Results) -> Results:
    """Add the prediction seconds, unless the experiment measures them."""
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


def write_report(
    results: Results, path: str | Path, *, listeners: ilk.Listeners | None = None
) -> Path:
    """Write the results of an experiment as an HTML page; return its path.

    An existing file is replaced atomically, once the page is complete.

    Parameters
    ----------
    results : Results
    path : str or Path
    listeners : ilk.Listeners, optional
        May add sections; by default the listeners of all installed plugins.

    Raises
    ------
    InputError
        If the path is the store's.
    OSError
        If it cannot be written.
    """
    path = Path(path)
    _check_output(results, path)
    content = html_report(results, listeners=listeners).encode()
    replace_file(path, content)
    return path


def _check_output(results: Results, path: Path) -> None:
    """Raise if the folder does not exist, or the path is the store."""
    if not path.parent.is_dir():
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(path))
    store = results.design.store
    if store is not None and path.exists() and store.exists() and path.samefile(store):
        raise ilk.InputError(f"{path}: is the store itself, not a place for a report of it")
