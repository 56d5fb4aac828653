"""Spellings of numbers and dates in cells, and their detection."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

_BLANKS = " \u00a0\u2009\u202f"
_GROUPING = {" ": f"[{_BLANKS}]", "'": "['\u2019]"}
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_SPELLED = re.compile(rf"[+-]?(?:\d+[.,]?\d*|[.,]\d+){_EXPONENT}")
_COMMA_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")
_POINT_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+")
_COMMA_DECIMAL = re.compile(rf"[+-]?\d*,\d+{_EXPONENT}")
_ENGLISH = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+\.\d*|[+-]?[1-9]\d{0,2}(?:,\d{3}){2,}")
_GERMAN = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+,\d*")
_MONEY = "$\u20ac\u00a3\u00a5"
_OTHER_SPELLINGS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (what, re.compile(pattern))
    for what, pattern in (
        ("a decimal comma", rf"[+-]?\d*,\d+{_EXPONENT}"),
        (
            "thousands separators",
            rf"[+-]?\d{{1,3}}(?:[{_BLANKS}'\u2019.,]\d{{3}})+(?:[.,]\d+)?",
        ),
        ("a percent sign", r"[+-]?[\d.,]*\d\s?%"),
        ("a currency sign", rf"[+-]?[{_MONEY}]\s?[\d.,]*\d|[\d.,]*\d\s?[{_MONEY}]"),
        ("hexadecimal digits", r"0[xX][0-9a-fA-F]+"),
        ("a Fortran exponent", r"[+-]?\d*\.?\d*[dD][+-]?\d+"),
        ("a minus sign of typography", r"[\u2212\u2013]\d+[.,]?\d*"),
        ("brackets", r"\([\d.,]*\d\)"),
        ("a bound", r"[<>~\u2264\u2265]=?\s?[\d.,]*\d"),
        ("a unit", r"[+-]?\d[\d.,]*\s?[a-zA-Z\u00b0\u00b5]{1,4}(?:/[a-zA-Z]{1,3})?"),
    )
)
_MOSTLY = 0.9

Decimal = Literal["auto", ".", ","]


@dataclass(frozen=True)
class Spelling:
    """How numbers are written: the decimal sign, and what separates groups of three digits."""

    decimal: str = "."
    thousands: str = ""

    @classmethod
    def told(cls, dialect: str) -> Spelling:
        """Return the spelling whose parts a dialect of data names."""
        parts = set(dialect.split(", "))
        known = [cls(sign, group) for sign in ".," for group in ("", " ", "'", ".", ",")]
        return max(known, key=lambda one: (parts.issuperset(one.dialect), len(one.dialect)))

    @property
    def plain(self) -> bool:
        """Whether Python reads such numbers itself."""
        return self.decimal == "." and not self.thousands

    @property
    def dialect(self) -> list[str]:
        """The parts that are not the usual ones."""
        names = {" ": "blank", "'": "apostrophe", ".": "point", ",": "comma"}
        parts = ["decimal commas"] if self.decimal == "," else []
        return parts + ([f"thousands by {names[self.thousands]}"] if self.thousands else [])

    def translator(self) -> Callable[[str], str]:
        """Return a function that writes a number as Python does; other texts get a mark."""
        if self.plain:
            return str
        group = _GROUPING.get(self.thousands, re.escape(self.thousands))
        whole = rf"\d{{1,3}}(?:{group}\d{{3}})+|\d+" if self.thousands else r"\d+"
        sign = re.escape(self.decimal)
        pattern = re.compile(rf"[+-]?(?:(?:{whole})(?:{sign}\d*)?|{sign}\d+){_EXPONENT}")
        cut = re.compile(group) if self.thousands else None

        def translated(cell: str) -> str:
            if not pattern.fullmatch(cell):
                return cell if cell.isalpha() else "_" + cell  # "_": no number
            bare = cut.sub("", cell) if cut else cell
            return bare.replace(self.decimal, ".")

        return translated


def is_plain_number(cell: str) -> bool:
    """Tell whether a cell is written as a number (finite or not)."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # only Python reads 1_000 as a number


def is_spelled_number(cell: str) -> bool:
    """Tell whether a cell is a number with a decimal point or comma."""
    return bool(_SPELLED.fullmatch(cell) or _COMMA_GROUPS.fullmatch(cell))


def find_spelling(
    columns: Mapping[str, Collection[str]], decimal: str, thousands: str | None
) -> Spelling:
    """Find the spelling of the columns that hold nothing but numbers.

    Parameters
    ----------
    columns : mapping of str to collection of str
        Distinct cells that are not missing.
    decimal : {"auto", ".", ","}
    thousands : str or None
        None: found.

    Raises
    ------
    DataError
        If 1,234 may be either number; names the options.
    """
    if decimal != "auto" and thousands is not None:
        return Spelling(decimal, thousands)
    numeric = {name: cells for name, cells in columns.items() if _all_numbers(cells)}
    cells = [cell for found in numeric.values() for cell in found]
    if thousands is not None:
        comma = thousands != "," and any(map(_COMMA_DECIMAL.search, cells))
        return Spelling("," if comma or thousands == "." else ".", thousands)
    if decimal == ",":
        return Spelling(",", "." if any(map(_groups_of(_POINT_GROUPS, _GERMAN), cells)) else "")
    if decimal == ".":
        return Spelling(".", "," if any(map(_groups_of(_COMMA_GROUPS, _ENGLISH), cells)) else "")
    return _told_apart(numeric, cells)


