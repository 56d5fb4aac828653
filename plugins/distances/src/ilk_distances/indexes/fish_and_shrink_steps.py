"""Compiled steps of Fish and Shrink; the distance is called between the steps.

``least[i, x]``, of shape (m, n), is a lower bound of the distance of row x to query i; NaN after
their comparison. ``limits``, (m,), are the distances beyond which rows are no neighbours, and
``slack``, (6,), the rounding margins of `record_distances`.
"""

from __future__ import annotations

import numpy as np

import ilk
from ilk_distances.indexes.ball_tree_steps import sink


@ilk.compiled
def choose_pivots(
    pivots: np.ndarray,
    least: np.ndarray,
    limits: np.ndarray,
    left: np.ndarray,
    waiting: np.ndarray,
    step: int,
    queries: np.ndarray,
    numbers: np.ndarray,
) -> int:
    """Choose pivots of least bounds, while fewer pivots than candidate rows remain.

    Parameters
    ----------
    pivots : ndarray of int64, shape (n_pivots,)
    least : ndarray of shape (m, n)
    limits : ndarray of shape (m,)
        Rows with a larger bound are no neighbours.
    left : ndarray of int64, shape (m,)
        Remaining budget of comparisons of each query.
    waiting : ndarray of bool, shape (m, n_pivots)
        The pivots that are not yet compared with a query.
    step : int
        Maximum number of pivots to choose for each query.
    queries, numbers : ndarrays of int64, shape (m * n_pivots,)
        Overwritten: pairs of queries and positions of pivots.

    Returns
    -------
    int
        Number of pairs.
    """
    n_pairs = 0
    for i in range(len(limits)):
        n_waiting = hopeful = 0
        for pivot in range(len(pivots)):  # compiles faster than numpy's counts and slices
            n_waiting += waiting[i, pivot]
        for x in range(least.shape[1]):  # count rows within the limit (NaN: compared already)
            hopeful += least[i, x] <= limits[i]
            if hopeful > n_waiting:
                break
        if hopeful <= n_waiting:
            for pivot in range(len(pivots)):
                waiting[i, pivot] = False
            continue
        # several pivots at once save calls of the distance, at the price of less informed choices
        for _ in range(min(step, left[i], n_waiting)):
            chosen = -1
            for pivot in range(len(pivots)):
                if waiting[i, pivot] and (
                    chosen < 0 or least[i, pivots[pivot]] < least[i, pivots[chosen]]
                ):
                    chosen = pivot
            waiting[i, chosen] = False
            queries[n_pairs], numbers[n_pairs] = i, chosen
            n_pairs += 1
    return n_pairs


@ilk.compiled
def record_distances(
    slack: np.ndarray,
    queries: np.ndarray,
    rows: np.ndarray,
    distances: np.ndarray,
    near: np.ndarray,
    where: np.ndarray,
    limits: np.ndarray,
    least: np.ndarray,
) -> None:
    """Process distances of queries to rows.

    Parameters
    ----------
    slack : ndarray of shape (6,)
        Rounding margins of the distances of queries and of those in the table, three numbers each.
    queries, rows : ndarrays of int64, shape (n_pairs,)
    distances : ndarray of float64, shape (n_pairs,)
    near, where : ndarrays of shape (m, k)
        The nearest rows of each query so far, a heap with the farthest on top; k may be 0.
    """
    for t in range(len(queries)):
        i, row, d = queries[t], rows[t], distances[t]
        # NaN compares as false, so no later step takes this row again
        least[i, row] = np.nan
        if near.shape[1] and (d < near[i, 0] or (d == near[i, 0] and row < where[i, 0])):
            sink(near, where, i, d, row)
            # the computed limit is loosened: a row is excluded only if rounding cannot bring it
            # back
            limits[i] = near[i, 0] * (1 + slack[0]) + slack[1]


@ilk.compiled
def raise_bounds(
    table: np.ndarray,
    slack: np.ndarray,
    queries: np.ndarray,
    numbers: np.ndarray,
    distances: np.ndarray,
    least: np.ndarray,
) -> None:
    """Raise the bounds of all rows by the triangle inequality with some pivots.

    Parameters
    ----------
    table : ndarray of shape (n_pivots, n)
    queries, numbers : ndarrays of int64, shape (n_pairs,)
    distances : ndarray of float64, shape (n_pairs,)
        Distances of queries to pivots.
    """
    # the computed distances obey the triangle inequality only up to both rounding margins;
    # distances above `most` may be infinite, so their lower bound is used
    here, absolute, most = slack[0], slack[1] + slack[4], slack[2]
    for t in range(len(queries)):
        to = min(distances[t], most)
        off = here * to + absolute
        _raise(least[queries[t]], table[numbers[t]], distances[t], to, off, slack[3], slack[5])


