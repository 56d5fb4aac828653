"""Checks that schemes share: the data at the door, and whether they can be divided so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import ilk

MOST_SPLITS = 1_000_000
"""More are never made: a plan has no more cells."""


def check_data(owner: object, X: Any, y: Any, groups: Any) -> tuple[int, np.ndarray | None]:
    """Return the number of cases and the code of each case's group.

    Raises
    ------
    InputError
        If lengths differ, there are fewer than two cases, or groups are missing or of several
        types.
    """
    n = ilk.n_rows(X)
    if y is not None:
        ilk.check_same_length(owner, X, y)
    if n < 2:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: X has {n} case(s), at least 2 are needed to divide them"
        )
    if groups is None:
        return n, None
    ilk.check_same_length(owner, X, groups, "groups")
    return n, _group_codes(owner, groups)


def _group_codes(owner: object, groups: Any) -> np.ndarray:
    """Code each name of a group, in sorted order."""
    name, values = ilk.display_name(owner), np.asarray(groups)
    if values.dtype.kind in "US" and isinstance(groups, list | tuple):
        values = np.asarray(groups, dtype=object)  # else NaN would be a name, and 1 the text 1
    if values.ndim != 1:
        raise ilk.InputError(f"{name}: groups must be one name a case, got shape {values.shape}")
    missing = np.flatnonzero(pd.isna(values))
    if missing.size:
        at = int(missing[0])
        raise ilk.InputError(
            f"{name}: groups[{at}] is missing, got {values[at]!s}; a case that belongs to no other "
            f"needs a group of its own"
        )
    try:
        return np.unique(values, return_inverse=True)[1]
    except TypeError as error:
        raise ilk.InputError(f"{name}: groups must be of one type: {error}") from None


def check_folds(owner: object, folds: int, n: int, codes: np.ndarray | None) -> None:
    """Raise if there are fewer cases, or groups, than folds.

    Raises
    ------
    InputError
        Naming both numbers.
    """
    count, what = (n, "cases") if codes is None else (int(codes.max()) + 1, "groups")
    if folds > count:
        there = f"there are {count} {what}" if count > 1 else "all cases are of one group"
        raise ilk.InputError(f"{ilk.display_name(owner)}: folds = {folds}, but {there}")


def check_classes(
    owner: object, y: Any, X: Any, groups: np.ndarray | None, least: int, why: str
) -> np.ndarray:
    """Return the code of each label; raise if a class has fewer cases, or groups, than needed.

    Raises
    ------
    InputError
        Naming the class and its count.
    """
    classes, codes = ilk.check_labels(owner, y, X)
    counts = holders(codes, groups)
    smallest = int(counts.argmin())
    if counts[smallest] < least:
        has = "has {} case(s)" if groups is None else "is in {} group(s)"
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: class {classes[smallest].item()!r} "
            f"{has.format(counts[smallest])}, {why}"
        )
    return codes


def holders(codes: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """How many cases, or groups, each class is in."""
    if groups is None:
        return np.bincount(codes)
    n_classes = int(codes.max()) + 1
    return np.bincount(np.unique(groups * n_classes + codes) % n_classes)
