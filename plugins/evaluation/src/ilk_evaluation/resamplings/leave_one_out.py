"""Leave-one-out cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import ilk
from ilk_evaluation.resamplings.checks import check_data


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
        return _splits(n)


def _splits(n: int) -> Iterator[ilk.Split]:
    rows = np.arange(n)
    for row in rows:
        yield ilk.Split(np.delete(rows, row), rows[row : row + 1].copy(), fold=int(row))
