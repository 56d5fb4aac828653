"""Conversion of cells to features and labels: numbers, missing values, selected rows."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import ilk

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
    target : str
        Column of the labels.
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
    missing : {"keep", "complete"}
        "complete": rows with a missing cell are dropped.
    missing_values : collection of str
        Cells that mean a missing value.
    """

    target: str
    nominal: Literal["auto"] | Collection[str] = "auto"
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ignored: Collection[str] = ()
    text: Collection[str] = ()
    groups: str | None = None
    missing: str = "keep"
    missing_values: Collection[str] = ("",)


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
        self._check_names()
        apart = {roles.target, roles.groups, *roles.ignored}
        self.features = [name for name in table.header if name not in apart]
        if not self.features:
            raise table.error(f"has no feature beside the target {roles.target!r}")
        self.rows = list(range(len(table.rows))) if rows is None else list(rows)
        self.cells = self._read(self.rows)
        if roles.missing == "complete":
            self._drop_incomplete()

    def _check_names(self) -> None:
        roles, table = self.roles, self.table
        table.position(roles.target, "target")
        if roles.groups is not None:
            table.position(roles.groups, "groups")
        named = () if roles.nominal == "auto" else roles.nominal
        for role, names in (("nominal", named), ("ignore", roles.ignored), ("text", roles.text)):
            for name in names:
                table.position(name, role)

    def _read(self, rows: Sequence[int]) -> dict[str, Cells]:
        used = [*self.features, self.roles.target]
        if self.roles.groups is not None:
            used.append(self.roles.groups)
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

    def _drop_incomplete(self) -> None:
        complete = [None not in row for row in zip(*self.cells.values(), strict=True)]
        if not any(complete):
            raise self.table.error("missing = 'complete', but no row is complete")
        self.rows = [row for row, keep in zip(self.rows, complete, strict=True) if keep]
        self.cells = {
            name: [cell for cell, keep in zip(cells, complete, strict=True) if keep]
            for name, cells in self.cells.items()
        }

    def labels(self) -> np.ndarray:
        """Labels: integers if all are written as integers, else text.

        Raises
        ------
        DataError
            If a label is missing, or all labels are equal.
        """
        y = self._required(self.roles.target, "label", "; missing = 'complete' leaves them out")
        classes = np.unique(y)
        if len(classes) < 2:
            raise self.table.error(
                f"column {self.roles.target!r} has one class only ({classes[0].item()!r})"
            )
        return y

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
        return np.array(present)

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
        nominal = tuple(name for name in self.features if self._is_nominal(name))
        columns = {
            name: categories(self.cells[name], self.roles.values.get(name))
            if name in nominal
            else self._numbers(name)
            for name in self.features
        }
        if not nominal:
            return np.column_stack(list(columns.values())), ()
        import pandas as pd

        return pd.DataFrame(columns), nominal

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
        return bool(present) and not any(is_number(cell) for cell in present)

    def _numbers(self, name: str) -> np.ndarray:
        cells = self.cells[name]
        try:
            values = np.array([math.nan if cell is None else float(cell) for cell in cells])
        except ValueError:
            raise self._not_a_number(name) from None
        if "_" in "".join(cell or "" for cell in cells):
            raise self._not_a_number(name)
        for position in map(int, np.flatnonzero(~np.isfinite(values))):
            if cells[position] is not None:
                raise self.table.error(
                    f"column {name!r}: {cells[position]!r} is not a finite number",
                    row=self.rows[position],
                )
        return values

    def _not_a_number(self, name: str) -> ilk.DataError:
        position, cell = next(
            (position, cell)
            for position, cell in enumerate(self.cells[name])
            if cell is not None and not is_number(cell)
        )
        return self.table.error(
            f"column {name!r}: {cell!r} is not a number; correct it, add it to "
            f"missing_values, or list the column in nominal",
            row=self.rows[position],
        )


def is_number(cell: str) -> bool:
    """Tell whether a cell is written as a number (finite or not)."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # only Python reads 1_000 as a number


def categories(cells: Iterable[str | None], values: Sequence[str] | None = None) -> pd.Categorical:
    """Return nominal values with their categories: given, or sorted (integers numerically)."""
    import pandas as pd

    cells = list(cells)
    if values is None:
        there = {cell for cell in cells if cell is not None}
        integers = all(_INTEGER.fullmatch(value) for value in there)
        values = sorted(there, key=int if integers else None)
    return pd.Categorical(cells, categories=list(values))


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
