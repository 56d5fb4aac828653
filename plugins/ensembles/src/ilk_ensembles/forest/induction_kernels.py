"""Compiled growing of trees whose nodes split on random combinations of features."""

from __future__ import annotations

import numpy as np

from ilk import compiled
from ilk_ensembles.forest.tree_kernels import draw, midpoint, project, uniform_coefficients


@compiled
def purity(counts: np.ndarray, total: float, entropy: bool) -> float:
    """Weighted purity of a leaf from its class weights (C,), up to a constant."""
    # weight times (1 - impurity) for gini, minus weight times impurity for entropy: sums over the
    # leaves of a split are comparable
    result = 0.0
    for count in counts:
        if count > 0:
            result += count * np.log(count / total) if entropy else count * count / total
    return result


@compiled
def best_cut(
    values: np.ndarray,
    order: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    totals: np.ndarray,
    entropy: bool,
    min_leaf: int,
) -> tuple[float, float]:
    """Purity and threshold of the best cut between two distinct values; -inf if none exists.

    Shapes: values (m,), order (m,) sorts them, rows (m,) into codes and weights (n,), totals (C,)
    the weight of each class.
    """
    best, threshold = -np.inf, np.nan
    below, above = np.zeros(len(totals)), totals.copy()
    weight, rest = 0.0, totals.sum()
    n = len(order)
    for k in range(n - 1):
        row = rows[order[k]]
        # both sides are updated row by row, so that all cuts of a feature take one pass
        below[codes[row]] += weights[row]
        above[codes[row]] -= weights[row]
        weight += weights[row]
        rest -= weights[row]
        # no cut between equal values: no threshold would separate them
        low, high = values[order[k]], values[order[k + 1]]
        if low < high and k + 1 >= min_leaf and n - k - 1 >= min_leaf:
            gain = purity(below, weight, entropy) + purity(above, rest, entropy)
            if gain > best:
                best, threshold = gain, midpoint(low, high)
    return best, threshold


@compiled
def varying(Z: np.ndarray, rows: np.ndarray, pool: np.ndarray) -> int:
    """Swap the features that vary among some rows to the front of the pool; return their number.

    Shapes: Z (n, p), rows (m,), pool (p,).
    """
    size = 0
    for k in range(len(pool)):
        for row in rows:
            if Z[row, pool[k]] != Z[rows[0], pool[k]]:
                pool[size], pool[k] = pool[k], pool[size]
                size += 1
                break
    return size


@compiled
def search(
    Z: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    totals: np.ndarray,
    settings: tuple[bool, int, int, int, int],
    state: np.ndarray,
    pool: np.ndarray,
    features: np.ndarray,
    coefficients: np.ndarray,
) -> tuple[float, float]:
    """Find the best of some random combinations; return its purity (-inf: none) and threshold.

    If none of them separates the rows, as many combinations of the varying features are tried:
    with many constant features the first draws may miss the few that vary.
    Shapes: Z (n, p), rows (m,), codes and weights (n,), totals (C,), state (1,), pool (p,);
    features and coefficients (L,) receive the combination.
    """
    entropy, n_tried, _, _, min_leaf = settings
    best, threshold = -np.inf, np.nan
    values = np.empty(len(rows))
    some = np.empty(len(features), dtype=np.int32)
    factors = np.empty(len(features))
    size = len(pool)
    for attempt in range(2 * n_tried):
        # where no combination separates the rows, constant features may be the reason: try without
        # them
        if attempt == n_tried:
            if best > -np.inf:
                break
            size = varying(Z, rows, pool)
            if size == 0:
                break
        n = min(len(features), size)
        draw(state, pool, size, n)
        # fewer features than the combination has terms: the others get coefficient 0
        some[:n] = pool[:n]
        some[n:] = pool[0]
        uniform_coefficients(state, factors, n)
        for k in range(len(rows)):
            values[k] = project(Z[rows[k]], some, factors)
        order = np.argsort(values)
        gain, cut = best_cut(values, order, rows, codes, weights, totals, entropy, min_leaf)
        if gain > best:
            best, threshold = gain, cut
            features[:] = some
            coefficients[:] = factors
    return best, threshold


@compiled
def part(
    Z: np.ndarray,
    rows: np.ndarray,
    features: np.ndarray,
    coefficients: np.ndarray,
    threshold: float,
) -> int:
    """Partition rows in place, left-going rows first; return their number.

    Shapes: Z (n, p), rows (m,), features and coefficients (L,).
    """
    n = 0
    for k in range(len(rows)):
        if project(Z[rows[k]], features, coefficients) <= threshold:
            rows[n], rows[k] = rows[k], rows[n]
            n += 1
    return n


@compiled
def grow(
    Z: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    settings: tuple[bool, int, int, int, int],
    seed: int,
    features: np.ndarray,
    coefficients: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    shares: np.ndarray,
) -> tuple[int, int]:
    """Grow a tree from some rows, breadth first; return its numbers of nodes and of leaves.

    Parameters
    ----------
    Z : ndarray of shape (n, p)
    rows : ndarray of int, shape (m,)
        Reordered: each node owns a contiguous range.
    codes, weights : ndarrays of shape (n,)
    settings : tuple
        Whether the criterion is entropy; combinations tried per node; maximum depth; minimum
        number of cases to split a node; minimum number of cases in a leaf.
    features, coefficients : ndarrays of shape (2 m - 1, L)
    thresholds, left, right : ndarrays of shape (2 m - 1,)
    shares : ndarray of shape (m, C)
        Output, zeros on entry, with the meaning of the fields of a `Tree`.
    """
    _, _, max_depth, min_split, _ = settings
    state = np.array([seed], dtype=np.uint64)
    pool = np.arange(Z.shape[1])
    starts, stops = np.zeros(len(left), dtype=np.int64), np.zeros(len(left), dtype=np.int64)
    depths = np.zeros(len(left), dtype=np.int64)
    stops[0] = len(rows)
    node, n_nodes, n_leaves = 0, 1, 0
    while node < n_nodes:
        start, stop = starts[node], stops[node]
        node_rows = rows[start:stop]
        totals = np.zeros(shares.shape[1])
        for row in node_rows:
            totals[codes[row]] += weights[row]
        # -inf: the node becomes a leaf
        purest = -np.inf
        if depths[node] < max_depth and len(node_rows) >= min_split and (totals > 0).sum() > 1:
            purest, thresholds[node] = search(
                Z, node_rows, codes, weights, totals, settings, state, pool, features[node],
                coefficients[node],
            )  # fmt: skip
        if purest == -np.inf:
            left[node], right[node], thresholds[node] = -1, n_leaves, 0.0
            shares[n_leaves] = totals / totals.sum()
            n_leaves += 1
        else:
            middle = start + part(
                Z, node_rows, features[node], coefficients[node], thresholds[node]
            )
            left[node], right[node] = n_nodes, n_nodes + 1
            # children share the range of their parent's rows, partitioned in place
            starts[n_nodes], stops[n_nodes] = start, middle
            starts[n_nodes + 1], stops[n_nodes + 1] = middle, stop
            depths[n_nodes] = depths[n_nodes + 1] = depths[node] + 1
            n_nodes += 2
        node += 1
    return n_nodes, n_leaves
