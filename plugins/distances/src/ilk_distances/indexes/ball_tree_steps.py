"""Compiled steps of a search in a tree of balls; the distance is called between the steps.

The balls that a query may still open form a skew heap, the ball of the least bound on top. Heaps
of all queries share their memory: entry e is ``entries[:, e]`` (ball, two child entries) and
``bounds[:, e]`` (lower bound of the distance to the rows in the ball, distance to its middle).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ilk

if TYPE_CHECKING:
    import numpy as np

NONE = -1  # no entry, or no ball
TOP, BALL, CHILD, FREE = 0, 1, 2, 3  # rows of `state`: heap top, open ball, next child, free entry


@ilk.compiled
def receive(
    tree: Any,
    slack: np.ndarray,
    queries: np.ndarray,
    balls: np.ndarray,
    distances: np.ndarray,
    near: np.ndarray,
    where: np.ndarray,
    limits: np.ndarray,
    state: np.ndarray,
    entries: np.ndarray,
    bounds: np.ndarray,
    used: int,
) -> int:
    """Process distances of queries to the middles of balls; return the number of used entries.

    Parameters
    ----------
    tree : tuple of ndarrays
        Rows, up, radii, first and count, as a `Hierarchy` has them.
    slack : ndarray of shape (6,)
        Rounding margins of the distances of queries and of those in the tree, three numbers each.
    queries, balls : ndarrays of int64, shape (n_pairs,)
    distances : ndarray of float64, shape (n_pairs,)
    near, where : ndarrays of shape (m, k)
        The nearest rows of each query so far, a heap with the farthest on top; k may be 0.
        The heap gives the current limit without sorting.
    limits : ndarray of shape (m,)
        Rows of a larger distance are no neighbours.
    state, entries, bounds : ndarrays of shapes (4, m), (3, size), (2, size)
        The heaps of balls; enough entries must be free.
    """
    rows, _, radii, _, count = tree
    k = near.shape[1]
    for t in range(len(queries)):
        i, ball, d = queries[t], balls[t], distances[t]
        row = rows[ball]
        if k and (d < near[i, 0] or (d == near[i, 0] and row < where[i, 0])):
            sink(near, where, i, d, row)
            # rows at a computed distance up to this may tie with the k-th nearest
            limits[i] = near[i, 0] * (1 + slack[0]) + slack[1]
        if count[ball]:
            # no row in the ball is nearer than the distance to its middle less its (rounded) radius
            least = gap_to(d, 0.0, slack) - radii[ball] * (1 + slack[3])
            if least <= limits[i]:
                _push(entries, bounds, used, state, i, ball, least, d)
                used += 1
    return used


@ilk.compiled
def request(
    tree: Any,
    slack: np.ndarray,
    opened: int,
    most: int,
    limits: np.ndarray,
    state: np.ndarray,
    to: np.ndarray,
    entries: np.ndarray,
    bounds: np.ndarray,
    queries: np.ndarray,
    balls: np.ndarray,
) -> int:
    """Open the most promising balls of each query; return the pairs to compare next.

    The other arrays are those of `receive`.

    Parameters
    ----------
    opened, most : int
        Maximum number of balls, and of distances, of each query. A ball without comparisons does
        not count; an unfinished ball is continued in the next call.
    to : ndarray of shape (m,)
        Distance of each query to the middle of its open ball.
    queries, balls : ndarrays of int64, shape (m * most,)
        Overwritten.

    Returns
    -------
    int
        Number of pairs to compare; 0 when all searches are done.
    """
    rows, up, radii, first, count = tree
    n = 0
    for i in range(len(limits)):
        # `stop` may interrupt a ball; its next child is remembered in `state` for the next round
        left, stop = opened, n + most
        while n < stop:
            # open a ball only if none is half done
            if state[BALL, i] == NONE and not (
                left and _opened(state, i, limits[i], first, to, entries, bounds)
            ):
                break
            ball, before = state[BALL, i], n
            child, end = state[CHILD, i], first[ball] + count[ball]
            while child < end and n < stop:
                radius = radii[child] * (1 + slack[3])
                if rows[child] == rows[ball]:
                    if count[child]:  # a child with its parent's middle needs no comparison
                        least = gap_to(to[i], 0.0, slack) - radius
                        # the entry of the opened ball is free again, and a ball has one such child
                        # at most
                        _push(entries, bounds, state[FREE, i], state, i, child, least, to[i])
                elif gap_to(to[i], up[child], slack) - radius <= limits[i]:
                    queries[n], balls[n] = i, child
                    n += 1
                child += 1
            state[CHILD, i] = child
            if child == end:
                state[BALL, i] = NONE
            # balls without comparisons are free: the budget counts calls of the distance
            left -= n > before
    return n


@ilk.compiled
def _opened(
    state: np.ndarray,
    i: int,
    limit: float,
    first: np.ndarray,
    to: np.ndarray,
    entries: np.ndarray,
    bounds: np.ndarray,
) -> bool:
    """Open the ball on top of a query's heap; False if its bound exceeds the limit.

    state: (4, m), first: (n_balls,), to: (m,), entries: (3, size), bounds: (2, size).
    """
    top = state[TOP, i]
    if top == NONE or bounds[0, top] > limit:
        return False
    ball = entries[0, top]
    state[TOP, i] = _joined(entries, bounds, entries[1, top], entries[2, top])
    state[BALL, i], state[CHILD, i], to[i] = ball, first[ball], bounds[1, top]
    state[FREE, i] = top
    return True


@ilk.compiled
def gap_to(to: float, known: float, slack: np.ndarray) -> float:
    """Return a lower bound of the distance of a row to a query, by the triangle inequality.

    Parameters
    ----------
    to : float
        Computed distance of the query to another row.
    known : float
        Computed distance of that row to the row in question.
    slack : ndarray of shape (6,)
        Rounding margins of these two kinds of distances.

    Returns
    -------
    float
        ``|to - known|`` minus the margins; may be negative.
    """
    # large computed distances may have overflowed: only `most` is a safe lower bound
    to_least, known_least = min(to, slack[2]), min(known, slack[5])
    # both distances and their difference are rounded: the bound is lowered by all margins
    off = slack[0] * to_least + slack[3] * known_least + slack[1] + slack[4]
    return float(max(to_least - known, known_least - to) - off)


@ilk.compiled
def _push(
    entries: np.ndarray,
    bounds: np.ndarray,
    entry: int,
    state: np.ndarray,
    i: int,
    ball: int,
    least: float,
    to: float,
) -> None:
    """Add an entry to the heap of query i; shapes as in `_opened`."""
    entries[0, entry], entries[1, entry], entries[2, entry] = ball, NONE, NONE
    bounds[0, entry], bounds[1, entry] = least, to
    state[TOP, i] = _joined(entries, bounds, state[TOP, i], entry)


@ilk.compiled
def _joined(entries: np.ndarray, bounds: np.ndarray, a: int, b: int) -> int:
    """Merge two skew heaps; return the top.

    Swapping the children along the way keeps the heap balanced in the amortized sense.

    entries: (3, size), bounds: (2, size).
    """
    if min(a, b) == NONE:
        return max(a, b)
    if bounds[0, b] < bounds[0, a]:
        a, b = b, a
    top = a
    while True:
        right = entries[2, a]
        entries[2, a] = entries[1, a]
        if right == NONE:
            entries[1, a] = b
            return top
        if bounds[0, b] < bounds[0, right]:
            right, b = b, right
        entries[1, a] = right
        a = right


@ilk.compiled
def sink(near: np.ndarray, where: np.ndarray, i: int, d: float, row: int) -> None:
    """Replace the farthest row of a query's heap of nearest rows, (m, k), by another row."""
    k = near.shape[1]
    at = 0
    while 2 * at + 1 < k:
        child = 2 * at + 1
        if child + 1 < k:
            a, b = near[i, child], near[i, child + 1]
            # ties by row: the higher index counts as farther, so the lower one stays among the k
            # nearest
            if b > a or (b == a and where[i, child + 1] > where[i, child]):
                child += 1
        if near[i, child] < d or (near[i, child] == d and where[i, child] < row):
            break
        near[i, at], where[i, at] = near[i, child], where[i, child]
        at = child
    near[i, at], where[i, at] = d, row
