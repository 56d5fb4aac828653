"""Rows of new cases: of delimited text in chunks, as they may be many; of other files at once."""

from __future__ import annotations

import codecs
import csv
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_evaluation.datasets.dialect import without_blank_end
from ilk_evaluation.datasets.rows import read_rows
from ilk_evaluation.datasets.table_file import STRONG, some
from ilk_evaluation.datasets.text_file import (
    BROKEN,
    check_is_file,
    format_of,
    packing_of,
    unicode_of,
    unreadable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null")
_BLOCK = 2**20
_LONGEST = 2**24  # characters of a cell; an open quote must not read all of a file


@dataclass(frozen=True)
class Chunk:
    """Some consecutive rows.

    Attributes
    ----------
    lines : list of int
        Line at which each row starts, counted from 1.
    cells : mapping of str to list of str
        Cells without surrounding blanks by the name of their column.
    """

    lines: list[int]
    cells: dict[str, list[str]]


class RowStream:
    """The rows of a file whose columns a model knows by name.

    Parameters
    ----------
    path : Path
    wanted : sequence of str
        Names of the columns that the model needs; the delimiter is the one that separates most
        of them in the header.
    delimiter : str or None
        None: found by the header.
    header : bool
        Whether the first row has the names. Without a header, the cells of a row are the wanted
        columns in their order.

    Attributes
    ----------
    header : tuple of str
        Names of the columns in the file.
    delimiter : str
    notes : list of str
        Guesses of the reader.
    """

    def __init__(
        self,
        path: Path,
        wanted: Sequence[str],
        *,
        delimiter: str | None = None,
        header: bool = True,
    ) -> None:
        self.path = path
        self.notes: list[str] = []
        self._wanted = wanted
        self._encoding = self._checked_encoding()
        self._has_header = header
        self.delimiter, self.header = self._read_header(delimiter)

    def error(self, message: str, line: int | None = None) -> ilk.DataError:
        """Return the error ``"file:line: message"``."""
        place = self.path if line is None else f"{self.path}:{line}"
        return ilk.DataError(f"{place}: {message}")

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Yield the rows in chunks of `size`; the last one may be smaller.

        Raises
        ------
        DataError
            If a row has another number of cells than the header.
        """
        used = [(name, self.header.index(name)) for name in dict.fromkeys(self.header)]
        rows = self._rows(self.delimiter)
        if self._has_header:
            next(rows)
        while chosen := list(islice(rows, size)):
            for line, cells in chosen:
                if len(cells) != len(self.header):
                    number = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
                    raise self.error(f"the row has {number}, not {len(self.header)}", line)
            columns = list(zip(*(cells for _, cells in chosen), strict=True))
            yield Chunk(
                [line for line, _ in chosen],
                {name: [cell.strip() for cell in columns[at]] for name, at in used},
            )

    def _read_header(self, delimiter: str | None) -> tuple[str, tuple[str, ...]]:
        """Return the delimiter and the names of the columns."""
        candidates = [delimiter] if delimiter else [*STRONG, " "]
        firsts = {one: self._first_row(one) for one in candidates}
        if not self._has_header:
            fitting = [one for one, row in firsts.items() if len(row) == len(self._wanted)]
            if not fitting:
                n = max(map(len, firsts.values()))
                raise self.error(
                    f"the first row has {n} cells, the model takes {len(self._wanted)} columns "
                    f"({some(self._wanted)})"
                )
            return fitting[0], tuple(self._wanted)
        wanted = set(self._wanted)
        best = max(candidates, key=lambda one: len(wanted.intersection(firsts[one])))
        return best, firsts[best]

    def _first_row(self, delimiter: str) -> tuple[str, ...]:
        for _, cells in self._rows(delimiter):
            return tuple(cell.strip() for cell in cells)
        raise self.error("the file is empty")

    def _rows(self, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        """Yield the nonblank rows, each with the line at which it starts."""
        csv.field_size_limit(max(_LONGEST, csv.field_size_limit()))
        with _opened(self.path) as raw:
            text = TextIOWrapper(raw, encoding=self._encoding, newline="")
            blank = delimiter == " "  # one or more blanks or tabs
            parts = (part.replace("\t", " ") for part in text) if blank else text
            reader = csv.reader(parts, delimiter=delimiter, strict=True, skipinitialspace=blank)
            line = 1
            try:
                for cells in reader:
                    if cells:
                        yield line, without_blank_end(cells) if blank else cells
                    line = reader.line_num + 1
            except csv.Error as error:
                raise self.error(f"not a delimited table: {error}", reader.line_num) from None

    def _checked_encoding(self) -> str:
        """Read the whole file once: by its mark, else UTF-8, Windows-1252 or Latin-1 as fits."""
        with _opened(self.path) as raw:
            start = self._block(raw, 4096)
        mark = unicode_of(start)
        for name in (mark,) if mark else ("utf-8", "cp1252", "latin-1"):
            if self._decodes(name):
                if not mark and name != "utf-8":
                    shown = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}[name]
                    self.notes.append(f"read as {shown} text, as it is not UTF-8")
                return name
        raise self.error(f"not {str(mark).upper()} text, as its first bytes tell")

    def _decodes(self, encoding: str) -> bool:
        """Tell whether all bytes of the file are text in an encoding."""
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            with _opened(self.path) as raw:
                while block := self._block(raw, _BLOCK):
                    if "\0" in decoder.decode(block):
                        raise self.error("not a text file: it has a null character")
                decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
        return True

    def _block(self, raw: Any, size: int) -> bytes:
        try:
            return raw.read(size)  # type: ignore[no-any-return]  # of bytes
        except BROKEN as error:
            raise self.error(f"cannot be unpacked: {error}") from None


class DataStream:
    """The rows of a file of another format: ARFF, Parquet or SVMlight.

    Parameters
    ----------
    path : Path
    wanted, nominal : sequence of str
        Names of the columns that the model needs, and of the nominal ones among them.

    Attributes
    ----------
    header, delimiter, notes
        As of `RowStream`; only the wanted columns are read.
    """

    delimiter = ","

    def __init__(self, path: Path, wanted: Sequence[str], nominal: Sequence[str]) -> None:
        self.path = path
        self._data = read_rows(path, wanted, nominal)
        self.header = tuple(wanted)
        self.notes = list(self._data.notes)

    def error(self, message: str, line: int | None = None) -> ilk.DataError:
        """Return the error ``"file: row: message"``; rows are counted from 1."""
        place = "" if line is None else f"row {line}: "
        return ilk.DataError(f"{self.path}: {place}{message}")

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Yield the rows in chunks of `size`, their cells as a text file would have them."""
        table, dates = self._data.table(), self._data.dates
        for start in range(0, len(table), size):
            part = table.iloc[start : start + size]
            cells = {name: [_cell(v, name in dates) for v in part[name]] for name in self.header}
            yield Chunk(list(range(start + 1, start + len(part) + 1)), cells)


def open_rows(
    path: Path,
    wanted: Sequence[str],
    nominal: Sequence[str] = (),
    *,
    delimiter: str | None = None,
    header: bool = True,
) -> RowStream | DataStream:
    """Open the rows of a file by its first bytes; arguments as of the two classes."""
    if _is_other(path):
        return DataStream(path, wanted, nominal)
    return RowStream(path, wanted, delimiter=delimiter, header=header)


def _is_other(path: Path) -> bool:
    """Tell by its first bytes whether a file is ARFF, Parquet or SVMlight."""
    with _opened(path) as raw:
        start = raw.read(2**16)
    return start.startswith(b"PAR1") or format_of(start.decode("latin-1")) != "csv"


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file for bytes, decompressed if its first bytes say that it is compressed."""
    check_is_file(path)
    with ExitStack() as stack:
        try:
            file = stack.enter_context(path.open("rb"))
            start = file.read(8)
            file.seek(0)
        except OSError as error:
            raise unreadable(path, error) from None
        packing = packing_of(start)
        yield file if packing is None else stack.enter_context(packing[1](path, file))


def _cell(value: Any, date: bool) -> str:
    """Write a value as a cell of text."""
    if isinstance(value, str):
        return value
    if value is None or value != value:  # noqa: PLR0124  # NaN
        return ""
    return str(np.datetime64(round(value * 86400e6), "us")) if date else repr(value)
