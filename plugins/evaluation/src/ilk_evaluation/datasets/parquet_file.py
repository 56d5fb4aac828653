"""Parquet files: typed columns; every error names the file, the column and the row."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

import ilk
from ilk import FilePath, Param, param
from ilk_evaluation.datasets.columns import Roles, categories, check_memory
from ilk_evaluation.datasets.spelling import doubtful
from ilk_evaluation.datasets.table_file import EXAMPLE, TableDataset, UsedColumns, some
from ilk_evaluation.datasets.text_file import read_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

_TEXTS = {"str", "string", "object"}


class Parquet(TableDataset):
    """A table in a Parquet file, whose columns have types.

    Numbers and booleans (1 and 0) are numeric; texts and categories are nominal. X is a float
    array if all features are numeric (float32 if all of them are), else a data frame whose nominal
    columns have category dtype; categories keep their order, texts are sorted. Dates are numbers
    of days since 1970-01-01. The file is read by pyarrow. An index stored by pandas is not a
    column.

    Raises
    ------
    DataError
        If pyarrow is not installed; if the file does not exist, is not Parquet or has no rows; if
        a column does not exist, or has a type that cannot be a feature (lists, durations); if a
        number is infinite; if labels are missing or all equal. Names file, column and row, from 0.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> table = pd.DataFrame(
    ...     {"weight": [152, None], "colour": ["red", "yellow"], "class": ["apple", "banana"]}
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.parquet")
    ...     table.to_parquet(path)
    ...     data = ilk.dataset("parquet", path=path).load()
    >>> data.name, data.nominal, data.y.tolist()
    ('fruit', ('colour',), ['apple', 'banana'])
    """

    path: str | Path | None = param(
        default=None,
        type=FilePath,
        none=False,
        doc="Path; in a spec file relative to that file.",
    )
    target: str | int = param(
        default="class",
        type=(str, int),
        doc="Column of the labels, by name or position: texts, integers, booleans, or categories "
        "of these; floats are the target of a regression.",
    )
    nominal: Literal["auto"] | Sequence[str] = param(
        default="auto",
        type=list,
        choices=("auto",),
        items=Param(str),
        form='"auto" or list of str',
        doc='Nominal columns; all others must be numeric. "auto": texts and categories.',
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """A small table with nominal and missing values."""
        path = str(EXAMPLE / "fruit.parquet")
        return [cls(path=path), cls(path=path, missing="complete", ignore=["colour"])]

    def names(self) -> tuple[str, ...]:
        """Names of all columns of the file."""
        self.check_parameters()
        assert self.path is not None
        return tuple(_frame(Path(self.path).expanduser()).columns)

    def _read(self, path: Path) -> tuple[UsedColumns, str]:
        roles = Roles(
            target=None if self.labels == "unknown" else self.target,
            nominal=self.nominal,
            ignored=self.ignore,
            groups=self.groups,
            missing=self.missing,
        )
        return ParquetTable.read(path, roles, self.target), ""


@dataclass(frozen=True)
class ParquetTable:
    """The used columns of a Parquet file.

    Attributes
    ----------
    path : Path
    frame : DataFrame
        Its index has the row numbers of the file.
    features : tuple of str
    target : str or None
    roles : Roles
    """

    path: Path
    frame: pd.DataFrame
    features: tuple[str, ...]
    target: str | None
    roles: Roles

    @classmethod
    def read(cls, path: Path, roles: Roles, target: str | int) -> ParquetTable:
        """Read a file, all rows or the rows without missing values."""
        frame = _frame(path)
        names = list(frame.columns)
        labels = None if roles.target is None else _name_of(path, roles.target, names)
        grouped = () if roles.groups is None else (roles.groups,)
        for role, wanted in (("groups", grouped), ("ignore", roles.ignored)):
            for name in wanted:
                _check_name(path, role, name, names)
        apart = [name for name in (labels, *grouped) if name is not None]
        features = tuple(
            name for name in names if name not in {*apart, *roles.ignored} and name != target
        )
        if not features:
            raise ilk.DataError(f"{path}: has no feature beside the target {labels!r}")
        if frame.empty:
            raise ilk.DataError(f"{path}: the file has no rows")
        table = cls(path, frame[[*features, *apart]], features, labels, roles)
        return table._without_missing()

    def _without_missing(self) -> ParquetTable:
        missing = self.roles.missing
        if missing == "keep" or (missing == "labelled" and self.target is None):
            return self
        rows = self.frame.dropna(subset=None if missing == "complete" else [self.target])
        if rows.empty:
            what = "complete" if missing == "complete" else "labelled"
            raise self._error(f"missing = {missing!r}, but no row is {what}")
        return replace(self, frame=rows)

    @property
    def dates(self) -> tuple[str, ...]:
        """Names of the features that are dates."""
        return tuple(name for name in self.features if _is_date(self.frame[name]))

    def remarks(self) -> tuple[str, list[str]]:
        """Dialect, which a Parquet file does not have, and notes."""
        doubts = [
            (name, doubtful([str(value) for value in self.frame[name].dropna().unique()]))
            for name in self.features
            if self.roles.nominal == "auto" and _type(self.frame[name]) in _TEXTS
        ]
        return "", [
            f"column {name!r} {doubt}, but is read as categories; write it as numbers or dates, or "
            f"list it in nominal"
            for name, doubt in doubts
            if doubt
        ]

    def X(self) -> tuple[Any, tuple[str, ...]]:
        """Features as an array, or as a data frame if some are nominal, and the nominal names."""
        import pandas as pd

        nominal = self.roles.nominal
        named = [] if nominal == "auto" else list(nominal)
        for name in named:
            _check_name(self.path, "nominal", name, list(self.features))
        chosen = tuple(
            name
            for name in self.features
            if (_is_nominal(self.frame[name]) if nominal == "auto" else name in named)
        )
        columns = {
            name: self._categories(name) if name in chosen else self._numbers(name)
            for name in self.features
        }
        if not chosen:
            return np.column_stack(list(columns.values())), ()
        return pd.DataFrame(columns), chosen

    def labels(self) -> np.ndarray:
        """Labels: texts, integers, or booleans; floats for a regression."""
        name = self.target
        if name is None:
            return np.full(len(self.frame), None, dtype=object)
        y = self._required(name, "label", "; missing = 'labelled' leaves them out")
        classes = np.unique(y)
        if len(classes) < 2:
            raise self._error(f"column {name!r} has one class only ({classes.item(0)!r})")
        return y

    def groups(self) -> np.ndarray | None:
        """Group of each case, or None."""
        name = self.roles.groups
        return None if name is None else self._required(name, "group")

    def _required(self, name: str, what: str, advice: str = "") -> np.ndarray:
        """Values of a column; raise if one is missing."""
        column = self.frame[name]
        lacking = np.flatnonzero(column.isna())
        if lacking.size:
            number = "1 row has" if lacking.size == 1 else f"{lacking.size} rows have"
            raise self._error(
                f"column {name!r}, row {self.frame.index[lacking[0]]}: no {what} "
                f"({number} none{advice})"
            )
        integers = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu"
        cells = column.to_numpy() if integers else column.tolist()
        if all(isinstance(cell, str) for cell in cells):
            return ilk.text_array(cells)
        values = np.asarray(cells)
        if values.dtype.kind == "f" and _are_integers(values):
            values = values.astype(np.int64)  # floats only because values were missing
        if what == "label" and values.dtype.kind == "f" and np.isfinite(values).all():
            return values
        if values.dtype.kind not in "iubU" or values.ndim != 1:
            raise self._error(f"column {name!r}: a {what} must be text, an integer, true or false")
        return values

    def _numbers(self, name: str) -> np.ndarray:
        column = self.frame[name]
        if _is_date(column):
            return ilk.days_of(column)
        if not _is_numeric(column):
            where = "nominal, or in ignore" if _is_nominal(column) else "ignore"
            raise self._error(
                f"column {name!r} of type {_type(column)} is not numeric; list it in {where}"
            )
        narrow = str(column.dtype).lower() == "float32"
        values = column.to_numpy(dtype=np.float32 if narrow else float, na_value=np.nan)
        infinite = np.flatnonzero(np.isinf(values))
        if infinite.size:
            row = self.frame.index[infinite[0]]
            raise self._error(
                f"column {name!r}, row {row}: {values[infinite[0]]} is not a finite number"
            )
        return values

    def _categories(self, name: str) -> Any:
        import pandas as pd

        column = self.frame[name]
        if hasattr(column.dtype, "categories"):
            return pd.Categorical(column)
        if not (_is_nominal(column) or _is_numeric(column)):
            raise self._error(f"column {name!r} of type {_type(column)} cannot be nominal")
        lacking = column.isna()
        cells = [None if no else value for value, no in zip(column, lacking, strict=True)]
        if _is_nominal(column):
            return categories(cells)
        return pd.Categorical(cells, categories=sorted({c for c in cells if c is not None}))

    def _error(self, message: str) -> ilk.DataError:
        return ilk.DataError(f"{self.path}: {message}")


def _frame(path: Path) -> pd.DataFrame:
    raw = read_bytes(path)
    if find_spec("pyarrow") is None:
        raise ilk.DataError(
            f"{path}: Parquet is read by pyarrow, which is not installed (pip install pyarrow)"
        )
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(raw))
        rows, width = file.metadata.num_rows, file.metadata.num_columns
        check_memory(str(path), f"{rows} rows of {width} columns", 8 * rows * width)
        table = file.read()
        table.validate(full=True)  # rejects invalid UTF-8
        frame: pd.DataFrame = table.to_pandas()
    except ilk.DataError:
        raise
    except Exception as error:  # noqa: BLE001  # invalid pandas metadata raises anything
        first = str(error).partition("\n")[0]
        raise ilk.DataError(f"{path}: cannot be read as Parquet: {first}") from None
    frame.columns = [str(name) for name in frame.columns]
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ilk.DataError(f"{path}: the column {twice!r} is there more than once")
    return frame.reset_index(drop=True)


def _check_name(path: Path, role: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        hint = ilk.did_you_mean(name, names)
        raise ilk.DataError(
            f"{path}: {role} names no column: {name!r}{hint} (columns: {some(names)})"
        )


def _name_of(path: Path, target: str | int, names: Sequence[str]) -> str:
    if isinstance(target, str):
        _check_name(path, "target", target, names)
        return target
    if not -len(names) <= target < len(names):
        raise ilk.DataError(f"{path}: target = {target} is no position of {len(names)} columns")
    return names[target]


def _is_date(column: pd.Series[Any]) -> bool:
    if getattr(column.dtype, "kind", "O") == "M":
        return True
    present = column.dropna() if column.dtype == object else ()
    return len(present) > 0 and all(isinstance(value, date) for value in present)


def _is_nominal(column: pd.Series[Any]) -> bool:
    if hasattr(column.dtype, "categories"):
        return True
    present = column.dropna()
    return _type(column) in _TEXTS and all(isinstance(value, str) for value in present)


def _is_numeric(column: pd.Series[Any]) -> bool:
    return getattr(column.dtype, "kind", "O") in "biuf"


def _are_integers(values: np.ndarray) -> bool:
    """Tell whether all numbers are integers that a float represents exactly."""
    return bool((np.abs(values) <= 2**53).all() and (np.floor(values) == values).all())


def _type(column: pd.Series[Any]) -> str:
    return str(column.dtype).partition("[")[0]
