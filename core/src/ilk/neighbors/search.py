"""The k smallest distances of each query, kept while tiles of distances come by."""

from __future__ import annotations

import numpy as np

from ilk.compiling import compiled

_GROUP = 64  # distances looked at together before any is looked at alone
_LOOSE = 1.000001  # more than rounding may take from the square of a root


@compiled
def push(D: np.ndarray, first: int, near: np.ndarray, where: np.ndarray, squared: bool) -> None:
    """Put the distances to the rows from `first` on where they belong among the nearest so far.

    Rows come in order, so that a tie leaves the lower index before the higher one. Of squared
    distances only those are rooted that may belong there.
    """
    n, m = D.shape
    k = near.shape[1]
    for i in range(n):
        row, best, indices = D[i], near[i], where[i]
        for start in range(0, m, _GROUP):
            group = row[start : start + _GROUP]
            if first + start >= k:
                bound = best[k - 1]
                if squared:
                    bound *= bound * _LOOSE
                if _below(group, bound) == 0:
                    continue
            for j in range(len(group)):
                d = np.sqrt(group[j]) if squared else group[j]
                _insert(d, first + start + j, best, indices)


@compiled
def _below(group: np.ndarray, bound: float) -> int:
    some = 0
    for j in range(len(group)):
        some += group[j] < bound
    return some


@compiled
def _insert(d: float, index: int, near: np.ndarray, where: np.ndarray) -> None:
    place = min(index, len(near))
    if place == len(near):
        place -= 1
        if not d < near[place]:
            return
    while place > 0 and near[place - 1] > d:
        near[place] = near[place - 1]
        where[place] = where[place - 1]
        place -= 1
    near[place] = d
    where[place] = index
