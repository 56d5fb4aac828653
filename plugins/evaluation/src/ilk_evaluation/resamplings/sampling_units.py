"""Sampling units, cases or whole groups, of a split, and checks of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_evaluation.resamplings.class_shares import class_counts, without_missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk import Cases, Labels

MOST_SPLITS = 1_000_000
"""Maximum number of splits: a plan cannot have more cells."""


@dataclass(frozen=True)
class Units:
    """Cases, or groups of cases that stay together.

    Attributes
    ----------
    count : int
    of_case : ndarray of int, shape (n,), or None
        Unit of each case; None: each case is its own unit.
    strata : ndarray of int, shape (count,), or None
        Class of each unit, for stratified splits. A group belongs to the rarest of its classes:
        the one in the fewest groups, the first of several.
    counts : ndarray of int, shape (count, n_classes), or None
        Cases of each class in each group, for stratified splits.
    """

    count: int
    of_case: np.ndarray | None = None
    strata: np.ndarray | None = None
    counts: np.ndarray | None = None

    @property
    def what(self) -> str:
        """Plural name of the units."""
        return "cases" if self.of_case is None else "groups"

    def rows(self, units: np.ndarray) -> np.ndarray:
        """Sorted cases of the given units, repeated as often as these."""
        if self.of_case is None:
            return np.sort(units)
        times = np.bincount(units, minlength=self.count)[self.of_case]
        return np.repeat(np.arange(len(times)), times)


def units_of(
    owner: object,
    X: Any,
    y: Labels | None,
    groups: Labels | None,
    *,
    stratify: bool,
    least: int = 1,
    why: str = "",
) -> Units:
    """Return the units to divide.

    Parameters
    ----------
    owner : Resampling
        Named in errors.
    X, y, groups : the data
    stratify : bool
    least : int
        Minimum number of cases, or groups, of each class.
    why : str
        Ends the error message about a smaller class.

    Raises
    ------
    InputError
        If there are too few cases, in total or of a class.
    """
    n, of_case = check_data(owner, X, y, groups)
    count = n if of_case is None else int(of_case.max()) + 1
    if not stratify:
        return Units(count, of_case)
    return units_from(check_classes(owner, y, X, of_case, least, why), of_case)


def units_from(codes: np.ndarray, of_case: np.ndarray | None) -> Units:
    """The units of labels and groups, both coded, for stratified splits."""
    if of_case is None:
        return Units(len(codes), None, codes)
    counts = class_counts(codes, of_case)
    return Units(len(counts), of_case, rarest(codes, of_case), counts)


def rarest(codes: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """For each group, the one of its classes that is in the fewest groups."""
    n_classes = int(codes.max()) + 1
    owners, classes = np.divmod(np.unique(groups * n_classes + codes), n_classes)
    order = np.lexsort((classes, holders(codes, groups)[classes], owners))
    first = np.unique(owners[order], return_index=True)[1]
    return np.asarray(classes[order][first])


def parts(units: Units, sizes: Sequence[int], generator: np.random.RandomState) -> list[np.ndarray]:
    """Assign all units to parts at random.

    Stratified, each part keeps the class proportions, but has at least one unit of each class
    with as many units as there are parts, if the sizes allow that. Groups are exchanged while
    fewer classes are missing from a part.

    Parameters
    ----------
    units : Units
    sizes : sequence of int
        Number of units of each part; they sum to the number of all units.
    generator : RandomState
    """
    order = generator.permutation(units.count)
    if units.strata is None:
        return np.split(order, np.cumsum(sizes)[:-1])
    left = np.bincount(units.strata)
    shares = []
    for position, size in enumerate(sizes):
        shares.append(_share(left, size, len(sizes) - 1 - position, generator))
        left = left - shares[-1]
    by_class = order[np.argsort(units.strata[order], kind="stable")]
    numbers = np.arange(len(sizes))
    part = np.concatenate(
        [np.repeat(numbers, numbers_of_class) for numbers_of_class in np.array(shares).T]
    )
    if units.counts is None:
        return [by_class[part == number] for number in numbers]
    of_unit = np.empty(units.count, dtype=int)
    of_unit[by_class] = part
    of_unit = without_missing(units.counts, of_unit, np.asarray(sizes) / units.count)
    return [np.flatnonzero(of_unit == number) for number in numbers]


def _share(
    counts: np.ndarray, size: int, later: int, generator: np.random.RandomState
) -> np.ndarray:
    """Number of units of each class for a part, by largest-remainder rounding.

    Parameters
    ----------
    counts : ndarray of int
        Remaining units of each class.
    size : int
        Number of units of the part.
    later : int
        Number of later parts; if possible, each is left one unit of each class.
    """
    quota = counts * (size / counts.sum())
    some = (counts > later).astype(int)
    # each class gets a unit and leaves one for every later part, if the size allows
    low, high = some, counts - later * some
    if not low.sum() <= size <= high.sum():
        low, high = np.zeros_like(counts), counts
    share = np.clip(np.floor(quota).astype(int), low, high)
    while (missing := size - int(share.sum())) != 0:
        step = 1 if missing > 0 else -1
        room = share < high if step > 0 else share > low
        open_ = generator.permutation(np.flatnonzero(room))  # random order settles ties
        share[open_[np.argmax(step * (quota - share)[open_])]] += step
    return np.asarray(share)


def check_data(
    owner: object, X: Cases, y: Labels | None, groups: Labels | None
) -> tuple[int, np.ndarray | None]:
    """Return the number of cases and the code of each case's group.

    Raises
    ------
    InputError
        If lengths differ, there are fewer than two cases, or groups are missing or of mixed
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


def _group_codes(owner: object, groups: Labels) -> np.ndarray:
    """Code the names of groups, in sorted order."""
    import pandas as pd

    name, values = ilk.display_name(owner), np.asarray(groups)
    if values.dtype.kind in "US" and isinstance(groups, list | tuple):
        values = np.asarray(groups, dtype=object)  # else NaN would become a name, and 1 the text 1
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
        Gives both numbers.
    """
    count, what = (n, "cases") if codes is None else (int(codes.max()) + 1, "groups")
    if folds > count:
        there = f"there are {count} {what}" if count > 1 else "all cases are of one group"
        raise ilk.InputError(f"{ilk.display_name(owner)}: folds = {folds}, but {there}")


def check_classes(
    owner: object, y: Labels | None, X: Cases, groups: np.ndarray | None, least: int, why: str
) -> np.ndarray:
    """Return the code of each label; raise if a class has fewer cases, or groups, than needed.

    Raises
    ------
    InputError
        Names the class and its count.
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
    """Number of cases, or groups, of each class."""
    if groups is None:
        return np.bincount(codes)
    n_classes = int(codes.max()) + 1
    return np.bincount(np.unique(groups * n_classes + codes) % n_classes)
