"""Text in columns and paragraphs that fit the terminal; plain lines where there is none."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    """Rows with the cells of each column below each other.

    On a terminal there is a header, and the last cell goes on in lines of its own, in the same
    string; elsewhere every string is one line, and a row.
    """
    table = [tuple(row) for row in rows]
    if on_terminal() and header:
        table.insert(0, tuple(header))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)][:-1]
    indent = sum(widths) + len(GAP) * len(widths)
    lines = []
    for *cells, last in table:
        lead = "".join(cell.ljust(size) + GAP for cell, size in zip(cells, widths, strict=True))
        folded = wrapped(last, lead, indent) if on_terminal() else []
        lines.append("\n".join(folded) or (lead + last).rstrip())
    if on_terminal() and header:
        lines[0] = heading(lines[0])
    return lines


def hanging(label: str, text: str, indent: int) -> list[str]:
    """Lines of a label and a text beside it, indented where it goes on."""
    label = label.rstrip()
    lead = label.ljust(indent) if len(label) < indent else label + GAP
    return wrapped(text, lead, indent) or [label]


def wrapped(text: str, lead: str = "", indent: int = 0) -> list[str]:
    """Lines of a text: what leads before the first, an indent before the others."""
    return textwrap.wrap(
        text,
        max(width(), indent + 20),
        initial_indent=lead,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def indented(text: str) -> str:
    """Text that keeps its lines, two columns in."""
    return textwrap.indent(text, GAP)
