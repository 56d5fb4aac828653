"""The cells of a table in a file, and the base class of its data sets."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import ilk
from ilk import FilePath, Param, param
from ilk_evaluation.datasets.spelling import is_spelled_number
from ilk_evaluation.datasets.text_file import COMPRESSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

EXAMPLE = Path(__file__).parent / "example"
STRONG = (",", ";", "\t", "|")
"""Common delimiters of tables; a file without any may have blanks."""
MOST_ROWS = 200
"""Rows by which a layout is found."""

MISSING: Any = param(
    default="keep",
    choices=("keep", "labelled", "complete"),
    doc='"keep" keeps missing values (NaN), "labelled" drops rows without a label, "complete" '
    'drops rows with any missing value, label and group included. Under "keep" a row without a '
    "label is an error.",
)
"""The parameter ``missing`` of readers of tables."""


@dataclass
class TableFile:
    """The cells of a table in a file.

    Attributes
    ----------
    path : Path
    header : tuple of str
        Names of the columns: nonempty and unique.
    rows : list of list of str
        Each as long as the header.
    lines : list of int
        Line at which each row starts, counted from 1.
    notes : list of str
        Guesses of the reader, and possible errors.
    dialect : list of str
        How the file is written, part by part.
    doubled : frozenset of str
        Names that several columns had.
    delimiter : str
    named : bool
        Whether the names are written in the file.
    """

    path: Path
    header: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]
    notes: list[str] = field(default_factory=list)
    dialect: list[str] = field(default_factory=list)
    doubled: frozenset[str] = frozenset()
    delimiter: str = ","
    named: bool = True

    def error(self, message: str, row: int | None = None) -> ilk.DataError:
        """Return the error ``"file:line: message"``."""
        place = self.path if row is None else f"{self.path}:{self.lines[row]}"
        return ilk.DataError(f"{place}: {message}")

    def position(self, name: str | int, role: str) -> int:
        """Position of the column named by the parameter `role`.

        Raises
        ------
        DataError
            If it does not exist, or several columns had this name; names the closest.
        """
        if not isinstance(name, str):
            return self._at(name, role)
        if name in self.doubled:
            raise self.error(
                f"{role} names several columns: {name!r}; tell them apart by columns = [...] with "
                f"header = true"
            )
        if name in self.header:
            return self.header.index(name)
        hint = delimiter_hint(self.header) or ilk.did_you_mean(name, self.header)
        if not self.named:
            hint = (
                "; the first row looks like data, so there is no header: columns = [...] names the "
                "columns, target may be a position (-1 is the last one)"
            )
        raise self.error(f"{role} names no column: {name!r}{hint} (columns: {some(self.header)})")

    def _at(self, position: int, role: str) -> int:
        width = len(self.header)
        if not -width <= position < width:
            raise self.error(
                f"{role} = {position} is no position: there are {width} columns, 0 to {width - 1} "
                f"(or -{width} to -1, from the end)"
            )
        return position % width

    def keep(self, positions: Sequence[int]) -> None:
        """Drop all other columns."""
        self.header = tuple(self.header[at] for at in positions)
        self.rows = [[row[at] for at in positions] for row in self.rows]


def some(names: Sequence[str]) -> str:
    """The first names of a list."""
    return ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")


def first_is_data(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether a row is of the same kind as the rows below.

    It has a number in each column of numbers, unless these count up; without such columns, most of
    its cells stand in their columns again.
    """
    rows = [row for row in rows[:MOST_ROWS] if len(row) == len(first)]
    if not rows:
        return False
    columns = [[cell.strip() for cell in column] for column in zip(*rows, strict=True)]
    heads = [
        head
        for head, column in zip(first, columns, strict=True)
        if sum(map(is_spelled_number, column)) > 0.8 * sum(map(bool, column)) > 0
    ]
    if not heads:
        again = [head in column for head, column in zip(first, columns, strict=True)]
        return len(rows) > 1 and 2 * sum(again) > len(first)
    if not all(is_spelled_number(head) or head in {"", "?", "NA"} for head in heads):
        return False
    return len(heads) < 3 or not count_up(heads)


def count_up(cells: Sequence[str]) -> bool:
    """Tell whether cells are 0, 1, 2, ... or go on so from another integer."""
    if not all(cell.isdecimal() and len(cell) < 10 for cell in cells):
        return False
    return all(int(b) - int(a) == 1 for a, b in pairwise(cells))


def delimiter_hint(header: tuple[str, ...]) -> str:
    """Suggest the delimiter if the header is a single cell that contains another one."""
    others = [other for other in STRONG if len(header) == 1 and other in header[0]]
    return f"; is the delimiter {others[0]!r}?" if others else ""


class UsedColumns(Protocol):
    """The used columns of a file."""

    @property
    def features(self) -> Sequence[str]:
        """Names of the features."""

    @property
    def dates(self) -> Sequence[str]:
        """Names of the features that were dates, after `X` was called."""

    def labels(self) -> np.ndarray:
        """Label of each case."""

    def X(self) -> tuple[Any, tuple[str, ...]]:
        """Features, and the names of the nominal ones."""

    def groups(self) -> np.ndarray | None:
        """Group of each case, or None."""

    def remarks(self) -> tuple[str, Sequence[str]]:
        """Dialect of the file and notes on it, after `X` was called."""


class TableDataset(ilk.Dataset):
    """A table in one file; parameters assign roles to its columns.

    A subclass has the parameters path, target, missing, ignore, groups, and optionally nominal.
    """

    path: str | Path | None = param(
        default=None,
        type=FilePath,
        none=False,
        doc="Path of the file; in a spec file relative to that file.",
    )
    target: str | int | None = param(
        default="class",
        type=(str, int),
        doc="Column of the labels: its name, or its position from 0, or from the end (-1 is the "
        "last column).",
    )
    missing: str = MISSING
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
    labels: str = param(
        default="known",
        choices=("known", "unknown"),
        doc='"unknown": the rows have no labels, as rows to predict; a column named as the target '
        "is left out.",
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
        dialect, notes = table.remarks()
        return ilk.Data(
            X=X,
            y=y,
            name=self._stem(),
            feature_names=tuple(table.features),
            nominal=nominal,
            groups=table.groups(),
            description=description,
            dates=tuple(table.dates),
            dialect=dialect,
            notes=tuple(notes),
            task="regression" if y.dtype.kind == "f" else "classification",
        )

    def title(self) -> str:
        """Stem of the file name, marked if incomplete rows are dropped."""
        stem = self._stem()
        return f"{stem} (complete)" if self.missing == "complete" else stem

    def _stem(self) -> str:
        name = Path(self.path).name if self.path is not None else ""
        for suffix in COMPRESSED:
            name = name.removesuffix(suffix)
        return name.rpartition(".")[0] or name
