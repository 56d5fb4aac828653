"""Distances of sparse rows, by merging two sorted rows, and exact searches by sparse products.

A merge visits the features of either row in ascending order, so that a sum has the terms of the
dense loop without its zeros: distances that only add up differences equal the dense ones to the
last bit. Products only rule out rows that are certainly too far; candidates are merged.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, get_args

import numpy as np
import scipy.sparse as sp

from ilk.compiling import compiled
from ilk.inputs import check_same_features, is_sparse
from ilk.neighbors.blocked import nearest_blocked, within_blocked
from ilk.parallel import in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import DTypeLike

    from ilk.arrays import Matrix

Merge = Literal["sum", "squares", "largest", "powers", "unequal", "relative", "excess"]
_HOW = get_args(Merge)
SUM, SQUARES, LARGEST, POWERS, UNEQUAL, RELATIVE, EXCESS = range(7)  # places in _HOW
_PAIRS = 2**18  # pairs of rows whose distances are computed at a time
_PRODUCTS = 2**21  # products in memory at a time, in each thread: 16 MiB
_DENSE = 2**20  # numbers of the pairs that are made dense at a time
_LEAST, _MOST = 1e-280, 1e280  # squared lengths whose products neither vanish nor overflow
_NONE = np.empty(0)


class Mergeable(Protocol):
    """A fitted `VectorDistance`, as far as sparse rows need it."""

    embedding_error: ClassVar[float]

    @property
    def embeds(self) -> bool: ...
    @property
    def symmetric(self) -> bool: ...
    def embedded_radius(self, r: float) -> float: ...
    def sparse_rows(self, X: Matrix, dtype: type[np.floating[Any]]) -> SparseRows: ...
    def merge(
        self, X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray
    ) -> np.ndarray: ...
    def compare(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray: ...
    def compare_pairs(
        self, X: np.ndarray, rows: np.ndarray, Y: np.ndarray, columns: np.ndarray
    ) -> np.ndarray: ...
    def working_type(self, X: np.ndarray, Y: np.ndarray) -> type[np.floating[Any]]: ...
    def result_type(self, X: np.ndarray, Y: np.ndarray) -> type[np.floating[Any]]: ...


@dataclass(frozen=True)
class SparseRows:
    """Sparse rows in the form for compiled merges.

    Attributes
    ----------
    values : ndarray of shape (n_stored,)
    indices : ndarray of int32, shape (n_stored,)
        Features, ascending in each row.
    ends : ndarray of int64, shape (n + 1,)
        Where rows start and end.
    n_features : int
    absent : ndarray of shape (n,)
        The value of each row's features that are not stored; 0 unless rows were shifted.
    extras : dict of ndarray
        Numbers of each row: masses.
    """

    values: np.ndarray
    indices: np.ndarray
    ends: np.ndarray
    n_features: int
    absent: np.ndarray
    extras: dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, X: Any, dtype: DTypeLike, values: np.ndarray | None = None) -> SparseRows:
        """Take canonical CSR, or dense rows, with other values if given."""
        X = X if is_sparse(X) else sp.csr_array(X)
        X.check_format(full_check=True)  # compiled loops trust indices
        values = X.data if values is None else values
        indices, ends = X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64)
        absent = np.zeros(X.shape[0], dtype=dtype)
        return cls(values.astype(dtype, copy=False), indices, ends, X.shape[1], absent)

    def __len__(self) -> int:
        return len(self.ends) - 1

    @cached_property
    def csr(self) -> Any:
        """The rows as a CSR array."""
        shape = len(self), self.n_features
        return sp.csr_array((self.values, self.indices, self.ends), shape=shape)

    @cached_property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What compiled merges take."""
        return self.values, self.indices, self.ends, self.absent

    @cached_property
    def in_double(self) -> SparseRows:
        """The same rows with values of type float64."""
        double = self.values.astype(float, copy=False), self.absent.astype(float, copy=False)
        return replace(self, values=double[0], absent=double[1])

    def by_row(self, numbers: np.ndarray) -> np.ndarray:
        """Repeat a number of each row for its stored values."""
        return np.repeat(numbers, np.diff(self.ends))

    def sums(self, values: np.ndarray | None = None) -> np.ndarray:
        """Sums of the stored values of each row (or of others in their place), in double."""
        out = np.zeros(len(self))
        _row_sums(self.values if values is None else values, self.ends, out)
        return out


