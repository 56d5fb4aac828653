"""Compiled construction of a kd-tree: rows in the order of its leaves, and a box for each node."""

from __future__ import annotations

import numpy as np

import ilk


@ilk.compiled
def halve(X: np.ndarray, order: np.ndarray, starts: np.ndarray, boxes: np.ndarray) -> None:
    """Order rows by leaf, halving them along the widest feature of their box.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    order : ndarray of int64, shape (n,)
        Overwritten: the rows of node after node of the last level.
    starts : ndarray of int64, shape (n_leaves + 1,)
        Overwritten: where the rows of each leaf begin. The number of leaves is a power of 2.
    boxes : ndarray of shape (2 n_leaves - 1, 2, p)
        Overwritten: smallest and largest values; node i has the children 2 i + 1 and 2 i + 2.
    """
    n_leaves = len(starts) - 1
    for i in range(len(X)):
        order[i] = i
    starts[0], starts[n_leaves] = 0, len(X)
    keys = np.empty(len(X))
    size = n_leaves
    while size >= 1:
        for leaf in range(0, n_leaves, size):
            start, stop = starts[leaf], starts[leaf + size]
            node = (n_leaves + leaf) // size - 1
            _bound(X, order[start:stop], boxes[node])
            if size == 1:
                continue
            middle = (start + stop + 1) // 2
            starts[leaf + size // 2] = middle
            widest = _widest(boxes[node])
            for i in range(start, stop):
                keys[i] = X[order[i], widest]
            _divide(keys[start:stop], order[start:stop], middle - start)
        size //= 2


@ilk.compiled
def _widest(box: np.ndarray) -> int:
    widest, width = 0, 0.0
    for f in range(box.shape[1]):
        half = box[1, f] / 2 - box[0, f] / 2  # of the largest numbers the whole is infinite
        if half > width:
            widest, width = f, half
    return widest


@ilk.compiled
def _bound(X: np.ndarray, rows: np.ndarray, box: np.ndarray) -> None:
    for f in range(X.shape[1]):
        box[0, f], box[1, f] = np.inf, -np.inf
    for i in range(len(rows)):
        for f in range(X.shape[1]):
            value = X[rows[i], f]
            box[0, f] = min(box[0, f], value)
            box[1, f] = max(box[1, f], value)


@ilk.compiled
def _divide(keys: np.ndarray, order: np.ndarray, n_first: int) -> None:
    """Bring the rows of the smallest keys to the front.

    In linear time whatever the order of the keys: pivots are the medians of three that are
    drawn, always by the same numbers.
    """
    low, high = 0, len(keys) - 1
    drawn = 1
    while low < high:
        drawn = (drawn * 1103515245 + 12345) % 2**31
        step = (high - low) // 3 + 1
        first = low + (drawn >> 8) % step
        a, b, c = keys[first], keys[min(first + step, high)], keys[min(first + 2 * step, high)]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while pivot < keys[j]:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if n_first - 1 <= j:
            high = j
        elif n_first >= i + 1:
            low = i
        else:
            return


@ilk.compiled
def lay(X: np.ndarray, order: np.ndarray, starts: np.ndarray, tiles: np.ndarray) -> None:
    """Copy the rows leaf after leaf, each leaf one feature after another."""
    p = X.shape[1]
    for leaf in range(len(starts) - 1):
        start, stop = starts[leaf], starts[leaf + 1]
        for i in range(start, stop):
            for f in range(p):
                tiles[start * p + f * (stop - start) + (i - start)] = X[order[i], f]
