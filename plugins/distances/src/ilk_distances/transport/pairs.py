"""The earth mover's distance of one heap of mass to another, and of many to many.

Flat arrays store n heaps: heap i has the items ``item[start[i]:start[i + 1]]``, their weights in
the same places, and the mass ``mass[i]``. Items are rows and columns of a matrix of costs.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

import ilk
from ilk_distances.transport.simplex import BEST, FLOW, MASS, PARENT, room, solve, total

One: TypeAlias = tuple[np.ndarray, np.ndarray, float]  # items (m,), weights (m,) and mass
Many: TypeAlias = tuple[
    np.ndarray, np.ndarray, np.ndarray, np.ndarray
]  # start (n + 1,), item (n_items,), weight (n_items,) and mass (n,)
Desk: TypeAlias = tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
BITS = 52  # of the larger mass: integers whose sums are exact in float64


@ilk.compiled
def fill(
    cost: np.ndarray,
    x: Many,
    y: Many,
    shared: bool,
    penalty: float,
    start: int,
    stop: int,
    corner: tuple[int, int],
    half: bool,
    out: np.ndarray,
) -> None:
    """Set the distances of heaps x[start:stop] to heaps y where `out` is NaN.

    The distance of the first heaps of both goes to ``out[corner]``; `half` skips entries below
    the diagonal. If `shared`, both have the same items, and common mass stays in place.

    Shapes: cost (x's items, y's items), out (x's heaps, y's heaps); x and y as `Many` has them.
    """
    x_start, x_item, x_weight, x_mass = x
    y_start, y_item, y_weight, y_mass = y
    space = desk(_longest(x_start), _longest(y_start))
    for i in range(start, stop):
        a, b = x_start[i], x_start[i + 1]
        row = out[i + corner[0]]
        for j in range(max(i + corner[0] - corner[1], 0) if half else 0, len(y_mass)):
            if math.isnan(row[j + corner[1]]):
                c, d = y_start[j], y_start[j + 1]
                row[j + corner[1]] = distance(
                    cost,
                    (x_item[a:b], x_weight[a:b], x_mass[i]),
                    (y_item[c:d], y_weight[c:d], y_mass[j]),
                    shared,
                    penalty,
                    np.inf,
                    space,
                )


@ilk.compiled
def search(
    cost: np.ndarray,
    x: One,
    y: Many,
    rows: np.ndarray,
    shared: bool,
    penalty: float,
    slack: tuple[float, float],
    single: bool,
    near: np.ndarray,
    where: np.ndarray,
) -> int:
    """Insert heaps y into the list of heaps nearest to x; return the number of solved problems.

    ``rows``, (n,), are the numbers of heaps y; ties go to the lower number. ``near`` and
    ``where``, (k,), are the distances and numbers so far, nearest first.
    """
    start, item, weight, mass = y
    space = desk(len(x[0]), _longest(start))
    solved, last = 0, len(near) - 1
    for j in range(len(mass)):
        a, b = start[j], start[j + 1]
        # loosened by rounding errors: a pair is skipped only if it cannot tie with the k-th nearest
        limit = near[last] * (1 + slack[0]) + slack[1]
        d = distance(cost, x, (item[a:b], weight[a:b], mass[j]), shared, penalty, limit, space)
        if d == np.inf:
            continue
        solved += 1
        # round as brute force does, so that ties are the same
        if single:
            d = np.float64(np.float32(d))
        # insertion keeps the list sorted by (distance, number)
        t = last
        if d > near[t] or (d == near[t] and rows[j] > where[t]):
            continue
        while t > 0 and (near[t - 1] > d or (near[t - 1] == d and where[t - 1] > rows[j])):
            near[t], where[t] = near[t - 1], where[t - 1]
            t -= 1
        near[t], where[t] = d, rows[j]
    return solved


@ilk.compiled
def desk(m: int, n: int) -> Desk:
    """Allocate work space for pairs of heaps of up to m and n items.

    Weights and items of both heaps, (2, size) each, and the arrays of `simplex`.
    """
    # one place more than items: for the surplus column, and for the mark in ``item[0, m]``
    size = max(m, n) + 1
    left = np.empty((2, size)), np.empty((2, size), np.intp)
    return left, room(size, size)


@ilk.compiled
def distance(
    cost: np.ndarray, x: One, y: One, shared: bool, penalty: float, limit: float, space: Desk
) -> float:
    """Distance of two heaps; inf if a lower bound exceeds the limit.

    cost: (x's items, y's items); x and y as `One` has them.
    """
    # relative to the mass that moves, as the distance itself
    flow = min(x[2], y[2])
    extra = penalty * (abs(x[2] - y[2]) / flow) if penalty > 0 else 0.0
    if _same(cost, x, y):
        return extra
    (weight, item), (block, node, link) = space
    m, n = _unload(x, y, shared, weight, item)
    # all mass is common and stays in place
    if m == 0 or n == 0:
        return extra
    m, n, unit = _load(cost, weight, item, m, n, flow, block, node)
    if limit < np.inf and _relaxed(block, node, m, n, unit) + extra > limit:
        return np.inf
    solve(block, node, link, m, n)
    return float(total(block, node, link, m, n, unit) + extra)


@ilk.compiled
def flows(cost: np.ndarray, x: One, y: One, out: np.ndarray) -> None:
    """Add the cheapest flow from heap x to heap y to `out`, of the shape of `cost`."""
    (weight, item), (block, node, link) = desk(len(x[0]), len(y[0]))
    m, n = _unload(x, y, False, weight, item)
    flow = min(x[2], y[2])
    rows, columns, unit = _load(cost, weight, item, m, n, flow, block, node)
    # `_load` marks a problem from y to x, whose rows are items of y
    turned = item[0, m] < 0
    solve(block, node, link, rows, columns)
    for node_ in range(rows + columns):
        above = link[node_, PARENT]
        if above < 0:
            continue
        i, j = min(node_, above), max(node_, above) - rows
        if turned:
            i, j = j, i
        # the additional column has no item: its flow is surplus that does not move
        if i < m and j < n:
            out[item[0, i], item[1, j]] += node[FLOW, node_] / unit * flow


@ilk.compiled
def _longest(start: np.ndarray) -> int:
    """Largest number of items of a heap; start: (n + 1,)."""
    longest = 0
    for i in range(len(start) - 1):
        longest = max(longest, start[i + 1] - start[i])
    return longest


@ilk.compiled
def _same(cost: np.ndarray, x: One, y: One) -> bool:
    """Whether the weights are equal and keeping each item in place costs nothing.

    cost: (x's items, y's items); x and y as `One` has them.
    """
    if len(x[0]) != len(y[0]):
        return False
    i = 0
    while i < len(x[0]) and x[1][i] == y[1][i] and cost[x[0][i], y[0][i]] == 0:
        i += 1
    return i == len(x[0])


@ilk.compiled
def _unload(x: One, y: One, shared: bool, weight: np.ndarray, item: np.ndarray) -> tuple[int, int]:
    """Copy the heaps, without the common mass if items are `shared`; return numbers of items.

    weight and item: (2, size), a row for each heap. Items are sorted, so this is a merge.
    """
    m = n = i = j = 0
    while i < len(x[0]) or j < len(y[0]):
        a, b = 0.0, 0.0
        if shared and i < len(x[0]) and j < len(y[0]) and x[0][i] == y[0][j]:
            a = x[1][i] - y[1][j]
            b = -a
            at_x, at_y = x[0][i], y[0][j]
            i += 1
            j += 1
        elif j >= len(y[0]) or (i < len(x[0]) and x[0][i] < y[0][j]):
            a, at_x, at_y = x[1][i], x[0][i], 0
            i += 1
        else:
            b, at_x, at_y = y[1][j], 0, y[0][j]
            j += 1
        if a > 0:
            weight[0, m], item[0, m] = a, at_x
            m += 1
        if b > 0:
            weight[1, n], item[1, n] = b, at_y
            n += 1
    return m, n


@ilk.compiled
def _load(
    cost: np.ndarray,
    weight: np.ndarray,
    item: np.ndarray,
    m: int,
    n: int,
    flow: float,
    block: np.ndarray,
    node: np.ndarray,
) -> tuple[int, int, float]:
    """Write the balanced problem, independent of the order of x and y; return size and unit.

    If masses differ, an additional column of cost 0 takes the surplus. A flow of the problem
    divided by the unit is a share of `flow`.

    weight, item: (2, size), with m and n entries in use; cost: (x's items, y's items);
    block and node are the costs and numbers of `simplex`.
    """
    _cap(weight, m, n)
    low, high = _scales(weight, m, n)
    rest = _whole(weight[0], m, low, high) - _whole(weight[1], n, low, high)
    if abs(rest) <= m + n:  # masses were equal before they were rounded to integers
        # add the difference to the largest weight, where it is relatively smallest
        if rest < 0:
            _raise_largest(weight[0], m, -rest)
        else:
            _raise_largest(weight[1], n, rest)
        rest = 0.0
    turned = rest < 0 or (rest == 0 and _turned(cost, weight, item, m, n))
    item[0, m] = -1 if turned else 0
    s, t, rows, columns = (1, 0, n, m) if turned else (0, 1, m, n)
    _copy_costs(cost, item[s], item[t], turned, rows, columns, block)
    width = columns
    # rows have the larger mass: a last column, of cost 0, takes the surplus
    if rest != 0:
        width += 1
        node[MASS, rows + columns] = abs(rest)
        for i in range(rows):
            block[i, columns] = 0.0
    for i in range(rows):
        node[MASS, i] = weight[s, i]
    for j in range(columns):
        node[MASS, rows + j] = weight[t, j]
    # two factors as in `_scales`: their product may overflow while the scaled mass does not
    return rows, width, flow * low * high


@ilk.compiled
def _copy_costs(
    cost: np.ndarray,
    source: np.ndarray,
    sink: np.ndarray,
    turned: bool,
    rows: int,
    columns: int,
    block: np.ndarray,
) -> None:
    """Copy costs between items, source (rows,) and sink (columns,), to block, (rows, columns)."""
    for i in range(rows):
        row = block[i]
        if turned:
            for j in range(columns):
                row[j] = cost[sink[j], source[i]]
        else:
            from_here = cost[source[i]]
            for j in range(columns):
                row[j] = from_here[sink[j]]


@ilk.compiled
def _cap(weight: np.ndarray, m: int, n: int) -> None:
    """Limit each weight to the mass of the other heap, because no more of it can move.

    This keeps the digits of the smaller mass, however much larger the other one is.

    weight: (2, size), with m and n entries in use.
    """
    ours = theirs = 0.0
    for i in range(m):
        ours += weight[0, i]
    for j in range(n):
        theirs += weight[1, j]
    for i in range(m):
        weight[0, i] = min(weight[0, i], theirs)
    for j in range(n):
        weight[1, j] = min(weight[1, j], ours)


@ilk.compiled
def _scales(weight: np.ndarray, m: int, n: int) -> tuple[float, float]:
    """Two powers of two (one could overflow) that scale the larger mass below 2 ** BITS.

    weight: (2, size), with m and n entries in use.
    """
    ours = theirs = 0.0
    for i in range(m):
        ours += weight[0, i]
    for j in range(n):
        theirs += weight[1, j]
    # mass < 2 ** frexp(mass)[1], so sums of scaled weights stay below 2 ** BITS and are exact
    power = BITS - math.frexp(max(ours, theirs))[1]
    return math.ldexp(1.0, power // 2), math.ldexp(1.0, power - power // 2)


@ilk.compiled
def _whole(weight: np.ndarray, m: int, low: float, high: float) -> float:
    """Scale m weights, (m,), and round them to integers of at least 1; return their sum."""
    mass = 0.0
    for i in range(m):
        # at least 1: `simplex.solve` needs positive masses
        weight[i] = max(np.rint(weight[i] * low * high), 1.0)
        mass += weight[i]
    return mass


@ilk.compiled
def _raise_largest(weight: np.ndarray, m: int, by: float) -> None:
    """Add a rounding error to the largest of m weights, (m,)."""
    largest = 0
    for i in range(m):
        if weight[i] > weight[largest]:
            largest = i
    weight[largest] += by


@ilk.compiled
def _turned(cost: np.ndarray, weight: np.ndarray, item: np.ndarray, m: int, n: int) -> bool:
    """Whether to solve y to x instead of x to y: a canonical order makes rounding symmetric.

    weight, item: (2, size); cost: (x's items, y's items).
    """
    if m != n:
        return m > n
    for i in range(m):
        if weight[0, i] != weight[1, i]:
            return bool(weight[0, i] > weight[1, i])
    # weights are equal: compare the parts of the costs above and below the diagonal
    for i in range(m):
        for j in range(i):
            here, there = cost[item[0, i], item[1, j]], cost[item[0, j], item[1, i]]
            if here != there:
                return bool(here > there)
    return False


@ilk.compiled
def _relaxed(block: np.ndarray, node: np.ndarray, m: int, n: int, unit: float) -> float:
    """A lower bound: all mass of one side moves to its cheapest partner, ignoring capacities.

    block: (m, n), costs; node: numbers of `simplex`.
    """
    by_row = 0.0
    least = node[BEST]
    for j in range(n):
        least[j] = np.inf
    for i in range(m):
        row, lowest = block[i], np.inf
        for j in range(n):
            value = row[j]
            lowest = min(lowest, value)
            least[j] = min(least[j], value)
        by_row += lowest * (node[MASS, i] / unit)
    by_column = 0.0
    for j in range(n):
        by_column += least[j] * (node[MASS, m + j] / unit)
    return max(by_row, by_column)


_ROUNDING = 1e-14  # relative tolerance for asymmetry and for shorter detours


@ilk.compiled
def has_detour(matrix: np.ndarray) -> bool:
    """Whether a matrix, (n, n), is asymmetric or violates the triangle inequality."""
    n = len(matrix)
    for i in range(n):
        row = matrix[i]
        for j in range(i):
            other = matrix[j]
            direct = row[j] * (1 - _ROUNDING)
            shorter = abs(row[j] - other[i]) > _ROUNDING * row[j]
            # without an early exit the loop vectorizes
            for k in range(n):
                shorter |= (row[k] + other[k]) < direct
            if shorter:
                return True
    return False
