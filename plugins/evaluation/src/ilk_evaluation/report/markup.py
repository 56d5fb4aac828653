"""HTML elements and tables; text is escaped unless it is marked as HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from ilk_evaluation.figures.score_figures import duration_text

# Characters not allowed in HTML: control characters, and lone surrogates, which UTF-8 lacks.
# And bidirectional controls, which would turn the text after the name that contains them.
_NO_TEXT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_VOID = {"br", "hr", "input", "link", "meta"}


class Html(str):
    """Text that is HTML, not escaped again."""

    __slots__ = ()


def html(content: object) -> Html:
    """Return content as HTML: escaped unless it is `Html`; items of a list one by one.

    Examples
    --------
    >>> html("a < b")
    'a &lt; b'
    >>> html([element("b", "a < b"), None, 1])
    '<b>a &lt; b</b>1'
    """
    if isinstance(content, Html):
        return content
    if content is None:
        return Html()
    if isinstance(content, Iterable) and not isinstance(content, str):
        return Html("".join(map(html, content)))
    return Html(escape(_NO_TEXT.sub("\ufffd", str(content))))


def element(tag: str, *content: Any, **attributes: Any) -> Html:
    """Return an element.

    Parameters
    ----------
    tag : str
    *content : Html, str, number, None or iterable of these
        Escaped unless it is `Html`.
    **attributes : str, number, bool or None
        Left out where None or False, without a value where True. A trailing underscore is
        dropped (``class_``), others become hyphens (``aria_label``).

    Examples
    --------
    >>> element("a", "R&D", href='?q="', class_="x", hidden=True)
    '<a href="?q=&quot;" class="x" hidden>R&amp;D</a>'
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    opening = f"<{tag}{written}>"
    return Html(opening if tag in _VOID else f"{opening}{html(content)}</{tag}>")


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html(str(value))}"'


def slug(text: str) -> str:
    """Return a text as part of an address: lower case, with hyphens for other characters."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"


MOST_ROWS = 4000
"""Rows shown of a table: browsers are slow with more."""
_HUGE = 1e9


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    heading : str or Html
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
    class_ : str, optional
        ``"text"`` for cells of more than a word.
    marked : function, optional
        Tells in which rows to mark the value.
    """

    heading: str
    key: str
    write: Callable[[Any], str | Html] = str
    numeric: bool = False
    title: str = ""
    spread: str | None = None
    class_: str | None = None
    marked: Callable[[Mapping[str, Any]], bool] | None = None


def number(value: float, digits: int = 4) -> str:
    """Write a number with a fixed number of digits, a power of ten if huge; a dash for NaN."""
    if pd.isna(value):
        return "–"
    return f"{value:.{digits}{'f' if abs(value) < _HUGE or np.isinf(value) else 'e'}}"


def short_value(value: object) -> str:
    """Write a value of any type: numbers with four digits, yes and no, texts unchanged."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if not isinstance(value, Real):
        return "–" if value is None else str(value)
    exact = float(value)
    if pd.isna(exact):
        return "–"
    return f"{exact:.0f}" if exact.is_integer() and abs(exact) < 1e9 else f"{exact:.4g}"


def seconds(value: float) -> str:
    """Write seconds with their unit; a dash for NaN."""
    return "–" if pd.isna(value) else duration_text(value)


def table(
    caption: str | Html,
    columns: Sequence[Column],
    rows: Iterable[Mapping[str, Any]],
    *,
    id_: str,
    best: Callable[[Mapping[str, Any]], bool] | None = None,
    filters: Mapping[str, str] | None = None,
    sortable: bool = True,
    class_: str | None = None,
) -> Html:
    """Return a table; the first column names the row.

    Parameters
    ----------
    caption : str
    columns : sequence of Column
    rows : iterable of mappings
    id_ : str
        Unique within the page.
    best : function, optional
        Tells which rows to mark.
    filters : mapping of str to str, optional
        Keys of the columns that can be filtered by value, and their headings.
    sortable : bool
    class_ : str, optional
    """
    rows = list(rows)
    shown = rows[:MOST_ROWS]
    head = element("tr", [_heading(column) for column in columns])
    body = [_row(columns, row, best=bool(best and best(row))) for row in shown]
    cut = ""
    if len(shown) < len(rows):
        cut = f"The first {len(shown)} of {len(rows)} rows; `ilk results export` writes all."
    inner = element(
        "table",
        element("caption", element("span", caption), id=f"{id_}-caption"),
        element("thead", head),
        element("tbody", body),
        id=id_,
        class_=class_,
        data_sortable=sortable and len(shown) > 1,
        data_filters=_filters(columns, filters) if filters is not None and len(shown) > 8 else None,
    )
    region = element(
        "div",
        inner,
        class_="scroll",
        tabindex="0",
        role="region",
        aria_labelledby=f"{id_}-caption",
    )
    return Html(region + (element("p", cut, class_="note") if cut else ""))


def _filters(columns: Sequence[Column], filters: Mapping[str, str]) -> str:
    """Encode the columns that can be filtered: ``0:Data set|1:Pipeline``."""
    at = {column.key: position for position, column in enumerate(columns)}
    return "|".join(f"{at[key]}:{name}" for key, name in filters.items())


def _heading(column: Column) -> Html:
    kind = "num" if column.numeric else None
    return element("th", column.heading, scope="col", class_=kind, title=column.title or None)


def _row(columns: Sequence[Column], row: Mapping[str, Any], *, best: bool) -> Html:
    first, *rest = columns
    cells = [element("th", first.write(row[first.key]), scope="row", data_v=_sorted_as(first, row))]
    for column in rest:
        content: Any = column.write(row[column.key])
        if column.marked is not None and column.marked(row):
            content = element("strong", content)
        if column.spread is not None and not pd.isna(row[column.spread]):
            content = [content, element("small", f" ± {column.write(row[column.spread])}")]
        kind = "num" if column.numeric else column.class_
        cells.append(element("td", content, class_=kind, data_v=_sorted_as(column, row)))
    return element("tr", cells, class_="best" if best else None)


def _sorted_as(column: Column, row: Mapping[str, Any]) -> str | None:
    """Sort key of a cell, if it differs from its text."""
    if not column.numeric:
        return None
    value = row[column.key]
    return "" if value is None or pd.isna(value) else f"{float(value):.12g}"


def columns_of(frame: pd.DataFrame, write: Callable[[Any], str] = short_value) -> list[Column]:
    """Return a column for each column of a data frame, with short numbers."""
    return [
        Column(
            str(name),
            name,  # type: ignore[arg-type]  # names are strings
            write,
            numeric=pd.api.types.is_numeric_dtype(frame[name])
            and not pd.api.types.is_bool_dtype(frame[name]),
        )
        for name in frame
    ]
