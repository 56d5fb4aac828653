"""Tables column by column: numbers, or codes of nominal values."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from numbers import Complex, Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from ilk import Matrix

MISSING, UNKNOWN = -1, -2  # codes of a missing value, and of a value unknown to the other table


@dataclass(frozen=True)
class Coded:
    """Rows of a table: numbers (NaN is missing) and codes of nominal values.

    Attributes
    ----------
    numbers : ndarray of shape (n_rows, n_numeric)
        Columns lie together in memory.
    codes : ndarray of int64, shape (n_rows, n_nominal)
    categories : tuple of ndarray
        The values of the codes 0, 1, ... of each nominal column.
    single : bool
        Whether the table was a float32 array.
    """

    numbers: np.ndarray
    codes: np.ndarray
    categories: tuple[np.ndarray, ...]
    single: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self), self.numbers.shape[1] + self.codes.shape[1]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: np.ndarray) -> Coded:
        return Coded(self.numbers[rows], self.codes[rows], self.categories, self.single)

    def in_terms_of(self, other: Coded) -> Coded:
        """Return the same rows with the codes of another table."""
        return self.recoded(other.categories)

    def recoded(self, target: tuple[np.ndarray, ...]) -> Coded:
        """Return the same rows with the codes of other categories."""
        import pandas as pd

        if self.categories is target:
            return self
        codes = np.empty_like(self.codes)
        for c, (old, new) in enumerate(zip(self.categories, target, strict=True)):
            place = pd.Index(new).get_indexer(pd.Index(old))
            lookup = np.append(np.where(place < 0, UNKNOWN, place), [UNKNOWN, MISSING])
            codes[:, c] = lookup[self.codes[:, c]]  # the last entries are UNKNOWN and MISSING
        return Coded(self.numbers, codes, target, self.single)


def class_shares(
    codes: np.ndarray, n_values: int, classes: np.ndarray, n_classes: int, smoothing: float
) -> np.ndarray:
    """Share of each class among the rows that have a nominal value.

    Parameters
    ----------
    codes, classes : ndarrays of int, shape (n,)
        Codes of the values of a column, and of the classes.
    smoothing : float
        Rows, classes in the shares of all rows, that are added to each value.

    Returns
    -------
    ndarray of shape (n_values + 2, n_classes)
        Row ``code + 2``: of an unknown value, of a missing one, of the values 0, 1, ...; the
        shares of all rows for a value that no row has.
    """
    counts = np.zeros((n_values + 2, n_classes))
    np.add.at(counts, (codes - UNKNOWN, classes), 1)
    totals = counts.sum(axis=1, keepdims=True) + smoothing
    everywhere = counts.sum(axis=0) / len(codes)
    shares = (counts + smoothing * everywhere) / np.where(totals > 0, totals, 1)
    return np.asarray(np.where(totals > 0, shares, everywhere))


def share_gaps(some: np.ndarray, others: np.ndarray, q: float) -> np.ndarray:
    """``sum_c |s_c - t_c|^q`` of each row of some class shares to each of others."""
    gaps = np.zeros((len(some), len(others)))
    for s, t in zip(some.T, others.T, strict=True):
        gap = np.abs(s[:, None] - t)
        gaps += gap if q == 1 else gap * gap if q == 2 else gap**q
    return gaps


def together(
    columns: Sequence[np.ndarray], categories: Sequence[np.ndarray | None], single: bool
) -> Coded:
    """Join the columns from `code` to one table."""
    n = len(columns[0])
    pairs = list(zip(columns, categories, strict=True))
    numbers = [column for column, values in pairs if values is None]
    codes = [column for column, values in pairs if values is not None]
    return Coded(
        np.array(numbers, dtype=float).reshape(len(numbers), n).T,
        np.array(codes, dtype=np.int64).reshape(len(codes), n).T,
        tuple(values for values in categories if values is not None),
        single,
    )


def code(
    owner: object, columns: Sequence[Any], labels: Sequence[Any], nominal: np.ndarray, argument: str
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray | None, ...]]:
    """Return each column as numbers or as codes, and the categories of the codes."""
    coded: list[np.ndarray] = []
    categories: list[np.ndarray | None] = []
    for column, label, is_nominal in zip(columns, labels, nominal, strict=True):
        if is_nominal:
            codes, values = _codes(owner, np.asarray(column, dtype=object), label, argument)
            coded.append(codes)
            categories.append(np.asarray(values, dtype=object))
        else:
            coded.append(numbers(owner, column, label, argument))
            categories.append(None)
    return tuple(coded), tuple(categories)


def _codes(
    owner: object, cells: np.ndarray, label: object, argument: str
) -> tuple[np.ndarray, np.ndarray]:
    import pandas as pd

    try:
        codes, values = pd.factorize(cells)
    except TypeError:  # one cannot be hashed
        row = next(row for row, cell in enumerate(cells) if not _is_single(cell))
    else:
        strange = next((k for k, value in enumerate(values) if not _is_single(value)), None)
        if strange is None:
            return codes, values
        row = int(np.argmax(codes == strange))
    raise ilk.InputTypeError(
        f"{ilk.display_name(owner)}: {argument} has {cells[row]!r} at row {row}, column {label!r}, "
        f"which is no single value"
    )


def _is_single(cell: object) -> bool:
    """Tell whether a cell holds one value: no collection except text, no complex number."""
    if isinstance(cell, str | bytes):
        return True
    parts = isinstance(cell, Complex) and not isinstance(cell, Real)
    return not parts and not hasattr(cell, "__len__") and hasattr(cell, "__hash__")


def ranked(
    owner: object,
    columns: Sequence[Any],
    labels: Sequence[Any],
    levels: Mapping[int, Sequence[Any]],
    argument: str,
) -> list[Any]:
    """Replace ordered categories by their ranks among the levels of training, dates by days.

    Parameters
    ----------
    levels : mapping of int to list
        Levels of the ordered columns, by position.

    Raises
    ------
    InputError
        If a value is none of the levels.
    """
    import pandas as pd

    result = list(columns)
    for at, column in enumerate(columns):
        if at in levels:
            result[at] = _ranks(owner, pd.Series(column), labels[at], levels[at], argument)
        elif getattr(column.dtype, "kind", "O") == "M":
            result[at] = ilk.days_of(column)
    return result


def _ranks(
    owner: object, column: pd.Series[Any], label: object, levels: Sequence[Any], argument: str
) -> np.ndarray:
    import pandas as pd

    codes = pd.Index(levels).get_indexer(pd.Index(column.astype(object)))
    unknown = (codes < 0) & column.notna().to_numpy()
    _refuse(owner, column, unknown, label, argument, f"is none of the ordered {levels}")
    return np.where(codes < 0, np.nan, codes)


def numbers(owner: object, column: object, label: object, argument: str) -> np.ndarray:
    """Return a numeric column as float64, with NaN for missing values.

    Raises
    ------
    InputError
        Naming the row of the first value that is not a finite number (texts are not), or is
        an integer with more digits than a float has.
    """
    import pandas as pd

    series = pd.Series(column)
    if series.dtype.kind in "biuf" and not hasattr(series.dtype, "categories"):
        values = series.to_numpy(dtype=float, na_value=np.nan)
    else:
        values = np.array([_as_float(cell) for cell in series], dtype=float)
    bad = np.isinf(values) | (np.isnan(values) & series.notna().to_numpy())
    _refuse(owner, series, bad, label, argument, "must be a finite number or missing")
    # above 2^53 floats do not hold all integers, so values could become equal
    large = np.flatnonzero(np.abs(values) >= 2**53)
    if large.size and series.dtype.kind != "f":
        cells = series.iloc[large].tolist()
        pairs = zip(values[large].tolist(), cells, strict=True)
        bad[large] = [isinstance(cell, Integral) and int(value) != cell for value, cell in pairs]
        _refuse(owner, series, bad, label, argument, "has more digits than a float holds")
    return values


def _as_float(cell: object) -> float:
    """The cell as a float; infinite if it is too large, NaN if it is no number."""
    try:
        return float(cell) if isinstance(cell, Real | Decimal | np.bool_) else np.nan
    except OverflowError:
        return np.inf


def _refuse(
    owner: object, series: pd.Series[Any], bad: np.ndarray, label: object, argument: str, why: str
) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} has {series.tolist()[row]!r} at row {row}, "
            f"column {label!r}, which {why}"
        )


def columns_of(owner: object, X: Any, argument: str = "X") -> tuple[list[Any], list[Any]]:
    """Return the columns of a data frame or an array, and their names or positions.

    Raises
    ------
    InputError
        If X is not two-dimensional, has no row or no column, or two columns of one name.
    """
    name = ilk.display_name(owner)
    if not ilk.is_table(X):
        ilk.refuse_sparse(owner, X, argument)
        X = _array(name, X, argument)
    if len(X.shape) != 2 or 0 in X.shape:
        raise ilk.InputError(
            f"{name}: {argument} must be a table with at least one row and one column (a "
            f"two-dimensional array or a data frame), got shape {X.shape}"
        )
    if not ilk.is_table(X):
        return list(X.T), list(range(X.shape[1]))
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        raise ilk.InputError(f"{name}: {argument} has two columns named {twice!r}")
    return [X[label] for label in X.columns], list(X.columns)


def _array(name: str, X: Matrix, argument: str) -> np.ndarray:
    if np.ma.isMaskedArray(X) and np.ma.getmaskarray(X).any():
        raise ilk.InputError(f"{name}: {argument} has masked values; fill them first")
    if isinstance(X, np.ndarray):
        return np.asarray(X)  # a matrix has no vectors
    try:
        return np.array(X, dtype=object)
    except ValueError as error:  # arrays of different shapes
        raise ilk.InputError(f"{name}: {argument}: {error}") from None


def nominal_by_type(X: Any, columns: Sequence[Any]) -> np.ndarray:
    """Tell which columns are nominal, going by their types (of objects: by their values).

    Dates and ordered categories have distances, so they are not.
    """
    if ilk.is_table(X):
        ordered = {name for name in X.columns if getattr(X[name].dtype, "ordered", False)}
        named = {*ilk.nominal_columns(X)} - {*ilk.date_columns(X)} - ordered
        return np.array([c.name in named or c.dtype.kind == "b" for c in columns], dtype=bool)
    return np.array([_is_nominal(column) for column in columns], dtype=bool)


def _is_nominal(column: np.ndarray) -> bool:
    import pandas as pd

    if column.dtype != object:
        return column.dtype.kind not in "iuf"
    known = column[~pd.isna(column)]
    return any(not isinstance(value, Real) or isinstance(value, bool | np.bool_) for value in known)
