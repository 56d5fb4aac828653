"""Rows of nominal symbols, compared by equality: numbers, characters, cells of any type."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Sequence

EXACT = 2**53  # integers up to this are exact as float64


def as_symbols(owner: object, X: Any, argument: str = "X") -> np.ndarray:
    """Return X as a two-dimensional array of numbers, characters, single bytes or objects.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : list of texts, of bytes or of rows, two-dimensional array, or data frame
    argument : str

    Raises
    ------
    InputError, InputTypeError
        If rows differ in length (names two), or a cell is missing, infinite or no single value
        (names row and column).
    """
    X = ilk.as_table(X)
    if isinstance(X, str | bytes):
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} must be a list of rows, got the single {X!r}"
        )
    if ilk.n_rows(X) == 0:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} has no rows, at least 1 is needed"
        )
    if np.ma.isMaskedArray(X) and np.ma.getmaskarray(X).any():
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} has masked values; fill them first"
        )
    if hasattr(X, "tocsr"):
        return np.asarray(ilk.check_vectors(owner, X, argument=argument))  # which refuses it
    if ilk.is_table(X):
        X = X.to_numpy()
    elif getattr(X, "ndim", 1) == 1:
        X = _array(owner, list(X), argument)
    return _cells(owner, np.asarray(X), argument)


def _array(owner: object, rows: list[Any], argument: str) -> np.ndarray:
    if isinstance(rows[0], str | bytes):
        return _characters(owner, rows, argument)
    if not all(_is_row(row) for row in rows):
        return np.array(rows, dtype=object)
    _check_lengths(owner, rows, argument)
    if all(map(_is_number, rows[0])):
        numbers = np.array(rows)
        if numbers.dtype.kind in "biu" or (numbers.dtype.kind == "f" and _is_small(numbers)):
            return numbers
    cells = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            cells[i, j] = cell
    return cells


def _is_row(row: Any) -> bool:
    return isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim == 1)


def _is_small(numbers: np.ndarray) -> bool:
    """Tell whether all numbers are so small that integers among them are exact as floats."""
    return bool(np.abs(numbers).max(initial=0) < EXACT)


def _is_number(cell: object) -> bool:
    return isinstance(cell, Real | np.bool_)


def _characters(owner: object, texts: Sequence[Any], argument: str) -> np.ndarray:
    """Texts of equal length as an array of characters, bytes as an array of single bytes."""
    kind = str if isinstance(texts[0], str) else bytes
    other = next((row for row, text in enumerate(texts) if not isinstance(text, kind)), None)
    if other is not None:
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: {argument} has {texts[0]!r} at row 0 and {texts[other]!r} "
            f"at row {other}, which cannot be compared"
        )
    _check_lengths(owner, texts, argument)
    shape = len(texts), len(texts[0])
    if kind is bytes:
        return np.frombuffer(b"".join(texts), dtype="S1").reshape(shape)
    codes = "".join(texts).encode("utf-32-le", "surrogatepass")
    return np.frombuffer(codes, dtype="<U1").reshape(shape)


def _check_lengths(owner: object, rows: Sequence[Any], argument: str) -> None:
    lengths = [len(row) for row in rows]
    other = next((row for row, length in enumerate(lengths) if length != lengths[0]), None)
    if other is not None:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} must have rows of one length, got "
            f"{lengths[0]} at row 0 and {lengths[other]} at row {other}"
        )


def _cells(owner: object, X: np.ndarray, argument: str) -> np.ndarray:
    if X.dtype in {np.dtype("<U1"), np.dtype("S1")} or (X.ndim == 2 and X.dtype.kind in "biu"):
        return X
    if X.ndim != 2 or X.dtype.kind == "f":
        return np.asarray(ilk.check_vectors(owner, X, argument=argument))
    numbers = _as_numbers(X)
    if numbers is not None:
        return _cells(owner, numbers, argument)
    _check_cells(owner, X, argument)
    return X.astype(object)


def _as_numbers(X: np.ndarray) -> np.ndarray | None:
    """Convert an array of objects to numbers, if all are numbers and convert exactly."""
    if X.dtype != object or not all(map(_is_number, X.flat)):
        return None
    numbers = np.array(X.tolist())
    if numbers.dtype.kind == "f" and any(
        not isinstance(c, float) and c != float(c) for c in X.flat
    ):
        return None
    return numbers if numbers.dtype.kind in "biuf" else None


def _check_cells(owner: object, cells: np.ndarray, argument: str) -> None:
    import pandas as pd

    missing = pd.isna(cells)
    if missing.any():
        row, column = (int(i) for i in np.argwhere(missing)[0])
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} has a missing value ({cells[row, column]}) at "
            f"row {row}, column {column}"
        )
    try:
        pd.factorize(cells.astype(object).ravel())
    except TypeError as error:
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: {argument} has a cell that is no single value: {error}"
        ) from None


def comparable(owner: object, X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Replace the symbols of both arrays by floats that are equal where the symbols are.

    The floats are float32 if that is exact.

    Raises
    ------
    InputTypeError
        If one array has characters and the other bytes or numbers.
    """
    import pandas as pd

    x, y = _kind(X), _kind(Y)
    if x == y != "objects":
        X, Y = _codes(X), _codes(Y)
    elif "bytes" in {x, y} or "objects" not in {x, y}:
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: X has {x} but Y has {y}, which cannot be compared"
        )
    if X.shape[1] == 0:
        return np.zeros((len(X), 1)), np.zeros((len(Y), 1))
    size = max(_size(X), _size(Y))
    # codes of the cells take the place of numbers that are not exact as floats
    if size > EXACT:
        cells = np.concatenate([_objects(each).ravel() for each in (X, Y)])
        codes = pd.factorize(cells)[0]
        size = len(codes)
        X, Y = codes[: X.size].reshape(X.shape), codes[X.size :].reshape(Y.shape)
    # float32 holds integers up to 2^24 exactly
    dtype = np.float32 if size <= 2**24 else np.float64
    return X.astype(dtype, copy=False), Y.astype(dtype, copy=False)


def _kind(X: np.ndarray) -> str:
    return {"U": "characters", "S": "bytes", "O": "objects"}.get(X.dtype.kind, "numbers")


def _objects(X: np.ndarray) -> np.ndarray:
    if X.dtype.kind == "U":  # numpy would drop the character 0
        return np.asarray(np.frompyfunc(chr, 1, 1)(_codes(X)), dtype=object)
    return X.astype(object)


def _codes(X: np.ndarray) -> np.ndarray:
    if X.dtype.kind in "biuf":
        return X
    return np.ascontiguousarray(X).view("<u4" if X.dtype.kind == "U" else np.uint8).reshape(X.shape)


def _size(X: np.ndarray) -> float:
    """The largest integer of an array; for floats, the largest exact integer of their type."""
    if X.dtype == object:
        return np.inf
    if X.dtype.kind == "f":
        return 2**24 if X.dtype == np.float32 else EXACT
    return max(int(X.max()), -int(X.min())) if X.dtype.kind in "iu" else 1
