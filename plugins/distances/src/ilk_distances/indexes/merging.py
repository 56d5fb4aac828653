"""Neighbours in one block of the training rows, and those of two blocks put together."""

from __future__ import annotations

from typing import Any

import numpy as np

import ilk

Nearest = tuple[np.ndarray, np.ndarray]
Within = tuple[list[np.ndarray], list[np.ndarray]]


def nearest_in(distance: Any, Q: Any, k: int, first: int, block: np.ndarray) -> Nearest:
    """The k rows of a block, or all it has, nearest to each query: distances, numbers."""
    near, where = distance.kneighbors(Q, block, min(k, len(block)))
    return near, where + first


def merge_nearest(k: int, one: Nearest, other: Nearest) -> Nearest:
    """The k nearest in two blocks; of equally near ones those of the first block come first."""
    near = np.concatenate([one[0], other[0]], axis=1)
    where = np.concatenate([one[1], other[1]], axis=1)
    near, columns = ilk.smallest(near, min(k, near.shape[1]))
    return near, np.take_along_axis(where, columns, axis=1)


def within_in(distance: Any, Q: Any, r: float, first: int, block: np.ndarray) -> Within:
    """The rows of a block within r of each query, nearest first: distances, numbers."""
    near, where = ilk.within_blocked(distance, Q, block, r)
    return near, [numbers + first for numbers in where]


def merge_within(one: Within, other: Within) -> Within:
    """What is within a radius in two blocks, nearest first, ties by lower number."""
    merged: Within = ([], [])
    for pieces in zip(*one, *other, strict=True):  # of one query
        near = np.concatenate([pieces[0], pieces[2]])
        order = np.argsort(near, kind="stable")
        merged[0].append(near[order])
        merged[1].append(np.concatenate([pieces[1], pieces[3]])[order])
    return merged
