"""Compiled assignment of rows to clusters, with a cost on each cluster's sum of signs.

This is a minimum-cost flow: rows that move between clusters are units of flow between K nodes, and
the cost of a sum is convex. Starting from the cheapest assignment, successive shortest paths lower
the total cost until none does. Each step brings the sums one step closer to the optimum (the cost
of the best assignment with given sums is an M-convex function of them), so there are at most as
many steps as rows.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

import ilk

ROUNDING = 1e-12  # relative to the largest cost: smaller gains are rounding errors


def assign(
    costs: np.ndarray,
    signs: np.ndarray,
    breakpoints: np.ndarray,
    slopes: np.ndarray,
    labels: np.ndarray,
) -> None:
    """Minimise ``sum_i costs[i, labels[i]] + sum_j sum_t slopes[t] |s_j - breakpoints[j, t]|``.

    s_j is the sum of the signs of the rows in cluster j.

    Parameters
    ----------
    costs : ndarray of shape (n, K)
    signs : ndarray of int, shape (n,)
        1, or 0 for the sign -1.
    breakpoints : ndarray of shape (K, T)
    slopes : ndarray of shape (T,)
        At least 0.
    labels : ndarray of int, shape (n,)
        Written: cluster of each row.
    """
    K = costs.shape[1]
    prices, movers = np.full((2, K, K), np.inf), np.full((2, K, K), -1)
    # compiled code that allocates arrays takes longer to compile
    sums, path, scratch = np.zeros(K), np.empty((2, K), dtype=np.int64), np.empty(K)
    _assign(costs, signs, breakpoints, slopes, labels, prices, movers, sums, path, scratch)


@ilk.compiled
def _assign(
    costs: np.ndarray,
    signs: np.ndarray,
    breakpoints: np.ndarray,
    slopes: np.ndarray,
    labels: np.ndarray,
    prices: np.ndarray,
    movers: np.ndarray,
    sums: np.ndarray,
    path: np.ndarray,
    scratch: np.ndarray,
) -> None:
    """Assign rows as `assign` does, with scratch space.

    Shapes: `prices` and `movers` (2, K, K), `sums` and `scratch` (K,), `path` (2, K).
    """
    n, K = costs.shape
    largest = total = 0.0
    queues = [[(np.inf, -1)] for _ in range(2 * K * K)]  # heap of moves by sign, source and target
    for i in range(n):
        # the cheapest assignment is optimal for its own sums: no cycle of moves has a gain
        j = first_least(costs[i])
        labels[i] = j
        sums[j] += 2 * signs[i] - 1
        for m in range(K):
            largest = max(largest, abs(costs[i, m]))
            queues[(signs[i] * K + j) * K + m].append((costs[i, m] - costs[i, j], i))
    for queue in queues:
        heapify(queue)
    for sign in range(2):
        for j in range(K):
            refresh(queues, labels, sign, j, prices, movers)
    for slope in slopes:
        total += slope
    least = ROUNDING * max(largest, total)
    while True:
        length = cheapest_path(prices, sums, breakpoints, slopes, least, path, scratch)
        if length == 0:
            return
        sums[path[0, 0]] -= 1
        sums[path[0, length - 1]] += 1
        for step in range(length - 1):
            j, m = path[0, step], path[0, step + 1]
            # a unit of the sum goes from j to m with a row of sign 1 from j to m, or of sign -1
            # from m to j
            sign = 1 if prices[1, j, m] <= prices[0, m, j] else 0
            if sign == 0:  # a row of sign -1 moves a unit against its own direction
                j, m = m, j
            i = movers[sign, j, m]
            labels[i] = m
            for other in range(K):
                # the moved row may leave its new cluster: offer it to all others
                price = costs[i, other] - costs[i, m]
                heappush(queues[(sign * K + m) * K + other], (price, i))
            refresh(queues, labels, sign, j, prices, movers)
            refresh(queues, labels, sign, m, prices, movers)


@ilk.compiled(inner=True)
def first_least(values: np.ndarray) -> int:
    """Position of the first of the smallest values (m,); compiles faster than `argmin`."""
    best = 0
    for j in range(1, len(values)):
        if values[j] < values[best]:
            best = j
    return best


@ilk.compiled(inner=True)
def refresh(
    queues: list[list[tuple[float, int]]],
    labels: np.ndarray,
    sign: int,
    j: int,
    prices: np.ndarray,
    movers: np.ndarray,
) -> None:
    """Update the cheapest rows of a sign to leave cluster j, ties by lower row.

    Shapes: `labels` (n,), `prices` and `movers` (2, K, K): sign, source, target.
    """
    K = prices.shape[1]
    for m in range(K):
        if m == j:
            continue
        queue = queues[(sign * K + j) * K + m]
        while queue[0][1] >= 0 and labels[queue[0][1]] != j:  # moved away: drop lazily
            heappop(queue)
        prices[sign, j, m], movers[sign, j, m] = queue[0]


@ilk.compiled(inner=True)
def cheapest_path(
    prices: np.ndarray,
    sums: np.ndarray,
    breakpoints: np.ndarray,
    slopes: np.ndarray,
    least: float,
    path: np.ndarray,
    total: np.ndarray,
) -> int:
    """Find the path of a unit that lowers the total cost most (Bellman-Ford search).

    Shapes: `prices` (2, K, K), `sums` and `total` (K,), `path` (2, K), `breakpoints` (K, T),
    `slopes` (T,). The first row of `path` is written; the second and `total` are scratch space.

    Returns
    -------
    int
        Number of clusters on the path; 0 if no path gains more than `least`.
    """
    K = len(sums)
    previous = path[1]
    for j in range(K):
        previous[j] = -1
        # the cost of taking a unit away from j: every cluster is a source
        total[j] = extra(sums[j] - 1, sums[j], breakpoints[j], slopes)
    for _ in range(K - 1):
        changed = False
        for j in range(K):
            for m in range(K):
                through = total[j] + min(prices[1, j, m], prices[0, m, j])
                # smaller improvements may be rounding errors, and could cycle
                if through < total[m] - least / K:
                    total[m], previous[m], changed = through, j, True
        if not changed:
            break
    for m in range(K):
        # the cost of a unit that arrives at m
        total[m] += extra(sums[m] + 1, sums[m], breakpoints[m], slopes)
    end = first_least(total)
    if total[end] >= -least:
        return 0
    length = 0
    while end >= 0 and length < K:
        path[0, length], end = end, previous[end]
        length += 1
    for step in range(length // 2):
        other = length - 1 - step
        path[0, step], path[0, other] = path[0, other], path[0, step]
    return length


@ilk.compiled(inner=True)
def extra(new: float, old: float, breakpoints: np.ndarray, slopes: np.ndarray) -> float:
    """Cost of a new sum minus that of the old one; `breakpoints` and `slopes`: (T,)."""
    cost = 0.0
    for t in range(len(slopes)):
        cost += slopes[t] * (abs(new - breakpoints[t]) - abs(old - breakpoints[t]))
    return cost
