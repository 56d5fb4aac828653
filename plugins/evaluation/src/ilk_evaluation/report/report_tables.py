"""Tables of a page: columns, rows, and numbers as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ilk_evaluation.figures.score_figures import duration_text

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 4000
"""Rows shown of a table: browsers are slow with more."""
_FEW_ROWS = 8
"""Tables of up to so many rows need no filters."""
_HUGE = 1e9

Row = Mapping[str, Any]


class Cell(NamedTuple):
    """The content of a cell, as text, and how to show it."""

    text: str
    spread: str = ""
    sorted_as: str | None = None
    strong: bool = False


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    heading : str
    key : str
        Key of the value in the rows.
    write : function
        Writes a value.
    numeric : bool
        Aligned to the right and sorted as numbers.
    title : str
        Description of the column.
    spread : str or None
        Key of the value after a ± in the same cell.
    style : {"", "text", "key", "code"}
        ``"text"`` for cells of more than a word, ``"key"`` for a part of a digest, ``"code"``.
    marked : function, optional
        Tells in which rows to mark the value.
    better : {"", "higher", "lower"}
        Which values are good, marked by an arrow in the heading.
    """

    heading: str
    key: str
    write: Callable[[Any], str] = str
    numeric: bool = False
    title: str = ""
    spread: str | None = None
    style: str = ""
    marked: Callable[[Row], bool] | None = None
    better: str = ""

    @property
    def class_(self) -> str:
        """Class of the cells."""
        return "num" if self.numeric else "text" if self.style in {"text", "code"} else ""

    def cell(self, row: Row) -> Cell:
        """Return the cell of a row."""
        import pandas as pd

        value = row[self.key]
        around = None if self.spread is None else row[self.spread]
        spread = "" if around is None or pd.isna(around) else self.write(around)
        strong = self.marked is not None and self.marked(row)
        return Cell(self.write(value), spread, self._sorted_as(value), strong)

    def _sorted_as(self, value: Any) -> str | None:
        """Sort key of a cell, if it differs from its text."""
        import pandas as pd

        if not self.numeric:
            return None
        return "" if value is None or pd.isna(value) else f"{float(value):.12g}"


@dataclass(frozen=True)
class Table:
    """A table; the first column names the row.

    Attributes
    ----------
    caption : str
    columns : sequence of Column
    rows : sequence of mappings
    id : str
        Unique within the page.
    best : function
        Tells which rows to mark.
    filter_names : mapping of str to str, optional
        Keys of the columns that can be filtered by value, and their headings.
    """

    kind: ClassVar[str] = "table"
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    id: str
    best: Callable[[Row], bool] = field(default=lambda _: False)
    filter_names: Mapping[str, str] | None = None

    @property
    def shown(self) -> Sequence[Row]:
        """The rows shown."""
        return self.rows[:MOST_ROWS]

    @property
    def note(self) -> str:
        """Note of the rows that are not shown."""
        if len(self.rows) <= MOST_ROWS:
            return ""
        return f"The first {MOST_ROWS} of {len(self.rows)} rows; `ilk results export` writes all."

    @property
    def filters(self) -> str | None:
        """The columns that can be filtered, ``0:Data set|1:Pipeline``; None if none can."""
        if self.filter_names is None or len(self.shown) <= _FEW_ROWS:
            return None
        at = {column.key: position for position, column in enumerate(self.columns)}
        return "|".join(f"{at[key]}:{name}" for key, name in self.filter_names.items())


def number(value: float, digits: int = 4) -> str:
    """Write a number with a fixed number of digits, a power of ten if huge; a dash for NaN."""
    import pandas as pd

    if pd.isna(value):
        return "–"
    return f"{value:.{digits}{'f' if abs(value) < _HUGE or np.isinf(value) else 'e'}}"


def short_value(value: object) -> str:
    """Write a value of any type: numbers with four digits, yes and no, texts unchanged."""
    import pandas as pd

    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(short_value, value)) or "none"
    if not isinstance(value, Real):
        return "–" if value is None else str(value)
    exact = float(value)
    if pd.isna(exact):
        return "–"
    return f"{exact:.0f}" if exact.is_integer() and abs(exact) < _HUGE else f"{exact:.4g}"


def seconds(value: float) -> str:
    """Write seconds with their unit; a dash for NaN."""
    import pandas as pd

    return "–" if pd.isna(value) else duration_text(value)


def words(name: str) -> str:
    """Write a name in words: ``mean_class_accuracy`` as ``mean class accuracy``."""
    return name.replace("_", " ")


def slug(text: str) -> str:
    """Return a text as part of an address: lower case, with hyphens for other characters."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"


def records(frame: pd.DataFrame) -> list[Row]:
    """Return the rows of a data frame."""
    return list(_records(frame))


def _records(frame: pd.DataFrame) -> Iterator[Row]:
    names = [str(name) for name in frame]
    for values in frame.itertuples(index=False, name=None):
        yield dict(zip(names, values, strict=True))


def table_of(frame: pd.DataFrame, caption: str, id_: str, **options: Any) -> Table:
    """Return a table of all columns of a data frame, with short numbers."""
    import pandas as pd

    columns = [
        Column(
            words(str(name)),
            str(name),
            short_value,
            numeric=pd.api.types.is_numeric_dtype(frame[name])
            and not pd.api.types.is_bool_dtype(frame[name]),
        )
        for name in frame
    ]
    return Table(caption, columns, records(frame), id_, **options)
