"""Compiled kernels: squared distances under a metric per query; the k-th smallest value."""

from __future__ import annotations

import numpy as np

import ilk

_WIDTH = 512  # rows per block: their sums stay in the cache


@ilk.compiled
def weighted(columns: np.ndarray, Q: np.ndarray, weights: np.ndarray, squares: np.ndarray) -> None:
    """Write ``squares[i, j] = sum_f weights[i, f] (columns[f, j] - Q[i, f])^2``.

    Shapes: `columns` (p, n), `Q` and `weights` (m, p), `squares` (m, n).
    """
    p, n = columns.shape
    for i in range(len(Q)):
        for first in range(0, n, _WIDTH):
            total = squares[i, first : first + _WIDTH]
            total[:] = 0.0
            for f in range(p):
                column, q, weight = columns[f, first : first + _WIDTH], Q[i, f], weights[i, f]
                for j in range(len(total)):
                    difference = column[j] - q
                    total[j] += weight * (difference * difference)


@ilk.compiled
def mapped(columns: np.ndarray, Q: np.ndarray, maps: np.ndarray, squares: np.ndarray) -> None:
    """Write to ``squares[i, j]`` the squared length of ``maps[i] @ (columns[:, j] - Q[i])``.

    Shapes: `columns` (p, n), `Q` (m, p), `maps` (m, d, p), `squares` (m, n).
    """
    p, n = columns.shape
    differences, image = np.empty((p, _WIDTH)), np.empty(_WIDTH)
    for i in range(len(Q)):
        for first in range(0, n, _WIDTH):
            total = squares[i, first : first + _WIDTH]
            total[:] = 0.0
            for f in range(p):
                column, q = columns[f, first : first + _WIDTH], Q[i, f]
                for j in range(len(total)):
                    differences[f, j] = column[j] - q
            for r in range(maps.shape[1]):
                image[:] = 0.0
                for f in range(p):
                    share, difference = maps[i, r, f], differences[f]
                    if share == 0:  # zeros of a triangular map
                        continue
                    for j in range(len(total)):
                        image[j] += share * difference[j]
                for j in range(len(total)):
                    total[j] += image[j] * image[j]


@ilk.compiled
def select(values: np.ndarray, n: int, k: int) -> float:
    """Quickselect: the value at position k of the first n `values` (at least n,) if sorted.

    Rearranges them.
    """
    low, high = 0, n - 1
    while low < high:
        # the median of three values as the pivot: sorted rows take no longer than others
        pivot = _middle(values[low], values[(low + high) // 2], values[high])
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        # Hoare's partition: values up to j are at most the pivot, those from i on at least
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return float(values[k])


@ilk.compiled
def _middle(a: float, b: float, c: float) -> float:
    return max(min(a, b), min(max(a, b), c))
