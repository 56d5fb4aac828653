"""Distances of vectors that are computed tile by tile, by compiled kernels, in threads."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from ilk.inputs import check_same_features, is_sparse, n_rows
from ilk.interfaces.distance import Distance, Prepared, one_row
from ilk.neighbors.blocked import nearest_blocked, within_blocked
from ilk.neighbors.checks import check_k
from ilk.neighbors.filter_refine import Kept, nearest_refined, pays, within_refined
from ilk.neighbors.rows import FEW_ROWS, MAX_FLOAT32_FEATURES, Rows, Tile
from ilk.parallel import in_blocks, n_threads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk.arrays import Cases
    from ilk.neighbors.sparse import SparseRows

_Float: TypeAlias = type[np.floating[Any]]
_Part: TypeAlias = tuple[int, Rows, Rows]

_TILE = 2**16  # numbers of the second operand in a tile: they stay in the cache
_WIDEST, _NARROWEST = 512, 32  # columns of a tile: vectorized, and still in the cache
_LONG = 2**18  # numbers of the second operand in a tile of few rows: it is read once
_TALL, _FLAT = 512, 256  # rows of a block whose distances are stored, or only searched
_WORK = 2**30  # maximum differences in a block: interrupts are handled between blocks
_FEW = 32  # minimum number of rows in a block, however long the others are
MAX_SORTED = 128  # maximum number of neighbours sorted by insertion, which is quadratic
_SHARED = 2**18  # differences that take about as long as the overhead of one call
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
        if len(Y) <= FEW_ROWS < len(X) and self.embeds and self.symmetric:
            return np.ascontiguousarray(self.compare(Y, X).T)  # the same sums, but faster
        # only tiles from the diagonal on are computed; the others are their mirror images
        mirrored = Y is X and self.symmetric
        dtype = self.working_type(X, Y)
        D = np.empty((len(X), len(Y)), dtype=dtype)

        def work(start: int, stop: int) -> None:
            left = start if mirrored else 0
            scratch = np.empty((stop - start) * self._width(stop - start, Y), dtype=dtype)
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
        # runs of pairs with the same row of X; a few short runs share one call
        starts = np.flatnonzero(np.diff(rows, prepend=-1, append=-1))
        for first, last in _few_runs(starts.tolist(), _SHARED // max(int(X.shape[1]), 1)):
            part = slice(starts[first], starts[last])
            some, places = np.unique(columns[part], return_inverse=True)
            block = self.compare(X[rows[starts[first:last]]], Y[some])
            lengths = np.diff(starts[first : last + 1])
            D[part] = block[np.repeat(np.arange(last - first), lengths), places]
        return D

    def kneighbors(self, X: Any, Y: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k rows of Y nearest to each row of X, nearest first, ties by lower index."""
        check_k(self, k, n_rows(Y))
        self.check_parameters()
        return self.nearest(*self.check_pair(X, Y), k)

    def nearest(
        self, X: np.ndarray, Y: np.ndarray, k: int, kept: Kept | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same as `kneighbors`, of rows that are already checked."""
        check_k(self, k, n_rows(Y))
        if is_sparse(X) or is_sparse(Y):
            from ilk.neighbors import sparse

            return sparse.nearest(self, X, Y, k)
        if self.embeds and pays(self, X, Y, k, kept):
            return nearest_refined(self, X, Y, k, kept)
        return self.nearest_by_differences(X, Y, k)

    def nearest_by_differences(
        self, X: np.ndarray, Y: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same as `nearest`, from the distances of all pairs."""
        if k > MAX_SORTED:
            return nearest_blocked(_Checked(self), X, Y, k)
        from ilk.neighbors.sums import push

        dtype, result = self.working_type(X, Y), self.result_type(X, Y)
        near = np.empty((len(X), k), dtype=result)
        where = np.empty((len(X), k), dtype=np.int64)

        def work(start: int, stop: int) -> None:
            scratch = np.empty((stop - start) * self._width(stop - start, Y), dtype=dtype)
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

    def within(
        self, X: np.ndarray, Y: np.ndarray, r: float, kept: Kept | None = None
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The rows of Y within distance r of each row of X, nearest first, ties by lower index.

        X and Y are already checked.
        """
        if is_sparse(X) or is_sparse(Y):
            from ilk.neighbors import sparse

            return sparse.within(self, X, Y, r)
        if self.embeds and pays(self, X, Y, 1, kept):
            return within_refined(self, X, Y, r, kept)
        return within_blocked(_Checked(self), X, Y, r)

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

    def embedded_radius(self, r: float) -> float:
        """Return the Euclidean distance of embedded rows where this distance is r."""
        return r

    def working_type(self, X: np.ndarray, Y: np.ndarray) -> _Float:
        """The type in which rows are compared."""
        double = self.works_in_double or X.shape[1] > MAX_FLOAT32_FEATURES
        return np.float64 if double else self.result_type(X, Y)

    def result_type(self, X: np.ndarray, Y: np.ndarray) -> _Float:
        """The type of distances: float32 only if both operands are."""
        return np.float32 if X.dtype == Y.dtype == np.float32 else np.float64

    def _width(self, n: int, Y: np.ndarray) -> int:
        """Number of columns of a tile of n rows."""
        p = max(int(Y.shape[1]), 1)
        if n <= FEW_ROWS and self.embeds:
            return min(max(_LONG // p, _NARROWEST), len(Y))
        return min(max(min(_TILE // p, _WIDEST), _NARROWEST), len(Y))

    def _tiles(self, X: np.ndarray, Y: np.ndarray, dtype: _Float) -> Iterator[_Part]:
        """Yield the first row of each tile of Y, the rows of X, and those of the tile."""
        rows = self._rows(np.asarray(X, dtype=dtype))
        width = self._width(len(X), Y)
        with np.errstate(over="ignore", under="ignore"):
            for first in range(0, len(Y), width):
                yield first, rows, self._rows(np.asarray(Y[first : first + width], dtype=dtype))


def nearest_checked(
    distance: Any, X: Any, Y: Any, k: int, kept: Kept | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The k rows of Y nearest to each row of X, both as the distance's `check_input` returns them.

    A distance with a search or a check of pairs of its own gets the rows as anyone else's.
    """
    if not _takes_checked(distance, "kneighbors"):
        return distance.kneighbors(X, Y, k)  # type: ignore[no-any-return]  # Any
    distance.check_parameters()
    check_same_features(distance, X, Y)
    return distance.nearest(X, Y, k, kept)  # type: ignore[no-any-return]  # Any


def within_checked(
    distance: Any, X: Any, Y: Any, r: float, kept: Kept | None = None
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The rows of Y within distance r of each row of X, as `nearest_checked` takes them."""
    if not _takes_checked(distance, "pairwise"):
        return within_blocked(distance, X, Y, r)
    distance.check_parameters()
    check_same_features(distance, X, Y)
    return distance.within(X, Y, r, kept)  # type: ignore[no-any-return]  # Any


def _takes_checked(distance: Any, method: str) -> bool:
    cls: Any = type(distance)
    own = getattr(cls, method, None), getattr(cls, "check_pair", None)
    return own == (getattr(VectorDistance, method), Distance.check_pair)


@dataclass(frozen=True)
class _Checked:
    """A distance of rows that are already checked, for searches in blocks."""

    distance: VectorDistance

    def pairwise(self, X: np.ndarray, Y: np.ndarray | None = None) -> np.ndarray:
        return self.distance.compare(X, X if Y is None else Y)

    def check_pair(self, X: np.ndarray, Y: np.ndarray | None = None) -> tuple[Any, Any]:
        return X, Y


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


def _few_runs(starts: list[int], most: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last + 1 of a few runs, one at least; they need `most` pairs at most.

    `starts` are those of the runs, and the end.
    """
    first = 0
    for run in range(1, len(starts)):
        # a call for g runs with s pairs in all compares up to g s
        if run == len(starts) - 1 or (run + 1 - first) * (starts[run + 1] - starts[first]) > most:
            yield first, run
            first = run


def _height(X: np.ndarray, Y: np.ndarray, most: int) -> int:
    """Number of rows in a block: at least one block for each thread, if threads pay."""
    most = min(most, max(_WORK // max(Y.size, 1), _FEW))
    threads = 1 if len(X) * Y.size <= _BRIEF else n_threads()
    return max(min(most, -(-len(X) // threads)), 16)
