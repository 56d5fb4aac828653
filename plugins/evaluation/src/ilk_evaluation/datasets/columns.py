"""Conversion of cells to features and labels: numbers, missing values, selected rows."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import ilk
from ilk_evaluation.datasets.spelling import (
    Spelling,
    days,
    doubtful,
    find_dates,
    find_spelling,
    is_plain_number,
)
from ilk_evaluation.datasets.table_file import some

if TYPE_CHECKING:
    import pandas as pd

    from ilk_evaluation.datasets.table_file import TableFile


Cells = Sequence[str | None]
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Roles:
    """Roles of the columns of a file.

    Attributes
    ----------
    target : str, int or None
        Column of the labels; None: there is none, and labels are None.
    nominal : "auto" or collection of str
        Nominal features; "auto": features without any cell that is a number.
    values : mapping of str to sequence of str
        Values of nominal features, in their order; default: the values that occur, sorted.
    ignored : collection of str
        Columns that are not features.
    text : collection of str
        Columns kept as text.
    groups : str or None
        Column with the group of each case; not a feature.
    missing : {"keep", "labelled", "complete"}
        "complete": rows with a missing cell are dropped; "labelled": rows without a label.
    missing_values : collection of str
        Cells that mean a missing value.
    decimal : {"auto", ".", ","}
    thousands : str or None
        What separates groups of digits; None: found.
    dates : str or None
        Format of dates, or "auto"; None: dates are categories.
    days : collection of str
        Dates that are numbers of days already.
    """

    target: str | int | None
    nominal: Literal["auto"] | Collection[str] = "auto"
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ignored: Collection[str] = ()
    text: Collection[str] = ()
    groups: str | None = None
    missing: str = "keep"
    missing_values: Collection[str] = ("",)
    decimal: str = "."
    thousands: str | None = ""
    dates: str | None = None
    days: Collection[str] = ()


class Columns:
    """The used columns of a file: cells without surrounding blanks, or None.

    Parameters
    ----------
    table : TableFile
    roles : Roles
    rows : sequence of int, optional
        Rows to use; default: all rows.
    """

    def __init__(self, table: TableFile, roles: Roles, rows: Sequence[int] | None = None) -> None:
        self.table = table
        self.roles = roles
        self.target: str | None = None
        if roles.target is not None:
            self.target = table.header[table.position(roles.target, "target")]
        self._check_names()
        apart = {self.target, roles.groups, *roles.ignored}
        self.features = [name for name in table.header if name not in apart]
        if not self.features:
            beside = "" if self.target is None else f" beside the target {self.target!r}"
            raise table.error(f"has no feature{beside}")
        self.rows = list(range(len(table.rows))) if rows is None else list(rows)
        self.cells = self._read(self.rows)
        self.dates: tuple[str, ...] = ()
        self._converted: dict[str, np.ndarray | None] = {}
        if roles.missing == "complete":
            self._keep_rows([None not in row for row in zip(*self.cells.values(), strict=True)])
        elif roles.missing == "labelled" and self.target is not None:
            self._keep_rows([cell is not None for cell in self.cells[self.target]])

    def _check_names(self) -> None:
        roles, table = self.roles, self.table
        if roles.groups is not None:
            table.position(roles.groups, "groups")
        named = () if roles.nominal == "auto" else roles.nominal
        for role, names in (("nominal", named), ("ignore", roles.ignored), ("text", roles.text)):
            for name in names:
                table.position(name, role)
                if name == self.target:
                    raise table.error(f"{role} names the target {name!r}")
        if roles.groups is not None and roles.groups == self.target:
            raise table.error(f"groups names the target {self.target!r}")

    def _read(self, rows: Sequence[int]) -> dict[str, Cells]:
        used = [*self.features, *(name for name in (self.target, self.roles.groups) if name)]
        chosen = zip(*(self.table.rows[row] for row in rows), strict=True)
        by_name = dict(zip(self.table.header, chosen, strict=True))
        missing = frozenset(self.roles.missing_values)
        read: dict[str, Cells] = {}
        for name in used:
            column = by_name[name]
            if name not in self.roles.text:
                column = tuple(cell.strip() for cell in column)
            read[name] = [None if cell in missing else cell for cell in column]
        return read

    def _keep_rows(self, mask: Sequence[bool]) -> None:
        if not any(mask):
            what = "complete" if self.roles.missing == "complete" else "labelled"
            raise self.table.error(f"missing = {self.roles.missing!r}, but no row is {what}")
        self.rows = [row for row, keep in zip(self.rows, mask, strict=True) if keep]
        self.cells = {
            name: [cell for cell, keep in zip(cells, mask, strict=True) if keep]
            for name, cells in self.cells.items()
        }

    def labels(self) -> np.ndarray:
        """Labels: integers if all are written as integers, else text; None without a target.

        Raises
        ------
        DataError
            If a label is missing, or all labels are equal.
        """
        if self.target is None:
            return np.full(len(self.rows), None, dtype=object)
        y = self._required(self.target, "label", "; missing = 'labelled' leaves them out")
        classes = np.unique(y)
        if len(classes) < 2:
            raise self.table.error(
                f"column {self.target!r} has one class only ({classes.item(0)!r})"
            )
        return y

    def remarks(self) -> tuple[str, Sequence[str]]:
        """Dialect of the file and notes on it, after `X` was called."""
        return ", ".join(self.table.dialect), self.table.notes

    def groups(self) -> np.ndarray | None:
        """Group of each case, or None."""
        if self.roles.groups is None:
            return None
        return self._required(self.roles.groups, "group", "")

    def _required(self, name: str, what: str, advice: str) -> np.ndarray:
        cells = self.cells[name]
        present = [cell for cell in cells if cell is not None]
        if len(present) < len(cells):
            lacking = len(cells) - len(present)
            number = "1 row has" if lacking == 1 else f"{lacking} rows have"
            raise self.table.error(
                f"column {name!r}: no {what} ({number} none{advice})",
                row=self.rows[cells.index(None)],
            )
        if all(_INTEGER.fullmatch(cell) for cell in present):
            return np.array([int(cell) for cell in present])
        return ilk.text_array(present)

    def X(self) -> tuple[Any, tuple[str, ...]]:
        """Features, and the names of the nominal ones.

        Returns
        -------
        X : ndarray of float, data frame or list of str
            An array if all features are numeric, a list if the only feature is text, else a data
            frame whose nominal columns have category dtype.
        nominal : tuple of str
        """
        if self.roles.text:
            return self._texts(), ()
        self.spelling = self._spelling()
        forms = {name: form for name in self.features if (form := self._date_form(name))}
        if self.roles.dates not in {None, "auto"} and not forms:
            raise self.table.error(
                f"date_format = {self.roles.dates!r} fits all cells of no column"
            )
        self.dates = tuple(n for n in self.features if n in forms or n in self.roles.days)
        nominal = tuple(
            name for name in self.features if name not in forms and self._is_nominal(name)
        )
        self._check_numbers([name for name in self.features if name not in {*nominal, *forms}])
        columns = {
            name: categories(self.cells[name], self.roles.values.get(name))
            if name in nominal
            else self._days(name, forms[name])
            if name in forms
            else self._numbers(name)
            for name in self.features
        }
        if self.roles.nominal == "auto":
            self._doubt(nominal)
        if not nominal:
            return np.column_stack(list(columns.values())), ()
        import pandas as pd

        return pd.DataFrame(columns), nominal

    def _is_open(self, name: str) -> bool:
        """Tell whether the user leaves the kind of a column to the reader."""
        explicit = () if self.roles.nominal == "auto" else self.roles.nominal
        return name not in explicit

    def _spelling(self) -> Spelling:
        roles = self.roles
        if roles.decimal != "auto" and roles.thousands is not None:
            spelling = Spelling(roles.decimal, roles.thousands)
        else:
            cells = {
                name: self._distinct(name)
                for name in self.features
                if self._is_open(name) and self._as_floats(name) is None
            }
            points = {"plain": _with_points(self.cells[name] for name in self.features)}
            try:
                spelling = find_spelling(cells | points, roles.decimal, roles.thousands)
            except ilk.DataError as error:
                raise self.table.error(f"{error}, or list the column in nominal") from None
            if not spelling.plain and roles.decimal == "auto":
                self.table.notes.append(f"numbers have {' and '.join(spelling.dialect)}")
        self.table.dialect += spelling.dialect
        self.is_number = is_plain_number
        self.translate = spelling.translator()
        if not spelling.plain:
            self.is_number = lambda cell: is_plain_number(self.translate(cell))
        return spelling

    def _distinct(self, name: str) -> list[str]:
        return list(dict.fromkeys(cell for cell in self.cells[name] if cell is not None))

    def _date_form(self, name: str) -> str | None:
        """Format of the dates of a column; None if it has others."""
        form = self.roles.dates
        if form is None or not self._is_open(name):
            return None
        first = next((cell for cell in self.cells[name] if cell is not None), None)
        if first is None or self.is_number(first):
            return None
        cells = self._distinct(name)
        if form != "auto":
            return form if days(cells, form) is not None else None
        try:
            date_form = find_dates(cells)
        except ilk.DataError as error:
            raise self.table.error(
                f"column {name!r}: {error}, or list the column in nominal"
            ) from None
        if date_form:
            self.table.notes.append(
                f"column {name!r} has dates, such as {first!r}: they are read as days since "
                f"1970-01-01"
            )
        return date_form

    def _days(self, name: str, form: str) -> np.ndarray:
        day_of = days(self._distinct(name), form)
        assert day_of is not None  # `_date_form` tried
        return np.array([math.nan if cell is None else day_of[cell] for cell in self.cells[name]])

    def _doubt(self, nominal: Iterable[str]) -> None:
        """Note columns of categories that look like something else."""
        for name in nominal:
            doubt = doubtful(self._distinct(name))
            if doubt:
                self.table.notes.append(
                    f"column {name!r} {doubt}, but is read as categories; {_remedy(doubt)}"
                )

    def _texts(self) -> list[str]:
        if len(self.features) > 1 or not set(self.features) <= set(self.roles.text):
            raise self.table.error(
                f"a text column must be the only feature, got {', '.join(self.features)}"
            )
        return [cell or "" for cell in self.cells[self.features[0]]]

    def _is_nominal(self, name: str) -> bool:
        if self.roles.nominal != "auto":
            return name in self.roles.nominal
        present = [cell for cell in self.cells[name] if cell is not None]
        return bool(present) and not any(map(self.is_number, present))

    def _check_numbers(self, names: Iterable[str]) -> None:
        """Raise if a column has cells that are no numbers; names the other such columns, too."""
        bad = [name for name in names if not self._all_numbers(name)]
        if not bad:
            return
        cells = self.cells[bad[0]]
        wrong = [at for at, cell in enumerate(cells) if cell and not self.is_number(cell)]
        present = sum(cell is not None for cell in cells)
        count = f" ({len(wrong)} of {present} cells)" if len(wrong) < present else ""
        others = f"; the same for {some(list(map(repr, bad[1:])))}" if len(bad) > 1 else ""
        spelled = "" if self.spelling.plain else f" with {' and '.join(self.spelling.dialect)}"
        raise self.table.error(
            f"column {bad[0]!r}: {cells[wrong[0]]!r} is not a number{spelled}{count}; "
            f"{self._grouping(bad[0])}correct it, add it to missing_values, or list the column in "
            f"nominal{others}",
            row=self.rows[wrong[0]],
        )

    def _grouping(self, name: str) -> str:
        """Name the separator of thousands by which all cells of a column are numbers."""
        for sign in "" if self.spelling.thousands else " '":
            translate = Spelling(self.spelling.decimal, sign).translator()
            if all(is_plain_number(translate(cell)) for cell in self._distinct(name)):
                return f"give thousands = {ilk.short_repr(sign)}, "
        return ""

    def _as_floats(self, name: str) -> np.ndarray | None:
        """The column as numbers that Python reads itself; None if a cell is none. Kept."""
        if name not in self._converted:
            cells = self.cells[name]
            try:
                values = None if "_" in "".join(filter(None, cells)) else _floats(cells)
            except ValueError:
                values = None  # "_": only Python reads 1_000 as a number
            self._converted[name] = values
        return self._converted[name]

    def _all_numbers(self, name: str) -> bool:
        if self.spelling.plain:
            return self._as_floats(name) is not None
        return all(cell is None or self.is_number(cell) for cell in self.cells[name])

    def _numbers(self, name: str) -> np.ndarray:
        cells = self.cells[name]
        values = self._as_floats(name) if self.spelling.plain else None
        if values is None:
            values = _floats([None if cell is None else self.translate(cell) for cell in cells])
        for position in map(int, np.flatnonzero(~np.isfinite(values))):
            if cells[position] is not None:
                raise self.table.error(
                    f"column {name!r}: {cells[position]!r} is not a finite number",
                    row=self.rows[position],
                )
        return values


def _floats(cells: Cells) -> np.ndarray:
    return np.array([math.nan if cell is None else float(cell) for cell in cells])


def _with_points(columns: Iterable[Cells]) -> list[str]:
    """Some numbers with a decimal point, if there are any."""
    cells = (cell for column in columns for cell in column[:200] if cell and "." in cell)
    return list(islice(filter(is_plain_number, cells), 100))


def _remedy(doubt: str) -> str:
    if "dates" in doubt:
        return "date_format = ... reads them as days, nominal keeps them as they are"
    if "thousands" in doubt:
        return "thousands = ... reads them, nominal keeps them as they are"
    return "write plain numbers to the file, or list it in nominal"


def categories(cells: Iterable[str | None], values: Sequence[str] | None = None) -> pd.Categorical:
    """Return nominal values with their categories: given, or sorted (integers numerically)."""
    import pandas as pd

    cells = list(cells)
    return pd.Categorical(cells, categories=list(value_order(cells) if values is None else values))


def value_order(cells: Iterable[str | None]) -> list[str]:
    """Return the values that occur, sorted (integers numerically)."""
    there = {cell for cell in cells if cell is not None}
    integers = all(_INTEGER.fullmatch(value) for value in there)
    return sorted(there, key=int if integers else None)


def check_memory(name: str, what: str, needed: int) -> None:
    """Refuse data larger than the memory of this machine.

    Raises
    ------
    DataError
        States the required and the available memory.
    """
    there = _memory()
    if there is not None and needed > there:
        raise ilk.DataError(
            f"{name}: {what} would need about {_size_text(needed)} of memory, this machine has "
            f"{_size_text(there)}"
        )


def _memory() -> int | None:
    """Memory of this machine in bytes; None if the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _size_text(size: int) -> str:
    return f"{size / 2**30:,.3g} GiB" if size < 2**40 else f"{size / 2**40:,.3g} TiB"
