"""Leave-p-out cross-validation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Param
from ilk_evaluation.resamplings.checks import MOST_SPLITS
from ilk_evaluation.resamplings.units import Units, units_of


class LeavePOut(ilk.Resampling):
    """Every p cases are tested by what was learned from all others: C(n, p) splits.

    Nothing is random. With groups, every p groups are left out.

    Parameters
    ----------
    p : int, default=2
    max_splits : int, default=10000
        More are refused, at most a million: their number grows fast, as 4950 for 2 of 100 cases
        and 161,700 for 3.

    Raises
    ------
    InputError
        If nothing would be left to train with, or there would be too many splits; says how many.

    References
    ----------
    J. Shao, "Linear model selection by cross-validation", Journal of the American Statistical
    Association 88, 1993 (there: leave-n_v-out).

    Examples
    --------
    >>> import ilk
    >>> splits = ilk.resampling("leave_p_out", p=2).splits([[1], [2], [3]], [0, 1, 1])
    >>> [split.test.tolist() for split in splits]
    [[0, 1], [0, 2], [1, 2]]
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "p": Param(int, ge=1, doc="How many cases, or groups, are tested at once."),
        "max_splits": Param(int, ge=1, le=MOST_SPLITS, doc="More splits are refused."),
    }

    def __init__(self, p: int = 2, max_splits: int = 10_000) -> None:
        self.p = p
        self.max_splits = max_splits

    @classmethod
    def examples(cls) -> list[Self]:
        """Pairs, and one by one."""
        return [cls(), cls(p=1)]

    def at_least(self) -> int:
        return self.p + 1

    def splits(
        self, X: Any, y: Any, groups: Any = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        units = units_of(self, X, y, groups, stratify=False)
        name, among = ilk.display_name(self), f"{units.count} {units.what}"
        if self.p >= units.count:
            raise ilk.InputError(f"{name}: p = {self.p} of {among} leaves nothing to train with")
        number = math.comb(units.count, self.p)
        if number > self.max_splits:
            raise ilk.InputError(
                f"{name}: p = {self.p} of {among} makes {_written(number)} splits, more than "
                f"max_splits = {self.max_splits:,}; take random_subsampling, or raise max_splits"
            )
        return _splits(units, self.p)


def _written(number: int) -> str:
    """A number in full, or its power of ten where nobody would read it."""
    return f"{number:,}" if number < 10**15 else f"about 10^{int(math.log10(number))}"


def _splits(units: Units, p: int) -> Iterator[ilk.Split]:
    everything = np.arange(units.count)
    for fold, chosen in enumerate(combinations(range(units.count), p)):
        test = np.array(chosen)
        yield ilk.Split(units.rows(np.delete(everything, test)), units.rows(test), fold=fold)
