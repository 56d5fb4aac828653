"""The page: its sections assembled and written to a file atomically."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from dataclasses import replace
from datetime import UTC, datetime
from errno import ENOENT
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

import ilk
from ilk_evaluation.atomic_write import check_replaceable, replace_file
from ilk_evaluation.figures.figure_data import FigureData
from ilk_evaluation.report.blocks import MOST_PIPELINES, Figures, Items, Rendered, Section, texts
from ilk_evaluation.report.comparison_sections import comparison_section
from ilk_evaluation.report.prediction_sections import (
    number_section,
    prediction_sections,
    space_section,
)
from ilk_evaluation.report.provenance_sections import (
    failure_section,
    provenance_section,
    specification_section,
)
from ilk_evaluation.report.score_sections import (
    estimate_section,
    facts,
    learning_section,
    summary,
    time_section,
)
from ilk_evaluation.results.notes import sections_of
from ilk_evaluation.results.provenance import provenance

if TYPE_CHECKING:
    from jinja2 import Template
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from ilk_evaluation.results.experiment_results import Results
    from ilk_evaluation.run.store import Store

# Characters not allowed in HTML: control characters, and lone surrogates, which UTF-8 lacks.
# And bidirectional controls, which would turn the text after the name that contains them.
_NO_TEXT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def html_report(
    results: Results, *, listeners: ilk.Listeners | None = None, spaces: bool = False
) -> str:
    """Return the results of an experiment as a self-contained HTML page.

    All content comes from the store; nothing is fitted without `spaces`. Predictions are read for
    one data set and pipeline at a time, up to a limit, and the page lists omissions.

    Parameters
    ----------
    results : Results
    listeners : ilk.Listeners, optional
        May add sections; by default the listeners of all installed plugins.
    spaces : bool
        Whether to load data sets again, and to fit metric learners for pictures of their spaces.

    Returns
    -------
    str
    """
    with results.reading() as store:
        return _filled(replace(results, store=store), store, listeners, spaces=spaces)


def _filled(
    results: Results, store: Store, listeners: ilk.Listeners | None, *, spaces: bool
) -> str:
    """Return the page of results whose store is open."""
    results = _timed(results).load()
    figure_data, figures = FigureData(results, MOST_PIPELINES), Figures()
    record = provenance(store, results.design.name)
    listeners = ilk.Listeners() if listeners is None else listeners
    sections = [
        summary(figure_data),
        comparison_section(figure_data, figures),
        estimate_section(figure_data, figures),
        *learning_section(figure_data, figures),
        *_of_predictions(figure_data, figures),
        *space_section(figure_data, figures, asked=spaces),
        time_section(figure_data, figures),
        failure_section(figure_data, record["runs"][-1]["file"] if record["runs"] else None),
        _notes(results),
        *plugin_sections(listeners, results, figures),
        specification_section(record),
        provenance_section(record),
    ]
    return _page(
        name=results.design.name,
        facts=facts(figure_data),
        sections=sections,
        problem=figures.problem,
    )


def _of_predictions(figure_data: FigureData, figures: Figures) -> list[Section]:
    """Return the sections of predictions, by the kind of predictor."""
    if figure_data.predictor == "regressor":
        return [number_section(figure_data, figures)]
    return [] if figure_data.without_classes else prediction_sections(figure_data, figures)


def _timed(results: Results) -> Results:
    """Add the seconds to predict, and those saved, unless the experiment measures them."""
    with results.reading() as store:
        wanted = ["predict_seconds", *(["saved_seconds"] if store.saved_seconds() else [])]
    missing = [name for name in wanted if name not in results.design.measures]
    return results.score(*missing) if missing else results


def _notes(results: Results) -> Section:
    blocks = [Items(results.notes)] if results.notes else texts("There are none.")
    return Section("notes", "Notes and warnings", blocks)


def _page(**content: Any) -> str:
    """Fill the template; the policy allows the page its own style and script, and nothing else."""
    style, script = _asset("report.css"), _asset("report.js")
    page = _template().render(
        **content,
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        version=ilk.__version__,
        written=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )
    return _NO_TEXT.sub("\ufffd", page.lstrip())


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_asset("report.html.jinja"))


def _hash(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"sha256-{digest}"


def _asset(name: str) -> str:
    return files("ilk_evaluation.report").joinpath("assets", name).read_text(encoding="utf-8")


def write_report(
    results: Results,
    path: str | Path,
    *,
    listeners: ilk.Listeners | None = None,
    spaces: bool = False,
    force: bool = False,
) -> Path:
    """Write the results of an experiment as an HTML page; return its path.

    An earlier report is replaced atomically, once the page is complete.

    Parameters
    ----------
    results : Results
    path : str or Path
    listeners : ilk.Listeners, optional
        May add sections; by default the listeners of all installed plugins.
    spaces : bool
        Whether to load data sets again, and to fit metric learners for pictures of their spaces.
    force : bool
        Whether to replace a file that is no earlier report, too.

    Raises
    ------
    InputError
        If the path is the store's, or holds a file that is no report.
    OSError
        If it cannot be written.
    """
    path = Path(path)
    _check_output(results, path)
    check_replaceable(path, "no report of ilk", _is_report, force=force)
    content = html_report(results, listeners=listeners, spaces=spaces).encode()
    replace_file(path, content)
    return path


def _is_report(begin: bytes) -> bool:
    return b'<meta name="generator" content="ilk ' in begin


def _check_output(results: Results, path: Path) -> None:
    """Raise if the folder does not exist, or the path is the store."""
    if not path.parent.is_dir():
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(path))
    store = results.design.store
    if store is not None and path.exists() and store.exists() and path.samefile(store):
        raise ilk.InputError(f"{path}: is the store itself, not a place for a report of it")


_ABOVE = 2
"""Level of the title of a section, below which the titles in it begin."""
_SAFE = re.compile(r"https?://|mailto:", re.IGNORECASE)
# Elements that may be wider than a phone scroll, by keys too. Texts are escaped, so that
# these tags are the renderer's.
_SCROLLING = {
    "<table>": '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>',
    "</table>": "</table></div>",
    "<pre>": '<pre tabindex="0">',
}


def plugin_sections(listeners: ilk.Listeners, results: Results, figures: Figures) -> list[Section]:
    """Return the sections that plugins add by the hook `ilk_report_sections`."""
    return [
        Section(
            figures.id_for(f"added-{section.title}"),
            section.title,
            [Rendered(html_of_markdown(section.text))],
        )
        for section in sections_of(listeners, results)
    ]


def html_of_markdown(text: str) -> Markup:
    """Return Markdown, CommonMark with tables, as HTML.

    HTML and images in it are shown as text, and links lead to http, https and mailto only.

    Examples
    --------
    >>> print(html_of_markdown("*one* & <two>"))
    <p><em>one</em> &amp; &lt;two&gt;</p>
    """
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        _adapt(token)
    html = parser.renderer.render(tokens, parser.options, {}).rstrip("\n")
    for tag, scrolling in _SCROLLING.items():
        html = html.replace(tag, scrolling)
    return Markup(html)  # noqa: S704  # the renderer escapes


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False})
    parser.enable("table").disable("image")
    parser.validateLink = lambda url: bool(_SAFE.match(url))  # type: ignore[method-assign]
    return parser


def _adapt(token: Token) -> None:
    """Fit an element into the page: its level and classes, as styles are against the policy."""
    if token.type in {"heading_open", "heading_close"}:
        token.tag = f"h{min(int(token.tag[1]) + _ABOVE, 6)}"
    elif token.type == "th_open":
        token.attrs["scope"] = "col"
    elif token.type == "link_open":
        token.attrs["rel"] = "noreferrer"
    if token.attrs.pop("style", "") == "text-align:right":
        token.attrs["class"] = "num"
    for child in token.children or ():
        _adapt(child)
