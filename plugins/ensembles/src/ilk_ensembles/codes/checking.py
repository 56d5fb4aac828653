"""Code matrices that are given: what they may hold."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

import ilk


def check_entries(owner: Any, code: Any) -> np.ndarray:
    """Return a code as an array of -1, 0 and 1; one of 0 and 1 alone means -1 by its zeros.

    Raises
    ------
    ParameterError
        If it is no matrix of these, has two equal rows, or a column without both sides.
    """
    matrix = np.asarray(code)
    if matrix.ndim != 2 or not matrix.size:
        raise owner.parameter_error(
            "code", f"must have a row for each class and a column for each member, got {code!r}"
        )
    wrong = matrix[~np.isin(matrix, (-1, 0, 1))]
    if len(wrong):
        raise owner.parameter_error("code", f"must hold -1, 0 and 1 only, got {wrong[0]}")
    matrix = matrix.astype(np.int8)
    if not (matrix == -1).any():
        matrix = 2 * matrix - 1
    lacking = np.flatnonzero(~((matrix == -1).any(axis=0) & (matrix == 1).any(axis=0)))
    if len(lacking):
        raise owner.parameter_error(
            "code", f"must have both sides in each column, but column {lacking[0]} is constant"
        )
    for a, b in combinations(range(len(matrix)), 2):
        if np.array_equal(matrix[a], matrix[b]):
            raise owner.parameter_error("code", f"must not have equal rows, as {a} and {b} are")
    return matrix


def check_rows(owner: Any, code: np.ndarray, classes: np.ndarray) -> None:
    """Check what is left of a code where columns were left out.

    Raises
    ------
    InputError
        If two classes have equal rows, or a class is in no column.
    """
    name = ilk.display_name(owner)
    for label, row in zip(classes.tolist(), code, strict=True):
        if not row.any():
            raise ilk.InputError(f"{name}: class {label!r} takes part in no column that is left")
    for a, b in combinations(range(len(code)), 2):
        if np.array_equal(code[a], code[b]):
            raise ilk.InputError(
                f"{name}: the columns that are left do not tell the classes "
                f"{classes[a].item()!r} and {classes[b].item()!r} apart"
            )
