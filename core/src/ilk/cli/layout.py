"""Text in columns and paragraphs for the terminal; plain lines for files and pipes."""

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
    """Tell whether the output is a terminal, not a file or a pipe."""
    return sys.stdout.isatty()


def width() -> int:
    """Width of text in columns."""
    return min(shutil.get_terminal_size().columns, 100)


def heading(text: str) -> str:
    """A heading: bold on a terminal."""
    return click.style(text, bold=True)


def columns(rows: Iterable[Sequence[str]], header: Sequence[str] = ()) -> list[str]:
    """Rows with aligned columns.

    On a terminal there is a header, and the last cell is wrapped within the same string;
    elsewhere every string is one line for one row.
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
    """Lines of a label and a text beside it, with a hanging indent."""
    label = label.rstrip()
    lead = label.ljust(indent) if len(label) < indent else label + GAP
    return wrapped(text, lead, indent) or [label]


def wrapped(text: str, lead: str = "", indent: int = 0) -> list[str]:
    """Lines of a text: a prefix before the first line, an indent before the others."""
    return textwrap.wrap(
        text,
        max(width(), indent + 20),
        initial_indent=lead,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def indented(text: str) -> str:
    """Text with unchanged lines, indented by two columns."""
    return textwrap.indent(text, GAP)
