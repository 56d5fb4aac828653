"""Checks that schemes share: the data at the door, and whether they can be divided so."""

from __future__ import annotations

from typing import Any

import numpy as np

import ilk


def check_data(owner: object, X: Any, y: Any, groups: Any) -> tuple[int, np.ndarray | None]:
    """Return the number of cases and the code of each case's group.

    Raises
    ------
    InputError
        If lengths differ or there are fewer than two cases.
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
    return n, np.unique(np.asarray(groups), return_inverse=True)[1]


def check_folds(owner: object, folds: int, n: int, codes: np.ndarray | None) -> None:
    """Raise if there are fewer cases, or groups, than folds.

    Raises
    ------
    InputError
        Naming both numbers.
    """
    count, what = (n, "cases") if codes is None else (int(codes.max()) + 1, "groups")
    if folds > count:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: folds = {folds}, but there are {count} {what}"
        )


def check_classes(owner: object, y: Any, X: Any, least: int, why: str) -> np.ndarray:
    """Return the code of each label; raise if a class has fewer cases than needed.

    Raises
    ------
    InputError
        Naming the class and its count.
    """
    classes, codes = ilk.check_labels(owner, y, X)
    counts = np.bincount(codes)
    smallest = int(counts.argmin())
    if counts[smallest] < least:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: class {classes[smallest].item()!r} has "
            f"{counts[smallest]} case(s), {why}"
        )
    return codes
