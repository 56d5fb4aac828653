"""Tables in one file: safe reading of text and cells, and the base class of their data sets."""

from __future__ import annotations

import csv
import gzip
import io
import os
import zlib
from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import ilk
from ilk import FilePath, Param, param, similar_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

EXAMPLE = Path(__file__).parent / "example"


_DELIMITERS = (";", "\t", "|", ",")
"""Common delimiters of tables."""
INFLATED_MB = 256  # far above usual tables, far below usual memory
INFLATED: Any = param(
    default=INFLATED_MB,
    ge=1,
    le=2**20,
    doc="A .gz file that inflates to more megabytes is refused.",
)
"""The parameter ``inflated_mb`` of readers of text files."""


@dataclass(frozen=True)
class TableFile:
    """The cells of a delimited text file.

    Attributes
    ----------
    path : Path
    header : tuple of str
        Names of the columns: nonempty and unique.
    rows : list of list of str
        Each as long as the header.
    lines : list of int
        Line at which each row starts, counted from 1.
    """

    path: Path
    header: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]

    def error(self, message: str, row: int | None = None) -> ilk.DataError:
        """Return the error ``"file:line: message"``."""
        place = self.path if row is None else f"{self.path}:{self.lines[row]}"
        return ilk.DataError(f"{place}: {message}")

    def position(self, name: str, role: str) -> int:
        """Position of the column named by the parameter `role`.

        Raises
        ------
        DataError
            If it does not exist; names the closest and lists some.
        """
        if name in self.header:
            return self.header.index(name)
        shown = ", ".join(self.header[:10]) + (", ..." if len(self.header) > 10 else "")
        hint = _delimiter_hint(self.header) or ilk.did_you_mean(name, self.header)
        raise self.error(f"{role} names no column: {name!r}{hint} (columns: {shown})")


def read_table(path: Path, delimiter: str = ",", inflated_mb: int = INFLATED_MB) -> TableFile:
    """Read a file with a header; one whose name ends in ``.gz`` is decompressed.

    Raises
    ------
    DataError
        If it does not exist, is not UTF-8, is empty, has no rows, or has an invalid header or
        row; names file, line and column.
    """
    text = read_text(path, inflated_mb)
    numbered = _numbered(path, text, delimiter)
    first = next(numbered, None)
    if first is None:
        raise ilk.DataError(f"{path}: the file is empty, it needs a header and rows")
    table = TableFile(path, tuple(name.strip() for name in first[1]), [], [])
    _check_header(table, first[0])
    for line, cells in numbered:
        table.rows.append(cells)
        table.lines.append(line)
        if len(cells) != len(table.header):
            hint = _delimiter_hint(table.header)
            number = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
            raise table.error(f"the row has {number}, the header {len(table.header)}{hint}", row=-1)
    if not table.rows:
        raise table.error("the file has a header but no rows")
    return table


def _delimiter_hint(header: tuple[str, ...]) -> str:
    """Suggest the delimiter if the header is a single cell that contains another one."""
    others = [other for other in _DELIMITERS if len(header) == 1 and other in header[0]]
    return f"; is the delimiter {others[0]!r}?" if others else ""


def read_text(path: Path, inflated_mb: int) -> str:
    """Read a file of UTF-8; one whose name ends in ``.gz`` is decompressed.

    Raises
    ------
    DataError
        If it cannot be read, is not UTF-8 or gzip, or inflates to more megabytes; names the line.
    """
    return _decode(path, read_bytes(path), inflated_mb)


def read_bytes(path: Path) -> bytes:
    """Read the bytes of a file.

    Raises
    ------
    DataError
        If it cannot be read (names the closest file of that folder), or is a device or a pipe,
        which may never end.
    """
    check_is_file(path)
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        hint = similar_file(path) if isinstance(error, FileNotFoundError) else ""
        reason = getattr(error, "strerror", None) or error
        raise ilk.DataError(f"{path}: cannot be read: {reason}{hint}") from None


def check_is_file(path: Path) -> None:
    """Raise DataError if the path exists and is neither a file nor a folder."""
    if os.path.exists(path) and not path.is_file() and not path.is_dir():  # noqa: PTH110  # no error
        raise ilk.DataError(f"{path}: cannot be read: it is a device or a pipe, not a file")


