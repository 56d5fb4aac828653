"""Walks of rows down a tree of thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk import compiled

if TYPE_CHECKING:
    import numpy as np


@compiled
def find_leaves(
    X: np.ndarray,
    features: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    leaves: np.ndarray,
) -> None:
    """Fill in the node at which each row ends; nodes without children have -1 for them."""
    for i in range(len(X)):
        node = 0
        while left[node] >= 0:
            below = X[i, features[node]] <= thresholds[node]
            node = left[node] if below else right[node]
        leaves[i] = node


@compiled
def find_gaps(
    ranks: np.ndarray,
    features: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    below: np.ndarray,
    above: np.ndarray,
) -> None:
    """Fill in, for each node, the largest rank that goes left and the smallest that goes right."""
    for i in range(len(ranks)):
        node = 0
        while left[node] >= 0:
            rank = ranks[i, features[node]]
            if rank <= thresholds[node]:
                below[node] = max(below[node], rank)
                node = left[node]
            else:
                above[node] = min(above[node], rank)
                node = right[node]
