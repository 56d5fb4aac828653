"""Distances of vectors that are computed tile by tile, by compiled kernels, in threads."""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from ilk.inputs import check_same_features, is_sparse, n_rows
from ilk.interfaces.distance import Distance, Prepared, one_row
from ilk.neighbors.blocked import nearest_blocked
from ilk.neighbors.checks import check_k
from ilk.neighbors.filter_refine import nearest_refined, pays
from ilk.neighbors.rows import MAX_FLOAT32_FEATURES, Rows, Tile
from ilk.parallel import in_blocks, n_threads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk.arrays import Cases
    from ilk.neighbors.sparse import SparseRows

_Float: TypeAlias = type[np.floating[Any]]
_Part: TypeAlias = tuple[int, Rows, Rows]

_TILE = 2**14  # numbers of the second operand in a tile: they stay in the cache
_WIDEST, _NARROWEST = 512, 32  # columns of a tile: vectorized, and still in the cache
_TALL, _FLAT = 512, 256  # rows of a block whose distances are stored, or only searched
_WORK = 2**30  # maximum differences in a block: interrupts are handled between blocks
_FEW = 32  # minimum number of rows in a block, however long the others are
MAX_SORTED = 128  # maximum number of neighbours sorted by insertion, which is quadratic
_BRIEF = 2**17  # differences that take about as long as the start of a thread