def _decode(path: Path, raw: bytes, inflated_mb: int) -> str:
    if path.suffix == ".gz":
        raw = _inflate(path, raw, inflated_mb)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        bad = raw[error.start]
        raise ilk.DataError(f"{path}:{line}: not UTF-8 text: byte 0x{bad:02x}") from None


def _inflate(path: Path, raw: bytes, inflated_mb: int) -> bytes:
    """Decompress up to a limit: a file of zeros can inflate a thousandfold."""
    most = inflated_mb * 2**20
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            inflated = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ilk.DataError(f"{path}: not a gzip file: {error}") from None
    if len(inflated) > most:
        raise ilk.DataError(
            f"{path}: inflates to more than inflated_mb = {inflated_mb:,} megabytes; raise it if "
            f"the file is to be trusted"
        )
    return inflated


def _numbered(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the nonblank rows, each with the line at which it starts."""
    csv.field_size_limit(max(len(text), csv.field_size_limit()))  # cells can be long texts
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise ilk.DataError(f"{path}:{reader.line_num}: not a delimited table: {error}") from None


def _check_header(table: TableFile, line: int) -> None:
    place = f"{table.path}:{line}"
    if "" in table.header:
        raise ilk.DataError(
            f"{place}: column {table.header.index('') + 1} of the header has no name"
        )
    name, times = Counter(table.header).most_common(1)[0]
    if times > 1:
        raise ilk.DataError(f"{place}: the header has the column {name!r} {times} times")


class UsedColumns(Protocol):
    """The used columns of a file."""

    @property
    def features(self) -> Sequence[str]:
        """Names of the features."""

    def labels(self) -> np.ndarray:
        """Label of each case."""

    def X(self) -> tuple[Any, tuple[str, ...]]:
        """Features, and the names of the nominal ones."""

    def groups(self) -> np.ndarray | None:
        """Group of each case, or None."""


class TableDataset(ilk.Dataset):
    """A table in one file; parameters assign roles to its columns.

    A subclass has the parameters path, target, missing, ignore, groups, and optionally nominal.
    """

    path: str | Path | None = param(
        default=None,
        type=FilePath,
        none=False,
        doc="Path of a UTF-8 file; in a spec file relative to that file.",
    )
    target: str | None = param(default="class", doc="Column of the labels.")
    missing: str = param(
        default="keep",
        choices=("keep", "complete"),
        doc='"keep" keeps missing values (NaN), "complete" drops rows with any missing value, '
        'label and group included. A row without a label is an error under "keep".',
    )
    ignore: Sequence[str] = param(
        default=(),
        type=list,
        items=Param(str),
        form="list of str",
        doc="Columns to ignore.",
    )
    groups: str | None = param(
        default=None,
        type=str,
        doc="Column with the group of each case; not a feature.",
    )

    @abstractmethod
    def _read(self, path: Path) -> tuple[UsedColumns, str]:
        """Read the file; return its used columns and its description."""

    def check_parameters(self) -> None:
        """Check each parameter, and that no column has two roles."""
        super().check_parameters()
        if self.groups is not None and self.groups == self.target:
            raise self.parameter_error("groups", f"must not be the target, got {self.groups!r}")
        for name, role in ((self.target, "target"), (self.groups, "groups")):
            for argument in ("ignore", "nominal"):
                named = getattr(self, argument, "auto")
                if name is not None and named != "auto" and name in named:
                    raise self.parameter_error(argument, f"must not hold the {role}, got {name!r}")

    def load(self) -> ilk.Data:
        self.check_parameters()
        assert self.path is not None
        table, description = self._read(Path(self.path).expanduser())
        y = table.labels()
        X, nominal = table.X()
        return ilk.Data(
            X=X,
            y=y,
            name=self._stem(),
            feature_names=tuple(table.features),
            nominal=nominal,
            groups=table.groups(),
            description=description,
        )

    def title(self) -> str:
        """Stem of the file name, marked if incomplete rows are dropped."""
        stem = self._stem()
        return f"{stem} (complete)" if self.missing == "complete" else stem

    def _stem(self) -> str:
        name = Path(self.path).name if self.path is not None else ""
        return name.removesuffix(".gz").rpartition(".")[0] or name
