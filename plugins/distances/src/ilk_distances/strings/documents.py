"""Validation of texts, bytes and files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    import pandas as pd

    from ilk import Cases


def as_list(owner: object, X: Any, argument: str = "X") -> list[Any]:
    """Return X, a sequence of objects of any kind except vectors, as a list.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : list, tuple, array of one dimension, series, or data frame of one column
    argument : str

    Raises
    ------
    InputError, InputTypeError
        If X is a single text, is empty, or is not a sequence of objects.
    """
    name = ilk.display_name(owner)
    X = ilk.as_table(X)
    if isinstance(X, str | bytes | bytearray | os.PathLike):
        raise ilk.InputError(f"{name}: {argument} must be a list of objects, got the single {X!r}")
    if isinstance(X, Mapping | AbstractSet) or hasattr(X, "tocsr"):
        kind = type(X).__name__
        raise ilk.InputTypeError(f"{name}: {argument} must be a sequence of objects, got a {kind}")
    if ilk.n_rows(X) == 0:
        raise ilk.InputError(f"{name}: {argument} has no rows, at least 1 is needed")
    if ilk.is_table(X):
        X = _only_column(name, X, argument)
    if np.ma.isMaskedArray(X) and np.ma.getmaskarray(X).any():
        raise ilk.InputError(f"{name}: {argument} has masked values; fill them first")
    return list(X)


def _only_column(name: str, table: pd.DataFrame, argument: str) -> Any:
    if table.shape[1] != 1:
        raise ilk.InputError(
            f"{name}: {argument} must have one column, of texts; it has {table.shape[1]}: "
            f"{', '.join(map(str, table.columns[:5]))}"
        )
    return table.iloc[:, 0]


def as_bytes(owner: object, X: Cases, argument: str, encoding: str) -> list[bytes]:
    """Return the bytes of each object: texts encoded, bytes as they are, files read.

    Raises
    ------
    InputError, InputTypeError
        Naming the row of the first object that is missing, of another type, or cannot be
        encoded or read.
    """
    objects = as_list(owner, X, argument)
    return [_bytes(owner, item, f"{argument} has", i, encoding) for i, item in enumerate(objects)]


def _bytes(owner: object, item: object, has: str, row: int, encoding: str) -> bytes:
    name = ilk.display_name(owner)
    if isinstance(item, str):
        try:
            return item.encode(encoding)
        except UnicodeError as error:
            raise ilk.InputError(
                f"{name}: {has} a text at row {row} that {encoding} cannot encode: {error}"
            ) from None
    if isinstance(item, bytes | bytearray | memoryview):
        return bytes(item)
    if isinstance(item, os.PathLike):
        try:
            return Path(item).read_bytes()
        except OSError as error:
            raise ilk.InputError(
                f"{name}: {has} the file {os.fspath(item)!r} at row {row}, which cannot be read: "
                f"{error.strerror}"
            ) from error
    if is_missing(item):
        raise ilk.InputError(f"{name}: {has} a missing value ({item}) at row {row}")
    raise ilk.InputTypeError(
        f"{name}: {has} a {type(item).__name__} at row {row}, expected a text, bytes or the path "
        f"of a file (pathlib.Path)"
    )


def is_missing(item: object) -> bool:
    """Tell whether an object is a missing value: None, NaN, NA, NaT."""
    return item is None or (
        type(item).__name__ in {"NAType", "NaTType"} or (isinstance(item, float) and item != item)  # noqa: PLR0124
    )
