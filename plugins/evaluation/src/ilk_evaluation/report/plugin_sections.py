"""Sections that plugins add by the hook `ilk_report_sections`, and their Markdown as HTML.

Markdown is CommonMark with tables. HTML and images in it are shown as text, and links lead to
http, https and mailto only.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from ilk_evaluation.report.blocks import Figures, Rendered, Section
from ilk_evaluation.results.listener_sections import sections_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    import ilk
    from ilk_evaluation.results.experiment_results import Results

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
    """Return the sections of plugins, with their Markdown rendered."""
    return [
        Section(
            figures.id_for(f"added-{section.title}"),
            section.title,
            [Rendered(html_of_markdown(section.text))],
        )
        for section in sections_of(listeners, results)
    ]


def html_of_markdown(text: str) -> Markup:
    """Return Markdown as HTML.

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
