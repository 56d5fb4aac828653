"""Docstrings as a terminal shows them: no markup, paragraphs as wide as there is room for."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from itertools import pairwise

from ilk.cli.layout import wrapped

_MARKUP = re.compile(
    r"``(?P<literal>.+?)``"
    r"|(?::[\w:.+-]+:)?`(?P<name>[^`]+)`_{0,2}"
    r"|(?<![\w*])(?P<stars>\*{1,2})(?P<stressed>[^\s*](?:[^*]*[^\s*])?)(?P=stars)(?![\w*])",
    re.DOTALL,
)
_ITEM = re.compile(r"^(?:\.\. )?(\[\w+\]|[-*]|\d+\.) ", re.MULTILINE)
_INDENTED = re.compile(r"^[ \t]+\S", re.MULTILINE)


def plain(text: str) -> str:
    """Return text without reStructuredText's inline markup.

    Examples
    --------
    >>> plain("``d(x, y) = x * y``, see *On distances* and `fit`")
    'd(x, y) = x * y, see On distances and fit'
    """
    return _MARKUP.sub(lambda m: m["literal"] or m["name"] or m["stressed"], text)


def paragraphs(text: str, indent: int = 0) -> list[str]:
    """Lines of a part of a docstring, wrapped; what it indents (formulas) keeps its lines."""
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines += [""] if lines else []
        for item in _items(block):
            lines += _lines(item, indent)
    return lines


def _items(block: str) -> Iterator[str]:
    """The items of a list, or the block itself if it is none."""
    starts = [match.start() for match in _ITEM.finditer(block)] if _ITEM.match(block) else [0]
    for start, end in pairwise([*starts, len(block)]):
        yield block[start:end]


def _lines(item: str, indent: int) -> list[str]:
    marker = _ITEM.match(item)
    if not marker and _INDENTED.search(item):
        return textwrap.indent(item, " " * indent).splitlines()
    label = marker.group(1) + " " if marker else ""
    text = " ".join(plain(_ITEM.sub("", item, count=1) if marker else item).split())
    return wrapped(re.sub(r"::\Z", ":", text), " " * indent + label, indent + len(label))