class VectorDistance(Distance):
    """A distance of vectors; subclasses prepare rows and fill tiles.

    Every entry is computed independently, in the order of the features: results depend neither
    on other entries nor on the number of threads.

    Attributes
    ----------
    works_in_double : bool
        Whether float32 is compared as float64; the result is float32 nevertheless.
    embedding_error : float
        How far the squared distance of `embedded` rows may be from a multiple of this distance,
        or of its square, without the rounding of sums.
    """

    works_in_double: ClassVar[bool] = False
    embedding_error: ClassVar[float] = 0.0

    @abstractmethod
    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        """Fill a tile with the distances of every row of X to every row of Y."""

    def _compare_squared(self, X: Rows, Y: Rows, tile: Tile) -> bool:
        """Fill a tile with distances, or with their squares to postpone roots.

        Returns
        -------
        bool
            Whether all entries are squares.
        """
        self._compare(X, Y, tile)
        return False

    def _rows(self, X: np.ndarray) -> Rows:
        """Return some rows in the form that is compared."""
        return Rows(X, X)

    def sparse_rows(self, X: Any, dtype: _Float) -> SparseRows:
        """Return sparse (or dense) rows in the form that `merge` compares, where declared."""
        from ilk.neighbors.sparse import SparseRows

        return SparseRows.of(X, dtype)

    def merge(
        self, X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray
    ) -> np.ndarray:
        """Distances of the sparse rows ``X[rows[i]]`` to ``Y[columns[i]]``, where declared."""
        raise NotImplementedError

    def pairwise(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        self.check_parameters()
        return self.compare(*self.check_pair(X, Y))

    def compare(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Distances of every row of X to every row of Y, both already checked."""
        if is_sparse(X) or is_sparse(Y):
            from ilk.neighbors import sparse

            return sparse.compare(self, X, Y)
        # only tiles from the diagonal on are computed; the others are their mirror images
        mirrored = Y is X and self.symmetric
        dtype = self.working_type(X, Y)
        D = np.empty((len(X), len(Y)), dtype=dtype)

        def work(start: int, stop: int) -> None:
            left = start if mirrored else 0
            scratch = np.empty((stop - start) * _width(Y), dtype=dtype)
            for first, rows, columns in self._tiles(X[start:stop], Y[left:], dtype):
                tile = scratch[: len(rows) * len(columns)].reshape(len(rows), len(columns))
                squared = self._compare_squared(rows, columns, Tile(tile, 0, 0, tile.shape))
                here = D[start:stop, left + first : left + first + len(columns)]
                np.sqrt(tile, out=here) if squared else np.copyto(here, tile)
            if mirrored:
                D[stop:, start:stop] = D[start:stop, stop:].T

        in_blocks(work, len(X), _height(X, Y, _TALL))
        with np.errstate(over="ignore", under="ignore"):
            return D.astype(self.result_type(X, Y), copy=False)

    def compare_pairs(
        self, X: np.ndarray, rows: np.ndarray, Y: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """Distances of ``X[rows[i]]`` to ``Y[columns[i]]``, equal to `compare` to the last bit.

        X and Y are already checked; pairs of the same row of X should be adjacent.
        """
        if is_sparse(X) or is_sparse(Y):
            from ilk.neighbors import sparse

            return sparse.compare_pairs(self, X, rows, Y, columns)
        D = np.empty(len(rows), dtype=self.result_type(X, Y))
        # runs of pairs with the same row of X: one call each
        starts = np.flatnonzero(np.diff(rows, prepend=-1, append=-1)).tolist()
        for start, stop in pairwise(starts):
            row = rows[start]
            D[start:stop] = self.compare(X[row : row + 1], Y[columns[start:stop]])[0]
        return D

    def kneighbors(self, X: Any, Y: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k rows of Y nearest to each row of X, nearest first, ties by lower index."""
        check_k(self, k, n_rows(Y))
        self.check_parameters()
        return self.nearest(*self.check_pair(X, Y), k)

    def nearest(self, X: np.ndarray, Y: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The same as `kneighbors`, of rows that are already checked."""
        check_k(self, k, n_rows(Y))
        if is_sparse(X) or is_sparse(Y):
            from ilk.neighbors import sparse

            return sparse.nearest(self, X, Y, k)
        if self.embeds and pays(self, X, Y, k):
            return nearest_refined(self, X, Y, k)
        return self.nearest_by_differences(X, Y, k)

    def nearest_by_differences(
        self, X: np.ndarray, Y: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same as `nearest`, from the distances of all pairs."""
        if k > MAX_SORTED:
            return nearest_blocked(self, X, Y, k)
        from ilk.neighbors.sums import push

        dtype, result = self.working_type(X, Y), self.result_type(X, Y)
        near = np.empty((len(X), k), dtype=result)
        where = np.empty((len(X), k), dtype=np.int64)

        def work(start: int, stop: int) -> None:
            scratch = np.empty((stop - start) * _width(Y), dtype=dtype)
            for first, rows, columns in self._tiles(X[start:stop], Y, dtype):
                D = scratch[: len(rows) * len(columns)].reshape(len(rows), len(columns))
                squared = self._compare_squared(rows, columns, Tile(D, 0, 0, D.shape))
                if squared and dtype != result:  # rounding before the root would change it
                    np.sqrt(D, out=D)
                    squared = False
                D = D.astype(result, copy=False)
                push(D, first, near[start:stop], where[start:stop], squared)

        in_blocks(work, len(X), _height(X, Y, _FLAT))
        return near, where

    def prepare(self, X: Cases) -> Prepared:
        """Return a handle on X, checked once."""
        self.check_parameters()
        return _PreparedVectors(self, self.check_input(X))

    @property
    def embeds(self) -> bool:
        """Whether `embedded` is defined."""
        return False

    def embedded(self, X: np.ndarray) -> np.ndarray:
        """Return rows whose Euclidean distances rank as this distance does."""
        raise NotImplementedError

    def embedded_square(self, r: float) -> float:
        """The squared Euclidean distance of `embedded` rows at distance r."""
        return r * r

    def working_type(self, X: np.ndarray, Y: np.ndarray) -> _Float:
        """The type in which rows are compared."""
        double = self.works_in_double or X.shape[1] > MAX_FLOAT32_FEATURES
        return np.float64 if double else self.result_type(X, Y)

    def result_type(self, X: np.ndarray, Y: np.ndarray) -> _Float:
        """The type of distances: float32 only if both operands are."""
        return np.float32 if X.dtype == Y.dtype == np.float32 else np.float64

    def _tiles(self, X: np.ndarray, Y: np.ndarray, dtype: _Float) -> Iterator[_Part]:
        """Yield the first row of each tile of Y, the rows of X, and those of the tile."""
        rows = self._rows(np.asarray(X, dtype=dtype))
        width = _width(Y)
        with np.errstate(over="ignore", under="ignore"):
            for first in range(0, len(Y), width):
                yield first, rows, self._rows(np.asarray(Y[first : first + width], dtype=dtype))


def nearest_checked(distance: Any, X: Any, Y: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k rows of Y nearest to each row of X, both as the distance's `check_input` returns them.

    A distance with a search or a check of pairs of its own gets the rows as anyone else's.
    """
    cls: Any = type(distance)
    own = getattr(cls, "kneighbors", None), getattr(cls, "check_pair", None)
    if own != (VectorDistance.kneighbors, Distance.check_pair):
        return distance.kneighbors(X, Y, k)  # type: ignore[no-any-return]  # Any
    distance.check_parameters()
    check_same_features(distance, X, Y)
    return distance.nearest(X, Y, k)  # type: ignore[no-any-return]  # Any


class _PreparedVectors(Prepared):
    """Rows checked once."""

    def to(self, q: object, indices: np.ndarray | None = None) -> np.ndarray:
        """Distances from one query to the rows with the given indices (default: all)."""
        distance: Any = self.distance
        if type(distance).pairwise is not VectorDistance.pairwise:  # it also takes other data
            return super().to(q, indices)
        query = distance.check_input(one_row(q))
        check_same_features(distance, query, self.X)
        rows = self.X if indices is None else self.X[indices]
        return np.asarray(distance.compare(query, rows)[0])


def _width(Y: np.ndarray) -> int:
    width = _TILE // max(int(Y.shape[1]), 1)
    return min(max(min(width, _WIDEST), _NARROWEST), len(Y))


def _height(X: np.ndarray, Y: np.ndarray, most: int) -> int:
    """Number of rows in a block: at least one block for each thread, if threads pay."""
    most = min(most, max(_WORK // max(Y.size, 1), _FEW))
    threads = 1 if len(X) * Y.size <= _BRIEF else n_threads()
    return max(min(most, -(-len(X) // threads)), 16)
