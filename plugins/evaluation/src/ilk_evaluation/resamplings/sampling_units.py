"""Sampling units, cases or whole groups, dealt out by class shares, and checks of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk import Cases, Labels

MOST_SPLITS = 1_000_000
"""Maximum number of splits: a plan cannot have more cells."""
_MISSING = 1e3  # a class missing from a part weighs more than any deviation of shares
_MOST_STEPS = 200
_MOST_PAIRS = 150**2  # pairs of groups whose exchange is tried at each step
_LEAST_GAIN = 1e-9


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
            f"{ilk.display_name(owner)}: class {classes.item(smallest)!r} "
            f"{has.format(counts[smallest])}, {why}"
        )
    return codes


def holders(codes: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Number of cases, or groups, of each class."""
    if groups is None:
        return np.bincount(codes)
    n_classes = int(codes.max()) + 1
    return np.bincount(np.unique(groups * n_classes + codes) % n_classes)


def class_counts(codes: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Cases of each class in each group.

    Parameters
    ----------
    codes, groups : ndarray of int, shape (n,)

    Returns
    -------
    ndarray of int, shape (n_groups, n_classes)
    """
    shape = int(groups.max()) + 1, int(codes.max()) + 1
    return np.bincount(groups * shape[1] + codes, minlength=shape[0] * shape[1]).reshape(shape)


def nearest(counts: np.ndarray, part: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Move and exchange groups between parts while classes come nearer to their shares.

    Minimises the number of classes missing from a part or from all other parts and, among equals,
    the sum of ``(n_kc / n_c - s_k)^2`` over parts k and classes c, where the sum over all classes
    counts as one more class. The result is a local minimum.

    Parameters
    ----------
    counts : ndarray of shape (n_groups, n_classes)
    part : ndarray of int, shape (n_groups,)
        The part of each group to start from.
    shares : ndarray of shape (n_parts,)
        Wanted share of each part; they sum to 1.

    Returns
    -------
    ndarray of int, shape (n_groups,)
    """
    part, weights = part.copy(), _weights(counts)
    for _ in range(_MOST_STEPS):
        totals = _totals(weights, part, len(shares))
        if not (_move(weights, part, totals, shares) or _exchange(weights, part, totals, shares)):
            break
    return part


def without_missing(counts: np.ndarray, part: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Exchange groups while fewer classes are missing from a part; sizes of parts stay."""
    part, weights = part.copy(), _weights(counts)
    for _ in range(_MOST_STEPS):
        totals = _totals(weights, part, len(shares))
        if _losses(totals, shares[:, None]).sum() < _MISSING:
            break
        if not _exchange(weights, part, totals, shares, least=_MISSING / 2):
            break
    return part


def nearest_draw(counts: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Change how often groups are drawn, while the sample comes nearer to the data.

    First a copy of a group is replaced by another group, or it is exchanged how often two groups
    are drawn, while fewer classes are missing from the drawn groups (which counts twice) or from
    the others. Then groups are exchanged while the sum of ``(m_c / n_c - 1)^2`` over the classes
    becomes smaller, where m_c is the number of cases of class c in the sample and the sum over all
    classes counts as one more class.

    Parameters
    ----------
    counts : ndarray of shape (n_groups, n_classes)
    times : ndarray of int, shape (n_groups,)
        How often each group is drawn.

    Returns
    -------
    ndarray of int, shape (n_groups,)
        Of the same sum. The result is a local minimum.
    """
    times, weights, holds = times.copy(), _weights(counts), (counts > 0).astype(np.int16)
    if len(times) ** 2 > _MOST_PAIRS:
        return times
    least = _MISSING / 2
    for _ in range(_MOST_STEPS):
        exchange = times[None] - times[:, None]  # what the first group of a pair gains
        replace = -np.minimum(times[:, None], 1 - np.eye(len(times), dtype=int))
        kinds = [exchange, replace] if least > _LEAST_GAIN else [exchange]
        losses = np.array([_draw_losses(times, gain, weights, holds) for gain in kinds])
        kind, a, b = np.unravel_index(int(losses.argmin()), losses.shape)
        if losses[kind, a, b] < losses[0, 0, 0] - least:  # a group with itself changes nothing
            gain = kinds[kind][a, b]
            times[a], times[b] = times[a] + gain, times[b] - gain
        elif least > _LEAST_GAIN:
            least = _LEAST_GAIN
        else:
            break
    return times


def _draw_losses(
    times: np.ndarray, gain: np.ndarray, weights: np.ndarray, holds: np.ndarray
) -> np.ndarray:
    """Loss of a sample in which the first group of each pair gains, and the second loses, draws."""
    off = times @ weights - 1
    toward, inner = weights @ off, weights @ weights.T
    apart = np.add.outer(np.diag(inner), np.diag(inner)) - 2 * inner
    squares = off @ off + 2 * gain * np.subtract.outer(toward, toward) + gain**2 * apart
    now = (times > 0).astype(np.int16)
    first = (times[:, None] + gain > 0) - now[:, None]
    second = (times[None] - gain > 0) - now[None]
    drawn = now @ holds + first[..., None] * holds[:, None] + second[..., None] * holds[None]
    missing = 2 * (drawn == 0) + (drawn == holds.sum(axis=0))
    losses: np.ndarray = squares + _MISSING * missing.sum(axis=-1)
    return losses


def _weights(counts: np.ndarray) -> np.ndarray:
    """Share of each class, and of all cases, that is in each group."""
    weights: np.ndarray = np.column_stack([counts, counts.sum(axis=1)]).astype(float)
    weights /= weights.sum(axis=0)
    return weights


def _totals(weights: np.ndarray, part: np.ndarray, n_parts: int) -> np.ndarray:
    totals = np.zeros((n_parts, weights.shape[1]))
    np.add.at(totals, part, weights)
    return totals


def _losses(totals: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Loss of parts, given their shares of the classes in the last axis."""
    missing = (totals < _LEAST_GAIN) | (totals > 1 - _LEAST_GAIN)
    loss: np.ndarray = ((totals - shares) ** 2 + _MISSING * missing).sum(axis=-1)
    return loss


def _move(weights: np.ndarray, part: np.ndarray, totals: np.ndarray, shares: np.ndarray) -> bool:
    """Move the group that gains most to another part; tell whether one gains."""
    now = _losses(totals, shares[:, None])
    left = _losses(totals[part] - weights, shares[part, None])  # (groups,)
    joined = _losses(totals[None] + weights[:, None], shares[None, :, None])  # (groups, parts)
    change = (left - now[part])[:, None] + joined - now[None]
    change[np.arange(len(part)), part] = 0.0
    group, to = np.unravel_index(int(change.argmin()), change.shape)
    if change[group, to] > -_LEAST_GAIN:
        return False
    part[group] = to
    return True


def _exchange(
    weights: np.ndarray,
    part: np.ndarray,
    totals: np.ndarray,
    shares: np.ndarray,
    least: float = _LEAST_GAIN,
) -> bool:
    """Exchange the pair of groups that gains most; tell whether one gains at least `least`."""
    if len(part) ** 2 > _MOST_PAIRS:
        return False
    now = _losses(totals, shares[:, None])
    others = weights[None] - weights[:, None]  # gain of the part of the first group
    after = _losses(totals[part][:, None] + others, shares[part][:, None, None])
    change = after - now[part][:, None]
    change = change + change.T
    change[part[:, None] == part[None]] = 0.0
    a, b = np.unravel_index(int(change.argmin()), change.shape)
    if change[a, b] > -least:
        return False
    part[a], part[b] = part[b], part[a]
    return True
