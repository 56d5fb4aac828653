"""Targets of regression at the door."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

import ilk


def check_numbers(owner: object, y: Any, X: Any) -> np.ndarray:
    """Return y as finite floats, one for each row of X.

    Raises
    ------
    InputError
        Naming the component and what is wrong with y.
    """
    name = ilk.display_name(owner)
    if y is None:
        raise ilk.InputError(f"{name}: requires y to be passed, but the target y is None")
    try:
        values = np.asarray(ilk.as_table(y))
        if values.dtype.kind != "c":
            values = column_or_1d(values.astype(float, copy=False), warn=True)
    except (TypeError, ValueError) as error:
        raise ilk.InputError(f"{name}: y: {error}") from None
    if values.dtype.kind == "c":
        raise ilk.InputError(f"{name}: y must be real numbers (Complex data not supported)")
    ilk.check_same_length(owner, X, values)
    if not len(values):
        raise ilk.InputError(f"{name}: y is empty, at least one number is needed")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ilk.InputError(f"{name}: y has {values[bad[0]]} at row {bad[0]}, it must be finite")
    return np.asarray(values)
