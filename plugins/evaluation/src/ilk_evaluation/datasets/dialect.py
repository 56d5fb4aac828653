"""Text to rows of cells: the delimiter, comments, the header, columns without a name."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import ilk
from ilk_evaluation.datasets.spelling import is_spelled_number
from ilk_evaluation.datasets.table_file import (
    MOST_ROWS,
    STRONG,
    TableFile,
    count_up,
    delimiter_hint,
    first_is_data,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from ilk_evaluation.datasets.text_file import TextFile

COMMENTS = ("#", "%")
NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
_TOLD = re.compile(r"sep=([^\"\r\n])\r?\n")
"""A first line that names the delimiter for Excel."""
_SAMPLE = 2**16  # characters
_MOST_TOLD = 5
Row = tuple[int, list[str]]
"""The line at which a row starts, and its cells."""


@dataclass(frozen=True)
class Layout:
    """The layout of a delimited file as far as the user tells it.

    Attributes
    ----------
    delimiter : str
        One character; a blank: one or more blanks or tabs; ``"auto"``: the one that fits.
    header : bool or "auto"
        Whether the first row names the columns.
    columns : sequence of str
        Names of the columns, in place of a header.
    comment : str
        Begins rows that are skipped; ``"auto"``: ``#`` or ``%``; empty: none.
    named : collection of str
        Columns that the user names: the header holds them.
    padded : bool
        Whether blanks after a delimiter are no part of the next cell.
    """

    delimiter: str = "auto"
    header: bool | Literal["auto"] = "auto"
    columns: Sequence[str] = ()
    comment: str = "auto"
    named: Collection[str] = ()
    padded: bool = True


def read_table(file: TextFile, layout: Layout) -> TableFile:
    """Divide a text into the cells of a table.

    Raises
    ------
    DataError
        If there are no rows, rows of different lengths, an invalid header, or delimiters that
        cannot be told apart; names file and line.
    """
    path, text = file.path, file.text
    delimiter, skipped = layout.delimiter, 0
    separator_line = _TOLD.match(text)
    if separator_line:
        text, skipped = text[separator_line.end() :], 1
        delimiter = separator_line[1] if delimiter == "auto" else delimiter
    if delimiter == "auto":
        delimiter = find_delimiter(path, text)
    rows = list(_numbered(path, text, delimiter, layout.padded, 1 + skipped))
    table = TableFile(path, (), [], [], list(file.notes), file.dialect, delimiter=delimiter)
    rows = _without_comments(table, rows, layout)
    if not rows:
        raise ilk.DataError(f"{path}: the file is empty, it needs a header and rows")
    _divide(table, rows, layout)
    if delimiter != ",":
        table.dialect.append(NAMES.get(delimiter, repr(delimiter)))
    return table


def find_delimiter(path: Path, text: str) -> str:
    """Return the delimiter that divides the first rows into as many cells each.

    Raises
    ------
    DataError
        If two do equally well.
    """
    scores: dict[str, float] = {}
    for delimiter in (*STRONG, " "):
        if delimiter == " " and scores.get("\t", 0) > 2:
            continue  # tabs divide all rows alike, so blanks are within cells
        score = _fit(text[:_SAMPLE], delimiter, cut=len(text) > _SAMPLE)
        if score:
            scores[delimiter] = score
    if not scores:
        return ","
    best = max(scores, key=lambda each: scores[each])
    alike = [each for each in scores if scores[each] >= scores[best] - 1e-9]
    if len(alike) > 1 and scores[best] > 2:
        raise ilk.DataError(
            f"{path}: the delimiter cannot be told: {' or '.join(map(repr, alike))}; give delimiter"
        )
    return best


def _fit(sample: str, delimiter: str, *, cut: bool) -> float:
    """Score of a delimiter, above 2 if all rows have as many cells; 0 if most have a single one."""
    rows = []
    for cells in _reader(sample, delimiter, padded=True, strict=False):
        if delimiter == " ":
            without_blank_end(cells)
        if cells and not cells[0].startswith(COMMENTS):
            rows.append(cells)
        if len(rows) > MOST_ROWS:
            break
    if (cut and len(rows) > 1) or len(rows) > MOST_ROWS:
        rows.pop()  # its end may lie beyond the sample
    if not rows:
        return 0
    usual = Counter(map(len, rows)).most_common(1)[0][0]
    if usual < 2:
        return 0
    later = [cell.strip() for row in rows[1:] or rows for cell in row]
    numbers = [is_spelled_number(cell) for cell in later]
    others = "".join(sign for sign in STRONG if sign != delimiter)
    clean = [
        number or not any(sign in cell for sign in others)
        for cell, number in zip(later, numbers, strict=True)
    ]
    share = sum(len(row) == usual for row in rows) / len(rows)
    same = all(len(row) == usual for row in rows[1:]) and abs(len(rows[0]) - usual) <= 1
    return 2 * same + share + (sum(numbers) + sum(clean)) / (4 * len(later))


def _reader(text: str, delimiter: str, *, padded: bool, strict: bool) -> Any:
    blank = delimiter == " "
    lines = io.StringIO(text.replace("\t", " ") if blank else text, newline="")
    csv.field_size_limit(max(len(text), csv.field_size_limit()))  # cells can be long texts
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=padded or blank, strict=strict)


def _numbered(path: Path, text: str, delimiter: str, padded: bool, first: int) -> Iterator[Row]:
    """Yield the nonblank rows, each with the line at which it starts."""
    reader = _reader(text, delimiter, padded=padded, strict=True)
    line = first
    try:
        for cells in reader:
            if cells and (len(cells) > 1 or cells[0].strip() or not padded):
                yield line, without_blank_end(cells) if delimiter == " " else cells
            line = first + reader.line_num
    except csv.Error as error:
        place = f"{path}:{first + reader.line_num - 1}"
        raise ilk.DataError(f"{place}: not a delimited table: {error}") from None


def without_blank_end(cells: list[str]) -> list[str]:
    """Cells without the empty ones that blanks at the end of a line make."""
    while len(cells) > 1 and not cells[-1]:
        cells.pop()
    return cells


def _without_comments(table: TableFile, rows: list[Row], layout: Layout) -> list[Row]:
    """Drop comments; the last one before the data may be the header."""
    signs: tuple[str, ...] = COMMENTS if layout.comment == "auto" else (layout.comment,)
    if not layout.comment:
        return rows
    marked = [cells[0].lstrip().startswith(signs) for _, cells in rows]
    if not any(marked):
        return rows
    data_rows = [row for row, mark in zip(rows, marked, strict=True) if not mark]
    if not data_rows or (layout.comment == "auto" and marked[0] and sum(marked) > len(data_rows)):
        return rows
    usual = Counter(len(cells) for _, cells in data_rows).most_common(1)[0][0]
    n_head = marked.index(False)
    table_rows = [
        row
        for at, (row, mark) in enumerate(zip(rows, marked, strict=True))
        if not mark or (layout.comment == "auto" and at > n_head and len(row[1]) == usual)
    ]
    head = _commented_header(rows[n_head - 1], table_rows[0], usual, layout) if n_head else None
    skipped = len(rows) - len(table_rows) - (head is not None)
    if skipped:
        what = "1 comment" if skipped == 1 else f"{skipped} comments"
        table.notes.append(f"{what} left out (rows that begin with {' or '.join(signs)})")
    return table_rows if head is None else [head, *table_rows]


def _commented_header(row: Row, first: Row, usual: int, layout: Layout) -> Row | None:
    """The names of the columns, if a comment before the first row holds them."""
    line, cells = row
    sign = cells[0].lstrip()[0]
    bare = cells[0].lstrip()
    if bare == sign and len(cells) == usual + 1:
        cells = cells[1:]
    elif bare.startswith(sign + " "):
        cells = [bare[1:].strip(), *cells[1:]]
    stripped = {cell.strip() for cell in cells}
    if len(cells) != usual or layout.header is False or layout.columns:
        return None
    named = set(layout.named)
    if named:
        in_first = named <= {cell.strip() for cell in first[1]}
        return (line, cells) if named <= stripped and not in_first else None
    return (line, cells) if any(map(is_spelled_number, map(str.strip, first[1]))) else None


def _divide(table: TableFile, rows: list[Row], layout: Layout) -> None:
    """Divide the rows into header and data, and drop columns without a name."""
    line, first = rows[0][0], [cell.strip() for cell in rows[0][1]]
    with_header = _has_header(table, first, [cells for _, cells in rows[1:]], layout)
    body = rows[1:] if with_header else rows
    table.lines = [at for at, _ in body]
    table.rows = [cells for _, cells in body]
    table.named = with_header
    names = first if with_header else [f"x{at}" for at in range(_usual(table.rows))]
    if not body:
        table.header = tuple(names)
        raise table.error("the file has a header but no rows")
    names = _matched(table, names, with_header)
    _check_lengths(table, names)
    if with_header and not layout.columns:
        _doubt_header(table, first)
    if layout.columns:
        names = _renamed(table, names, layout, with_header)
    elif with_header:
        names = _without_index(table, names)
    if "" in names:
        raise ilk.DataError(
            f"{table.path}:{line}: column {names.index('') + 1} of the header has no name; name "
            f"it, or give columns = [...] with header = true"
        )
    table.doubled = frozenset(name for name, n in Counter(names).items() if n > 1)
    if table.doubled:
        doubled = ", ".join(map(repr, sorted(table.doubled)[:_MOST_TOLD]))
        table.notes.append(f"several columns are named {doubled}; the later ones got numbers")
    table.header = tuple(_numbered_names(names))


def _has_header(table: TableFile, first: list[str], rows: list[list[str]], layout: Layout) -> bool:
    """Tell whether the first row names the columns, as told or as it looks."""
    if layout.header != "auto":
        if layout.header is False and not layout.columns:
            table.dialect.append("no header")
        return layout.header
    if layout.columns:
        return first == list(layout.columns)
    if any(name in first for name in layout.named) or not first_is_data(first, rows):
        return True
    table.dialect.append("no header")
    table.notes.append(
        f"the first row looks like data, so the columns are named x0 to x{len(first) - 1}; columns "
        f"= [...] names them, header = true takes the first row"
    )
    return False


def _doubt_header(table: TableFile, first: Sequence[str]) -> None:
    """Note names that are numbers, unless they count up."""
    numbers = [name for name in first if is_spelled_number(name)]
    if numbers and not count_up(numbers):
        table.notes.append(
            f"names of columns are numbers ({', '.join(map(repr, numbers[:_MOST_TOLD]))}); if the "
            f"first row is data, set header = false"
        )


def _usual(rows: list[list[str]]) -> int:
    return Counter(map(len, rows)).most_common(1)[0][0] if rows else 0


def _matched(table: TableFile, names: list[str], with_header: bool) -> list[str]:
    """Fit a header to rows that are one cell longer or shorter, as programs write them."""
    width = len(names)
    if all(len(row) == width + 1 for row in table.rows):
        if all(not row[-1].strip() for row in table.rows):
            table.rows = [row[:-1] for row in table.rows]  # delimiters at the ends of rows
        elif len({row[0] for row in table.rows}) == len(table.rows) and width > 1:
            return ["", *names]  # R's write.table does not name the row names
    elif width > 1 and not names[-1] and all(len(row) == width - 1 for row in table.rows):
        return names[:-1]
    if not with_header and width > 1 and all(_ends_empty(row, width) for row in table.rows):
        table.rows = [row[:-1] for row in table.rows]
        return names[:-1]
    return names


def _ends_empty(row: list[str], width: int) -> bool:
    return len(row) == width and not row[-1].strip()


def _check_lengths(table: TableFile, names: list[str]) -> None:
    for at, row in enumerate(table.rows):
        if len(row) != len(names):
            number = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            width = f"the header {len(names)}" if table.named else f"others {len(names)}"
            hint = delimiter_hint(tuple(names))
            if not hint and len(row) > len(names):
                hint = f"; a cell that holds {table.delimiter!r} must be in double quotes"
            raise table.error(f"the row has {number}, {width}{hint}", row=at)


def _renamed(table: TableFile, names: list[str], layout: Layout, with_header: bool) -> list[str]:
    given = list(layout.columns)
    if len(given) != len(names):
        raise table.error(
            f"columns has {len(given)} names, the rows have {len(names)} cells", row=0
        )
    if not with_header:
        table.dialect.append("no header")
    return given


def _without_index(table: TableFile, names: list[str]) -> list[str]:
    """Drop an unnamed first column that tells the rows apart, and empty ones without a name."""
    empty = [
        at
        for at, name in enumerate(names)
        if not name and not any(row[at].strip() for row in table.rows)
    ]
    if len(names) - len(empty) > 1 and not names[0] and 0 not in empty:
        cells = [row[0] for row in table.rows]
        if len(set(cells)) == len(cells):
            empty.append(0)
            table.notes.append(
                "the first column has no name and tells the rows apart: it is left out"
            )
    if empty:
        kept = [at for at in range(len(names)) if at not in empty]
        table.rows = [[row[at] for at in kept] for row in table.rows]
        names = [names[at] for at in kept]
    return names


def _numbered_names(names: Sequence[str]) -> Iterator[str]:
    """Number the second and later of equal names: ``a``, ``a (2)``."""
    taken = set(names)
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        free = name
        while seen[name] > 1 and free in taken:
            free = f"{name} ({seen[name]})"
            seen[name] += free in taken
        taken.add(free)
        yield free
