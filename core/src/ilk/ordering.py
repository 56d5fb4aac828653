"""A canonical order of training cases, independent of the order of rows and names of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk.errors import InputError
from ilk.inputs import n_rows

if TYPE_CHECKING:
    from ilk.arrays import Cases

_LARGEST = 2**62


def row_order(X: Cases, *values: np.ndarray) -> np.ndarray:
    """Row numbers sorted by the columns of X, the first column first, then by further values.

    Sums of floating-point numbers depend on their order. A learner that uses its cases in this
    order gives the same model for any order of the rows, to the last bit.

    Parameters
    ----------
    X : data of n rows
        If it is not a dense table of finite numbers, its rows keep their order.
    *values : ndarray of shape (n,)
        Targets and weights.

    Returns
    -------
    ndarray of int, shape (n,)

    Raises
    ------
    InputError
        If the number of values is not that of the rows.

    Examples
    --------
    >>> import ilk
    >>> import numpy as np
    >>> ilk.row_order([[2, 0], [1, 7], [1, 5], [1, 5]], np.array([0, 0, 1, 0])).tolist()
    [3, 2, 1, 0]
    """
    for each in values:
        _check_length("row_order: values", X, each)
    return np.lexsort((*values[::-1], _ranks(X)))


def case_order(
    X: Cases, codes: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Order of the rows, and order of the classes, independent of the classes' names.

    Classes are sorted by their rows and the rows' weights; rows by X, class and weight. Only
    classes of the same rows and weights are sorted by their codes.

    Parameters
    ----------
    X : data of n rows
        As for `row_order`.
    codes : ndarray of int, shape (n,)
        0 to C - 1; each occurs.
    weights : ndarray of shape (n,), optional

    Returns
    -------
    rows : ndarray of int, shape (n,)
    classes : ndarray of int, shape (C,)
        Codes.

    Raises
    ------
    InputError
        If the number of codes or weights is not that of the rows.

    Examples
    --------
    >>> import ilk
    >>> import numpy as np
    >>> rows, classes = ilk.case_order([[3], [1], [2], [1]], np.array([0, 1, 1, 0]))
    >>> rows.tolist(), classes.tolist()
    ([1, 3, 2, 0], [1, 0])
    """
    ranks = _ranks(X)
    weights = np.ones(len(codes)) if weights is None else weights
    _check_length("case_order: codes", X, codes)
    _check_length("case_order: weights", X, weights)
    if not len(codes):
        return np.arange(0), np.arange(0)
    if ranks.max() == len(ranks) - 1:  # all rows differ: the first row of a class decides
        rows = np.empty(len(ranks), dtype=np.intp)
        rows[ranks] = np.arange(len(ranks))
        first = np.unique(codes[rows], return_index=True)[1]
        return rows, np.argsort(first)
    order = np.lexsort((weights, ranks, codes))
    cases = np.column_stack([ranks, weights])[order].astype(">f8")  # bytes sort as numbers do
    parts = np.split(cases, np.cumsum(np.bincount(codes))[:-1])
    classes = np.array(sorted(range(len(parts)), key=lambda c: parts[c].tobytes()))
    return np.lexsort((weights, np.argsort(classes)[codes], ranks)), classes


def _check_length(argument: str, X: Cases, values: np.ndarray) -> None:
    if len(values) != n_rows(X):
        raise InputError(f"{argument} has {len(values)} values for the {n_rows(X)} rows of X")


def _ranks(X: Cases) -> np.ndarray:
    """Rank of each row among the distinct rows, in lexicographic order."""
    n = n_rows(X)
    table = _table(X)
    if table is None or not n:
        return np.arange(n)
    ranks, size = np.zeros(n, dtype=np.int64), 1
    for column in table.T:
        codes, dense = _codes(column)
        width = int(codes.max()) + 1
        if size * width > _LARGEST:
            ranks = np.unique(ranks, return_inverse=True)[1]
            size = int(ranks.max()) + 1
        if dense and width == n and size == 1:
            return codes
        ranks, size = ranks * width + codes, size * width
        if dense and width == n:  # all rows differ already
            break
    return np.unique(ranks, return_inverse=True)[1]


def _table(X: Cases) -> np.ndarray | None:
    """X as a dense table of finite numbers, or None; other code reports invalid data."""
    if hasattr(X, "tocsr"):
        return None
    try:
        table = np.asarray(X)
    except (TypeError, ValueError):  # rows of different lengths, objects without an order
        return None
    numbers = table.ndim == 2 and table.dtype.kind in "buif"
    return table if numbers and np.isfinite(table).all() else None


def _codes(column: np.ndarray) -> tuple[np.ndarray, bool]:
    """Non-negative integers in the same order as the values; whether each up to them occurs."""
    if column.dtype.kind in "bi":  # differences of small integers can overflow
        column = column.astype(np.int64, copy=False)
    low, high = column.min(), column.max()
    if column.dtype.kind == "f":
        with np.errstate(all="ignore"):
            few = high - low < len(column) and (column == np.trunc(column)).all()
    else:
        few = int(high) - int(low) < len(column)
    if few:
        codes = (column - low).astype(np.int64)
        return codes, int(codes.max()) + 1 == len(codes) and bool(np.bincount(codes).all())
    return np.unique(column, return_inverse=True)[1], True
