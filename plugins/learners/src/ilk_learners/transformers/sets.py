"""Validation of sets of descriptors: one array of rows per set, with optional weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ilk import Cases, Component


class Sets(NamedTuple):
    """Checked sets.

    Attributes
    ----------
    rows : list of ndarray of shape (m, d)
        All float32 or all float64; m varies and is at least 1.
    weights : list of ndarray of shape (m,), or None
        Weights of the rows, if given.
    """

    rows: list[np.ndarray]
    weights: list[np.ndarray] | None

    @property
    def dtype(self) -> np.dtype[Any]:
        """Dtype of all rows."""
        return self.rows[0].dtype

    @property
    def width(self) -> int:
        """Number of columns, common to all sets."""
        return int(self.rows[0].shape[1])


def check_sets(owner: Component, X: Any, *, width: int | None = None) -> Sets:
    """Return sets as arrays of one dtype.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : list of arrays of shape (m, d), or of pairs of such an array and m weights
        A pair is a tuple.
    width : int, optional
        The expected d; None: that of the first set.

    Raises
    ------
    InputError, InputTypeError
        Names the position of the set and the fault.
    """
    name = ilk.display_name(owner)
    if not is_list(X):
        raise ilk.InputTypeError(f"{name}: X must be a list of sets, each an array of descriptors")
    n = ilk.n_rows(X)
    if n == 0:
        raise ilk.InputError(f"{name}: X has 0 rows (sets), at least one is needed")
    paired = [_is_pair(item) for item in X]
    if any(paired) != all(paired):
        lacking = paired.index(False)
        raise ilk.InputError(f"{name}: X[{lacking}] has no weights, but other sets have")
    rows = [_rows(owner, item[0] if paired[0] else item, f"X[{i}]") for i, item in enumerate(X)]
    _check_widths(owner, rows, width)
    single = all(array.dtype == np.float32 for array in rows)
    rows = [array.astype(np.float32 if single else float, copy=False) for array in rows]
    if not paired[0]:
        return Sets(rows, None)
    pairs = zip(X, rows, strict=True)
    return Sets(rows, [_weights(owner, x[1], len(r), f"X[{i}]") for i, (x, r) in enumerate(pairs)])


def is_list(X: Cases) -> bool:
    """Whether X may be a list of arrays: it has a length, and is not a table or text."""
    if ilk.is_table(X) or isinstance(X, str | bytes) or hasattr(X, "tocsr"):
        return False
    return hasattr(X, "__len__") and getattr(X, "ndim", 1) > 0


def _is_pair(item: object) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and np.ndim(item[1]) == 1


def _rows(owner: object, item: Any, argument: str) -> np.ndarray:
    name = ilk.display_name(owner)
    try:
        array = np.asarray(item)
        if array.dtype.kind not in "biuf":
            array = np.asarray(item, dtype=float) if array.dtype.kind == "O" else np.empty(0)
    except (TypeError, ValueError) as error:
        raise ilk.InputTypeError(
            f"{name}: {argument} must be an array of numbers: {error}"
        ) from None
    if array.ndim != 2 or 0 in array.shape:
        raise ilk.InputError(
            f"{name}: {argument} must be an array of shape (m, d), m descriptors of d numbers, "
            f"at least 1 of each; got shape {np.shape(item)}"
        )
    if np.ma.is_masked(item):
        raise ilk.InputError(f"{name}: {argument} has masked values; fill them first")
    ilk.check_finite(owner, array, argument=argument)
    return array


def _check_widths(owner: object, rows: Sequence[np.ndarray], width: int | None) -> None:
    expected = rows[0].shape[1] if width is None else width
    for i, array in enumerate(rows):
        if array.shape[1] != expected:
            there = (
                f"X[0] has {expected}" if width is None else f"there were {expected} in training"
            )
            name = ilk.display_name(owner)
            raise ilk.InputError(f"{name}: X[{i}] has {array.shape[1]} columns, {there}")


def _weights(owner: object, given: object, m: int, argument: str) -> np.ndarray:
    weights = np.asarray(given, dtype=float)
    if weights.shape != (m,):
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} has weights of shape {weights.shape} for {m} "
            f"descriptors"
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} must have weights that are finite and at "
            f"least 0, got {weights[bad[0]]} at {bad[0]}"
        )
    if not weights.any():
        raise ilk.InputError(f"{ilk.display_name(owner)}: {argument} has weights that are all 0")
    return weights


def stacked(rows: Sequence[np.ndarray], size: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield concatenations of consecutive sets, of about `size` rows or one larger set."""
    start = total = 0
    for i, array in enumerate(rows):
        if total and total + len(array) > size:
            yield slice(start, i), np.concatenate(rows[start:i])
            start, total = i, 0
        total += len(array)
    yield slice(start, len(rows)), np.concatenate(rows[start:])
