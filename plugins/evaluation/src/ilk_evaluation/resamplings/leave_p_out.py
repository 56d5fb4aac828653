"""Leave-one-out and leave-p-out cross-validation."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Self

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.resamplings.sampling_units import MOST_SPLITS, Units, check_data, units_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, Labels


class LeaveOneOut(ilk.Resampling):
    """Leave-one-out cross-validation: each case is tested once, the others train.

    Nothing is random. There are as many splits as cases.

    Raises
    ------
    InputError
        If there are fewer than two cases, or groups of more than one case, because a case would
        be tested by others of its group.

    Notes
    -----
    If no step of a pipeline depends on its training cases, and its classifier can leave
    each case out without refitting (`ilk.Pipeline.fast_leave_one_out`), an experiment
    calls it once for all cases of a data set. The predictions are those of the n fits, except
    for rounding with `lda`, which may decide between classes at almost equal distance. The time
    of a cell is an equal share of that one call, counted as fitting. The run and its results
    name the pipelines for which this was done.

    References
    ----------
    Evaluation slides: Leave-one-out Method.

    Arras: Leave-One-Out Cross-Validation.

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
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
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
    """Leave-p-out cross-validation: every p cases are tested, the others train: C(n, p) splits.

    Nothing is random. With groups, every p groups are left out.

    Raises
    ------
    InputError
        If no training case would be left, or there would be too many splits; gives their number.

    References
    ----------
    J. Shao, "Linear model selection by cross-validation", Journal of the American Statistical
    Association 88, 1993 (there: leave-n_v-out).

    Evaluation slides: Leave-one-out Method.

    Examples
    --------
    >>> import ilk
    >>> splits = ilk.resampling("leave_p_out", p=2).splits([[1], [2], [3]], [0, 1, 1])
    >>> [split.test.tolist() for split in splits]
    [[0, 1], [0, 2], [1, 2]]
    """

    p: int = param(default=2, ge=1, doc="Number of cases, or groups, tested at once.")
    max_splits: int = param(
        default=10000,
        ge=1,
        le=MOST_SPLITS,
        doc="Maximum number of splits, at most a million: they grow fast, as 4950 for 2 of "
        "100 cases and 161,700 for 3.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Pairs, and one by one."""
        return [cls(), cls(p=1)]

    def at_least(self) -> int:
        return self.p + 1

    def splits(
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
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
    """A number in full, or its power of ten if it is unreadably long."""
    return f"{number:,}" if number < 10**15 else f"about 10^{int(math.log10(number))}"


def _each_combination(units: Units, p: int) -> Iterator[ilk.Split]:
    everything = np.arange(units.count)
    for fold, chosen in enumerate(combinations(range(units.count), p)):
        test = np.array(chosen)
        yield ilk.Split(units.rows(np.delete(everything, test)), units.rows(test), fold=fold)
