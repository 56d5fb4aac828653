"""Sections that plugins add by the hook `ilk_report_sections`, and their Markdown as HTML.

Supported Markdown: titles, paragraphs, nested lists, tables, fenced code, quotations; within
them ``code``, emphasis and links to http, https and mailto. HTML and images are not rendered;
all other text is shown unchanged.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ilk_evaluation.report.components import Figures, Section
from ilk_evaluation.report.markup import Html, element, html
from ilk_evaluation.results.listener_sections import sections_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import ilk
    from ilk_evaluation.results.experiment_results import Results


def plugin_sections(listeners: ilk.Listeners, results: Results, figures: Figures) -> list[Section]:
    """Return the sections of plugins, with their Markdown rendered."""
    return [
        Section(
            figures.id_for(f"added-{section.title}"), section.title, html_of_markdown(section.text)
        )
        for section in sections_of(listeners, results)
    ]


_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_TITLE = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$")
_QUOTE = re.compile(r"^\s*>\s?(.*)$")
_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_INLINE = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)(?!`)"
    r"|\\(?P<escaped>[\\`*_{}\[\]()#+.!|>~-])"
    r"|\[(?P<label>[^\]\[]+)\]\((?P<target>[^()\s]+)\)"
    r"|\*\*(?P<strong>\S(?:.*?\S)?)\*\*(?!\*)"
    r"|\*(?P<em>[^\s*](?:[^*]*[^\s*])?)\*"
    r"|(?<!\w)_(?P<em2>[^\s_](?:[^_]*[^\s_])?)_(?!\w)",
    re.DOTALL,
)
_DEEPEST = 8
"""Depth of nested lists and quotations; deeper ones are shown as text, to bound recursion."""


def html_of_markdown(text: str, *, level: int = 3) -> Html:
    """Return Markdown as HTML.

    Parameters
    ----------
    text : str
    level : int
        Level of the highest titles in the text.

    Examples
    --------
    >>> html_of_markdown("*one* & <two>")
    '<p><em>one</em> &amp; &lt;two&gt;</p>'
    """
    return _blocks(text.expandtabs(4).splitlines(), level, 0)


def _blocks(lines: list[str], level: int, depth: int) -> Html:
    parts: list[Html] = []
    while lines:
        if not lines[0].strip():
            lines = lines[1:]
            continue
        for starts, take in _BLOCKS:
            if starts(lines) and (depth < _DEEPEST or take is _paragraph):
                part, lines = take(lines, level, depth)
                parts.append(part)
                break
    return Html("\n".join(parts))


def _code(lines: list[str], _level: int, _depth: int) -> tuple[Html, list[str]]:
    """Take code up to the closing fence, or to the end."""
    fence = _FENCE.match(lines[0])
    assert fence is not None
    closed = (i for i, line in enumerate(lines[1:], 1) if line.strip().startswith(fence[1]))
    end = next(closed, len(lines))
    code = element("code", "\n".join(lines[1:end]))
    return element("pre", code, tabindex="0"), lines[end + 1 :]


def _title(lines: list[str], level: int, _depth: int) -> tuple[Html, list[str]]:
    found = _TITLE.match(lines[0])
    assert found is not None
    return element(f"h{min(level - 1 + len(found[1]), 6)}", inline(found[2])), lines[1:]


def _quotation(lines: list[str], level: int, depth: int) -> tuple[Html, list[str]]:
    end = _until(lines, lambda line: not _QUOTE.match(line))
    inside = [_QUOTE.sub(r"\1", line) for line in lines[:end]]
    return element("blockquote", _blocks(inside, level, depth + 1)), lines[end:]


def _list(lines: list[str], level: int, depth: int) -> tuple[Html, list[str]]:
    """Take items of one type; indented lines belong to the item above."""
    first = _ITEM.match(lines[0])
    assert first is not None
    indent, ordered = len(first[1]), first[2][0].isdigit()
    items: list[list[str]] = []
    while lines:
        item = _ITEM.match(lines[0])
        if item and len(item[1]) <= indent and item[2][0].isdigit() == ordered:
            items.append([item[3]])
        elif items and (_indent(lines[0]) > indent or _goes_on(lines, indent)):
            items[-1].append(lines[0][min(_indent(lines[0]), indent + 2) :])
        else:
            break
        lines = lines[1:]
    written = [element("li", _item(item, level, depth)) for item in items]
    return element("ol" if ordered else "ul", written), lines


def _item(lines: list[str], level: int, depth: int) -> Html:
    """Write an item; a single paragraph needs no element of its own."""
    end = _until(lines, lambda line: not line.strip() or bool(_ITEM.match(line)))
    if end == 0:
        return _blocks(lines, level, depth + 1)
    head = inline("\n".join(line.strip() for line in lines[:end]))
    return Html(head + _blocks(lines[end:], level, depth + 1))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _goes_on(lines: list[str], indent: int) -> bool:
    """Tell whether a line belongs to the item above; a blank one does if the list goes on."""
    if lines[0].strip():
        return not any(starts(lines) for starts, take in _BLOCKS if take is not _paragraph)
    following = next((line for line in lines[1:] if line.strip()), "")
    return bool(following) and (bool(_ITEM.match(following)) or _indent(following) > indent)


def _table(lines: list[str], _level: int, _depth: int) -> tuple[Html, list[str]]:
    end = _until(lines, lambda line: "|" not in line)
    heads, rule, *rows = (_cells(line) for line in lines[:end])
    sides = [("num" if mark.endswith(":") else None) for mark in rule]
    sides = (sides + [None] * len(heads))[: len(heads)]
    top = [
        element("th", inline(head), scope="col", class_=side)
        for head, side in zip(heads, sides, strict=True)
    ]
    body = [
        element(
            "tr",
            [
                element("td", inline(cell), class_=side)
                for cell, side in zip((row + [""] * len(heads))[: len(heads)], sides, strict=True)
            ],
        )
        for row in rows
    ]
    table = element("table", element("thead", element("tr", top)), element("tbody", body))
    region = element("div", table, class_="scroll", tabindex="0", role="region", aria_label="Table")
    return region, lines[end:]


def _cells(line: str) -> list[str]:
    line = line.strip().removeprefix("|")
    cells = re.split(r"(?<!\\)\|", line)
    if cells and not cells[-1].strip() and len(cells) > 1:
        cells = cells[:-1]
    return [cell.strip() for cell in cells]


def _paragraph(lines: list[str], _level: int, depth: int) -> tuple[Html, list[str]]:
    def ends(line: str) -> bool:
        return not line.strip() or any(
            starts([line]) for starts, take in _BLOCKS if take not in {_paragraph, _table}
        )

    end = max(1, _until(lines, ends) if depth < _DEEPEST else len(lines))
    text = "\n".join(line.strip() for line in lines[:end])
    return element("p", inline(text)), lines[end:]


def _until(lines: list[str], stops: Callable[[str], bool]) -> int:
    return next((at for at, line in enumerate(lines) if stops(line)), len(lines))


def _is_table(lines: list[str]) -> bool:
    return len(lines) > 1 and "|" in lines[0] and "|" in lines[1] and bool(_RULE.match(lines[1]))


_BLOCKS: tuple[tuple[Callable[[list[str]], bool], Callable[..., tuple[Html, list[str]]]], ...] = (
    (lambda lines: bool(_FENCE.match(lines[0])), _code),
    (lambda lines: bool(_TITLE.match(lines[0])), _title),
    (lambda lines: bool(_QUOTE.match(lines[0])), _quotation),
    (lambda lines: bool(_ITEM.match(lines[0])), _list),
    (_is_table, _table),
    (lambda _: True, _paragraph),
)


def inline(text: str) -> Html:
    """Return a line of Markdown as HTML: code, emphasis and links."""
    parts: list[Html] = []
    at = 0
    for found in _INLINE.finditer(text):
        parts += [html(text[at : found.start()]), _inside(found)]
        at = found.end()
    return Html("".join([*parts, html(text[at:])]))


def _inside(found: re.Match[str]) -> Html:
    groups = {name: value for name, value in found.groupdict().items() if value is not None}
    if "code" in groups:
        return element("code", groups["code"].strip() or groups["code"])
    if "escaped" in groups:
        return html(groups["escaped"])
    if "label" in groups:
        return _link(groups["label"], groups["target"])
    if "strong" in groups:
        return element("strong", inline(groups["strong"]))
    return element("em", inline(groups.get("em") or groups["em2"]))


def _link(label: str, target: str) -> Html:
    """Write a link; an unsafe target is written as text."""
    if re.match(r"(https?://|mailto:)", target, re.IGNORECASE):
        return element("a", inline(label), href=target, rel="noreferrer")
    return Html(f"{inline(label)} ({html(target)})")
