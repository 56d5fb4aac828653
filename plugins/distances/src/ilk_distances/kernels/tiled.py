"""Functions of matrices, and of squared Euclidean distances, computed in parts within the cache.

Squared distances of wide rows are matrix products, ``|x|^2 - 2 x'y + |y|^2`` of centred rows.
Let w = 2^-53, a and b the lengths of two rows after the centre was subtracted, d the number of
features, summed in groups of g. In units of w (a + b)^2 the error is at most [1]_

- g + d / g + 2, for the sum of products and squared lengths, in any order within a group,
- g + d / g, for the lengths themselves,
- 4.1, for the rounding of rows by the subtraction and a division by their scale,

and ``(a + b)^2 <= 2 (a^2 + b^2)``. Where this exceeds `TOLERANCE` of the square, or where squares
may underflow, the square is computed again, from differences.

References
----------
.. [1] N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, SIAM, 2002, chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

import ilk
from ilk.neighbors import (
    MAX_FLOAT32_FEATURES,
    Rows,
    Tile,
    fill_tile,
    squared_euclidean,
    squared_pairs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Function: TypeAlias = Callable[[np.ndarray], np.ndarray]

TOLERANCE = {np.float64: 1e-12, np.float32: 1e-9}  # relative error of squares by products
# Measured on one core, products by AVX2; differences of float32 take half the time
FEWEST_FEATURES = {np.float64: 128, np.float32: 1024}  # below, differences are faster
_MIRRORED = 3  # as many times more features where only half of the matrix is computed


def apply(function: Function, D: np.ndarray) -> np.ndarray:
    """Replace the numbers of a matrix by a function of them, in place.

    The function receives some rows at a time, and may overwrite them.
    """
    m = max(D[:1].size, 1)

    def work(start: int, stop: int) -> None:
        for _, rows in _in_cache(D[start:stop]):
            values = function(rows)
            if values is not rows:
                rows[...] = values

    ilk.in_blocks(work, len(D), max(_SHARE // m, 1))
    return D


def can_tile(X: np.ndarray, Y: np.ndarray, sigma: float, *, gaussian: bool) -> bool:
    """Tell whether squares that underflow or overflow do not affect a kernel."""
    if not (isinstance(X, np.ndarray) and isinstance(Y, np.ndarray)):  # sparse
        return False
    single = X.dtype == Y.dtype == np.float32
    # unlike a Gaussian, other kernels are not 0 where a square overflows
    if not gaussian and max(np.abs(Z).max(initial=0) for Z in (X, Y)) > (1e15 if single else 1e145):
        return False
    return 1e-10 < sigma < 1e16 if single else 1e-120 < sigma < 1e140


def of_squares(function: Function, X: np.ndarray, Y: np.ndarray, sigma: float) -> np.ndarray:
    """Return a function of ``u = |x - y|^2 / (2 sigma^2)`` for every row x of X and y of Y.

    Parameters
    ----------
    function : callable
        Of a matrix of u, which it may overwrite.
    X, Y : ndarrays of shape (n, p) and (m, p)
        If X is Y, the result is symmetric to the last bit.
    sigma : float

    Returns
    -------
    ndarray of shape (n, m)
        float32 if both are. The relative error of u is at most `TOLERANCE`. Of rows with fewer
        features than `FEWEST_FEATURES`, entries depend neither on other entries nor on threads.
    """
    dtype: Any = np.float32 if X.dtype == Y.dtype == np.float32 else np.float64
    K = np.empty((len(X), len(Y)), dtype)
    # in two divisions: sigma^2 might underflow or overflow
    factor = 0.5 / sigma / sigma
    products = _Products.of(X, Y, factor, dtype)
    tall = _TALL // 4 if X is Y else _TALL  # flat blocks compute little below the diagonal
    size = _halved(tall, 16, _MOST // max(len(Y), 1)) if products else _width(X)
    if products is None and K.size > _BRIEF:
        size = _halved(size, 32, -(-len(X) // ilk.n_threads()))
    differences = _Differences(X, Y, dtype)

    def work(start: int, stop: int) -> None:
        left = start if X is Y else 0
        out = K[start:stop, left:]
        with np.errstate(over="ignore", under="ignore"):
            if products is None or not products.fill(out, start, left, function):
                differences.fill(out, start, left, factor, function)
        if X is Y:
            K[stop:, start:stop] = out[:, stop - start :].T

    ilk.in_blocks(work, len(X), size)
    return K


def _width(X: np.ndarray) -> int:
    """Rows of a tile that stays in the cache."""
    return _halved(_WIDEST, 32, _NUMBERS // max(X.shape[1], 1))


def _halved(size: int, least: int, most: int) -> int:
    """Halve a size until it is at most `most`, but at least `least`: blocks then align."""
    while size > max(most, least):
        size //= 2
    return size


def _in_cache(D: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield some rows of a matrix at a time, and the number of the first."""
    step = max(_CACHED // max(D[:1].size, 1), 1)
    for first in range(0, len(D), step):
        yield first, D[first : first + step]


class _Differences:
    """Squared distances tile by tile, each independent of the others."""

    def __init__(self, X: np.ndarray, Y: np.ndarray, dtype: Any) -> None:
        self.X, self.Y, self.width = X, Y, _width(Y)
        self.dtype = dtype if X.shape[1] <= MAX_FLOAT32_FEATURES else np.float64
        self.tiles: dict[int, Rows] = {}

    def fill(
        self, out: np.ndarray, start: int, left: int, factor: float, function: Function
    ) -> None:
        rows = _rows(self.X[start : start + len(out)], self.dtype)
        scratch = np.empty(len(rows) * self.width, self.dtype)
        for first in range(left, len(self.Y), self.width):
            # other blocks have the same tiles, or the tiles from some on
            columns = self.tiles.get(first)
            if columns is None:
                columns = _rows(self.Y[first : first + self.width], self.dtype)
                self.tiles[first] = columns
            shape = len(rows), len(columns)
            D = scratch[: shape[0] * shape[1]].reshape(shape)
            fill_tile(squared_euclidean, rows, columns, Tile(D, 0, 0, shape))
            D *= self.dtype(factor)
            out[:, first - left : first - left + shape[1]] = function(D)


def _rows(given: np.ndarray, dtype: Any) -> Rows:
    values = np.asarray(given, dtype)
    return Rows(values, values)


@dataclass(frozen=True)
class _Products:
    """Squared distances by matrix products.

    Attributes
    ----------
    X, Y : ndarrays of shape (n, p) and (m, p)
    left, right : ndarrays of shape (n, p + 2) and (m, p + 2)
        Rows whose products are u: ``-2 x, |x|^2, 1`` and ``y, 1, |y|^2``, centred and scaled.
    factor : float
        Ratio of u to the squared distance.
    tolerance : float
        Relative error of u that is accepted.
    """

    X: np.ndarray
    Y: np.ndarray
    left: np.ndarray
    right: np.ndarray
    factor: float
    tolerance: float

    @classmethod
    def of(cls, X: np.ndarray, Y: np.ndarray, factor: float, dtype: Any) -> _Products | None:
        """Return products for a type of results; None if they are slow, or imprecise for many."""
        fewest = FEWEST_FEATURES[dtype] * (_MIRRORED if X is Y else 1)
        if X.shape[1] < fewest or min(len(X), len(Y)) < _SAMPLE:
            return None
        some = X[:: len(X) // _SAMPLE]
        others = some if X is Y else Y[:: len(Y) // _SAMPLE]
        with np.errstate(over="ignore"):
            centre = others.mean(axis=0, dtype=float)
        sample = cls._between(some, others, centre, factor, TOLERANCE[dtype])
        if sample is None or not sample.fill(np.empty((len(some), len(others))), 0, 0, _same):
            return None
        return cls._between(X, Y, centre, factor, TOLERANCE[dtype])

    @classmethod
    def _between(
        cls, X: np.ndarray, Y: np.ndarray, centre: np.ndarray, factor: float, tolerance: float
    ) -> _Products | None:
        """Return products, or None if they may overflow."""
        p = len(centre)
        left, right = np.empty((len(X), p + 2)), np.empty((len(Y), p + 2))
        left[:, p + 1], right[:, p] = 1, 1
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            for Z, rows, place in ((X, left, p), (Y, right, p + 1)):
                np.subtract(Z, centre, out=rows[:, :p])
                rows[:, :p] *= np.sqrt(factor)
                rows[:, place] = sum(
                    np.einsum("ij,ij->i", rows[:, g], rows[:, g]) for g in _groups(p)
                )
            left[:, :p] *= -2
        if not left[:, p].max() + right[:, p + 1].max() < _LONGEST:
            return None
        return cls(X, Y, left, right, factor, tolerance)

    def fill(self, out: np.ndarray, start: int, left: int, function: Function) -> bool:
        """Fill a block with a function of u; False if too many u are imprecise."""
        n, mirrored = len(out), self.X is self.Y
        A, B = self.left[start : start + n], self.right[left:]
        U = out if out.dtype == float else np.empty(out.shape)
        *others, last = _groups(A.shape[1])
        np.matmul(A[:, last], B[:, last].T, out=U)
        for first in range(0, len(B) if others else 0, _WIDE):
            columns = B[first : first + _WIDE]
            for group in others:  # in parts that stay in the cache
                U[:, first : first + _WIDE] += A[:, group] @ columns[:, group].T
        if mirrored:  # the diagonal of the whole matrix
            np.fill_diagonal(U, np.inf)
        for first, part in _in_cache(U):
            if not self._mend(part, start + first, left):
                return False
            out[first : first + len(part)] = function(part)
        if mirrored:
            np.fill_diagonal(out, function(np.zeros((1, 1)))[0, 0])
            # products of both orders may differ in the last digit
            square = out[:, :n]
            np.copyto(square, square.T, where=np.tri(n, k=-1, dtype=bool))
        return True

    def _mend(self, U: np.ndarray, start: int, left: int) -> bool:
        """Compute imprecise u from differences; False if they are too many."""
        p = self.X.shape[1]
        a, b = self.left[start : start + len(U), p], self.right[left:, p + 1]
        size = -(-p // len(_groups(p)))
        units = 2 * (size + len(_groups(p))) + 8
        share = 2.001 * units * 2.0**-53 / self.tolerance
        if U.min() > share * (a.max() + b.max()) + _FAINT:
            return True
        precise = share * (a[:, None] + b) + _FAINT < U  # false for NaN
        i, j = np.nonzero(~precise)
        if len(i) > _LOST * U.size:
            return False
        U[i, j] = squared_pairs(self.X, i + start, self.Y, j + left) * self.factor
        return True


def _groups(p: int) -> list[slice]:
    """Slices of features, of nearly equal sizes up to a limit."""
    edges = np.linspace(0, p, -(-p // _GROUP) + 1).astype(int)
    return [slice(start, stop) for start, stop in pairwise(edges.tolist())]


def _same(u: np.ndarray) -> np.ndarray:
    return u


_WIDEST = 256  # rows and columns of a reused tile that stays in the cache
_NUMBERS = 2**16  # numbers of Y in a tile: they stay in the cache
_CACHED = 2**15  # numbers replaced at a time: they stay in the cache
_SHARE = 2**20  # numbers in a thread's block: large beside the cost of its start
_BRIEF = 2**12  # Gaussians that take about as long as the start of a thread
_TALL, _MOST = 512, 2**21  # rows of a block of products, and its numbers
_WIDE = 512  # columns of a product that is added to others
_GROUP = 512  # features in a product: bounds its error
_SAMPLE = 64  # rows that tell whether products are precise
_LOST = 1 / 32  # share of imprecise squares above which differences alone are as fast
_LONGEST, _FAINT = 1e300, 1e-280  # bounds of squares that neither overflow nor lose digits
