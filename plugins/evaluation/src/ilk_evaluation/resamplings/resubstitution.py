"""Resubstitution: the cases that train are tested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

import ilk
from ilk_evaluation.resamplings.checks import check_data


class Resubstitution(ilk.Resampling):
    """All cases train, and the same cases are tested: an error that is too small.

    It tells how well a pipeline fits its data. The error of 1-NN is 0 so, whatever the data. The
    larger the number of cases is, compared with that of features, the nearer it comes to the
    error on new cases. Nothing is random, and groups make no difference.

    Raises
    ------
    InputError
        If there are fewer than two cases.

    References
    ----------
    System Evaluation slides (resubstitution method).

    Examples
    --------
    >>> import ilk
    >>> split, = ilk.resampling("resubstitution").splits([[1], [2], [3]], [0, 1, 1])
    >>> split.train.tolist(), split.test.tolist()
    ([0, 1, 2], [0, 1, 2])
    """

    waivers: ClassVar[Mapping[str, str]] = {
        "check_disjoint": "all cases train and all are tested: that is what it is",
        "check_groups": "all cases train and all are tested: that is what it is",
    }

    def splits(
        self, X: Any, y: Any, groups: Any = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        n, _ = check_data(self, X, y, groups)
        return iter([whole(n)])


def whole(n: int) -> ilk.Split:
    """All cases train and are tested."""
    return ilk.Split(np.arange(n), np.arange(n))
