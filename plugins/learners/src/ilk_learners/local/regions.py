"""Compiled kernels: regions around queries that shrink along relevant features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import ilk
from ilk_learners.local.distance_kernels import copy, select, total_of

_DENSE = 2  # sorted lists are compacted once they are so many times as long as the region


def shrink(
    columns: np.ndarray,
    order: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    Q: np.ndarray,
    left_out: np.ndarray,
    near: int,
    share: float,
    kappa: float,
    logarithmic: bool,
    single: bool,
    where: np.ndarray,
    squares: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Shrink the region of each query to the number of rows that fit in `where`.

    A region holds all rows at first. Each step computes the weights of the features in it and keeps
    the share `share` of its rows nearest to the query: along the feature of the largest weight if
    `single`, else under the weights.

    Parameters
    ----------
    columns : ndarray of shape (p, n)
        The training rows, transposed.
    order : ndarray of int, shape (p, n)
        Row numbers, sorted by each feature.
    codes : ndarray of int, shape (n,)
    Q : ndarray of shape (m, p)
    left_out : ndarray of int, shape (m,)
    near : int
        Number of near rows along a feature, the others are beyond; half of a small region.
    where, squares : ndarray of shape (m, c)
        Written: the remaining rows, ascending, and their squared distances from the query under
        the last weights. A missing row (one is left out) is -1 and infinitely far.
    weights : ndarray of shape (m, p)
        Written.
    """
    p, n = columns.shape
    # compiled code that allocates arrays, or has more loops over features, takes longer to compile
    S = _Scratch(
        np.empty(n, np.uint32),
        np.empty(n, np.uint8),
        np.empty((2, n)),
        np.empty((p, n // _DENSE + 1), np.uint32),
        np.empty(p),
        np.empty((2, n_classes), np.int64),
    )
    where[...], squares[...] = -1, np.inf
    weights[...] = 1.0 / p
    kind = logarithmic, single
    _shrink(
        columns, order, codes, Q, left_out, near, share, kappa, kind, where, squares, weights, S
    )


class _Scratch(NamedTuple):
    """Scratch space.

    Attributes
    ----------
    rows : ndarray of int, shape (n,)
        The region.
    alive : ndarray of int, shape (n,)
        Whether a row is in the region.
    values : ndarray of shape (2, n)
    compacted : ndarray of int, shape (p, n // _DENSE + 1)
    relevances : ndarray of shape (p,)
    counts : ndarray of int, shape (2, n_classes)
        Rows by class: in the region, and near the query.
    """

    rows: np.ndarray
    alive: np.ndarray
    values: np.ndarray
    compacted: np.ndarray
    relevances: np.ndarray
    counts: np.ndarray


@ilk.compiled
def _shrink(
    columns: np.ndarray,
    order: np.ndarray,
    codes: np.ndarray,
    Q: np.ndarray,
    left_out: np.ndarray,
    near: int,
    share: float,
    kappa: float,
    kind: tuple[bool, bool],
    where: np.ndarray,
    squares: np.ndarray,
    weights: np.ndarray,
    S: _Scratch,
) -> None:
    """Shrink regions as `shrink` does; the outputs hold what a step that does nothing writes."""
    n, stop = columns.shape[1], where.shape[1]
    rows, alive, values, scratch = S.rows, S.alive, S.values[0], S.values[1]
    compacted, relevances, total = S.compacted, S.relevances, S.counts[0]
    logarithmic, single = kind
    for i in range(len(Q)):
        q, weight = Q[i], weights[i]
        size, held = _everything(rows, alive, left_out[i]), n
        first = True
        while first or size > stop:
            # at most half of the region is near the query, so that some rows are beyond
            first = False
            _count(codes, rows[:size], total)
            few = max(min(near, size // 2), 1)
            # the lists hold removed rows too; compaction when half are removed keeps its total cost
            # linear
            if _DENSE * size <= held:
                held = _thin(order if held == n else compacted, compacted, held, alive)
            lists = order if held == n else compacted
            for f in range(len(columns)):
                _walk(columns[f], lists[f, :held], alive, codes, q[f], few, S.counts[1])
                relevances[f] = _relevance(S.counts[1], total, kappa, logarithmic)
            known = _normalise(relevances, weight)
            n_kept = max(stop, int(share * size))
            # at the target size nothing is left to cut
            if n_kept < size:
                if single and known:
                    _along(columns, rows[:size], q, weight, values)
                else:
                    _distances(columns, rows[:size], q, weight, values)
                size = _keep_nearest(rows, size, n_kept, values, scratch, alive)
        for a in range(size):
            where[i, a] = rows[a]
        _distances(columns, rows[:size], q, weight, squares[i])


@ilk.compiled(inner=True)
def _count(codes: np.ndarray, rows: np.ndarray, counts: np.ndarray) -> None:
    """Count the rows of each class; `codes` (n,), `rows` (size,), `counts` (n_classes,)."""
    for c in range(len(counts)):
        counts[c] = 0
    for row in rows:
        counts[codes[row]] += 1


@ilk.compiled(inner=True)
def _everything(rows: np.ndarray, alive: np.ndarray, left_out: int) -> int:
    """Put all rows except the left-out one into the region; return its size; arrays (n,)."""
    size = 0
    for j in range(len(rows)):
        alive[j] = j != left_out
        if j != left_out:
            rows[size] = j
            size += 1
    return size


@ilk.compiled(inner=True)
def _normalise(relevances: np.ndarray, weight: np.ndarray) -> bool:
    """Replace the weights by normalized relevances, unless all are 0; arrays (p,)."""
    total = total_of(relevances)
    if total == 0:
        return False
    for f in range(len(relevances)):
        weight[f] = relevances[f] / total
    return True


@ilk.compiled(inner=True)
def _along(
    columns: np.ndarray,
    rows: np.ndarray,
    q: np.ndarray,
    weight: np.ndarray,
    values: np.ndarray,
) -> None:
    """Distances of rows along the feature of largest weight.

    Shapes: `columns` (p, n), `rows` (size,), `q` and `weight` (p,), `values` (at least size,).
    """
    best = 0
    for f in range(1, len(weight)):
        if weight[f] > weight[best]:
            best = f
    column = columns[best]
    for a in range(len(rows)):
        values[a] = abs(column[rows[a]] - q[best])


@ilk.compiled(inner=True)
def _distances(
    columns: np.ndarray,
    rows: np.ndarray,
    q: np.ndarray,
    weight: np.ndarray,
    values: np.ndarray,
) -> None:
    """Squared distances of rows under all weights; shapes as in `_along`."""
    for a in range(len(rows)):
        values[a] = 0.0
    for f in range(len(weight)):
        if weight[f] == 0:
            continue
        column = columns[f]
        for a in range(len(rows)):
            difference = column[rows[a]] - q[f]
            values[a] += weight[f] * (difference * difference)


@ilk.compiled(inner=True)
def _keep_nearest(
    rows: np.ndarray,
    size: int,
    n_kept: int,
    values: np.ndarray,
    scratch: np.ndarray,
    alive: np.ndarray,
) -> int:
    """Keep the `n_kept` rows of smallest values, ties by lower index; arrays (n,)."""
    copy(values, size, scratch)
    bound = select(scratch, size, n_kept - 1)
    room = n_kept
    # rows as far as the last one share the remaining places, by lower index
    for a in range(size):
        room -= values[a] < bound
    place = 0
    for a in range(size):
        row = rows[a]
        tied = (values[a] == bound) & (room > 0)
        room -= int(tied)
        keep = tied | (values[a] < bound)
        alive[row] = keep
        # every row is written, and the place advances only for kept ones: no branch to mispredict
        rows[place] = row
        place += int(keep)
    return n_kept


@ilk.compiled(inner=True)
def _thin(order: np.ndarray, compacted: np.ndarray, held: int, alive: np.ndarray) -> int:
    """Compact the sorted rows of each feature to the region; return its size.

    Shapes: `order` (p, at least held), `compacted` (p, n // _DENSE + 1), `alive` (n,).
    """
    place = 0
    for f in range(len(order)):
        place = 0
        for a in range(held):
            row = order[f, a]
            compacted[f, place] = row
            place += alive[row]
    return place


@ilk.compiled(inner=True)
def _walk(
    column: np.ndarray,
    order: np.ndarray,
    alive: np.ndarray,
    codes: np.ndarray,
    q: float,
    few: int,
    inside: np.ndarray,
) -> None:
    """Count, by class, the nearest rows along a sorted feature, and ties of the last.

    Shapes: `column`, `alive` and `codes` (n,), `order` (held,), `inside` (n_classes,).
    """
    n = len(order)
    # binary search for the query's place in the sorted feature
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if column[order[middle]] < q:
            low = middle + 1
        else:
            high = middle
    for c in range(len(inside)):
        inside[c] = 0
    left, right = low - 1, low  # walk outwards from the query's position
    count, reach = 0, 0.0
    while True:
        while left >= 0 and alive[order[left]] == 0:
            left -= 1
        while right < n and alive[order[right]] == 0:
            right += 1
        below = q - column[order[left]] if left >= 0 else np.inf
        above = column[order[right]] - q if right < n else np.inf
        distance = min(below, above)
        # go on through ties of the last row: the counts do not depend on the order of rows
        if distance == np.inf or (count >= few and distance > reach):
            return
        reach = distance
        count += 1
        if below <= above:
            inside[codes[order[left]]] += 1
            left -= 1
        else:
            inside[codes[order[right]]] += 1
            right += 1


@ilk.compiled(inner=True)
def _relevance(inside: np.ndarray, total: np.ndarray, kappa: float, logarithmic: bool) -> float:
    """Difference of class shares near the query and beyond it (or in all); arrays (n_classes,)."""
    m, size = total_of(inside), total_of(total)
    # no rows beyond: there is nothing to compare
    if m == size:
        return 0.0
    relevance = 0.0
    for c in range(len(total)):
        if logarithmic:
            here, beyond = inside[c] / m, (total[c] - inside[c]) / (size - m)
            relevance += abs(0.5 * np.log((here + kappa) / (beyond + kappa)))
        else:  # exact integers, so that equally relevant features tie
            difference = float(inside[c] * size - total[c] * m)
            relevance += difference * difference
    whole = float(m * size)
    return relevance if logarithmic else relevance / (whole * whole)