@ilk.compiled
def _raise(
    least: np.ndarray,
    known: np.ndarray,
    to: float,
    to_least: float,
    off: float,
    relative: float,
    most: float,
) -> None:
    """Like `ball_tree_steps.gap_to`, for all rows, (n,), in a loop that vectorizes."""
    for x in range(len(least)):
        known_least = min(known[x], most)
        low, high = to_least - known[x], known_least - to
        gap = max(low, high) - (off + relative * known_least)
        least[x] = max(least[x], gap)


@ilk.compiled
def take_least_bounded(
    least: np.ndarray,
    limits: np.ndarray,
    sizes: np.ndarray,
    queries: np.ndarray,
    taken: np.ndarray,
) -> int:
    """Write the rows of the least bounds, at most sizes[i] for query i; return their number.

    Shapes: least (m, n), limits and sizes (m,), queries and taken (sum of sizes,), overwritten.
    """
    n_pairs = 0
    for i in range(len(limits)):
        start, stop = n_pairs, n_pairs + sizes[i]
        if start == stop:
            continue
        limit = limits[i]
        for x in range(least.shape[1]):
            # a list sorted by bound, kept by insertion; `limit` falls to its last bound once it is
            # full
            if least[i, x] <= limit and (n_pairs < stop or least[i, x] < limit):
                place = n_pairs - 1 if n_pairs == stop else n_pairs
                n_pairs = place + 1
                while place > start and least[i, taken[place - 1]] > least[i, x]:
                    taken[place] = taken[place - 1]
                    place -= 1
                queries[n_pairs - 1], taken[place] = i, x
                if n_pairs == stop:
                    limit = least[i, taken[stop - 1]]
    return n_pairs


@ilk.compiled
def heap_by_bound(
    least: np.ndarray, limits: np.ndarray, ends: np.ndarray, rows: np.ndarray
) -> None:
    """Collect the rows within the limit of each query, as a heap with the least bound on top.

    Parameters
    ----------
    ends : ndarray of int64, shape (m + 1,)
        Starts of the rows of the queries; the last element is the total.
    rows : ndarray of int64, shape (ends[m] + 1,)
        Overwritten.
    """
    for i in range(len(limits)):
        at = ends[i]
        for x in range(least.shape[1]):
            # written always, counted only if within the limit: no branch that the processor
            # mispredicts
            rows[at] = x
            at += least[i, x] <= limits[i]
        heap = rows[ends[i] : at]
        # Floyd's construction: sift down from the last parent, in linear time
        for place in range(len(heap) // 2 - 1, -1, -1):
            _settle(heap, place, least[i])


@ilk.compiled
def take_next(
    rows: np.ndarray,
    starts: np.ndarray,
    counts: np.ndarray,
    sizes: np.ndarray,
    least: np.ndarray,
    limits: np.ndarray,
    queries: np.ndarray,
    taken: np.ndarray,
) -> int:
    """Take the next rows of each query while they are within the limit; return their number.

    Parameters
    ----------
    rows, starts : ndarrays of int64, shapes (n_rows,) and (m,)
        Heaps, and their starts.
    counts : ndarray of int64, shape (m,)
        Number of rows in each heap; overwritten.
    sizes : ndarray of int64, shape (m,)
        Maximum number of rows to take.
    queries, taken : ndarrays of int64, shape (n_pairs,)
        Overwritten.
    """
    n_pairs = 0
    for i in range(len(sizes)):
        for _ in range(min(sizes[i], counts[i])):
            row = rows[starts[i]]
            # the top has the least bound, so no other row is within the limit either
            if least[i, row] > limits[i]:
                counts[i] = 0
                break
            queries[n_pairs], taken[n_pairs] = i, row
            n_pairs += 1
            counts[i] -= 1
            rows[starts[i]] = rows[starts[i] + counts[i]]
            _settle(rows[starts[i] : starts[i] + counts[i]], 0, least[i])
    return n_pairs


@ilk.compiled
def _settle(heap: np.ndarray, at: int, least: np.ndarray) -> None:
    """Sift a row down in a heap ordered by ``least``, (n,)."""
    while 2 * at + 1 < len(heap):
        child = 2 * at + 1
        if child + 1 < len(heap) and least[heap[child + 1]] < least[heap[child]]:
            child += 1
        if least[heap[at]] <= least[heap[child]]:
            return
        heap[at], heap[child] = heap[child], heap[at]
        at = child