def merged(
    how: Merge,
    X: SparseRows,
    rows: np.ndarray,
    Y: SparseRows,
    columns: np.ndarray,
    *,
    power: float = 1.0,
    weights: np.ndarray | None = None,
    scale: np.ndarray = _NONE,
) -> np.ndarray:
    """Sums over the features of ``X[rows[i]]`` and ``Y[columns[i]]``; NaN if imprecise.

    Parameters
    ----------
    how : {"sum", "squares", "largest", "powers", "unequal", "relative", "excess"}
        Sum of absolute differences, of squares, the largest, sum of powers (of differences divided
        by `scale`), number of unequal values, sum of relative differences, or the smaller excess
        of one row over the other.
    X, Y : SparseRows of one type
    rows, columns : ndarrays of int, shape (n_pairs,)
    power : float
    weights : ndarray of shape (n_features,), optional
        Features of weight 0 are left out.
    scale : ndarray of shape (n_pairs,)

    Returns
    -------
    ndarray of shape (n_pairs,)
    """
    out = np.empty(len(rows), dtype=X.values.dtype)
    kind = np.finfo(out.dtype)
    faint = out.dtype.type(float(kind.tiny) / float(kind.eps))
    # all of one type, so that sums of float32 stay float32
    each = np.asarray(_NONE if weights is None else weights, dtype=out.dtype)
    scale = scale.astype(out.dtype, copy=False)
    _merge(
        _HOW.index(how),
        power,
        faint,
        *X.arrays,
        *Y.arrays,
        X.n_features,
        each,
        scale,
        rows,
        columns,
        out,
    )
    return out


