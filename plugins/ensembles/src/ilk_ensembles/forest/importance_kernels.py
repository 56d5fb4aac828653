"""What a tree loses when a feature of the cases out of its bag is permuted, compiled."""

from __future__ import annotations

import numpy as np

from ilk import compiled
from ilk_ensembles.forest.chance_kernels import draw


@compiled
def walk(
    x: np.ndarray,
    node: int,
    feature: int,
    value: float,
    features: np.ndarray,
    coefficients: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
) -> int:
    """Leaf that a row ends in from some node on, if one of its features had another value."""
    while left[node] >= 0:
        total = 0.0
        for k in range(features.shape[1]):
            f = features[node, k]
            total += coefficients[node, k] * (value if f == feature else x[f])
        node = left[node] if total <= thresholds[node] else right[node]
    return node


@compiled
def mark(
    x: np.ndarray,
    root: int,
    features: np.ndarray,
    coefficients: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    first: np.ndarray,
) -> int:
    """Note where a row first meets a node that looks at each feature; the leaf it ends in.

    What is noted stays -1 for features that no node on its way looks at.
    """
    node = root
    while left[node] >= 0:
        total = 0.0
        for k in range(features.shape[1]):
            f = features[node, k]
            total += coefficients[node, k] * x[f]
            if first[f] < 0:
                first[f] = node
        node = left[node] if total <= thresholds[node] else right[node]
    return node


@compiled
def losses(
    X: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    root: int,
    features: np.ndarray,
    coefficients: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    votes: np.ndarray,
    n_repeats: int,
    seed: int,
    lost: np.ndarray,
) -> None:
    """Fill in how much less is answered rightly once each feature is permuted.

    A row whose way meets no node that looks at the feature stays where it is; the others start
    again from the first such node.

    Parameters
    ----------
    X : ndarray of shape (m, p)
        Cases out of the bag.
    codes, weights : ndarrays of shape (m,)
    votes : ndarray of int
        Class that each leaf of the tree votes for.
    lost : ndarray of shape (p,)
        Filled in: share of the weight of the cases, mean over repeats.
    """
    m, p = X.shape
    state = np.array([seed], dtype=np.uint64)
    first = np.full((p, m), -1, dtype=np.int32)
    hits = np.empty(m)
    for i in range(m):
        end = mark(X[i], root, features, coefficients, thresholds, left, right, first[:, i])
        hits[i] = 1.0 if votes[right[end]] == codes[i] else 0.0
    order = np.arange(m)
    for f in range(p):
        lost[f] = 0.0
        if first[f].max() < 0:
            continue
        for _ in range(n_repeats):
            draw(state, order, m, m)
            for i in range(m):
                if first[f, i] >= 0:
                    value = X[order[i], f]
                    end = walk(
                        X[i], first[f, i], f, value, features, coefficients, thresholds, left, right
                    )
                    hit = 1.0 if votes[right[end]] == codes[i] else 0.0
                    lost[f] += weights[i] * (hits[i] - hit)
        lost[f] /= n_repeats * weights.sum()
