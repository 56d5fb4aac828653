"""A table in a delimited text file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

import ilk
from ilk import Param, param
from ilk_evaluation.datasets.columns import Columns, Roles
from ilk_evaluation.datasets.dialect import Layout, read_table
from ilk_evaluation.datasets.table_file import EXAMPLE, TableDataset, TableFile, UsedColumns
from ilk_evaluation.datasets.text_file import (
    ENCODING,
    INFLATED,
    check_encoding,
    format_of,
    read_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


class Csv(TableDataset):
    r"""A table in a delimited text file, as programs write them.

    Delimiter, header, decimal sign, dates and encoding are found unless parameters give them; what
    was found is in ``dialect`` and ``notes`` of the data, which ``ilk data FILE`` prints. A file
    that can be read in two ways is an error that names the parameter. Files packed by gzip, xz,
    bzip2 or zip are unpacked.

    Blanks around cells are stripped, blank lines are skipped. An unnamed first column that numbers
    the rows, and empty columns without a name, are left out. X is a float array if all features
    are numeric, else a data frame whose nominal columns have category dtype. Dates are numbers of
    days since 1970-01-01. Labels are integers if all of them are written as integers, else text.

    Raises
    ------
    DataError
        If the file does not exist, is no text, is empty, has no rows or rows of different lengths;
        if a column does not exist; if a cell of a numeric column is not a finite number; if
        delimiter, decimal sign or order of day and month cannot be told apart; if labels are
        missing or all equal. Names file, line, column and value.

    Examples
    --------
    >>> import ilk
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.csv")
    ...     _ = path.write_text("weight,colour,class\n152,red,apple\n,yellow,banana\n")
    ...     data = ilk.dataset("csv", path=path).load()
    >>> data.name, data.nominal, data.y.tolist()
    ('fruit', ('colour',), ['apple', 'banana'])
    """

    nominal: Literal["auto"] | Sequence[str] = param(
        default="auto",
        type=list,
        choices=("auto",),
        items=Param(str),
        form='"auto" or list of str',
        doc='Nominal columns; all others must be numbers or dates. "auto": columns without any '
        "cell that is a number. A column with both numbers and other cells is an error under "
        '"auto": it has a typing error, or must be listed here.',
    )
    missing_values: Sequence[str] = param(
        default=("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null"),
        type=list,
        items=Param(str),
        form="list of str",
        doc="Cells that mean a missing value.",
    )
    delimiter: str = param(
        default="auto",
        doc="The character that separates cells; a blank: one or more blanks or tabs. "
        '"auto": the one of comma, semicolon, tab, bar and blank that fits.',
    )
    header: bool | Literal["auto"] = param(
        default="auto",
        type=bool,
        choices=("auto",),
        doc='Whether the first row names the columns. "auto": yes, unless `columns` names them, '
        "or it looks like data and holds no name that another parameter has.",
    )
    columns: Sequence[str] = param(
        default=(),
        type=list,
        items=Param(str),
        form="list of str",
        doc="Names of the columns; without them a file without a header has x0, x1, ...",
    )
    decimal: str = param(
        default="auto",
        choices=("auto", ".", ","),
        doc="The decimal sign.",
    )
    thousands: str | None = param(
        default=None,
        choices=("", ".", ",", " ", "'"),
        none=True,
        doc="What separates groups of three digits: nothing, a point, a comma, a blank or an "
        "apostrophe. None: a point or comma where the cells leave no doubt.",
    )
    date_format: str = param(
        default="auto",
        doc="How dates are written, as for Python's strptime: ``%d.%m.%y``. "
        '"auto": year-month-day, day.month.year, and with slashes where days beyond 12 tell the '
        "order.",
    )
    comment: str = param(
        default="auto",
        doc='Rows that begin with this sign are skipped; empty: none. "auto": ``#`` or ``%``, '
        "before the first row or in rows of another length.",
    )
    encoding: str = ENCODING
    inflated_mb: int = INFLATED

    @classmethod
    def examples(cls) -> list[Self]:
        """A small table with nominal and missing values."""
        path = str(EXAMPLE / "fruit.csv")
        return [
            cls(path=path),
            cls(path=path, missing="complete", ignore=["colour"]),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that no column has two roles."""
        super().check_parameters()
        if self.delimiter != "auto" and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise self.parameter_error(
                "delimiter", f"must be one character or 'auto', got {self.delimiter!r}"
            )
        if self.decimal == self.thousands:
            raise self.parameter_error(
                "thousands", f"must differ from the decimal sign, got {self.thousands!r}"
            )
        if len(set(self.columns)) < len(self.columns) or "" in self.columns:
            raise self.parameter_error("columns", f"must be distinct names, got {self.columns!r}")
        if self.date_format != "auto" and "%" not in self.date_format:
            raise self.parameter_error(
                "date_format", f"must be a format such as '%d.%m.%Y', got {self.date_format!r}"
            )
        check_encoding(self, self.encoding)

    def names(self) -> tuple[str, ...]:
        """Names of all columns of the file."""
        self.check_parameters()
        assert self.path is not None
        return self._table(Path(self.path).expanduser()).header

    def _table(self, path: Path) -> TableFile:
        file = read_text(path, self.inflated_mb, self.encoding)
        file_format = format_of(file.text)
        if file_format != "csv":
            raise ilk.DataError(f"{path}: no delimited table; read it with use = {file_format!r}")
        return read_table(file, self._layout())

    def _read(self, path: Path) -> tuple[UsedColumns, str]:
        table = self._table(path)
        roles = Roles(
            target=None if self.labels == "unknown" else self.target,
            nominal=self.nominal,
            ignored=self._ignored(table),
            groups=self.groups,
            missing=self.missing,
            missing_values=self.missing_values,
            decimal=self.decimal,
            thousands=self.thousands,
            dates=self.date_format,
        )
        return Columns(table, roles), ""

    def _layout(self) -> Layout:
        roles = [self.target] if self.labels == "known" else []
        named = [name for name in (*roles, self.groups) if isinstance(name, str)]
        named += [*self.ignore, *(self.nominal if self.nominal != "auto" else ())]
        return Layout(self.delimiter, self.header, self.columns, self.comment, named)

    def _ignored(self, table: TableFile) -> list[str]:
        """Columns to ignore; where labels are unknown, the column of the target as well."""
        unknown = self.labels == "unknown" and self.target in table.header
        if unknown:
            table.notes.append(f"column {self.target!r} is left out: labels = 'unknown'")
        return [*self.ignore, *([str(self.target)] if unknown else [])]