@compiled(fastmath={"contract"})
def _merge(  # noqa: PLR0912  # one branch for each sum, in the one loop
    how: int,
    power: float,
    faint: float,
    xs: np.ndarray,
    xi: np.ndarray,
    x_ends: np.ndarray,
    x_absent: np.ndarray,
    ys: np.ndarray,
    yi: np.ndarray,
    y_ends: np.ndarray,
    y_absent: np.ndarray,
    n_features: int,
    weights: np.ndarray,
    scale: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill `out` as `merged` says; shapes are those of `SparseRows`."""
    zero = out.dtype.type(0)
    least = np.nextafter(zero, out.dtype.type(1))
    for pair in range(len(out)):
        a, a_end = x_ends[rows[pair]], x_ends[rows[pair] + 1]
        b, b_end = y_ends[columns[pair]], y_ends[columns[pair] + 1]
        x_rest, y_rest = x_absent[rows[pair]], y_absent[columns[pair]]
        total, other, weight, visited, differ = zero, zero, zero, 0, 0
        while a < a_end or b < b_end:
            f = xi[a] if a < a_end else n_features
            g = yi[b] if b < b_end else n_features
            x = xs[a] if f <= g else x_rest
            y = ys[b] if g <= f else y_rest
            a += f <= g
            b += g <= f
            visited += 1
            d = x - y
            differ += d != 0
            if len(weights):
                weight = weights[min(f, g)]
                if weight == 0:
                    continue
            if how == SQUARES:
                total += d * d
            elif how == LARGEST:
                total = max(total, abs(d))
            elif how == SUM:
                total += abs(d) * weight if len(weights) else abs(d)
            elif how == RELATIVE:
                total += abs(d) / max(abs(x) + abs(y), least)
            elif how == EXCESS:
                total += max(d, zero)
                other -= min(d, zero)
            elif how == POWERS and d != 0:
                unit = scale[pair]
                term = (abs(d) / unit) ** power if power >= 0.5 else abs(d) ** power / unit**power
                total += out.dtype.type(term) * weight if len(weights) else out.dtype.type(term)
        if how == SQUARES:
            rest = x_rest - y_rest
            total += out.dtype.type(n_features - visited) * (rest * rest)
            differ += rest != 0
            if differ and not faint <= total < np.inf:
                total = out.dtype.type(np.nan)
        elif how == UNEQUAL:
            total = out.dtype.type(differ)
        elif how == EXCESS:
            total = min(total, other)
        out[pair] = total


@compiled
def _row_sums(values: np.ndarray, ends: np.ndarray, out: np.ndarray) -> None:
    """Add up the stored values of each row, in the order of the features."""
    for i in range(len(out)):
        for place in range(ends[i], ends[i + 1]):
            out[i] += values[place]


@compiled
def _products(
    xs: np.ndarray,
    xi: np.ndarray,
    x_ends: np.ndarray,
    start: int,
    ts: np.ndarray,
    ti: np.ndarray,
    t_ends: np.ndarray,
    out: np.ndarray,
) -> None:
    """Dot products of rows from `start` on with all rows of a transposed matrix, (m, n)."""
    for i in range(len(out)):
        out[i] = 0
        for a in range(x_ends[start + i], x_ends[start + i + 1]):
            x, f = xs[a], xi[a]
            for b in range(t_ends[f], t_ends[f + 1]):
                out[i, ti[b]] += x * ts[b]


def compare(distance: Mergeable, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Distances of every row of X to every row of Y, both checked, one of them sparse."""
    x, y = _prepared(distance, X, Y)
    mirrored = Y is X and distance.symmetric
    D = np.empty((len(x), len(y)), dtype=distance.result_type(X, Y))

    def work(start: int, stop: int) -> None:
        left = start if mirrored else 0
        rows = np.repeat(np.arange(start, stop), len(y) - left)
        columns = np.tile(np.arange(left, len(y)), stop - start)
        with np.errstate(over="ignore", under="ignore"):
            values = distance.merge(x, rows, y, columns).astype(D.dtype, copy=False)
        D[start:stop, left:] = values.reshape(stop - start, -1)
        if mirrored:
            D[stop:, start:stop] = D[start:stop, stop:].T

    in_blocks(work, len(x), max(min(_PAIRS // len(y), 64), 1))
    return D


def compare_pairs(
    distance: Mergeable, X: np.ndarray, rows: np.ndarray, Y: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Distances of ``X[rows[i]]`` to ``Y[columns[i]]``, one of them sparse."""
    left, rows = np.unique(rows, return_inverse=True)
    right, columns = np.unique(columns, return_inverse=True)
    x, y = _prepared(distance, X[left], Y[right])  # of all rows it would take longer than the pairs
    with np.errstate(over="ignore", under="ignore"):
        D = distance.merge(x, rows, y, columns)
        return np.asarray(D.astype(distance.result_type(X, Y), copy=False))


def _prepared(distance: Mergeable, X: np.ndarray, Y: np.ndarray) -> tuple[SparseRows, SparseRows]:
    dtype = distance.working_type(X, Y)
    x = distance.sparse_rows(X, dtype)
    return x, x if Y is X else distance.sparse_rows(Y, dtype)


def nearest(
    distance: Mergeable, X: np.ndarray, Y: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k rows of Y nearest to each row of X, both checked, one of them sparse.

    Memory beyond the answer is bounded by blocks and by a transposed copy of Y.
    """
    search = _search(distance, X, Y)
    return nearest_blocked(_Checked(distance), X, Y, k) if search is None else search.nearest(k)


def within(
    distance: Mergeable, X: np.ndarray, Y: np.ndarray, r: float
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The rows of Y within distance r of each row of X, both checked, nearest first."""
    check_same_features(distance, X, Y)
    search = _search(distance, X, Y)
    return within_blocked(_Checked(distance), X, Y, r) if search is None else search.within(r)


def _search(distance: Mergeable, X: np.ndarray, Y: np.ndarray) -> _Search | None:
    """A search by products; None where they do not rank as the distance does, or may fail."""
    if not distance.embeds:
        return None
    x, y = _prepared(distance, X, Y)
    search = _Search(distance, x, y, distance.result_type(X, Y))
    lengths = np.concatenate(search.lengths)
    shifted = x.absent.any() or y.absent.any()
    return None if shifted or not search.in_range(lengths[lengths > 0]) else search


@dataclass(frozen=True)
class _Checked:
    """A distance for rows that are checked already."""

    distance: Mergeable

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every row of X to every row of Y."""
        return np.asarray(self.distance.compare(X, Y))

    def check_pair(self, X: Any, Y: Any = None) -> tuple[Any, Any]:
        """Return both."""
        return X, Y


@dataclass(frozen=True)
class _Search:
    """A search of the rows of y nearest to each row of x by sparse products.

    With u = 2^-53 and s stored values in a row, a product has an error of at most
    ``(s + 2) u |x| |y|`` and a squared length one of ``(s + 2) u |x|^2``; the squared distance
    ``|x|^2 + |y|^2 - 2 x'y`` is off by ``(4 s + 16) u (|x|^2 + |y|^2)`` at most. The distance
    that candidates are measured with, squared, has a relative error of ``(s + 16) v + 4 t``,
    where v and t are the unit roundoffs of its sums and of its result.
    """

    distance: Mergeable
    x: SparseRows
    y: SparseRows
    result: Any

    @cached_property
    def lengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Squared lengths of the rows of x and of y."""
        return tuple(  # type: ignore[return-value]  # of two
            rows.sums(np.square(rows.values.astype(float))) for rows in (self.x, self.y)
        )

    def in_range(self, lengths: np.ndarray) -> bool:
        """Whether squared lengths are neither so small nor so large that products fail."""
        return bool(lengths.size == 0 or (lengths.min() > _LEAST and lengths.max() < _MOST))

    def nearest(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest rows of each query, ties by lower index."""
        m = len(self.x)
        near, where = np.empty((m, k), self.result), np.empty((m, k), np.int64)

        def border(D: np.ndarray, error: np.ndarray) -> np.ndarray:
            return np.asarray(np.partition(D, k - 1, axis=1)[:, k - 1] + error)

        def take(start: int, found: np.ndarray, row: np.ndarray, starts: np.ndarray) -> None:
            best = starts[:-1, None] + np.arange(k)
            near[start : start + len(best)] = found[best]
            where[start : start + len(best)] = row[best]

        self._run(border, take)
        return near, where

    def within(self, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The rows within distance r of each query, nearest first, ties by lower index."""
        near: list[np.ndarray] = [np.empty(0)] * len(self.x)
        where: list[np.ndarray] = [np.empty(0, np.int64)] * len(self.x)
        # rounding must not lose a row at distance r
        square = self.distance.embedded_radius(r) ** 2 * (1 + 1e-15)

        def border(D: np.ndarray, _: np.ndarray) -> np.ndarray:
            return np.full(len(D), square)

        def take(start: int, found: np.ndarray, row: np.ndarray, starts: np.ndarray) -> None:
            for query, (first, last) in enumerate(pairwise(starts), start):
                number = np.searchsorted(found[first:last], r, side="right")
                near[query] = found[first : first + number]
                where[query] = row[first : first + number]

        self._run(border, take)
        return near, where

    def _run(self, border: Callable[..., np.ndarray], take: Callable[..., None]) -> None:
        """Measure the candidates of each block of queries, and take them sorted.

        `border` gives for each query a bound of the squared distances that matter, from the
        squared distances by products and their errors; `take` gets the first query of the block,
        distances and rows of all candidates, sorted for each query, and where these start.
        """
        n = len(self.y)
        turned = self.y.csr.T.tocsr()
        parts = turned.data.astype(float), turned.indices, turned.indptr
        values = self.x.values.astype(float, copy=False)

        def work(start: int, stop: int) -> None:
            D = np.empty((stop - start, n))
            _products(values, self.x.indices, self.x.ends, start, *parts, D)
            query, row = self._candidates(D, start, stop, border)
            with np.errstate(over="ignore", under="ignore"):
                found = self.distance.merge(self.x, query + start, self.y, row)
            found = found.astype(self.result, copy=False)
            # candidates come in the order of rows: stable, so that ties go to the lower index
            order = np.lexsort((found, query))
            starts = np.searchsorted(query, np.arange(stop - start + 1))
            take(start, found[order], row[order], starts)

        in_blocks(work, len(self.x), max(min(_PRODUCTS // n, 256), 1))

    def _candidates(
        self, D: np.ndarray, start: int, stop: int, border: Callable[..., np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Queries and rows of the block that may be near enough; D has the products."""
        stored = max(int(np.diff(rows.ends).max()) for rows in (self.x, self.y))
        kinds = (np.finfo(kind).eps / 2 for kind in (self.x.values.dtype, self.result))
        v, t = map(float, kinds)
        relative = 3 * ((stored + 16) * v + 4 * t)
        share = (4 * stored + 16) * 2.0**-53
        D *= -2
        D += self.lengths[0][start:stop, None]
        D += self.lengths[1]
        # the error of an entry is a share of |x|^2 + |y|^2, at most that of the longest row
        error = share * (self.lengths[0][start:stop] + self.lengths[1].max())
        most = np.maximum(border(D, error), 0) * (1 + relative)
        most += error + self.distance.embedding_error
        query, row = np.nonzero(most[:, None] >= D)
        return query, row


def densified(
    distance: Mergeable, X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray
) -> np.ndarray:
    """Distances of a few pairs of rows by the arithmetic of dense rows."""
    out = np.empty(len(rows), dtype=X.values.dtype)
    whole = getattr(distance, "weights", None) is not None
    for part, A, B in dense_pairs(X, rows, Y, columns, whole=whole):
        numbers = np.arange(len(A))
        out[part] = distance.compare_pairs(A, numbers, B, numbers)
    return out


def dense_pairs(
    X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray, *, whole: bool = False
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Yield parts of the pairs with both rows of each pair dense, in double.

    Features that no row of a part has are left out, unless `whole` is set.
    """
    some = X.n_features if whole else 1 + max(int(np.diff(Z.ends).max()) for Z in (X, Y))
    step = max(_DENSE // some, 1) if whole else max(int((_DENSE / some) ** 0.5), 1)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        A, B = X.csr[rows[part]], Y.csr[columns[part]]
        if not whole:
            kept = np.union1d(A.indices, B.indices)
            kept = kept if kept.size else np.zeros(1, dtype=np.int32)
            A, B = A[:, kept], B[:, kept]
        yield part, A.toarray().astype(float), B.toarray().astype(float)
