"""Tables and paragraphs for the terminal; plain lines for files and pipes."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GAP = "  "
NARROWEST = 12
"""Columns of the terminal below which a wrapped cell is not readable."""


def on_terminal() -> bool:
    """Tell whether the output is a terminal, not a file or a pipe."""
    return sys.stdout.isatty()


def width() -> int:
    """Width of text in columns."""
    return min(shutil.get_terminal_size().columns, 100)


def heading(text: str) -> str:
    """A heading: bold on a terminal."""
    return click.style(text, bold=True)


def columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of rows with aligned columns, for pipes: no row is wrapped."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)][:-1]
    return [
        "".join([*(c.ljust(size) + GAP for c, size in zip(cells, widths, strict=True)), last])
        for *cells, last in table
    ]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, whole: int) -> list[str]:
    """Lines of a table for a terminal; on a narrow one, paragraphs under the first cells.

    Parameters
    ----------
    heads : sequence of str
    rows : iterable of sequences of str
    whole : int
        Number of first columns whose cells are not wrapped.
    """
    cells = list(rows)
    fixed = [max((len(row[place]) for row in cells), default=0) for place in range(whole)]
    if width() < sum(fixed) + len(GAP) * whole + NARROWEST * (len(heads) - whole):
        return [line for row in cells for line in _paragraph(row)]
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(
        box=box.SIMPLE_HEAD,
        header_style="",
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    for place, head in enumerate(heads):
        drawn.add_column(Text.assemble((head, "bold")), no_wrap=place < whole, overflow="fold")
    for row in cells:
        drawn.add_row(*map(Text, row))
    console = Console(width=width(), force_terminal=True, legacy_windows=False, highlight=False)
    with console.capture() as captured:
        console.print(drawn)
    return [line.rstrip() for line in captured.get().splitlines()]


def _paragraph(row: Sequence[str]) -> list[str]:
    *first, last = row
    return [*wrapped(GAP.join(filter(None, first))), *wrapped(last, GAP, len(GAP))]


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
