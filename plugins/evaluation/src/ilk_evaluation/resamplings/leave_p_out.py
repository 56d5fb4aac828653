"""Leave-one-out and leave-p-out cross-validation."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.resamplings.sampling_units import MOST_SPLITS, Units, check_data, units_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class LeaveOneOut(ilk.Resampling):
    """Each case is tested once, by what was learned from all others.

    Nothing is random. There are as many splits as cases.

    Raises
    ------
    InputError
        If there are fewer than two cases, or groups of more than one case: testing a case by
        others of its group is what groups are there to prevent.

    Notes
    -----
    Where no step of a pipeline depends on the cases it is fitted to, and its classifier can leave
    each case out without being fitted anew (`ilk.Pipeline.fast_leave_one_out`), an experiment
    asks it once for all cases of a data set. The predictions are those of the n fits, but for the
    last digits with `lda`, which may decide between classes that are as near; the seconds
    of a cell are an equal share of that one call, counted as fitting. The run and its results
    say for which pipelines that was done.

    References
    ----------
    System Evaluation slides (leave-one-out method).

    Examples
    --------
    >>> import ilk
    >>> splits = ilk.resampling("leave_one_out").splits([[1], [2], [3]], [0, 1, 1])
    >>> [split.test.tolist() for split in splits]
    [[0], [1], [2]]
    """

    leaves_one_out = True

    def at_least(self) -> int:
        return 2

    def splits(
        self, X: Any, y: Any, groups: Any = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        n, codes = check_data(self, X, y, groups)
        if codes is not None and len(np.unique(codes)) < n:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: groups would be divided: {n} cases belong to "
                f"{len(np.unique(codes))} groups; use kfold with as many folds as groups"
            )
        return _one_each(n)


def _one_each(n: int) -> Iterator[ilk.Split]:
    rows = np.arange(n)
    for row in rows:
        yield ilk.Split(np.delete(rows, row), rows[row : row + 1].copy(), fold=int(row))


class LeavePOut(ilk.Resampling):
    """Every p cases are tested by what was learned from all others: C(n, p) splits.

    Nothing is random. With groups, every p groups are left out.

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

    p: int = param(default=2, ge=1, doc="How many cases, or groups, are tested at once.")
    max_splits: int = param(
        default=10000,
        ge=1,
        le=MOST_SPLITS,
        doc="More are refused, at most a million: their number grows fast, as 4950 for 2 of "
        "100 cases and 161,700 for 3.",
    )

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
        return _each_combination(units, self.p)


def _written(number: int) -> str:
    """A number in full, or its power of ten where nobody would read it."""
    return f"{number:,}" if number < 10**15 else f"about 10^{int(math.log10(number))}"


def _each_combination(units: Units, p: int) -> Iterator[ilk.Split]:
    everything = np.arange(units.count)
    for fold, chosen in enumerate(combinations(range(units.count), p)):
        test = np.array(chosen)
        yield ilk.Split(units.rows(np.delete(everything, test)), units.rows(test), fold=fold)
