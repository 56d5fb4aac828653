"""A fitted pipeline with the columns that it was fitted on: saved, loaded, fed with new rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

import ilk
from ilk_evaluation.datasets.spelling import (
    Spelling,
    days,
    find_dates,
    find_spelling,
    point_groups,
)
from ilk_evaluation.models.row_stream import MISSING

if TYPE_CHECKING:
    from collections.abc import Collection

    from ilk_evaluation.models.row_stream import Chunk, DataStream, RowStream

Kind = Literal["number", "date", "nominal", "text"]
Form = Literal["array", "table", "texts"]


@dataclass(frozen=True)
class Column:
    """A column of training data.

    Attributes
    ----------
    name : str
    kind : {"number", "date", "nominal", "text"}
        Dates are numbers of days since 1970-01-01.
    levels : tuple
        The values of a nominal column, in their order.
    ordered : bool
        Whether that order has a meaning.
    least, greatest : float or None
        Range of a column of numbers or dates.
    n_missing : int
    """

    name: str
    kind: Kind
    levels: tuple[Any, ...] = ()
    ordered: bool = False
    least: float | None = None
    greatest: float | None = None
    n_missing: int = 0

    def __str__(self) -> str:
        if self.kind in {"number", "date"}:
            ends = [end for end in (self.least, self.greatest) if end is not None]
            shown = " to ".join(map(_date if self.kind == "date" else _short, ends))
            what = f"{self.kind}, {shown}" if ends else self.kind
        elif self.kind == "nominal":
            shown = ", ".join(map(str, self.levels[:8])) + (", ..." if len(self.levels) > 8 else "")
            order = ", ordered" if self.ordered else ""
            what = f"nominal{order}, {len(self.levels)} levels: {shown}"
        else:
            what = "text"
        return f"{self.name}: {what}" + (f"; {self.n_missing} missing" * bool(self.n_missing))


@dataclass(frozen=True)
class Columns:
    """The columns of training data, and the form in which a pipeline takes them.

    Attributes
    ----------
    columns : tuple of Column
    form : {"array", "table", "texts"}
    dtype : str
        Of an array.
    """

    columns: tuple[Column, ...]
    form: Form
    dtype: str = "float64"

    @property
    def names(self) -> list[str]:
        """Names of the columns, in the order of training."""
        return [column.name for column in self.columns]

    @classmethod
    def of(
        cls, cases: Any, names: Sequence[str] = (), dates: Collection[str] = ()
    ) -> Columns | None:
        """Describe training cases; None if they are not rows of a table.

        Parameters
        ----------
        cases : array of shape (n, p), data frame or list of str
        names : sequence of str
            Names of the columns of an array, or of the texts.
        dates : collection of str
            Names of the columns that were dates.
        """
        if ilk.is_table(cases):
            described = [_described(str(name), cases[name], dates) for name in cases.columns]
            usable = [column for column in described if column is not None]
            named = all(isinstance(name, str) for name in cases.columns)
            return cls(tuple(usable), "table") if named and len(usable) == len(described) else None
        if isinstance(cases, list) and all(isinstance(case, str) for case in cases):
            return cls((Column(names[0] if names else "text", "text"),), "texts")
        if not isinstance(cases, np.ndarray) or cases.ndim != 2 or cases.dtype.kind not in "biuf":
            return None
        names = names or ilk.column_labels(cases)
        columns = zip(names, cases.T, strict=True)
        dtype = cases.dtype.name if cases.dtype.kind == "f" else "float64"
        numbers = [_numbers(name, column, dates) for name, column in columns]
        return cls(tuple(numbers), "array", dtype)

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Columns:
        """Return what `written` wrote."""
        columns = [
            Column(**{**one, "levels": tuple(one["levels"])})
            for one in table["columns"]
            if one["kind"] in get_args(Kind)
        ]
        if len(columns) != len(table["columns"]) or table["form"] not in {
            "array",
            "table",
            "texts",
        }:
            raise ValueError
        np.dtype(table["dtype"])
        return cls(tuple(columns), table["form"], table["dtype"])

    def written(self) -> dict[str, Any]:
        """Return them as values of JSON."""
        return asdict(self)

    def cases(self, values: Sequence[Any]) -> Any:
        """Return new cases, given column by column, in the form that the pipeline takes."""
        if self.form == "texts":
            return values[0]
        if self.form == "array":
            return np.column_stack(values).astype(self.dtype, copy=False)
        import pandas as pd

        return pd.DataFrame(dict(zip(self.names, values, strict=True)))


def _described(name: str, column: Any, dates: Collection[str]) -> Column | None:
    """Describe a column of a data frame; None for a type that text cannot give."""
    n_missing = int(column.isna().sum())
    if hasattr(column.dtype, "categories"):
        levels = column.dtype.categories.tolist()
        plain = all(isinstance(level, str | int | float) for level in levels)
        ordered = bool(column.dtype.ordered)
        return (
            Column(name, "nominal", tuple(levels), ordered, None, None, n_missing)
            if plain
            else None
        )
    return _numbers(name, column.to_numpy(), dates) if column.dtype.kind in "biuf" else None


def _numbers(name: str, values: np.ndarray, dates: Collection[str]) -> Column:
    values = values.astype(float)
    finite = values[np.isfinite(values)]
    least, greatest = (float(finite.min()), float(finite.max())) if finite.size else (None, None)
    kind: Kind = "date" if name in dates else "number"
    return Column(name, kind, (), False, least, greatest, int(np.isnan(values).sum()))


def _short(value: float) -> str:
    return f"{value:.6g}"


def _date(days: float) -> str:
    return str(np.datetime64(round(days * 86400), "s").astype("datetime64[D]"))


@dataclass
class TableModel:
    """A fitted pipeline with its columns.

    Parameters
    ----------
    pipeline : ilk.Pipeline
        Fitted.
    columns : Columns or None
        None: the cases are no rows of a table.
    about : mapping
        Provenance as values of JSON: pipeline, dataset, n_cases, ...; also dialect and
        date_format of the training table.
    missing_values : collection of str
        Cells that mean a missing value.
    """

    pipeline: ilk.Pipeline
    columns: Columns | None
    about: Mapping[str, Any] = field(default_factory=dict)
    missing_values: Collection[str] = MISSING

    def save(self, path: Path) -> None:
        """Write the model to a file, which `ilk.load` reads as the pipeline alone."""
        about = {**self.about, "missing_values": list(self.missing_values)}
        if self.columns is not None:
            about["table"] = self.columns.written()
        ilk.save(self.pipeline, path, about=about)

    @classmethod
    def load(cls, path: Path, *, check_versions: bool = True) -> TableModel:
        """Read a model from a file.

        Raises
        ------
        PersistError
            As `ilk.load`; also if the file does not hold the columns of its model.
        """
        about = ilk.read_header(path)["about"]
        if "table" not in about:
            why = (
                "was fitted on cases that are no rows of a table"
                if "pipeline" in about
                else "does not hold the columns that it takes, as models of `ilk fit` do"
            )
            raise ilk.PersistError(
                f"{path}: {why}; in Python, ilk.load({str(path)!r}).predict(X) takes cases of the "
                f"form that it was fitted on"
            )
        try:
            columns = Columns.read(about["table"])
            missing = [str(cell) for cell in about["missing_values"]]
        except (KeyError, TypeError, ValueError) as error:
            raise ilk.PersistError(f"{path}: is damaged: its columns cannot be read") from error
        pipeline = ilk.load(path, check_versions=check_versions)
        return cls(pipeline, columns, about, missing)


class RowReader:
    """Converts the cells of new rows to cases of a model, and notes unusual values.

    Parameters
    ----------
    model : TableModel
    stream : RowStream or DataStream
    unseen : {"error", "missing"}
        Meaning of a level that was not in training.
    decimal : {"auto", ".", ","}
        The decimal sign; "auto": found by the first rows, else as in training.
    date_format : str
        As for Python's strptime; "auto": as in training, else found.

    Raises
    ------
    DataError
        If columns are missing or named twice; names them.
    """

    def __init__(
        self,
        model: TableModel,
        stream: RowStream | DataStream,
        unseen: Literal["error", "missing"] = "error",
        decimal: str = "auto",
        date_format: str = "auto",
    ) -> None:
        assert model.columns is not None
        self.columns = model.columns
        self.model = model
        self.stream = stream
        self.unseen = unseen
        self.missing = frozenset(model.missing_values)
        self.decimal = decimal
        self.date_format = date_format
        self._spelling: Spelling | None = None
        self._translate: Callable[[str], str] | None = None
        self._date_forms: dict[str, str] = {}
        self.n_outside: Counter[str] = Counter()
        self.n_missing: Counter[str] = Counter()
        self.n_unseen: Counter[str] = Counter()
        self.first_missing: dict[str, int] = {}
        self._check_names()

    def _check_names(self) -> None:
        header, names = self.stream.header, self.columns.names
        lacking = [name for name in names if name not in header]
        if lacking:
            hint = ilk.did_you_mean(lacking[0], header)
            shown = ", ".join(map(repr, lacking[:10])) + (", ..." if len(lacking) > 10 else "")
            what = "the column" if len(lacking) == 1 else f"{len(lacking)} columns"
            nothing = "; --no-header reads a file without names" * (len(lacking) == len(names))
            there = ", ".join(header[:10]) + (", ..." if len(header) > 10 else "")
            raise self.stream.error(
                f"lacks {what} {shown} of the model{hint} (the file has: {there}){nothing}", 1
            )
        twice = [name for name in names if header.count(name) > 1]
        if twice:
            raise self.stream.error(f"the header has the column {twice[0]!r} more than once", 1)

    def cases(self, chunk: Chunk) -> Any:
        """Return the rows of a chunk as cases."""
        if self._spelling is None:
            self._learn_spelling(chunk)
        return self.columns.cases([self._values(column, chunk) for column in self.columns.columns])

    def _values(self, column: Column, chunk: Chunk) -> Any:
        cells = chunk.cells[column.name]
        if column.kind == "text":
            return cells
        known = [None if cell in self.missing else cell for cell in cells]
        if column.kind == "nominal":
            values = self._levels(column, known, chunk.lines)
        else:
            values = self._numbers(column, known, chunk.lines)
        self._count_missing(column, known, chunk.lines)
        return values

    def _count_missing(self, column: Column, cells: list[str | None], lines: list[int]) -> None:
        if column.n_missing or None not in cells:
            return
        self.n_missing[column.name] += cells.count(None)
        self.first_missing.setdefault(column.name, lines[cells.index(None)])

    def _levels(self, column: Column, cells: list[str | None], lines: list[int]) -> Any:
        import pandas as pd

        code = {str(level): number for number, level in enumerate(column.levels)}
        codes = np.array([-1 if cell is None else code.get(cell, -2) for cell in cells])
        strange = np.flatnonzero(codes == -2)
        if strange.size:
            if self.unseen == "error":
                cell, line = cells[strange[0]], lines[strange[0]]
                raise self.stream.error(self._unseen(column, cast("str", cell)), line)
            self.n_unseen[column.name] += len(strange)
            codes[strange] = -1
        return pd.Categorical.from_codes(codes, list(column.levels), ordered=column.ordered)  # type: ignore[call-overload]  # stubs

    def _unseen(self, column: Column, cell: str) -> str:
        levels = [str(level) for level in column.levels]
        shown = ", ".join(levels[:10]) + (", ..." if len(levels) > 10 else "")
        return (
            f"column {column.name!r}: the level {cell!r} was not in training"
            f"{ilk.did_you_mean(cell, levels)} (levels: {shown}); correct it, or say "
            f"--unseen missing to read it as a missing value"
        )

    def _numbers(self, column: Column, cells: list[str | None], lines: list[int]) -> np.ndarray:
        if column.kind == "date":
            values = self._days(column, cells)
        else:
            values = np.array([_number_of_cell(cell, self._translate) for cell in cells])
        wrong = np.flatnonzero(~np.isfinite(values))
        for at in wrong[[cells[at] is not None for at in wrong]]:
            what = "a date" if column.kind == "date" else "a finite number"
            dialect = self._spelling.dialect if self._spelling else ()
            how = f" with {' and '.join(dialect)}" if dialect and column.kind == "number" else ""
            option = "--date-format" if column.kind == "date" else "--decimal"
            raise self.stream.error(
                f"column {column.name!r}: {cells[at]!r} is not {what}{how}; correct it, leave it "
                f"empty if it is missing, or try {option}",
                lines[at],
            )
        if column.least is not None and column.greatest is not None:
            outside = (values < column.least) | (values > column.greatest)
            self.n_outside[column.name] += int(np.count_nonzero(outside))
        return values

    def _learn_spelling(self, chunk: Chunk) -> None:
        """Find how numbers are written, by the first rows."""
        numbers = [column.name for column in self.columns.columns if column.kind == "number"]
        known = {name: set(chunk.cells[name]) - self.missing for name in numbers}
        try:
            self._spelling = find_spelling(known, self.decimal, None)
        except ilk.DataError as error:
            message = str(error).replace("decimal = ',' or thousands = ','", "--decimal , or .")
            raise self.stream.error(message) from None
        if self.decimal == "auto" and self._spelling.plain:
            self._spelling = self._as_in_training(known)
        self._translate = None if self._spelling.plain else self._spelling.translator()

    def _as_in_training(self, known: Mapping[str, Collection[str]]) -> Spelling:
        """Spelling of numbers that are plain so far: of training, unless they contradict it."""
        trained = Spelling.told(str(self.model.about.get("dialect", "")))
        doubtful = point_groups([cell for cells in known.values() for cell in cells])
        if doubtful and trained.decimal == ",":
            cell = doubtful[0]
            raise self.stream.error(
                f"{cell!r} may be {cell} or, with decimal commas as in training, "
                f"{cell.replace('.', '')}; give --decimal . or ,"
            )
        signed = any("." in cell or "," in cell for cells in known.values() for cell in cells)
        return Spelling() if signed else trained

    def _date_form(self, cells: Collection[str]) -> str:
        if self.date_format != "auto":
            return self.date_format
        trained = str(self.model.about.get("date_format", "auto"))
        if trained != "auto" and days(cells, trained) is not None:
            return trained
        return find_dates(cells) or "iso"

    def _days(self, column: Column, cells: list[str | None]) -> np.ndarray:
        """Dates as days since 1970-01-01; infinity for a cell that is no date."""
        there = dict.fromkeys(cell for cell in cells if cell is not None)
        if column.name not in self._date_forms and there:
            try:
                self._date_forms[column.name] = self._date_form(list(there))
            except ilk.DataError as error:
                message = str(error).replace("date_format =", "--date-format")
                raise self.stream.error(f"column {column.name!r}: {message}") from None
        form = self._date_forms.get(column.name, "iso")
        known = {cell: days([cell], form) for cell in there}
        return np.array(
            [
                math.nan if cell is None else (known[cell] or {cell: math.inf})[cell]
                for cell in cells
            ]
        )

    def notes(self) -> list[str]:
        """Notes on unusual values in the rows read so far, for people."""
        header, names = self.stream.header, self.columns.names
        notes = list(self.stream.notes)
        if self.stream.delimiter != ",":
            notes.append(f"delimiter {self.stream.delimiter!r}")
        notes += self._spelling.dialect if self._spelling else []
        used = [name for name in header if name in names]
        unused = [name for name in header if name not in names]
        if used != names:
            notes.append("columns in another order than in training: aligned by name")
        if unused:
            shown = ", ".join(map(repr, unused[:10])) + (", ..." if len(unused) > 10 else "")
            notes.append(f"columns not used by the model: {shown}")
        notes += _counted(self.n_unseen, "levels not in training, read as missing")
        notes += _counted(self.n_missing, "missing values, none in training")
        notes += _counted(self.n_outside, "values outside the range of training")
        return notes


def _number_of_cell(cell: str | None, translate: Callable[[str], str] | None) -> float:
    """Number of a cell; NaN if it is missing, infinity if it is no finite number."""
    if cell is None:
        return math.nan
    plain = translate(cell) if translate else cell
    try:
        value = float(plain)
    except ValueError:
        return math.inf
    return math.inf if value != value or "_" in plain else value  # noqa: PLR0124  # NaN


def _counted(counts: Counter[str], what: str) -> list[str]:
    return [f"column {name!r}: {n} {what}" for name, n in counts.items() if n]
