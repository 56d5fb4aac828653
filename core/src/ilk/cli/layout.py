"""Text in columns and paragraphs that fit the terminal; plain lines where there is none."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence

import click

GAP = "  "


def on_terminal() -> bool:
    """Tell whether a person reads along: the output is no file and no pipe."""
    return sys.stdout.isatty()


def width() -> int:
    """Columns that text may take."""
    return min(shutil.get_terminal_size().columns, 100)


def heading(text: str) -> str:
    """A heading: bold on a terminal."""
    return click.style(text, bold=True)


def columns(rows: Iterable[Sequence[str]], header: Sequence[str] = ()) -> list[str]:
    """Lines with the cells of each column below each other.

    On a terminal there is a header, and the last column is cut to the width that is left;
    elsewhere every line is a whole row and nothing else.
    """
    table = [tuple(row) for row in rows]
    if on_terminal() and header:
        table.insert(0, tuple(header))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    left = width() - sum(widths[:-1]) - len(GAP) * (len(widths) - 1)
    lines = []
    for row in table:
        cells = [cell.ljust(size) for cell, size in zip(row[:-1], widths[:-1], strict=True)]
        cells.append(_cut(row[-1], left) if on_terminal() else row[-1])
        lines.append(GAP.join(cells).rstrip())
    if on_terminal() and header:
        lines[0] = heading(lines[0])
    return lines


def _cut(text: str, size: int) -> str:
    if len(text) <= size:
        return text
    return textwrap.shorten(text, size, placeholder="...") if size >= 20 else ""


def hanging(label: str, text: str, indent: int) -> list[str]:
    """Lines of a label and a text beside it, indented where it goes on."""
    label = label.rstrip()
    lead = label.ljust(indent) if len(label) < indent else label + GAP
    return textwrap.wrap(
        text,
        max(width(), indent + 24),
        initial_indent=lead,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
    ) or [label]


def indented(text: str) -> str:
    """Text that keeps its lines, two columns in."""
    return textwrap.indent(text, GAP)
