"""Density-based clustering: neighbourhoods computed in blocks of rows, and their clusters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ilk
from ilk import param
from ilk_ensembles.base.validation import check_features

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, Component, Distance, Index

_FIRST = 256  # rows of the first block
_NEIGHBORS = 1 << 21  # intended number of neighbours in a block: 32 MB with their distances


MIN_SAMPLES: Any = param(
    default=5,
    ge=1,
    doc="Minimum number of rows in the neighbourhood of a core row, itself included.",
)


class Block(NamedTuple):
    """Neighbours of consecutive rows, concatenated.

    Attributes
    ----------
    start : int
        The first row.
    starts : ndarray of int, shape (m + 1,)
        Offset of the neighbours of each row.
    neighbors : ndarray of int
    """

    start: int
    starts: np.ndarray
    neighbors: np.ndarray


class Neighborhoods(ABC):
    """Neighbourhood relation of n rows.

    Attributes
    ----------
    n : int
    symmetric : bool
        Whether the relation is symmetric.
    """

    n: int
    symmetric: bool

    @abstractmethod
    def block(self, start: int, stop: int) -> Block:
        """Neighbours of the rows from `start` up to, but excluding, `stop`."""

    def blocks(self) -> Iterator[Block]:
        """Yield the neighbours of all rows; block sizes adapt to the number of neighbours."""
        start, size = 0, _FIRST
        while start < self.n:
            block = self.block(start, min(start + size, self.n))
            yield block
            start += len(block.starts) - 1
            n_neighbors = len(block.neighbors)
            if n_neighbors > _NEIGHBORS:
                # dense data need smaller blocks, sparse data larger ones; 4 and 2 keep sizes from
                # oscillating
                size = max(size // 4, 1)
            elif n_neighbors < _NEIGHBORS // 8:
                size *= 2


class RadiusNeighborhoods(Neighborhoods):
    """Rows within a radius of each other, found by an index.

    Parameters
    ----------
    X : data of n rows
    index : Index
        Fitted on X.
    distance : Distance
        The distance of the index.
    eps : float
    """

    def __init__(self, X: Cases, index: Index, distance: Distance, eps: float) -> None:
        self.X, self.index, self.distance, self.eps = X, index, distance, eps
        self.n = ilk.n_rows(X)
        # an approximate index may find j near i, but not i near j
        self.symmetric = bool(distance.symmetric and index.exact)

    def block(self, start: int, stop: int) -> Block:
        rows = self.X.iloc[start:stop] if hasattr(self.X, "iloc") else self.X[start:stop]
        _, lists = self.index.radius_neighbors(rows, self.eps)
        starts = np.zeros(stop - start + 1, dtype=np.intp)
        np.cumsum([len(near) for near in lists], out=starts[1:])
        return Block(start, starts, np.concatenate(lists).astype(np.intp, copy=False))


class MultiViewNeighborhoods(Neighborhoods):
    """Rows that are neighbours in at least a given number of views.

    Parameters
    ----------
    views : list of Neighborhoods
        Over the same rows.
    least : int
        1: union of the neighbourhoods; the number of views: intersection.
    """

    def __init__(self, views: list[RadiusNeighborhoods], least: int) -> None:
        self.views, self.least = views, least
        self.n = views[0].n
        self.symmetric = all(view.symmetric for view in views)

    def block(self, start: int, stop: int) -> Block:
        from ilk_ensembles.clusterers.density_kernels import merge

        in_views = [view.block(start, stop) for view in self.views]
        offsets = np.cumsum([0, *(len(block.neighbors) for block in in_views)])
        starts = np.stack([block.starts for block in in_views]) + offsets[:-1, None]
        neighbors = np.concatenate([block.neighbors for block in in_views])
        return Block(start, *merge(starts, neighbors, self.n, self.least))


def comparable(owner: object, distance: Distance, X: Cases) -> Any:
    """Return X in the form the distance takes, after a check of its columns, if any.

    Raises
    ------
    InputError, InputTypeError
        If X has no row, or the distance does not accept it.
    """
    able = distance.capabilities
    vectors = set(able.inputs) & {"vectors", "histograms"}
    X = ilk.as_table(X)
    if not able.sparse:
        ilk.refuse_sparse(distance, X)
    numbers = (
        getattr(X, "ndim", 0) == 2 and getattr(getattr(X, "dtype", None), "kind", "O") in "biuf"
    )
    if vectors and (numbers or vectors == set(able.inputs)):
        return ilk.check_vectors(owner, X, reset=True, nan=able.nan, sparse=able.sparse)
    name = ilk.display_name(owner)
    if isinstance(X, str | bytes):
        raise ilk.InputError(f"{name}: X must be a list of texts, got the single text {X[:40]!r}")
    if ilk.n_rows(X) == 0:
        raise ilk.InputError(f"{name}: X has 0 rows, at least one is needed")
    check_features(owner, X, reset=True)
    return X


def radius_neighborhoods(
    owner: Component, X: Cases, distance: Distance | None, index: Index, eps: float
) -> RadiusNeighborhoods:
    """Fit a distance and an index on X for radius searches.

    Raises
    ------
    ParameterError
        If the index has no radius search.
    """
    if type(index).radius_neighbors is ilk.Index.radius_neighbors:
        raise owner.parameter_error(
            "index",
            f"must find the rows within a radius, which {ilk.display_name(index)} does not",
        )
    distance = ilk.fit_component(distance, X)
    index = ilk.fit_component(index, X, None, distance=distance)
    return RadiusNeighborhoods(X, index, distance, eps)


def density_clusters(
    near: Neighborhoods, min_samples: int, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Cluster rows by density.

    A row is core if its neighbourhood, itself included, has weight at least `min_samples`.
    Neighbouring core rows share a cluster; clusters are numbered by their first core row. Other
    rows near core rows join the first cluster that reaches them.

    If the relation is symmetric, only the neighbourhoods of rows that are not core are stored,
    which are small; otherwise the neighbourhoods of all core rows are stored.

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
    from ilk_ensembles.clusterers.density_kernels import adopt, join, number

    core = np.zeros(near.n, dtype=bool)
    parent = np.arange(near.n)
    others = []
    for block in near.blocks():
        is_core = _find_core(block, min_samples, weights, core)
        # border rows wait until all core rows are known
        join(block.start, block.starts, block.neighbors, core, parent)
        others.append(_rows_of(block, ~is_core))
    labels = number(core, parent)
    for rows, starts, neighbors in others:
        adopt(rows, starts, neighbors, core, labels)
    return labels, core


def _reached(
    near: Neighborhoods, min_samples: int, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    from ilk_ensembles.clusterers.density_kernels import spread

    core = np.zeros(near.n, dtype=bool)
    starts = np.zeros(near.n + 1, dtype=np.intp)
    lists = []
    for block in near.blocks():
        is_core = _find_core(block, min_samples, weights, core)
        # only core rows spread a cluster when the relation is directed
        rows, ends, neighbors = _rows_of(block, is_core)
        starts[rows + 1] = np.diff(ends)
        lists.append(neighbors)
    return spread(np.cumsum(starts), np.concatenate(lists), core), core


def _find_core(block: Block, min_samples: int, weights: np.ndarray, core: np.ndarray) -> np.ndarray:
    """Mark the core rows of a block in `core`, and return that part of it."""
    from ilk_ensembles.clusterers.density_kernels import masses

    mass = masses(block.start, block.starts, block.neighbors, weights)
    rows = slice(block.start, block.start + len(mass))
    core[rows] = (mass >= min_samples) & (weights[rows] > 0)
    return core[rows]


def _rows_of(block: Block, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Selected rows of a block, the offsets of their neighbours, and the neighbours."""
    counts = np.diff(block.starts)
    chosen = block.neighbors[np.repeat(mask, counts)]
    starts = np.concatenate([[0], np.cumsum(counts[mask])])
    return block.start + np.flatnonzero(mask), starts, chosen.astype(np.int32)