def _told_apart(numeric: Mapping[str, Collection[str]], cells: Sequence[str]) -> Spelling:
    with_comma = [cell for cell in cells if "," in cell]
    if not with_comma:
        return Spelling()
    english = any(map(_ENGLISH.fullmatch, with_comma))
    german = any(
        _GERMAN.fullmatch(cell)
        or (_COMMA_DECIMAL.fullmatch(cell) and not _COMMA_GROUPS.fullmatch(cell))
        for cell in with_comma
    )
    points = any(
        "." in cell and "," not in cell and not _POINT_GROUPS.fullmatch(cell) for cell in cells
    )
    if german and not english and not points:
        grouped = any(map(_groups_of(_POINT_GROUPS, _GERMAN), cells))
        return Spelling(",", "." if grouped else "")
    if not german and (english or points):
        return Spelling(".", ",")
    if german:
        return Spelling()  # both signs stand for decimals somewhere
    name = next(name for name, found in numeric.items() if any("," in cell for cell in found))
    cell = next(cell for cell in numeric[name] if "," in cell)
    whole, _, rest = cell.partition(",")
    raise ilk.DataError(
        f"column {name!r}: {cell!r} may be {whole}.{rest} or {cell.replace(',', '')}; give decimal "
        f"= ',' or thousands = ','"
    )


def _groups_of(*patterns: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda cell: any(pattern.fullmatch(cell) for pattern in patterns)


def _all_numbers(cells: Collection[str]) -> bool:
    return bool(cells) and all(
        is_spelled_number(cell) or _ENGLISH.fullmatch(cell) or _GERMAN.fullmatch(cell)
        for cell in cells
    )


def point_groups(cells: Collection[str]) -> tuple[str, ...]:
    """The cells such as 1.234, where no other one has a decimal sign; else none."""
    signed = [cell for cell in cells if "." in cell or "," in cell]
    return tuple(signed) if all(map(_POINT_GROUPS.fullmatch, signed)) else ()


def doubtful(cells: Collection[str]) -> str | None:
    """What looks wrong in a column of categories: numbers in another spelling, dates.

    Parameters
    ----------
    cells : collection of str
        Distinct values.
    """
    if not cells:
        return None
    plain = sum(map(is_plain_number, cells))
    spelled = [(what, cell) for cell in cells if (what := _other_spelling(cell))]
    if spelled and plain + len(spelled) >= _MOSTLY * len(cells):
        return f"looks like numbers with {spelled[0][0]}, such as {spelled[0][1]!r}"
    if plain >= _MOSTLY * len(cells):
        share = 100 * plain / len(cells)
        return f"{share:.0f} % of its values are numbers"
    if sum(map(_looks_like_date, cells)) >= _MOSTLY * len(cells):
        return f"looks like dates, such as {next(iter(cells))!r}"
    return None


def _other_spelling(cell: str) -> str | None:
    return next((what for what, pattern in _OTHER_SPELLINGS if pattern.fullmatch(cell)), None)


_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
)
_YEAR_FIRST = re.compile(r"\d{4}/\d{1,2}/\d{1,2}")
_POINTS = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}")
_SLASHES = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2\d{4}")
_ANY_DATE = re.compile(
    r"\d{4}-\d{2}|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[T ]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(?::\d{2})?"
    r"|\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{2,4}|[A-Za-z]{3,9} \d{1,2}, \d{4}"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _looks_like_date(cell: str) -> bool:
    return bool(_ANY_DATE.fullmatch(cell))


def find_dates(cells: Collection[str]) -> str | None:
    """Format of a column of dates; None if it is none.

    Parameters
    ----------
    cells : collection of str
        Distinct values.

    Returns
    -------
    str or None
        A format of `datetime.strptime`, or ``"iso"``.

    Raises
    ------
    DataError
        If day and month cannot be told apart.
    """
    if not cells:
        return None
    for pattern, form in ((_ISO, "iso"), (_YEAR_FIRST, "%Y/%m/%d"), (_POINTS, "%d.%m.%Y")):
        if all(map(pattern.fullmatch, cells)):
            return form if days(cells, form) is not None else None
    matches = [_SLASHES.fullmatch(cell) for cell in cells]
    dates = [match for match in matches if match]
    if len(dates) < len(matches) or len({match[2] for match in dates}) > 1:
        return None
    sign = dates[0][2]
    forms = [f"%d{sign}%m{sign}%Y", f"%m{sign}%d{sign}%Y"]
    fitting = [form for form in forms if days(cells, form) is not None]
    if len(fitting) == 2 and days(cells, forms[0]) != days(cells, forms[1]):
        raise ilk.DataError(
            f"{next(iter(cells))!r} may be day{sign}month or month{sign}day; give date_format = "
            f"{forms[0]!r} or {forms[1]!r}"
        )
    return fitting[0] if fitting else None


def days(cells: Collection[str], form: str) -> dict[str, float] | None:
    """Days since 1970-01-01 of each cell, with fractions for times; None if one is no date."""
    try:
        return {cell: (_moment(cell, form) - _EPOCH).total_seconds() / 86400 for cell in cells}
    except (ValueError, OverflowError):
        return None


def _moment(cell: str, form: str) -> datetime:
    moment = datetime.fromisoformat(cell) if form == "iso" else _by_format(cell, form)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _by_format(cell: str, form: str) -> datetime:
    return datetime.strptime(cell, form)  # noqa: DTZ007  # the caller sets UTC
