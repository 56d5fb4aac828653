"""What a measure or a metric is learned for: classes, or numbers as in regression."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import column_or_1d

from ilk import InputError, Param, as_table, check_labels, check_same_length, display_name

Targets = Literal["auto", "classes", "numbers"]
TARGETS = Param(
    choices=("auto", "classes", "numbers"),
    doc="What y holds; auto: numbers if any is no whole number.",
)
_INEXACT = 2.0**53  # from here on floats are whole, whatever they stand for


def read_targets(owner: object, y: Any, X: Any, targets: Targets = "auto") -> np.ndarray:
    """Return y as codes of classes, or as numbers.

    Parameters
    ----------
    owner : Component
        Named in errors.
    y : array of shape (n,)
    X : data of n rows
    targets : {"auto", "classes", "numbers"}
        "auto": numbers if they are floats of which any is no whole number.

    Returns
    -------
    ndarray of shape (n,)
        Integers 0..C-1, the codes of at least two classes; or floats, not all of them equal.

    Raises
    ------
    InputError
        Naming the component and what is wrong with y.
    """
    if targets == "numbers" or (targets == "auto" and holds_numbers(y)):
        return _varied(owner, read_numbers(owner, y, X))
    return check_labels(owner, y, X, min_classes=2)[1]


def read_classes(owner: object, y: Any, X: Any) -> np.ndarray:
    """Return y as codes of at least two classes; numbers are refused, with who takes them.

    Raises
    ------
    InputError
        Naming the component and what is wrong with y.
    """
    if holds_numbers(y):
        raise InputError(
            f"{display_name(owner)}: y holds numbers that are no labels; correlation, "
            f"mutual_information and relieff take them"
        )
    return check_labels(owner, y, X, min_classes=2)[1]


def holds_numbers(y: Any) -> bool:
    """Tell whether y are finite floats of which any is no whole number (as floats have them)."""
    if y is None:
        return False
    try:
        values = np.asarray(as_table(y))
    except ValueError:  # ragged, said when it is read
        return False
    if values.dtype.kind != "f" or not np.isfinite(values).all():
        return False
    whole = (values == np.trunc(values)) & (np.abs(values) < _INEXACT)
    return not whole.all()


def read_numbers(owner: object, y: Any, X: Any) -> np.ndarray:
    """Return y as finite floats, one for each row of X.

    Raises
    ------
    InputError
        Naming the component and what is wrong with y.
    """
    name = display_name(owner)
    if y is None:
        raise InputError(f"{name}: requires y to be passed, but the target y is None")
    try:
        values = np.asarray(as_table(y))
        if values.dtype.kind != "c":
            values = column_or_1d(values.astype(float, copy=False), warn=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: y: {error}") from None
    if values.dtype.kind == "c":
        raise InputError(f"{name}: y must be real numbers, got complex ones")
    check_same_length(owner, X, values)
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InputError(f"{name}: y has {values[bad[0]]} at row {bad[0]}, it must be finite")
    return np.asarray(values)


def _varied(owner: object, values: np.ndarray) -> np.ndarray:
    if len(values) and (values == values[0]).all():
        raise InputError(
            f"{display_name(owner)}: y is {values[0]:g} in every row, there is nothing to learn"
        )
    return values
