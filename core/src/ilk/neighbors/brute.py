"""Brute force: every query is compared with every training row."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self
from weakref import WeakKeyDictionary

import numpy as np

from ilk.blockwise import RowBlocks, row_blocks
from ilk.capabilities import Capabilities
from ilk.inputs import check_finite, check_fitted, n_rows
from ilk.interfaces.index import Index
from ilk.neighbors.blocked import smallest
from ilk.neighbors.checks import check_radius, check_vector_distance, training_rows
from ilk.neighbors.filter_refine import Kept
from ilk.neighbors.vector_distance import nearest_checked, within_checked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk.arrays import Cases, Labels
    from ilk.interfaces.distance import Distance


Nearest = tuple[np.ndarray, np.ndarray]
Within = tuple[list[np.ndarray], list[np.ndarray]]

# beside the indexes: neither saved nor sent to workers with them
_KEPT: WeakKeyDictionary[Brute, Kept] = WeakKeyDictionary()


class Brute(Index):
    """Brute force: compares every query with every training row; exact, for any distance.

    Distances are computed in blocks of 32 MiB (at most 64 queries with 65536 training rows
    at a time, or more queries with fewer rows), and only the k nearest of each block are kept.
    Including this selection, a search takes less than about 200 MiB in addition to the data and
    the answer, for any number of rows; the full matrix of distances never exists.

    Where the comparison is a Euclidean distance of many or wide rows, a matrix product with a
    rigorous error bound first rules out most rows; the answers are the same to the last bit. For
    this the index keeps a converted copy of rows in memory, of at most 64 MiB (half their size as
    float64; 128 MiB where float32 is not precise enough): do not change the rows after `fit`.

    Sparse rows are never made dense, where the distance takes them. By `cosine` and `euclidean` a
    product of sparse matrices rules out most rows; the others are measured as dense rows would be.

    Ties go to the lower training index. Infinite distances are legal and rank last.

    Memory-mapped arrays (`numpy.memmap`) and Dask arrays are never loaded completely, neither as
    training rows nor as queries: blocks of at most 16 MiB are searched one after the other, with
    the same answers. In addition to the answer, a search of vectors then takes some 50 MiB, for
    any size of the file; with distances that are not compiled, the 200 MiB from above. Dask's
    own scheduler computes and searches the chunks of a Dask array, on a cluster where they are
    stored, with one thread for each: each Dask thread then takes this memory, and a chunk. A Dask
    array is computed once by `fit`, to check that its numbers are finite, and once by each
    search; as queries, once for each of their blocks (persist it if that is too slow). Do not
    truncate a mapped file during a search: the system kills a process that reads beyond its end.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : data of n rows, or RowBlocks
        Training rows as the distance takes them; float arrays are not copied.
    n_distance_evaluations_ : int
        Number of pairs compared since `fit`, by distance or by bound: queries times training rows.

    Raises
    ------
    InputError
        If k is not within 1..n, a radius is negative, or a distance is NaN.
    InputTypeError
        If rows are read block by block but the distance does not take vectors.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.3.
    .. [2] Arras: K-NN Inference and Decision.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [1.0], [5.0]]
    >>> index = ilk.index("brute").fit(X, distance=ilk.distance("euclidean"))
    >>> distances, indices = index.kneighbors([[1.0]], 3)
    >>> indices
    array([[1, 2, 0]])
    >>> index.radius_neighbors([[0.0]], 1.0)[1]
    [array([0, 1, 2])]
    >>> index.n_distance_evaluations_
    8
    """

    by_blocks: ClassVar[bool] = True
    capabilities: ClassVar[Capabilities] = Capabilities(sparse=True)

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Take training rows and an already fitted distance; y is ignored."""
        self.check_parameters()
        blocks = row_blocks(self, X)
        if blocks is None:
            self.X_ = training_rows(self, distance, X)
        else:
            check_vector_distance(self, distance)
            blocks.check(self, nan=distance.capabilities.nan)
            self.X_ = blocks
        self.distance_ = distance
        _KEPT.pop(self, None)
        self.n_distance_evaluations_ = 0
        return self

    def kneighbors(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index."""
        check_fitted(self)
        self.check_k(k, n_rows(self.X_))
        blocks = row_blocks(self, Q, "Q")
        if blocks is not None:
            parts = [self.kneighbors(block, k) for block in self._read(blocks)]
            return np.concatenate([d for d, _ in parts]), np.concatenate([i for _, i in parts])
        return self._nearest_of(self.distance_.check_input(Q, "Q"), int(k))

    def _nearest_of_rows(self, k: int) -> Nearest:
        """The k nearest training rows of each training row, itself included."""
        X: Any = self.X_
        search = self.kneighbors if isinstance(self.X_, RowBlocks) else self._nearest_of
        return search(X, k)

    def _nearest_of(self, Q: Any, k: int) -> Nearest:
        """The k nearest training rows of each checked query."""
        if isinstance(self.X_, RowBlocks):
            near, where = self.X_.fold(
                partial(_nearest_in, self.distance_, Q, k), partial(_merge_nearest, k)
            )
        else:
            near, where = nearest_checked(self.distance_, Q, self.X_, k, self._kept)
        self._count(Q)
        return near, where

    def radius_neighbors(self, Q: Cases, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first."""
        check_fitted(self)
        r = check_radius(self, r)
        blocks = row_blocks(self, Q, "Q")
        if blocks is not None:
            parts = [self.radius_neighbors(block, r) for block in self._read(blocks)]
            return [d for near, _ in parts for d in near], [i for _, where in parts for i in where]
        Q = self.distance_.check_input(Q, "Q")
        if isinstance(self.X_, RowBlocks):
            near, where = self.X_.fold(partial(_within_in, self.distance_, Q, r), _merge_within)
        else:
            near, where = within_checked(self.distance_, Q, self.X_, r, self._kept)
        self._count(Q)
        return near, where

    @property
    def _kept(self) -> Kept:
        return _KEPT.setdefault(self, Kept())

    def _read(self, blocks: RowBlocks) -> Iterator[np.ndarray]:
        """Yield checked blocks of queries; errors have row numbers of the whole data."""
        check_vector_distance(self, self.distance_)
        for first, block in blocks:
            nan = self.distance_.capabilities.nan
            check_finite(self, block, argument="Q", nan=nan, first_row=first)
            yield block

    def _count(self, Q: Cases) -> None:
        self.n_distance_evaluations_ += n_rows(Q) * n_rows(self.X_)


def _nearest_in(distance: Any, Q: Cases | None, k: int, first: int, block: np.ndarray) -> Nearest:
    """The k rows of a block, or all it has, nearest to each query: distances, numbers."""
    near, where = nearest_checked(distance, Q, block, min(k, len(block)))
    return near, where + first


def _merge_nearest(k: int, one: Nearest, other: Nearest) -> Nearest:
    """The k nearest in two blocks; ties go to the first block."""
    near = np.concatenate([one[0], other[0]], axis=1)
    where = np.concatenate([one[1], other[1]], axis=1)
    # of equal distances the first is taken, which is of the earlier block
    near, columns = smallest(near, min(k, near.shape[1]))
    return near, np.take_along_axis(where, columns, axis=1)


def _within_in(distance: Distance, Q: Cases, r: float, first: int, block: np.ndarray) -> Within:
    """The rows of a block within r of each query, nearest first: distances, numbers."""
    near, where = within_checked(distance, Q, block, r)
    return near, [numbers + first for numbers in where]


def _merge_within(one: Within, other: Within) -> Within:
    """The rows within a radius in two blocks, nearest first, ties by lower number."""
    merged: Within = ([], [])
    for pieces in zip(*one, *other, strict=True):  # the parts of one query
        near = np.concatenate([pieces[0], pieces[2]])
        order = np.argsort(near, kind="stable")
        merged[0].append(near[order])
        merged[1].append(np.concatenate([pieces[1], pieces[3]])[order])
    return merged
