"""Squared distances of queries to all training rows, each query under a metric of its own."""

from __future__ import annotations

import numpy as np

import ilk

_WIDTH = 512  # rows looked at together: what is summed stays in the cache


@ilk.compiled
def weighted(columns: np.ndarray, Q: np.ndarray, weights: np.ndarray, squares: np.ndarray) -> None:
    """Fill ``squares[i, j] = sum_f weights[i, f] (columns[f, j] - Q[i, f])^2``."""
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
    """Fill ``squares[i, j]`` with the squared length of ``maps[i] @ (columns[:, j] - Q[i])``."""
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
                    if share == 0:  # half of a triangle
                        continue
                    for j in range(len(total)):
                        image[j] += share * difference[j]
                for j in range(len(total)):
                    total[j] += image[j] * image[j]
