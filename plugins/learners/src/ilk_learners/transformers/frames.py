"""Mixed input as a pandas data frame, and selection of its columns."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from fnmatch import fnmatchcase
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ilk import (
    InputError,
    InputTypeError,
    as_table,
    check_finite,
    check_vectors,
    did_you_mean,
    display_name,
    is_sparse,
    is_table,
    n_rows,
    nominal_columns,
)
from ilk_learners.validation import check_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ilk import Cases, Component


def as_frame(owner: Component, X: Any, *, reset: bool, nan: bool) -> pd.DataFrame:
    """Return X as a data frame with its features checked against, or set on, `owner`.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : data frame, or array of shape (n, p) of numbers or of objects
        In an array of objects a column is numeric if all its cells are numbers.
    reset : bool
        Whether to set ``n_features_in_`` and ``feature_names_in_`` (else compare).
    nan : bool
        Whether to allow missing values in numeric columns.

    Raises
    ------
    InputError, InputTypeError
        Names the component, the column and the row.
    """
    X = as_table(X)
    frame = X if is_table(X) else _objects(X)
    if frame is None:
        array = check_vectors(owner, X, reset=reset, nan=nan)
        return pd.DataFrame(array, copy=False)
    if n_rows(frame) == 0 or frame.shape[1] == 0:
        what = "row" if n_rows(frame) == 0 else "column"
        raise InputError(f"{display_name(owner)}: X has 0 {what}s, at least one is needed")
    check_columns(owner, frame, reset=reset)
    nominal = set(nominal_columns(frame))
    for label, column in frame.items():
        if label not in nominal:
            check_column(owner, column, nan=nan)
    return frame


def _objects(X: Cases) -> pd.DataFrame | None:
    """Turn an array of objects or texts into a table, or return None if it is all numbers."""
    if is_sparse(X) or getattr(getattr(X, "dtype", None), "kind", "O") not in "OUST":
        return None
    cells = np.array(X, dtype=object)
    if cells.ndim != 2:
        return None
    frame = pd.DataFrame(cells).infer_objects()
    return frame if nominal_columns(frame) else None


def check_column(owner: object, column: pd.Series[Any], *, nan: bool) -> None:
    """Raise if a numeric column has an infinite value, or a missing one unless allowed.

    Raises
    ------
    InputError
        Names the component, the column and the row.
    """
    if column.dtype.kind != "f" and not column.hasnans:
        return
    values = column.to_numpy(dtype=float, na_value=np.nan)
    check_finite(owner, values, argument=f"X, column {column.name!r},", nan=nan)


def check_cells(owner: object, column: pd.Series[Any]) -> None:
    """Raise if a cell of a nominal column is not a text, number, bool or date.

    Raises
    ------
    InputTypeError
        Names the component, the column and the row.
    """
    if column.dtype != object and column.dtype.kind != "c":
        return
    for row, cell in enumerate(column):
        if not pd.api.types.is_scalar(cell) or isinstance(cell, complex | np.complexfloating):
            raise InputTypeError(
                f"{display_name(owner)}: X, column {column.name!r}: each argument must be a "
                f"string or a number, got {cell!r} at row {row}"
            )


def keys_of(cells: Iterable[Any]) -> pd.Index[Any]:
    """Return cells as keys that are equal if they are the same category.

    1 and 1.0 are equal; True and 1, though equal in Python, are not.
    """
    keys = [_FLAGS[bool(cell)] if isinstance(cell, bool | np.bool_) else cell for cell in cells]
    return pd.Index(np.array(keys, dtype=object), dtype=object, tupleize_cols=False)


def distinct(owner: object, column: pd.Series[Any]) -> list[Any]:
    """Return the distinct values of a nominal column, sorted: numbers, then other types by name.

    Raises
    ------
    InputTypeError
        If values of one type have no order; names the component and the column.
    """
    present = column.dropna()
    cells = present[~keys_of(present).duplicated()].tolist()
    try:
        return sorted(cells, key=lambda cell: (_type(cell), cell))
    except TypeError as error:
        raise InputTypeError(
            f"{display_name(owner)}: X, column {column.name!r}, has values without an order "
            f"({error})"
        ) from None


def _type(cell: object) -> str:
    number = isinstance(cell, Real | Decimal) and not isinstance(cell, bool | np.bool_)
    return "" if number else type(cell).__name__


class _Flag(Enum):
    """Replaces a boolean in keys."""

    FALSE = False
    TRUE = True


_FLAGS = {flag.value: flag for flag in _Flag}


def positions(owner: Component, labels: Sequence[Any], columns: Sequence[str | int]) -> list[int]:
    """Positions of selected columns, in order of selection, without repetition.

    Parameters
    ----------
    owner : Component
        Named in errors.
    labels : sequence
        Names of all columns.
    columns : sequence of str or int
        Names; if no column has this name, positions (from the end if negative) or shell patterns
        with ``*`` or ``?``.

    Raises
    ------
    ParameterError
        If an entry of `columns` matches no column; suggests the closest name.
    """
    labels = list(labels)
    return list(dict.fromkeys(at for each in columns for at in _positions_of(owner, labels, each)))


def _positions_of(owner: Component, labels: list[Any], column: str | int) -> list[int]:
    if column in labels:
        return [labels.index(column)]
    if isinstance(column, int) and -len(labels) <= column < len(labels):
        return [column % len(labels)]
    if isinstance(column, str) and {"*", "?"} & set(column):
        names = enumerate(labels)
        matches = [at for at, name in names if isinstance(name, str) and fnmatchcase(name, column)]
        if matches:
            return matches
    hint = did_you_mean(column, [label for label in labels if isinstance(label, str)])
    raise owner.parameter_error("columns", f"names {column!r}, which X does not have{hint}")
