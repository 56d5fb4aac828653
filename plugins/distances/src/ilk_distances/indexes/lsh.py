"""Locality-sensitive hashing: compares only rows that share a bucket with the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import RandomState, Seed, check_fitted, param
from ilk.neighbors import check_radius, training_rows
from ilk_distances.indexes.approximate import checked_recall
from ilk_distances.indexes.candidates import nearest_in_lists, nearest_in_parts, within_lists
from ilk_distances.indexes.exact import paired_queries
from ilk_distances.indexes.hash_families import (
    Family,
    MinHash,
    Positions,
    Samples,
    Signs,
    Stable,
    collision,
)
from ilk_distances.kernels.checks import check_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, Distance, Labels

_TAKEN = ("euclidean", "manhattan", "minkowski", "cosine", "hamming", "jaccard")
_BLOCK = 2**19  # hash values, or candidates, in memory at a time
_LONGEST = 64  # maximum number of hash functions in a table


class LSH(ilk.Index):
    """Locality-sensitive hashing: compares a query with the rows in its buckets; approximate.

    Each of `n_tables` hash tables combines `n_bits` hash functions, which give near rows equal
    values more often than far rows. The distance determines the family of functions:

    - euclidean, and minkowski with p = 2: ``floor((a'x + b) / width)``, a from a normal
      distribution, b uniform; manhattan, and minkowski with p = 1: a from a Cauchy
      distribution (both are p-stable),
    - cosine: the side of a random plane through the origin,
    - hamming: the value at a random position,
    - jaccard: the first member of the set in a random order (minhash); for vectors, a feature and
      a level drawn so that two vectors agree with the probability
      ``sum min(x, y) / sum max(x, y)`` (consistent weighted sampling).

    The candidates of a query are the rows that share its bucket in any table; the distance
    itself compares them, so that distances are exact and ties go to the lower index. A query
    with fewer than k candidates is compared with all rows, so that there are always k answers.
    A neighbour that shares no bucket is missed: `fit` measures the recall on 100 rows and warns if
    it is below 0.8; `ilk_distances.recall` measures it on other queries.

    `n_bits` and `width` are tuned to the data if they are left out: the distances of 100
    training rows to their 10 nearest neighbours, and to other rows, give the expected recall and
    the expected number of comparisons of each setting. Of the settings that reach `recall`, the
    one with the fewest comparisons is chosen.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : ndarray of shape (n, n_features)
        Training rows as the distance takes them; not copied, so they may be mapped from a file.
    n_bits_ : int
    width_ : float or None
    expected_recall_ : float or None
        Expected recall of queries like the training rows, without probes; None if `n_bits` and
        `width` are given.
    recall_ : float
        Measured by `fit` on 100 training rows: the share of their 10 nearest rows that are found.
    n_fallbacks_ : int
        Number of queries compared with all rows since `fit`.
    n_distance_evaluations_ : int
        Number of computed distances, including the distances of the tuning in `fit`.

    Warns
    -----
    RecallWarning
        If `recall_` is below 0.8.

    Raises
    ------
    InputError
        If there is no family for the distance (it is named), or k is not within 1..n.
    ParameterError
        If width or n_probes are given for a distance that does not use them.

    References
    ----------
    .. [1] M. Datar, N. Immorlica, P. Indyk and V. Mirrokni, "Locality-sensitive hashing scheme
       based on p-stable distributions", *SoCG*, 2004.
    .. [2] M. Charikar, "Similarity estimation techniques from rounding algorithms", *STOC*, 2002.
    .. [3] A. Gionis, P. Indyk and R. Motwani, "Similarity search in high dimensions via hashing",
       *VLDB*, 1999.
    .. [4] A. Broder, "On the resemblance and containment of documents", *SEQUENCES*, 1997.
    .. [5] S. Ioffe, "Improved consistent sampling, weighted minhash and L1 sketching", *ICDM*,
       2010.
    .. [6] Q. Lv et al., "Multi-probe LSH: efficient indexing for high-dimensional similarity
       search", *VLDB*, 2007; here every probe changes one value.
    .. [7] Arras: K-NN Inference and Decision.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(1000, 8))
    >>> index = ilk.index("lsh", random_state=0).fit(X, distance=ilk.distance("euclidean"))
    >>> index.kneighbors(X[[7, 3]], 1)
    (array([[0.],
           [0.]]), array([[7],
           [3]]))
    """

    exact: ClassVar[bool] = False
    remedy: ClassVar[str] = "more n_tables or n_probes, fewer n_bits"
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(sparse=True)
    n_tables: int = param(
        default=16,
        ge=1,
        le=10000,
        doc="Number of hash tables. More tables increase recall, memory (12 bytes for each row "
        "and table) and comparisons.",
    )
    n_bits: int | None = param(
        default=None,
        type=int,
        ge=1,
        le=_LONGEST,
        doc="Hash functions in a table, 1 to 64. More reduce comparisons and recall.",
    )
    width: float | None = param(
        default=None,
        type=float,
        gt=0,
        doc="Greater than 0: the width of the strips of projections, in units of the distance; "
        "for euclidean, manhattan and minkowski only.",
    )
    recall: float = param(
        default=0.9,
        gt=0,
        lt=1,
        doc="Between 0 and 1, exclusive: the target for `n_bits` and `width`.",
    )
    n_probes: int = param(
        default=0,
        ge=0,
        doc="Additional buckets searched in each table: those closest to the query "
        "(multi-probe). Not for hamming and jaccard, whose values have no order.",
    )
    random_state: RandomState = param(default=None, type=Seed, doc="Seed of the hash functions.")

    @classmethod
    def examples(cls) -> list[LSH]:
        """Return one with the defaults, and one with all parameters given."""
        return [cls(), cls(n_tables=4, n_bits=3, width=6.0, n_probes=2)]

    def check_parameters(self) -> None:
        """Check that a width is finite."""
        super().check_parameters()
        if self.width is not None:
            check_numbers(self, "width")

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Hash training rows for an already fitted distance; y is ignored."""
        self.check_parameters()
        family = self._family_of(distance)
        if family in {"hamming", "jaccard"} and ilk.is_sparse(X):
            raise ilk.InputTypeError(
                f"{ilk.display_name(self)}: X has sparse rows, which its hash functions for "
                f"{family} do not take; the index brute does"
            )
        self.X_ = training_rows(self, distance, X)
        self.distance_ = distance
        self.n_fallbacks_ = self.n_distance_evaluations_ = 0
        rng = ilk.check_seed(self, self.random_state)
        self.n_bits_, self.width_, self.expected_recall_ = self._tuned(rng, family)
        n_hashes = self.n_tables * self.n_bits_
        self.family_ = self._drawn(rng, family, n_hashes)
        # odd factors: multiplication modulo 2^64 by them is a bijection, so no hash value is lost
        self.factors_ = rng.randint(2**63, size=n_hashes, dtype=np.uint64) * np.uint64(
            2
        ) + np.uint64(1)
        codes = np.concatenate([c for _, c, _ in self._hashed(self.X_, 0)], axis=1)
        # 32-bit row numbers halve the memory of the tables
        small = np.int32 if codes.shape[1] < 2**31 else np.int64
        order = np.argsort(codes, axis=1, kind="stable")
        self.codes_ = np.take_along_axis(codes, order, axis=1)
        self.ordered_ = order.astype(small)
        self.recall_ = checked_recall(self)
        self.n_fallbacks_ = 0
        return self

    def check_loaded(self) -> None:
        """Check that the tables have training rows and match the hash functions."""
        n, n_hashes = ilk.n_rows(self.X_), self.n_tables * int(self.n_bits_)
        codes = ilk.check_stored(self, "codes_", (self.n_tables, n), kinds="u")
        ilk.check_stored(self, "ordered_", (self.n_tables, n), least=0, below=n)
        ilk.check_stored(self, "factors_", (n_hashes,), kinds="u")
        if n_hashes < 1 or (codes[:, 1:] < codes[:, :-1]).any():
            raise ilk.stored_fault(self, "codes_ must ascend in each table")
        self.family_.check_fits(self.X_, n_hashes)

    def kneighbors(self, Q: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest of the rows that share a bucket with each query, nearest first.

        Ties go to the lower index.
        """
        check_fitted(self)
        n = ilk.n_rows(self.X_)
        self.check_k(k, n)
        Q = paired_queries(self, Q)
        near: Any = None
        where = np.empty((ilk.n_rows(Q), int(k)), np.int64)
        few: list[int] = []
        for part, queries, rows in self._candidates(Q):
            enough = np.bincount(queries, minlength=part.stop - part.start) >= k
            few += (part.start + np.flatnonzero(~enough)).tolist()
            if not enough.any():
                continue
            asked, kept = np.flatnonzero(enough), enough[queries]
            values, where[part.start + asked] = nearest_in_lists(
                self.distance_, Q[part], self.X_, queries[kept], rows[kept], asked, int(k)
            )
            near = np.empty(where.shape, values.dtype) if near is None else near
            near[part.start + asked] = values
            self.n_distance_evaluations_ += int(kept.sum())
        # fewer than k rows in the buckets: brute force for these queries
        if few:
            values, where[few] = nearest_in_parts(self.distance_, Q[few], self.X_, int(k))
            near = np.empty(where.shape, values.dtype) if near is None else near
            near[few] = values
            self.n_distance_evaluations_ += len(few) * n
            self.n_fallbacks_ += len(few)
        return near, where

    def radius_neighbors(self, Q: Any, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The rows within distance r of each query that share a bucket with it."""
        check_fitted(self)
        r = check_radius(self, r)
        Q = paired_queries(self, Q)
        near: list[np.ndarray] = []
        where: list[np.ndarray] = []
        for part, queries, rows in self._candidates(Q):
            found = within_lists(self.distance_, Q[part], self.X_, queries, rows, r)
            near += found[0]
            where += found[1]
            self.n_distance_evaluations_ += len(rows)
        return near, where

    def _family_of(self, distance: Any) -> str:
        """The name of a distance's family."""
        name = ilk.shipped_name(distance) or ""
        norm = name in {"euclidean", "manhattan", "minkowski"}
        if name not in _TAKEN or (norm and distance.p not in {1, 2}):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: distance must be one of {', '.join(_TAKEN)} (minkowski "
                f"with p = 1 or 2), for which there are hash functions; got "
                f"{ilk.display_name(distance)}: {distance!r}"
            )
        if self.width is not None and not norm:
            raise self.parameter_error("width", f"must be None for {name}, got {self.width!r}")
        if self.n_probes and name in {"hamming", "jaccard"}:
            raise self.parameter_error("n_probes", f"must be 0 for {name}, got {self.n_probes!r}")
        return "minkowski" if norm else name

    def _tuned(
        self, rng: np.random.RandomState, family: str
    ) -> tuple[int, float | None, float | None]:
        """The number of bits and the width, tuned unless given, and the expected recall."""
        if self.n_bits is not None and (self.width is not None or family != "minkowski"):
            return self.n_bits, self.width, None
        sampled = _Sampled.of(rng, self.distance_, self.X_, family)
        self.n_distance_evaluations_ += sampled.n_evaluations
        return _tuned(sampled, self.n_tables, self.n_bits, self.width, self.recall)

    def _drawn(self, rng: np.random.RandomState, family: str, n_hashes: int) -> Family:
        if self.width_ is not None:
            return Stable.draw(rng, self.X_, n_hashes, self.distance_, self.width_)
        if family == "cosine":
            return Signs.draw(rng, self.X_, n_hashes)
        if family == "hamming":
            return Positions.draw(rng, self.X_, n_hashes)
        if isinstance(self.X_, np.ndarray):
            return Samples.draw(rng, self.X_, n_hashes)
        return MinHash.draw(rng, n_hashes)

    def _hashed(self, X: np.ndarray, n_probes: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield blocks of rows: first row, codes of their buckets, and tables of the buckets."""
        n_bits, step = self.n_bits_, len(self.factors_)
        # sparse rows have few numbers, however many features there are
        wide = () if ilk.is_sparse(X) else X.shape[1:]
        step = max(_BLOCK // max(step, 1, *wide), 1)
        for start in range(0, ilk.n_rows(X), step):
            block = X[start : start + step]
            values, margins = self.family_.values(block)
            terms = (values.astype(np.uint64) * self.factors_).reshape(len(values), -1, n_bits)
            # a random linear combination of the hash values, modulo 2^64: other buckets collide
            # rarely
            codes = terms.sum(axis=2, dtype=np.uint64).T[:, None]
            if n_probes:
                codes = np.concatenate([codes, codes + self._steps(margins, n_probes)], axis=1)
            tables = np.repeat(np.arange(self.n_tables), codes.shape[1])
            yield start, codes.reshape(-1, len(values)), tables

    def _steps(self, margins: Any, n_probes: int) -> np.ndarray:
        """Differences from the code of a row's bucket to the codes of the closest buckets.

        Codes are sums of values times factors, so a value next to a row's is one factor away.
        """
        sides, n, _ = margins.shape
        n_bits, n_tables = self.n_bits_, self.n_tables
        by_table = margins.reshape(sides, n, n_tables, n_bits).transpose(2, 1, 0, 3)
        # the smallest steps to a neighbouring strip: the buckets most likely to have near rows
        closest = np.argsort(by_table.reshape(n_tables, n, -1), axis=2, kind="stable")
        side, bit = np.divmod(closest[:, :, :n_probes], n_bits)
        factors = self.factors_.reshape(n_tables, n_bits)[np.arange(n_tables)[:, None, None], bit]
        return np.where(side == 0, -factors, factors).transpose(0, 2, 1)

    def _candidates(self, Q: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Yield some queries, and pairs of their numbers among them and rows in their buckets."""
        from ilk_distances.indexes.hash_functions import gather

        n = ilk.n_rows(self.X_)
        for first, codes, tables in self._hashed(Q, self.n_probes):
            pairs = list(zip(tables.tolist(), codes, strict=True))
            # the rows of a bucket are contiguous, because the codes of a table ascend
            lows = np.stack([np.searchsorted(self.codes_[t], c, "left") for t, c in pairs])
            highs = np.stack([np.searchsorted(self.codes_[t], c, "right") for t, c in pairs])
            sizes = np.minimum((highs - lows).sum(axis=0), n)
            stop = 0
            while stop < len(sizes):
                start = stop
                room = np.cumsum(sizes[start:])
                stop += max(int(np.searchsorted(room, _BLOCK, "right")), 1)
                rows = np.empty(room[stop - start - 1], np.int64)
                ends, seen = np.empty(stop - start, np.int64), np.full(n, -1, np.int64)
                mine = slice(start, stop)
                gather(lows[:, mine], highs[:, mine], tables, self.ordered_, seen, ends, rows)
                queries = np.repeat(np.arange(stop - start), np.diff(ends, prepend=0))
                yield slice(first + start, first + stop), queries, rows[: ends[-1]]


_QUERIES, _NEIGHBORS, _STRANGERS = 100, 10, 300  # sample sizes: tuning takes few distances
_SMALLEST, _LARGEST = 1e-300, 1e300  # limits of the median width: multiples stay in range
_WIDTHS = 2.0 ** np.arange(-1, 5, 0.5)  # widths tried, in units of the distance of neighbours


@dataclass(frozen=True)
class _Sampled:
    """Distances of some training rows to their nearest neighbours, and to any rows.

    Attributes
    ----------
    family : str
    p : float
        Exponent of a Minkowski distance.
    near, far : ndarray
    n_evaluations : int
    """

    family: str
    p: float
    near: np.ndarray
    far: np.ndarray
    n_evaluations: int

    @classmethod
    def of(cls, rng: np.random.RandomState, distance: Any, X: np.ndarray, family: str) -> Self:
        """Draw the rows and compute the distances."""
        n = ilk.n_rows(X)
        queries = rng.permutation(n)[:_QUERIES]
        k = min(_NEIGHBORS, n - 1)
        strangers = np.sort(rng.permutation(n)[:_STRANGERS])
        # a row is no stranger to itself
        far = distance.pairwise(X[queries], X[strangers])[queries[:, None] != strangers]
        near, where = nearest_in_parts(distance, X[queries], X, k + 1)
        itself = where == queries[:, None]
        # with many equal rows a row may be missing among its own nearest: drop the last one instead
        itself[~itself.any(axis=1), -1] = True
        scale = X.shape[1] if family == "hamming" and not distance.normalize else 1
        near, far = (np.asarray(d, dtype=float) / scale for d in (near[~itself], far))
        count = len(queries) * (n + len(strangers))
        return cls(family, getattr(distance, "p", 2.0), near, far, count)

    def shares(self, n_tables: int, n_bits: np.ndarray, width: float) -> tuple[Any, Any]:
        """Shares of near and of far rows that share a bucket with the row, for each n_bits.

        With n tables of b functions that agree with probability q it is ``1 - (1 - q^b)^n``.
        """
        near, far = (
            _shared(collision(self.family, d, p=self.p, width=width), n_tables, n_bits)
            for d in (self.near, self.far)
        )
        return near, far


def _tuned(
    sampled: _Sampled, n_tables: int, n_bits: int | None, width: float | None, recall: float
) -> tuple[int, float | None, float]:
    """Choose n_bits and width, unless they are given, and return the expected recall.

    Of the settings that reach `recall` on the near rows, the one with the fewest far rows is
    chosen; if none reaches it, the one of the highest recall.
    """
    bits = np.arange(1, _LONGEST + 1) if n_bits is None else np.array([n_bits])
    choices = []
    for each in _widths(sampled) if width is None else [width]:
        near, far = sampled.shares(n_tables, bits, each)
        merit = np.where(near >= recall, 1 - far, near - 1)  # positive if recall is reached
        best = int(np.argmax(merit))
        choices.append((float(merit[best]), int(bits[best]), float(each), float(near[best])))
    # ties: more bits, which make smaller buckets
    _, chosen, each, expected = max(choices)
    return chosen, each if sampled.family == "minkowski" else None, expected


def _widths(sampled: _Sampled) -> np.ndarray:
    if sampled.family != "minkowski":
        return np.ones(1)
    positive = np.sort(sampled.near[sampled.near > 0])
    # the median distance of neighbours sets the scale of the widths
    middle = float(positive[len(positive) // 2]) if positive.size else 1.0
    return _WIDTHS * min(max(middle, _SMALLEST), _LARGEST)


def _shared(agreement: np.ndarray, n_tables: int, n_bits: np.ndarray) -> np.ndarray:
    if not agreement.size:
        return np.ones(len(n_bits))
    # at least one of n tables has the same bucket, that is, b equal hash values
    return np.array([(1 - (1 - agreement**b) ** n_tables).mean() for b in n_bits])
