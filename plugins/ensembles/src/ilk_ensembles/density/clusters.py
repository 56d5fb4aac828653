"""Clusters of density: core rows, and all that is reached from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ilk_ensembles.density.neighborhoods import Block, Neighborhoods


def density_clusters(
    near: Neighborhoods, min_samples: int, weights: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Cluster rows by density.

    A row is core if its neighbourhood, itself included, weighs at least `min_samples`. Core
    rows that are near each other are of one cluster; clusters are numbered by their first core
    row. Other rows near core rows are of the first cluster that reaches them.

    Where neighbourhoods are symmetric, only those of rows that are no core are kept, which
    have few neighbours; else all those of core rows.

    Parameters
    ----------
    near : Neighborhoods
    min_samples : int
    weights : ndarray of shape (n,), optional
        1 for each row if left out. A row of weight 0 is never core.

    Returns
    -------
    labels : ndarray of int, shape (n,)
        -1 for noise.
    core : ndarray of bool, shape (n,)
    """
    weights = np.ones(near.n) if weights is None else weights
    return (_joined if near.symmetric else _reached)(near, min_samples, weights)


def _joined(
    near: Neighborhoods, min_samples: int, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    from ilk_ensembles.density.kernels import adopt, join, number

    core = np.zeros(near.n, dtype=bool)
    parent = np.arange(near.n)
    others = []
    for block in near.blocks():
        own = _find_core(block, min_samples, weights, core)
        join(block.start, block.starts, block.neighbors, core, parent)
        others.append(_rows_of(block, ~own))
    labels = number(core, parent)
    for rows, starts, neighbors in others:
        adopt(rows, starts, neighbors, core, labels)
    return labels, core


def _reached(
    near: Neighborhoods, min_samples: int, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    from ilk_ensembles.density.kernels import spread

    core = np.zeros(near.n, dtype=bool)
    starts = np.zeros(near.n + 1, dtype=np.intp)
    kept = []
    for block in near.blocks():
        own = _find_core(block, min_samples, weights, core)
        rows, ends, neighbors = _rows_of(block, own)
        starts[rows + 1] = np.diff(ends)
        kept.append(neighbors)
    return spread(np.cumsum(starts), np.concatenate(kept), core), core


def _find_core(block: Block, min_samples: int, weights: np.ndarray, core: np.ndarray) -> np.ndarray:
    """Set which rows of a block are core, and return that part."""
    from ilk_ensembles.density.kernels import masses

    mass = masses(block.start, block.starts, block.neighbors, weights)
    rows = slice(block.start, block.start + len(mass))
    core[rows] = (mass >= min_samples) & (weights[rows] > 0)
    return core[rows]


def _rows_of(block: Block, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Some rows of a block, where their neighbours start, and their neighbours."""
    counts = np.diff(block.starts)
    chosen = block.neighbors[np.repeat(mask, counts)]
    starts = np.concatenate([[0], np.cumsum(counts[mask])])
    return block.start + np.flatnonzero(mask), starts, chosen.astype(np.int32)
