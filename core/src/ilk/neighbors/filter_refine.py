"""Exact nearest neighbours by filter and refine: matrix products, then few differences.

The product ``|x|^2 - 2 q.x`` ranks the rows of a tile for a query at the speed of BLAS, but it
is inaccurate for close rows. A rigorous bound of its error leaves a few candidates, which the
distance measures by its own arithmetic. So the result equals that of brute force to the last bit.

The bound. Let w = 2^-53, u the unit roundoff of the product (2^-24 or w), d the number of
features, q and x a query and a row after the centre was subtracted, a and b their lengths, and
gamma(n) = n u / (1 - n u) [1]_.

- q and x are rounded to the type of the product, and the sum of d products is rounded in any
  order, with or without fused operations: the error of q.x is at most gamma(d + 2) a b, and
  twice that of 2 q.x. One more unit, gamma(d + 3), covers the rounding of a and b themselves.
- Everything else is computed in double. The subtraction of the centre changes a squared distance
  by at most 2.01 w (a + b)^2, the sum of squares b^2 by gamma(d) b^2, and three further
  operations by w (a + b)^2 each: (d + 16) w (a + b)^2 covers them all.
- Numbers below 2^-126 may be flushed to zero. Rows are scaled so that typical lengths are near 1,
  and 2^-120 d (1 + a + b) covers the loss.
- The distance measured for candidates, squared, has a relative error of at most
  eta = (d + 16) v + 4 t, where v is the unit roundoff of its sums and t that of the result.
  If row j ranks before row l, then D_j (1 - eta) <= D_l (1 + eta): D_j <= D_l (1 + 3 eta).
- A distance that embeds rows declares its own absolute error, `embedding_error`.

References
----------
.. [1] N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, SIAM, 2002, chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np

from ilk.neighbors.blocked import smallest
from ilk.neighbors.rows import FEW_ROWS
from ilk.parallel import in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    _Take: TypeAlias = Callable[["_Search", np.ndarray, np.ndarray, np.ndarray, np.ndarray], None]

_Nearest: TypeAlias = tuple[np.ndarray, np.ndarray]
_Within: TypeAlias = tuple[list[np.ndarray], list[np.ndarray]]
_Pairs: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]
_Float: TypeAlias = type[np.floating[Any]]

# Measured on one core with AVX2; differences of float32 are computed twice as fast as of float64.
FEWEST_QUERIES = {np.float64: 64, np.float32: 160}  # below, rows are converted in no less time
FEWEST_NUMBERS = {np.float64: 5 * 2**14, np.float32: 2**20}  # below, fixed costs outweigh the gain
FEWEST_TERMS = 2e7  # of differences; below, a trial in vain would take over a tenth of the time
FEWEST_FEATURES = {np.float64: 8, np.float32: 64}  # below, a product is scanned in no less time
# the types of products that are tried, in order; features below which they are slower
FEWEST_IN: dict[_Float, int] = {np.float32: 0, np.float64: 128}
MOST_FEATURES = 2**16  # up to here (d + 3) u is small in float32
MOST_NEIGHBOURS = 512  # a block of queries has four times as many candidates in memory
_QUERIES, _TILE = 256, 1024  # a block of products: 1 MiB in float32
_SAMPLE = 512  # rows of a trial, to see whether the bound is strong enough
_TRIAL = 16  # queries of a trial
_LOST = 0.25  # share of queries with too many candidates above which a product does not pay
_SLAB = 2**27  # bytes of rows in double that are converted at a time
_PIECE = 2**21  # numbers converted or gathered at a time
_BLOCK = 2**22  # distances of all rows in memory at a time
_FAR = 2.0**40  # lengths beyond, in units of typical lengths, are left to differences


class Refinable(Protocol):
    """A fitted `VectorDistance`, as far as this search needs it."""

    embedding_error: ClassVar[float]

    def embedded(self, X: np.ndarray) -> np.ndarray: ...
    def embedded_radius(self, r: float) -> float: ...
    def compare(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray: ...
    def compare_pairs(
        self, X: np.ndarray, rows: np.ndarray, Y: np.ndarray, columns: np.ndarray
    ) -> np.ndarray: ...
    def nearest_by_differences(self, X: np.ndarray, Y: np.ndarray, k: int) -> _Nearest: ...
    def working_type(self, X: np.ndarray, Y: np.ndarray) -> _Float: ...
    def result_type(self, X: np.ndarray, Y: np.ndarray) -> _Float: ...


@dataclass(frozen=True)
class Projected:
    """Rows in the form for products: centred, scaled by a power of two, rounded.

    Attributes
    ----------
    values : ndarray of shape (n, d)
    offsets : ndarray of shape (n,), type of values
        Squared lengths.
    sizes : ndarray of shape (n, 2)
        Lengths and squared lengths, in double.
    centre : ndarray of shape (d,)
    scale : float
    """

    values: np.ndarray
    offsets: np.ndarray
    sizes: np.ndarray
    centre: np.ndarray
    scale: float


@dataclass
class Kept:
    """Rows that an index keeps in the form for products, at half the size of float64.

    Attributes
    ----------
    asked : int
        Number of queries so far.
    rows : dict
        By the types of products and of distances.
    """

    asked: int = 0
    rows: dict[tuple[_Float, _Float], Projected] = field(default_factory=dict)


def nearest_refined(
    distance: Refinable, X: np.ndarray, Y: np.ndarray, k: int, kept: Kept | None = None
) -> _Nearest:
    """The k rows of Y nearest to each row of X, as `nearest_by_differences` has them.

    Parameters
    ----------
    distance : Refinable
        Its `embedded` returns rows.
    X, Y : ndarrays of shape (m, p) and (n, p), checked
    k : int
        1 <= k <= n, and `pays` says that k is small enough.
    kept : Kept, optional
        Of earlier searches of Y.
    """
    near = np.empty((len(X), 0), dtype=distance.result_type(X, Y))
    where = np.empty((len(X), 0), dtype=np.int64)
    for start, stop in _slabs(Y):
        also, there = _nearest_in(
            distance, X, Y[start:stop], k, kept if stop - start == len(Y) else None
        )
        if not start:
            near, where = also, there
            continue
        # of equal distances the first is taken, which has the lower index
        near, columns = smallest(np.concatenate([near, also], axis=1), k)
        where = np.take_along_axis(np.concatenate([where, there + start], axis=1), columns, axis=1)
    return near, where


def within_refined(
    distance: Refinable, X: np.ndarray, Y: np.ndarray, r: float, kept: Kept | None = None
) -> _Within:
    """The rows of Y within distance r of each row of X, nearest first, ties by lower index.

    Parameters
    ----------
    distance : Refinable
        Its `embedded` returns rows.
    X, Y : ndarrays of shape (m, p) and (n, p), checked
    r : float
    kept : Kept, optional
        Of earlier searches of Y.
    """
    parts = [
        (query, row + start, D)
        for start, stop in _slabs(Y)
        for query, row, D in _within_in(
            distance, X, Y[start:stop], r, kept if stop - start == len(Y) else None
        )
    ]
    query, row, D = map(np.concatenate, zip(*parts, strict=True))
    # parts have ascending rows: stable sorts leave ties to the lower one
    by_query = np.argsort(query, kind="stable")
    ends = np.cumsum(np.bincount(query, minlength=len(X)))[:-1]
    near, where = (np.split(values[by_query], ends) for values in (D, row))
    orders = [np.argsort(distances, kind="stable") for distances in near]
    return (
        [distances[order] for distances, order in zip(near, orders, strict=True)],
        [rows[order] for rows, order in zip(where, orders, strict=True)],
    )


def _slabs(Y: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield first and last rows of parts, whose conversion takes limited memory."""
    size = max(_SLAB // 8 // Y.shape[1], 16 * MOST_NEIGHBOURS)
    parts = -(-len(Y) // size)
    return pairwise(len(Y) * part // parts for part in range(parts + 1))


def pays(
    distance: Refinable, X: np.ndarray, Y: np.ndarray, k: int, kept: Kept | None = None
) -> bool:
    """Tell whether products are faster than differences, unless candidates are too many.

    The conversion of rows that are kept pays after several searches of few queries.
    """
    (n, p), sums, asked = Y.shape, distance.working_type(X, Y), len(X)
    # differences of few rows are fast, unless rows are converted for them, too
    few = 0 if distance.embedding_error else FEW_ROWS
    if kept is not None and asked > few and 16 * n * p * asked >= FEWEST_TERMS:
        kept.asked += asked
        asked = max(asked, kept.asked)
    large = n * p >= FEWEST_NUMBERS[sums] and n * p * asked >= FEWEST_TERMS
    many = large and asked >= FEWEST_QUERIES[sums] and FEWEST_FEATURES[sums] <= p <= MOST_FEATURES
    return many and k <= MOST_NEIGHBOURS and k * (16 if k <= 128 else 100) <= n


def _nearest_in(
    distance: Refinable, X: np.ndarray, Y: np.ndarray, k: int, kept: Kept | None
) -> _Nearest:
    near = np.empty((len(X), k), dtype=distance.result_type(X, Y))
    where = np.empty((len(X), k), dtype=np.int64)

    def take(
        search: _Search, queries: np.ndarray, few: np.ndarray, query: np.ndarray, row: np.ndarray
    ) -> None:
        D = search.measured(queries[query], row)
        # candidates come in the order of rows: stable, so that ties go to the lower index
        order = np.lexsort((D, query))
        starts = np.searchsorted(query, np.flatnonzero(few))
        best = order[starts[:, None] + np.arange(k)]
        near[queries[few]], where[queries[few]] = D[best], row[best]

    left = _filtered(distance, X, Y, k, take, kept=kept)
    if left.size:
        rest = X if left.size == len(X) else X[left]
        near[left], where[left] = distance.nearest_by_differences(rest, Y, k)
    return near, where


def _within_in(
    distance: Refinable, X: np.ndarray, Y: np.ndarray, r: float, kept: Kept | None
) -> list[_Pairs]:
    """Return queries, rows within the radius, and their distances, in any order."""
    parts: list[_Pairs] = []

    def take(
        search: _Search, queries: np.ndarray, _few: np.ndarray, query: np.ndarray, row: np.ndarray
    ) -> None:
        D = search.measured(queries[query], row)
        within = r >= D
        parts.append((queries[query[within]], row[within], D[within]))

    left = _filtered(distance, X, Y, 0, take, distance.embedded_radius(r), kept)
    step = max(_BLOCK // len(Y), 1)
    for start in range(0, len(left), step):
        queries = left[start : start + step]
        D = distance.compare(X[queries], Y)
        query, row = np.nonzero(r >= D)
        parts.append((queries[query], row, D[query, row]))
    return parts


def _filtered(
    distance: Refinable,
    X: np.ndarray,
    Y: np.ndarray,
    k: int,
    take: _Take,
    radius: float = np.inf,
    kept: Kept | None = None,
) -> np.ndarray:
    """Search by products where these promise to pay; return the queries that are left."""
    left = np.arange(len(X))
    types = [dtype for dtype, fewest in FEWEST_IN.items() if Y.shape[1] >= fewest]
    for dtype in types:
        key = dtype, distance.result_type(X, Y)
        rows = kept.rows.get(key) if kept else None
        if rows is None and _promising(
            distance, X[:: max(len(X) // _TRIAL, 1)], Y, k, dtype, radius
        ):
            rows = _project(distance, X, Y, dtype)
        if rows is not None:
            if kept is not None:
                kept.rows[key] = rows
            # many candidates despite the trial are duplicates, in any precision
            return _Search(distance, X, Y, k, rows, radius).run(left, take)
    if kept is not None:
        kept.asked = 0  # a trial in vain is repeated after as many queries
    return left


def _promising(
    distance: Refinable, X: np.ndarray, Y: np.ndarray, k: int, dtype: _Float, radius: float
) -> bool:
    """Tell from a sample of rows whether the bound leaves few candidates of a few queries."""
    step = max(len(Y) // _SAMPLE, 1)
    sample = Y[::step]
    rows = _project(distance, X, sample, dtype)
    if rows is None:
        return False
    # as near as the k nearest of all rows, or farther
    few = min(k * len(sample) // len(Y) + 1, len(sample)) if k else 0
    search = _Search(distance, X, sample, few, rows, radius)
    query, _, crowded = search.candidates(np.arange(len(X)))
    excess = np.bincount(query, minlength=len(X)) - few
    crowded |= excess * step > _most(len(Y), k)
    return bool(np.count_nonzero(crowded) <= _LOST * len(X))


def _most(n: int, k: int) -> int:
    """Number of candidates of a query up to which they cost less than differences to n rows."""
    # to measure n / 64 candidates takes about a quarter as long
    # but to measure the rows within a radius is necessary anyhow
    return max(4 * k, min(n // 64, 1024), 64) if k else max(min(n // 32, 4096), 64)


def _project(distance: Refinable, X: np.ndarray, Y: np.ndarray, dtype: _Float) -> Projected | None:
    """Return rows in the form for products; None where their sizes do not suit it."""
    some = distance.embedded(Y[:: max(len(Y) // _QUERIES, 1)])
    with np.errstate(over="ignore", invalid="ignore"):
        centre = some.mean(axis=0, dtype=float)
        typical = float(np.abs(some - centre).max())
    # squares of typical sizes neither overflow nor vanish
    most = 1e15 if distance.result_type(X, Y) is np.float32 else 1e140
    if not 1 / most < typical < most:
        return None
    scale = 2.0 ** -int(np.frexp(typical * centre.size**0.5)[1])
    values = np.empty((len(Y), centre.size), dtype=dtype)
    sizes = np.empty((len(Y), 2))
    step = max(_PIECE // centre.size, 1)
    for start in range(0, len(Y), step):
        part = slice(start, start + step)
        centred = _centred(distance.embedded(Y[part]), centre, scale)
        sizes[part, 1] = np.einsum("ij,ij->i", centred, centred)
        with np.errstate(over="ignore", under="ignore"):
            values[part] = centred
    np.sqrt(sizes[:, 1], out=sizes[:, 0])
    if not sizes[:, 0].max() < _FAR:
        return None
    return Projected(values, sizes[:, 1].astype(dtype), sizes, centre, scale)


def _centred(rows: np.ndarray, centre: np.ndarray, scale: float) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        centred: np.ndarray = np.subtract(rows, centre, dtype=float)
        centred *= scale
    return centred


def error_bounds(d: int, product: _Float, sums: _Float, result: _Float) -> np.ndarray:
    """Return the errors of `sift`: see the derivation above.

    Parameters
    ----------
    d : int
        Number of features.
    product, sums, result : types
        Of the product, of the sums of the distance, and of its result.
    """
    u, v, t = (float(np.finfo(dtype).eps) / 2 for dtype in (product, sums, result))
    w = 2.0**-53
    by_product = 2 * (d + 3) * u / (1 - (d + 3) * u)
    return np.array([by_product, (d + 16) * w, d * 2.0**-120, 3 * ((d + 16) * v + 4 * t)])


@dataclass(frozen=True)
class _Search:
    """A search by products of one type: the k nearest rows, or for k = 0 all within a radius."""

    distance: Refinable
    X: np.ndarray
    Y: np.ndarray
    k: int
    rows: Projected
    radius: float = np.inf

    def run(self, queries: np.ndarray, take: _Take) -> np.ndarray:
        """Pass on the candidates of some queries; return the queries with too many."""
        found, lost = np.zeros((2, len(queries)), dtype=bool)

        def work(start: int, stop: int) -> None:
            if lost.sum() > _LOST * (found | lost).sum():
                return
            query, row, crowded = self.candidates(queries[start:stop])
            take(self, queries[start:stop], ~crowded, query, row)
            found[start:stop], lost[start:stop] = ~crowded, crowded

        first = min(2 * _TRIAL, len(queries))
        work(0, first)
        in_blocks(lambda a, b: work(first + a, first + b), len(queries) - first, _QUERIES)
        return queries[~found]

    def candidates(self, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Filter the rows for a block of queries.

        Returns
        -------
        query, row : ndarrays of shape (n_candidates,)
            Position of the query in the block, and the row; sorted.
        crowded : ndarray of bool, shape (n_queries,)
            Queries with too many candidates; they have none.
        """
        thresholds, found, lower, count, _ = self._filter(queries)
        valid = np.arange(found.shape[1]) < count[:, None]
        query, column = np.nonzero(valid & (lower <= thresholds[:, None]))
        return query, found[query, column].astype(np.int64), count < 0

    def _filter(self, queries: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return thresholds, candidates, their lower bounds, their numbers, and upper bounds."""
        from ilk.neighbors.sieve import sift

        rows, k, n = self.rows, self.k, len(self.Y)
        values, sizes = self._projected(queries)
        shape = len(queries), _most(n, k)
        # upper bounds below all others leave a threshold as it is
        upper = np.full((len(queries), max(k, 1)), np.inf if k else -np.inf)
        found, lower = np.empty(shape, dtype=np.int32), np.empty(shape)
        count = np.where(sizes[:, 0] < _FAR, 0, -1)
        squares, sizes[:, 1] = np.square(sizes[:, 0]), np.inf  # thresholds
        errors = error_bounds(
            values.shape[1],
            values.dtype.type,
            self.distance.working_type(self.X, self.Y),
            self.distance.result_type(self.X, self.Y),
        )
        errors[2] += self.distance.embedding_error * rows.scale**2
        if not k:
            square = (self.radius * rows.scale) ** 2
            slack = errors[3] * square + errors[1] * (squares + square) + errors[2]
            sizes[:, 1] = square - squares + slack
        width = min(_TILE * max(_QUERIES // len(queries), 1), n)
        scratch = np.empty(len(queries) * width, dtype=values.dtype)
        for first in range(0, n, width):
            part = slice(first, min(first + width, n))
            tile = rows.values[part]
            product = scratch[: len(queries) * len(tile)].reshape(len(queries), len(tile))
            np.matmul(values, tile.T, out=product)
            sift(
                product,
                first,
                rows.offsets[part],
                rows.sizes[part],
                sizes,
                errors,
                upper,
                found,
                lower,
                count,
            )
        return sizes[:, 1], found, lower, count, upper

    def _projected(self, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return -2 q of each query, and its length with room for its threshold."""
        rows = self.rows
        centred = _centred(self.distance.embedded(self.X[queries]), rows.centre, rows.scale)
        with np.errstate(over="ignore", under="ignore"):
            lengths = np.sqrt(np.einsum("ij,ij->i", centred, centred))
            centred[~(lengths < _FAR)] = 0  # skipped
            centred *= -2
            return centred.astype(rows.values.dtype), np.stack([lengths, lengths], axis=1)

    def measured(self, queries: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Distances of pairs, some at a time."""
        D = np.empty(len(rows), dtype=self.distance.result_type(self.X, self.Y))
        step = max(_PIECE // self.X.shape[1], 1)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            D[part] = self.distance.compare_pairs(self.X, queries[part], self.Y, rows[part])
        return D
