"""Compiled steps of density-based clustering, on concatenated lists of neighbours.

Shapes: starts (m + 1,) are offsets into neighbors (n_neighbors,) for m rows of a block; core,
weights, parent and labels (n,) cover all rows.
"""

from __future__ import annotations

import numpy as np

import ilk


@ilk.compiled
def masses(
    start: int, starts: np.ndarray, neighbors: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Weight of the neighbourhood of each row of a block, always counting the row itself."""
    mass = np.empty(len(starts) - 1)
    for i in range(len(mass)):
        total, includes_self = 0.0, False
        for e in range(starts[i], starts[i + 1]):
            total += weights[neighbors[e]]
            # an approximate index, or a distance with d(x, x) > eps, may leave the row itself out
            includes_self |= neighbors[e] == start + i
        mass[i] = total if includes_self else total + weights[start + i]
    return mass


@ilk.compiled
def root(parent: np.ndarray, i: int) -> int:
    """Representative of a core row in the union-find forest: its lowest row; halves paths."""
    while parent[i] != i:
        # path halving: every second row on the way is linked to its grandparent
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@ilk.compiled
def join(
    start: int, starts: np.ndarray, neighbors: np.ndarray, core: np.ndarray, parent: np.ndarray
) -> None:
    """Merge each core row of a block with the core neighbours before the end of the block.

    Core flags of later rows are not known yet; symmetry lets their blocks add these edges.
    """
    stop = start + len(starts) - 1
    for i in range(start, stop):
        if not core[i]:
            continue
        lowest = root(parent, i)
        for e in range(starts[i - start], starts[i - start + 1]):
            j = neighbors[e]
            if j >= stop or not core[j]:
                continue
            other = root(parent, j)
            # the lowest row becomes the representative, so clusters are numbered by their first
            # core row
            if other < lowest:
                parent[lowest] = other
                lowest = other
            elif lowest < other:
                parent[other] = lowest


@ilk.compiled
def number(core: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Cluster numbers of core rows, by the first core row of each cluster; -1 for other rows."""
    labels = np.full(len(core), -1, dtype=np.intp)
    n_clusters = 0
    for i in range(len(core)):
        if core[i]:
            # a representative is the lowest row of its cluster, so it has been numbered already
            lowest = root(parent, i)
            if lowest == i:
                labels[i] = n_clusters
                n_clusters += 1
            else:
                labels[i] = labels[lowest]
    return labels


@ilk.compiled
def adopt(
    rows: np.ndarray,
    starts: np.ndarray,
    neighbors: np.ndarray,
    core: np.ndarray,
    labels: np.ndarray,
) -> None:
    """Assign border rows (m,) to the first cluster that has a core row near them."""
    for i in range(len(rows)):
        best = -1
        for e in range(starts[i], starts[i + 1]):
            label = labels[neighbors[e]]
            if core[neighbors[e]] and (best < 0 or label < best):
                best = label
        labels[rows[i]] = best


@ilk.compiled
def spread(starts: np.ndarray, neighbors: np.ndarray, core: np.ndarray) -> np.ndarray:
    """Clusters by depth-first search from each core row in turn."""
    n = len(core)
    labels = np.full(n, -1, dtype=np.intp)
    stack = np.empty(n, dtype=np.intp)
    n_clusters = 0
    for seed in range(n):
        if labels[seed] >= 0 or not core[seed]:
            continue
        labels[seed] = n_clusters
        stack[0], depth = seed, 1
        while depth:
            depth -= 1
            i = stack[depth]
            for e in range(starts[i], starts[i + 1]):
                j = neighbors[e]
                if labels[j] < 0:
                    labels[j] = n_clusters
                    # a border row joins, but its neighbours are not reached through it
                    if core[j]:
                        stack[depth] = j
                        depth += 1
        n_clusters += 1
    return labels


@ilk.compiled
def merge(starts: np.ndarray, neighbors: np.ndarray, n: int, least: int) -> tuple:  # type: ignore[type-arg]  # numba infers it
    """Rows that are neighbours in at least `least` views, for each row of a block.

    Parameters
    ----------
    starts : ndarray of int, shape (n_views, m + 1)
        Offsets of the neighbours of each row in each view.
    neighbors : ndarray of int, shape (n_neighbors,)
        Of all views, concatenated.
    n : int
        Number of all rows.
    least : int
        1: union; n_views: intersection.
    """
    n_views, m = len(starts), starts.shape[1] - 1
    times = np.zeros(n, dtype=np.int64)
    touched = np.empty(n, dtype=np.intp)
    merged = np.empty(len(neighbors), dtype=np.intp)
    ends = np.zeros(m + 1, dtype=np.intp)
    size = 0
    for i in range(m):
        count = 0
        for v in range(n_views):
            for e in range(starts[v, i], starts[v, i + 1]):
                j = neighbors[e]
                if times[j] == 0:
                    touched[count] = j
                    count += 1
                times[j] += 1
        for t in range(count):
            if times[touched[t]] >= least:
                merged[size] = touched[t]
                size += 1
            # only touched counters are reset: O(neighbours) per row instead of O(n)
            times[touched[t]] = 0
        ends[i + 1] = size
    return ends, merged[:size].copy()
