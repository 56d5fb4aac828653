"""The transportation problem, by a network simplex on spanning trees.

A problem has m rows (sources) and n columns (sinks), which are the nodes 0..m-1 and m..m+n-1.
Three arrays store it: the costs, of shape (m, n) at least; the numbers of each node, (5, m + n);
and the links of each node in the tree, (m + n, 6). Masses and flows are integers, so that sums
are exact and ties are recognized.
"""

from __future__ import annotations

import numpy as np

import ilk

TOLERANCE = 1e-15  # relative: smaller reduced costs are rounding error and must not cycle
BLOCK = 512  # minimum number of costs scanned for an entering arc (block search)

# Rows of the numbers of a node: mass left, flow to the parent, potential, the potential minus
# its tolerance, and scratch.
MASS, FLOW, POTENTIAL, SHADED, BEST = range(5)
# Links of a node: its parent, at the other end of its tree arc; its depth below the root; its
# first child; its next and previous siblings; scratch for orders and stacks.
PARENT, DEPTH, CHILD, AFTER, BEFORE, ORDER = range(6)


@ilk.compiled
def room(m: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Allocate costs, numbers and links for problems of up to m rows and n columns."""
    return np.empty((m, n)), np.empty((5, m + n)), np.empty((m + n, 6), np.intp)


@ilk.compiled
def solve(cost: np.ndarray, node: np.ndarray, link: np.ndarray, m: int, n: int) -> None:
    """Solve a balanced problem with masses of at least 1, which it overwrites.

    `link` then has an optimal spanning tree, and `node` its flow.
    """
    root = _start(cost, node, link, m, n)
    _plant(cost, node, link, m, n, root)
    # a block of whole rows: large enough to find a good arc, small enough not to price all of them
    rows = max(BLOCK // n, 1)
    row, seen = m - m, 0  # a literal 0 would compile `_enter` once more
    while seen < m:  # optimal once a pass over all rows finds no entering arc
        stop = min(row + rows, m)
        i, j = _enter(cost, node, m, n, row, stop)
        if i < 0:
            seen += stop - row
        else:
            _exchange(cost, node, link, m, i, m + j)
            seen = 0
        # cyclic: the next search continues where this one ended, so that every row gets its turn
        row = stop if stop < m else 0


@ilk.compiled
def total(
    cost: np.ndarray, node: np.ndarray, link: np.ndarray, m: int, n: int, scale: float
) -> float:
    """Cost of the flow, each flow divided by `scale` first to stay in range."""
    result = 0.0
    for x in range(m + n):
        y = link[x, PARENT]
        if y >= 0:
            result += cost[min(x, y), max(x, y) - m] * (node[FLOW, x] / scale)
    return result


@ilk.compiled
def _start(cost: np.ndarray, node: np.ndarray, link: np.ndarray, m: int, n: int) -> int:
    """Build a strongly feasible tree greedily; return its root.

    Rows with the largest regret (`_rank_rows`) choose first, among columns by cost minus the
    column's mean. Each chosen cell exhausts a row or a column and makes the other one its
    parent. An arc without flow always exhausts its row, so that it points to the root: the tree
    is strongly feasible.
    """
    mass, flow, mean = node[MASS], node[FLOW], node[BEST]
    _rank_rows(cost, node, link, m, n)
    left = n
    for q in range(n):
        link[q, CHILD] = q
    for t in range(m):
        i = link[t, ORDER]
        while True:
            least, at = np.inf, 0
            # relative to the column's mean: a column that is cheap for all rows is no advantage of
            # this one
            for q in range(left):
                gain = cost[i, link[q, CHILD]] - mean[link[q, CHILD]]
                if gain < least:
                    least, at = gain, q
            j = m + link[at, CHILD]
            # with equal masses the column is exhausted, and this row then leaves with a flow of 0;
            # the last column takes all that is left, because the masses are balanced
            if mass[i] < mass[j] or left == 1:
                link[i, PARENT] = j
                flow[i] = mass[i]
                mass[j] -= mass[i]
                break
            link[j, PARENT] = i
            flow[j] = mass[j]
            mass[i] -= mass[j]
            left -= 1
            link[at, CHILD] = link[left, CHILD]
    root = m + link[0, CHILD]
    link[root, PARENT] = -1
    return int(root)


@ilk.compiled
def _rank_rows(cost: np.ndarray, node: np.ndarray, link: np.ndarray, m: int, n: int) -> None:
    """Sort rows by regret: how far the best cost, minus column means, is below their mean."""
    mean, regret = node[BEST], node[SHADED]
    for j in range(n):
        mean[j] = 0.0
    for i in range(m):
        row = cost[i]
        for j in range(n):
            mean[j] += row[j]
    for j in range(n):
        mean[j] /= m
    for i in range(m):
        row = cost[i]
        least, gains = np.inf, 0.0
        for j in range(n):
            gain = row[j] - mean[j]
            gains += gain
            least = min(least, gain)
        here = least - gains / n
        t = i
        while t > 0 and regret[t - 1] > here:
            regret[t] = regret[t - 1]
            link[t, ORDER] = link[t - 1, ORDER]
            t -= 1
        regret[t] = here
        link[t, ORDER] = i


@ilk.compiled
def _plant(cost: np.ndarray, node: np.ndarray, link: np.ndarray, m: int, n: int, root: int) -> None:
    """Set children, depths and potentials of all nodes from their parents."""
    for x in range(m + n):
        link[x, CHILD] = -1
    for x in range(m + n):
        if x != root:
            _attach(link, x, link[x, PARENT])
    link[root, DEPTH] = 0
    node[POTENTIAL, root] = 0.0
    node[SHADED, root] = 0.0
    _update(cost, node, link, m, root)


@ilk.compiled
def _update(cost: np.ndarray, node: np.ndarray, link: np.ndarray, m: int, top: int) -> None:
    """Set depths and potentials of all nodes below `top`."""
    link[0, ORDER] = top  # the column ORDER is the stack of a depth-first search
    height = 1
    while height > 0:
        height -= 1
        x = link[height, ORDER]
        y = link[x, CHILD]
        while y >= 0:
            _set_node(cost, node, link, m, y, x)
            if link[y, CHILD] >= 0:
                link[height, ORDER] = y
                height += 1
            y = link[y, AFTER]


@ilk.compiled
def _set_node(
    cost: np.ndarray, node: np.ndarray, link: np.ndarray, m: int, x: int, parent: int
) -> None:
    """Set depth and potential of a node: the potentials of a tree arc's ends sum to its cost."""
    value = cost[x, parent - m] if x < m else cost[parent, x - m]
    value -= node[POTENTIAL, parent]
    link[x, DEPTH] = link[parent, DEPTH] + 1
    node[POTENTIAL, x] = value
    # the reduced cost of a cell, from shaded potentials, includes the rounding error of both
    node[SHADED, x] = value - TOLERANCE * abs(value)


@ilk.compiled
def _enter(
    cost: np.ndarray, node: np.ndarray, m: int, n: int, start: int, stop: int
) -> tuple[int, int]:
    """Cell of the most negative reduced cost in rows [start, stop); (-1, -1) if none is negative.

    Column minima come first, in a loop that vectorizes; the row is found afterwards.
    """
    best, u, v = node[BEST], node[SHADED], node[SHADED, m:]
    for j in range(n):
        best[j] = np.inf
    for i in range(start, stop):
        row, here = cost[i], u[i]
        for j in range(n):
            slack = row[j] - here
            best[j] = min(best[j], slack)
    column, least = -1, 0.0
    for j in range(n):
        # reduced cost = cost - u - v; its shaded potentials make it positive if only rounding is
        # negative
        slack = best[j] - v[j]
        if slack < least:
            least, column = slack, j
    if column < 0:
        # unordered removal: the last remaining column takes the place of the exhausted one
        return -1, -1
    i = start
    # the same subtraction as above, so the equality is exact
    while cost[i, column] - u[i] != best[column]:
        i += 1
    return i, column


@ilk.compiled
def _exchange(cost: np.ndarray, node: np.ndarray, link: np.ndarray, m: int, i: int, j: int) -> None:
    """Pivot: the arc from row node i to column node j enters the tree, and another one leaves.

    Of the arcs whose flow reaches 0 first, the last one on the cycle from the apex through i and
    j leaves (Cunningham's rule). This keeps the tree strongly feasible and prevents cycling.
    """
    flow = node[FLOW]
    apex, leave, change = _blocking(node, link, m, i, j)
    # the cycle runs apex -> i -> j -> apex: arcs along it gain flow, arcs against it lose it
    x = i
    while x != apex:
        flow[x] += -change if x < m else change
        x = link[x, PARENT]
    x, above = i, j  # the end of the entering arc below the leaving one, and the other end
    y = j
    while y != apex:
        flow[y] += -change if y >= m else change
        if y == leave:
            x, above = j, i
        y = link[y, PARENT]
    top, push = x, change
    while True:  # reverse the parents from the entering arc to the leaving one
        old, old_flow = link[x, PARENT], flow[x]
        _detach(link, x, old)
        _attach(link, x, above)
        link[x, PARENT] = above
        flow[x] = push
        if x == leave:
            break
        above, push, x = x, old_flow, old
    # only the subtree that hung below the leaving arc has new potentials and depths
    _set_node(cost, node, link, m, top, link[top, PARENT])
    _update(cost, node, link, m, top)


@ilk.compiled
def _blocking(node: np.ndarray, link: np.ndarray, m: int, i: int, j: int) -> tuple[int, int, float]:
    """Return the apex of the cycle, the node below the leaving arc, and the change of flow."""
    flow = node[FLOW]
    from_row, of_row = np.inf, -1
    from_column, of_column = np.inf, -1
    # climb from the deeper end until both meet: the apex is the lowest common ancestor
    while i != j:
        if link[i, DEPTH] >= link[j, DEPTH]:
            # an arc from a row to its parent runs against the cycle on this side; ties keep the one
            # nearest to i
            if i < m and flow[i] < from_row:
                from_row, of_row = flow[i], i
            i = link[i, PARENT]
        else:
            # on this side arcs from the parent to a column lose flow; ties keep the one nearest to
            # the apex
            if j >= m and flow[j] <= from_column:
                from_column, of_column = flow[j], j
            j = link[j, PARENT]
    # the side of j comes last on the cycle, so it wins ties (Cunningham's rule)
    if from_column <= from_row:
        return i, of_column, from_column
    return i, of_row, from_row


@ilk.compiled
def _attach(link: np.ndarray, x: int, above: int) -> None:
    """Make node x the first child of `above`."""
    first = link[above, CHILD]
    link[x, AFTER] = first
    link[x, BEFORE] = -1
    if first >= 0:
        link[first, BEFORE] = x
    link[above, CHILD] = x


@ilk.compiled
def _detach(link: np.ndarray, x: int, above: int) -> None:
    """Remove node x from the children of `above`."""
    before, after = link[x, BEFORE], link[x, AFTER]
    if before >= 0:
        link[before, AFTER] = after
    else:
        link[above, CHILD] = after
    if after >= 0:
        link[after, BEFORE] = before
