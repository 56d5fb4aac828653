"""Walks of rows down trees, compiled.

A tree is a range of nodes. Where ``left[node] >= 0`` rows go left if
``sum_k coefficients[node, k] x[features[node, k]] <= thresholds[node]``, else right; otherwise
the node is a leaf, and ``right[node]`` is its number within the tree.
"""

from __future__ import annotations

import numpy as np

from ilk import compiled


@compiled
def project(x: np.ndarray, features: np.ndarray, coefficients: np.ndarray) -> float:
    """The combination of features that a node looks at, of one row."""
    total = coefficients[0] * x[features[0]]
    for k in range(1, len(features)):
        total += coefficients[k] * x[features[k]]
    return total  # type: ignore[no-any-return]


@compiled
def find_leaves(
    X: np.ndarray,
    roots: np.ndarray,
    features: np.ndarray,
    coefficients: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    leaves: np.ndarray,
) -> None:
    """Fill in the number of the leaf of each row in each tree.

    All rows go down a tree by one node at a time: their steps do not wait for one another.
    """
    n = len(X)
    single = features.shape[1] == 1
    rows, nodes = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for t in range(leaves.shape[1]):
        for i in range(n):
            rows[i], nodes[i] = i, roots[t]
        size = n
        while size > 0:
            walking = 0
            for k in range(size):
                row, node = rows[k], nodes[k]
                if left[node] < 0:
                    leaves[row, t] = right[node]
                    continue
                if single:
                    value = coefficients[node, 0] * X[row, features[node, 0]]
                else:
                    value = project(X[row], features[node], coefficients[node])
                rows[walking] = row
                nodes[walking] = left[node] if value <= thresholds[node] else right[node]
                walking += 1
            size = walking


@compiled
def midpoint(low: float, high: float) -> float:
    """Number midway between two of which the first is less: at least it, and below the second."""
    middle = low + (high - low) / 2 if (low < 0) == (high < 0) else (low + high) / 2
    return middle if low <= middle < high else low


@compiled
def put_thresholds(
    ranks: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    starts: np.ndarray,
    features: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    below: np.ndarray,
    above: np.ndarray,
    thresholds: np.ndarray,
) -> None:
    """Turn thresholds between ranks into ones between values.

    Parameters
    ----------
    ranks : ndarray of shape (n, p)
    rows : ndarray of int
        Those that the tree was grown from.
    values : ndarray
        Of rank r of feature f at ``starts[f] + r``.
    features, left, right : ndarrays of shape (n_nodes,)
        ``left`` is negative at leaves.
    below, above : ndarrays of int, shape (n_nodes,)
        Of -1 and of n at first: then the ranks that each threshold parts.
    thresholds : ndarray of shape (n_nodes,)
        Changed in place.
    """
    for i in rows:
        node = 0
        while left[node] >= 0:
            rank = int(ranks[i, features[node]])
            if rank <= thresholds[node]:
                below[node] = max(below[node], rank)
                node = left[node]
            else:
                above[node] = min(above[node], rank)
                node = right[node]
    for node in range(len(left)):
        if left[node] >= 0:
            first = starts[features[node]]
            thresholds[node] = midpoint(values[first + below[node]], values[first + above[node]])
