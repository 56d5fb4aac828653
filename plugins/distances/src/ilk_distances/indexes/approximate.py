"""Approximate indexes: rows in float32 for other libraries, re-ranking, and recall."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, overload

import numpy as np

import ilk
from ilk import check_fitted
from ilk.neighbors import training_rows
from ilk_distances.indexes.candidates import nearest_in_lists, nearest_in_parts, nearest_pairs
from ilk_distances.indexes.exact import check_queries, count

if TYPE_CHECKING:
    from ilk import Cases, Distance, Matrix

LEAST_RECALL = 0.8  # approximate indexes warn below
_CHECKED, _NEIGHBORS = 100, 10  # queries, and neighbours of each, whose recall `fit` measures
_TAKEN = ("euclidean", "minkowski", "cosine", "correlation")
_FAR = 1e15  # in units of typical rows: its square is within the range of float32
_SPARE = 4  # rows compared beyond k, or k / 4 if that is more
_SAMPLED = 2**15  # rows whose medians centre and scale
_BLOCK = 4096  # queries searched at a time: bounds the memory
_COPIED = 2**19  # numbers of training rows copied for one comparison: bounds the memory


@overload
def recall(
    index: ilk.Index, Q: Matrix, k: int = ..., *, per_query: Literal[False] = ...
) -> float: ...


@overload
def recall(
    index: ilk.Index, Q: Matrix, k: int = ..., *, per_query: Literal[True]
) -> np.ndarray: ...


def recall(
    index: ilk.Index, Q: Matrix, k: int = 10, *, per_query: bool = False
) -> float | np.ndarray:
    """Share of the k nearest neighbours that an index finds, compared with brute force.

    A row that the index returns counts as found if its distance is at most that of the true k-th
    neighbour: ties may be resolved in any way. A row returned twice counts once. Distances are
    computed again, not read from the index.

    Parameters
    ----------
    index : Index
        Fitted, with its training rows as ``X_`` and its distance as ``distance_``, as all
        indexes of ilk-distances have.
    Q : data of m rows
        Queries; preferably not training rows, because these are their own neighbours.
    k : int, default=10
    per_query : bool, default=False
        Whether to return the recall of each query instead of the mean.

    Returns
    -------
    float, or ndarray of shape (m,)
        From 0 to 1; exactly 1 for an exact index.

    Raises
    ------
    InputError
        If k is not within 1..n.
    NotFittedError

    Examples
    --------
    >>> import ilk, ilk_distances, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, Q = rng.normal(size=(2000, 8)), rng.normal(size=(50, 8))
    >>> index = ilk.index("lsh", random_state=0).fit(X, distance=ilk.distance("euclidean"))
    >>> 0.8 < ilk_distances.recall(index, Q, 10) <= 1
    True
    """
    from sklearn.utils.validation import check_is_fitted

    if getattr(index, "kind", None) != "index":
        raise ilk.InputTypeError(f"recall: index must be a fitted index, got {index!r}")
    check_is_fitted(index, ["X_", "distance_"])
    fitted: Any = index
    index.check_k(k, ilk.n_rows(fitted.X_))
    shares = Sample.of(index, fitted.distance_.check_input(Q, "Q"), int(k)).shares(index)
    return shares if per_query else float(shares.mean())


@dataclass(frozen=True)
class Sample:
    """Queries with the distances of their true k-th neighbours.

    Attributes
    ----------
    queries : data of m rows
    k : int
    limits : ndarray of shape (m,)
    """

    queries: Any
    k: int
    limits: np.ndarray

    @classmethod
    def of(cls, index: Any, queries: Any, k: int) -> Self:
        """Search by brute force."""
        return cls(queries, k, nearest_in_parts(index.distance_, queries, index.X_, k)[0][:, -1])

    @classmethod
    def of_training_rows(cls, index: Any) -> Self:
        """Take 100 evenly spaced training rows and 10 neighbours, or fewer if there are fewer."""
        n = ilk.n_rows(index.X_)
        rows = np.arange(0, n, max(n // _CHECKED, 1))[:_CHECKED]
        return cls.of(index, ilk.take(index.X_, rows), min(_NEIGHBORS, n))

    def shares(self, index: Any) -> np.ndarray:
        """Share of the k nearest rows of each query that an index finds."""
        distance, X = index.distance_, index.X_
        _, rows = index.kneighbors(self.queries, self.k)
        return np.array(
            [
                _rows_within(distance, ilk.take(self.queries, [i]), X, np.unique(rows[i]), limit)
                / self.k
                for i, limit in enumerate(self.limits)
            ]
        )


def _rows_within(distance: Distance, query: Any, X: Matrix, rows: np.ndarray, limit: float) -> int:
    """Number of rows within a limit of a query, up to rounding."""
    near = distance.pairwise(query, ilk.take(X, rows))[0]
    # distances computed in another order may differ in the last digits
    slack = 8 * np.finfo(near.dtype).eps if near.dtype.kind == "f" else 0.0
    return int(np.count_nonzero(near <= limit * (1 + slack)))


class RecallWarning(UserWarning):
    """An approximate index misses more neighbours than is usual."""


def checked_recall(index: Any, sample: Sample | None = None) -> float:
    """Measure the recall of a fitted index on 100 of its rows, and warn if it is low.

    `n_distance_evaluations_` does not count the comparisons.

    Parameters
    ----------
    index : Index
        Fitted, but for its attribute ``recall_``. Its ``remedy`` stands in the warning.
    sample : Sample, optional
        Of its training rows; drawn if left out.

    Returns
    -------
    float
        Recall of 10 neighbours, the row itself included; of all rows if there are fewer than 10.
    """
    before = index.n_distance_evaluations_
    sample = Sample.of_training_rows(index) if sample is None else sample
    found = float(sample.shares(index).mean())
    index.n_distance_evaluations_ = before
    if found < LEAST_RECALL:
        warnings.warn(
            f"{ilk.display_name(index)}: finds {found:.0%} of the nearest neighbours of its own "
            f"rows; search more of them ({index.remedy}), or use the index 'brute' or 'auto'",
            RecallWarning,
            stacklevel=3,
        )
    return found


@dataclass(frozen=True)
class Frame:
    """A map of rows to float32: Euclidean distances after it rank rows as the distance does.

    Attributes
    ----------
    direction : {"cosine", "correlation"} or None
        Whether only the direction of a row counts, or only that of the row minus its mean.
    center, weights : ndarray of shape (n_features,)
        The weights include the scale.
    """

    direction: str | None
    center: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, distance: Any) -> Frame:
        """Centre and scale rows for the best precision in float32.

        By medians, so that a few far rows do not take the digits of the others.
        """
        name = ilk.shipped_name(distance) or ""
        some = X[:: max(len(X) // _SAMPLED, 1)]
        weights, middle = np.ones(X.shape[1]), len(some) // 2
        if name in {"cosine", "correlation"}:
            return cls(name, np.zeros(X.shape[1]), weights)
        if distance.weights is not None:
            weights = np.sqrt(np.asarray(distance.weights, dtype=float))
        # one of the numbers: the mean of two huge ones could overflow
        center = np.partition(some, middle, axis=0)[middle].astype(float)
        # halves: the difference of two huge numbers could overflow
        sizes = np.abs((some / 2 - center / 2) * weights).max(axis=1)
        typical = float(np.partition(sizes, middle)[middle]) or float(sizes.max()) or 0.5
        return cls(None, center, weights / typical / 2)

    def place(self, X: np.ndarray) -> np.ndarray:
        """Return each row after the map, in float32."""
        places = np.empty(X.shape, dtype=np.float32)
        step = max(_COPIED // X.shape[1], 1)
        for start in range(0, len(X), step):
            places[start : start + step] = self._placed(X[start : start + step])
        places += 0  # -0 becomes 0: equal rows have equal bytes
        return places

    def _placed(self, X: np.ndarray) -> np.ndarray:
        if self.direction is not None:
            # by the largest entry first, so that squares neither overflow nor vanish
            X = X / np.maximum(np.abs(X).max(axis=1, keepdims=True), np.finfo(float).tiny)
            if self.direction == "correlation":
                X = X - X.mean(axis=1, keepdims=True)
            lengths = np.sqrt((X**2).sum(axis=1, keepdims=True))
            return np.asarray(X / np.where(lengths > 0, lengths, 1))
        with np.errstate(over="ignore", under="ignore"):
            places = (X - self.center) * self.weights
            # rows that far off may lose their ranks, but not overflow
            return np.asarray(np.clip(places, -_FAR, _FAR))


class MappedIndex(ilk.Index):
    """An approximate index whose library searches rows in float32; subclasses call the library.

    Rows that are equal in float32 are searched as one place: copies cannot crowd out other
    rows. The distance itself compares the rows found.
    """

    exact: ClassVar[bool] = False
    remedy: ClassVar[str]

    def _take(self, X: Cases, distance: Distance) -> np.ndarray:
        """Take training rows and a fitted distance; return the places of rows, each once."""
        self._check_distance(distance)
        self.X_ = training_rows(self, distance, X)
        self.distance_ = distance
        self.n_distance_evaluations_ = 0
        self.frame_ = Frame.of(self.X_, distance)
        places = self.frame_.place(self.X_)
        self.order_, self.starts_ = _grouped(places)
        return self._distinct(places)

    def _distinct(self, places: np.ndarray) -> np.ndarray:
        """The places of the first rows there."""
        return places if self.starts_ is None else places[self.order_[self.starts_[:-1]]]

    @abstractmethod
    def _walked(self, places: np.ndarray, k: int) -> np.ndarray:
        """The numbers of places near each query, nearest first; -1 where none was found."""

    def kneighbors(self, Q: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest of the rows that the library finds, nearest first, ties by lower index."""
        check_fitted(self)
        self.check_k(k, len(self.X_))
        Q = check_queries(self, self.distance_, Q, self.X_)
        parts = [
            self._nearest(Q[start : start + _BLOCK], int(k)) for start in range(0, len(Q), _BLOCK)
        ]
        return np.concatenate([d for d, _ in parts]), np.concatenate([i for _, i in parts])

    def _nearest(self, Q: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        found = self._walked(self.frame_.place(Q), k)
        if self.starts_ is None and (found >= 0).all():
            count(self, found.size)
            return nearest_pairs(self.distance_, Q, self.X_, found, k)
        queries, rows = self._members(found)
        few = np.bincount(queries, minlength=len(Q)) < k
        near = np.empty((len(Q), k), np.result_type(Q, self.X_))
        where = np.empty((len(Q), k), np.int64)
        near[~few], where[~few] = nearest_in_lists(
            self.distance_, Q, self.X_, queries, rows, np.flatnonzero(~few), k
        )
        if few.any():  # compared with all rows
            near[few], where[few] = self.distance_.kneighbors(Q[few], self.X_, k)
        count(self, len(rows) + int(few.sum()) * len(self.X_))
        return near, where

    def _members(self, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Queries, and rows at the places found for them, sorted by query."""
        if self.starts_ is None:
            queries, column = np.nonzero(found >= 0)
            return queries, found[queries, column]
        sizes = np.where(found >= 0, np.diff(self.starts_)[found], 0)
        # the nearest places that have as many rows as there are places
        sizes[np.cumsum(sizes, axis=1) - sizes >= found.shape[1]] = 0
        lengths = sizes.ravel()
        ends = np.cumsum(lengths)
        within = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
        rows = self.order_[np.repeat(self.starts_[found].ravel(), lengths) + within]
        return np.repeat(np.arange(len(found)), sizes.sum(axis=1)), rows

    def _wanted(self, k: int) -> int:
        """Number of places to ask the library for: some more than k, for ranks in float32."""
        return min(k + max(k // 4, _SPARE), self._n_places)

    @property
    def _n_places(self) -> int:
        return len(self.X_) if self.starts_ is None else len(self.starts_) - 1

    def check_loaded(self) -> None:
        """Check that places have existing rows."""
        n = ilk.n_rows(self.X_)
        if self.starts_ is not None:
            ilk.check_stored(self, "starts_", (None,), spans=n)
            ilk.check_stored(self, "order_", (n,), least=0, below=n)

    def _check_distance(self, distance: Any) -> None:
        name = ilk.shipped_name(distance) or ""
        if name not in _TAKEN or (name == "minkowski" and distance.p != 2):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: distance must be euclidean, minkowski with p = 2, "
                f"cosine or correlation, which its library supports; got "
                f"{ilk.display_name(distance)}: {distance!r}"
            )


def _grouped(places: np.ndarray) -> tuple[Any, Any]:
    """Rows in the order of their places, and starts of the places, numbered by their first rows.

    None instead if no two rows share one.
    """
    whole = np.dtype((np.void, places.dtype.itemsize * places.shape[1]))
    keys = np.ascontiguousarray(places).view(whole).ravel()
    _, firsts, group = np.unique(keys, return_index=True, return_inverse=True)
    if len(firsts) == len(places):
        return None, None
    by_first = np.argsort(firsts)
    number = np.empty_like(by_first)
    number[by_first] = np.arange(len(firsts))
    group = number[group]
    order = np.argsort(group, kind="stable")
    return order, np.searchsorted(group[order], np.arange(len(firsts) + 1))
