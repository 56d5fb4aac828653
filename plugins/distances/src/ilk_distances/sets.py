"""Distances of sets of points, from each point to the nearest point of the other set."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import DistanceLike, slot

if TYPE_CHECKING:
    from ilk import Cases, Component, Labels


class NearestPoints(ilk.Distance):
    """A distance of sets from the distances of points to the nearest point of the other set.

    Subclasses aggregate the distances of the points of a set, and then both directions.
    """

    ground: DistanceLike = slot("distance", default="euclidean", doc="Compares points.")

    @staticmethod
    @abstractmethod
    def gather(nearest: np.ndarray, starts: np.ndarray, axis: int) -> np.ndarray:
        """Aggregate the distances of the points of each set; `starts` has their first points."""

    @staticmethod
    @abstractmethod
    def both(there: np.ndarray, back: np.ndarray) -> np.ndarray:
        """Combine both directions."""

    @classmethod
    def examples(cls) -> list[Self]:
        """Return the default, and one on a city-block ground."""
        return [cls(), cls(ground="manhattan")]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit the ground distance on the points of all sets."""
        self.check_parameters()
        self.__dict__.pop("ground_", None)
        ground = self.resolve_slot("ground")
        points, ends = _read_sets(self, X, "X", nan=ground.capabilities.nan)
        # a ground distance that learns from labels sees each point with the label of its set
        owners = None if y is None else np.repeat(np.asarray(y), np.diff(ends, prepend=0))
        self.ground_ = ilk.fit_component(ground, points, owners)
        return self

    def _ground(self) -> Any:
        return self.ground_ if hasattr(self, "ground_") else self.resolve_slot("ground")

    def check_input(self, X: Cases, argument: str = "X") -> PointSets:
        """Return all points in the form for the ground distance, and the end of each set."""
        if isinstance(X, PointSets):
            return X
        ground = self._ground()
        points, ends = _read_sets(self, X, argument, nan=ground.capabilities.nan)
        return PointSets(ground.check_input(points, argument), ends)

    def check_pair(self, X: Cases, Y: Cases | None = None) -> tuple[PointSets, PointSets]:
        """Return X and Y (X again if None), with comparable points."""
        X = self.check_input(X)
        if Y is None:
            return X, X
        Y = self.check_input(Y, "Y")
        x, y = self._ground().check_pair(X.points, Y.points)
        return PointSets(x, X.ends), PointSets(y, Y.ends)

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every set in X to every set in Y (X itself if left out)."""
        self.check_parameters()
        X, Y = self.check_pair(X, Y)
        ground = self._ground()
        rows = []
        for a, b in _runs(X.ends, max(_PAIRS // int(Y.ends[-1]), 1)):
            blocks = [
                self._block(ground, X[a:b], Y[c:d])
                for c, d in _runs(Y.ends, max(_PAIRS // int(X[a:b].ends[-1]), 1))
            ]
            rows.append(np.concatenate(blocks, axis=1))
        return np.concatenate(rows)

    def _block(self, ground: Any, X: PointSets, Y: PointSets) -> np.ndarray:
        # two sets whose distances do not fit in memory: a search for nearest points needs none
        # stored
        if len(X) == len(Y) == 1 and int(X.ends[-1]) * int(Y.ends[-1]) > _PAIRS:
            there = ground.kneighbors(X.points, Y.points, 1)[0]
            back = ground.kneighbors(Y.points, X.points, 1)[0].T
        else:
            D = ground.pairwise(X.points, Y.points)
            # the minimum over each set of Y for every point of X, for all sets at once
            there = np.minimum.reduceat(D, Y.starts, axis=1)
            E = D if ground.symmetric else ground.pairwise(Y.points, X.points).T
            back = np.minimum.reduceat(E, X.starts, axis=0)
        return self.both(self.gather(there, X.starts, 0), self.gather(back, Y.starts, 1))

    def between(self, x: Any, y: Labels | None) -> float:
        """Distance between two single sets."""
        return float(self.pairwise([x], [y])[0, 0])

    def prepare(self, X: Cases) -> ilk.Prepared:
        """Return a handle on X, with its points concatenated once."""
        return _PreparedSets(self, self.check_input(X))


class Hausdorff(NearestPoints):
    """Hausdorff distance: the largest distance of a point of either set to the other set.

    ``d(X, Y) = max(max_x min_y g(x, y), max_y min_x g(y, x))`` for a ground distance g. On sets
    without repeated points it is a metric if g is one; how often a point occurs does not matter.

    A set is a two-dimensional array, one point a row, and sets may differ in size; or a list of
    texts, for a ground distance of texts.

    Attributes
    ----------
    ground_ : distance
        Fitted on the points of all training sets.

    Raises
    ------
    InputError
        If a set is empty or is no set of vectors, points differ in their number of features, or
        have a NaN; names the set.

    References
    ----------
    .. [1] Ntoutsi 2015: Multi-instance data.
    .. [2] T. Eiter and H. Mannila, "Distance measures for point sets and their computation", *Acta
       Informatica* 34, 1997.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("hausdorff")
    >>> d.pairwise([[[0, 0], [1, 0]]], [[[0, 0]], [[0, 0], [1, 0], [4, 4]]])
    array([[1., 5.]])
    """

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("sets",), symmetric=True, metric=True
    )

    @property
    def metric(self) -> bool:
        """Whether the ground distance is a metric."""
        return bool(self._ground().metric)

    @staticmethod
    def gather(nearest: np.ndarray, starts: np.ndarray, axis: int) -> np.ndarray:
        """Return the largest distance of the points of each set."""
        return np.asarray(np.maximum.reduceat(nearest, starts, axis=axis))

    @staticmethod
    def both(there: np.ndarray, back: np.ndarray) -> np.ndarray:
        """Return the larger of both directions."""
        return np.asarray(np.maximum(there, back))


class SumOfMinima(NearestPoints):
    """Sum of minimum distances: the sum of distances to the nearest point of the other set.

    ``d(X, Y) = (sum_x min_y g(x, y) + sum_y min_x g(y, x)) / 2`` for a ground distance g. It is a
    sum, not a mean: large sets have larger distances than small sets, and a repeated point
    counts repeatedly.

    It is symmetric and, if g is a metric, 0 exactly for sets of the same points. But it is no
    metric: the triangle inequality does not hold.

    A set is a two-dimensional array, one point a row, and sets may differ in size; or a list of
    texts, for a ground distance of texts.

    Attributes
    ----------
    ground_ : distance
        Fitted on the points of all training sets.

    Raises
    ------
    InputError
        If a set is empty or is no set of vectors, points differ in their number of features, or
        have a NaN; names the set.

    References
    ----------
    .. [1] Ntoutsi 2015: Multi-instance data.
    .. [2] T. Eiter and H. Mannila, "Distance measures for point sets and their computation", *Acta
       Informatica* 34, 1997: the sum of minimum distances.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("sum_of_minima")
    >>> d.pairwise([[[0, 0], [1, 0]]], [[[0, 0]], [[0, 0], [1, 0], [4, 4]]])
    array([[0.5, 2.5]])
    """

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(inputs=("sets",), symmetric=True)

    @staticmethod
    def gather(nearest: np.ndarray, starts: np.ndarray, axis: int) -> np.ndarray:
        """Return the sum over the points of each set."""
        # summed in double: sets may have many points
        sums = np.add.reduceat(nearest, starts, axis=axis, dtype=float)
        return sums.astype(nearest.dtype)

    @staticmethod
    def both(there: np.ndarray, back: np.ndarray) -> np.ndarray:
        """Return the mean of both directions."""
        return np.asarray((there + back) / 2)


class _PreparedSets(ilk.Prepared):
    """Sets with concatenated points; a query is one set."""

    def to(self, q: object, indices: np.ndarray | None = None) -> np.ndarray:
        """Distances from one query to the sets with the given indices (default: all)."""
        rows = self.X if indices is None else ilk.take(self.X, indices)
        return np.asarray(self.distance.pairwise(q if isinstance(q, PointSets) else [q], rows)[0])


_PAIRS = 2**20  # pairs of points compared at a time: bounds the memory


def _runs(ends: np.ndarray, size: int) -> list[tuple[int, int]]:
    """Cut a sequence of sets into runs of at most `size` points, or of one set."""
    runs, start, begin = [], 0, 0
    while start < len(ends):
        stop = max(int(np.searchsorted(ends, begin + size, side="right")), start + 1)
        runs.append((start, stop))
        start, begin = stop, int(ends[stop - 1])
    return runs


@dataclass(frozen=True)
class PointSets:
    """Sets of points, with all points in one array (or another form for the ground distance).

    Attributes
    ----------
    points : data of n_points rows
    ends : ndarray of shape (n_sets,)
        End of the points of each set.
    """

    points: Any
    ends: np.ndarray

    @property
    def starts(self) -> np.ndarray:
        """Start of the points of each set."""
        return np.concatenate([[0], self.ends[:-1]])

    @property
    def shape(self) -> tuple[int]:
        """Number of sets."""
        return (len(self.ends),)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, rows: np.ndarray) -> PointSets:
        starts, ends = self.starts[rows], self.ends[rows]
        if isinstance(rows, slice) and rows.step in (None, 1):
            first, last = (int(starts[0]), int(ends[-1])) if len(ends) else (0, 0)
            points = self.points[slice(first, last)]
            return PointSets(points, ends - first)
        which = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
        return PointSets(ilk.take(self.points, which), np.cumsum(ends - starts))


def _read_sets(owner: Component, X: Any, argument: str, *, nan: bool) -> tuple[Any, np.ndarray]:
    """Return all points of some sets, and the end of each set.

    Points are vectors, the rows of two-dimensional arrays, or anything else in lists.

    Raises
    ------
    InputError
        Naming the first set that is empty, has another number of features, or has a NaN.
    """
    name = ilk.display_name(owner)
    if not hasattr(X, "__len__") or isinstance(X, str | bytes | dict | set | frozenset):
        kind = type(X).__name__
        raise ilk.InputTypeError(f"{name}: {argument} must be a sequence of sets, got a {kind}")
    if ilk.is_table(X) or hasattr(X, "tocsr"):
        raise ilk.InputTypeError(f"{name}: {argument} must be a list of sets, not a table")
    sets = [_points(name, one, i, argument) for i, one in enumerate(X)]
    if not sets:
        raise ilk.InputError(f"{name}: {argument} has no sets (no rows), at least 1 is needed")
    ends = np.cumsum([len(one) for one in sets])
    if all(isinstance(one, list) for one in sets):
        return [point for one in sets for point in one], ends
    for i, one in enumerate(sets):
        if isinstance(one, list) or one.shape[1] != sets[0].shape[1]:
            raise ilk.InputError(
                f"{name}: {argument}: set 0 has points of {_width(sets[0])}, but set {i} of "
                f"{_width(one)}"
            )
    points = np.concatenate(sets)
    bad = np.isinf(points) if nan else ~np.isfinite(points)
    if bad.any():
        point, f = np.argwhere(bad)[0]
        i = int(np.searchsorted(ends, point, side="right"))
        what = "NaN" if np.isnan(points[point, f]) else "infinity (inf)"
        raise ilk.InputError(
            f"{name}: {argument} has {what} in set {i}, point {point - ends[i] + len(sets[i])}, "
            f"feature {f}"
        )
    return points, ends


def _width(one: Any) -> str:
    return "no vector" if isinstance(one, list) else f"{one.shape[1]} features"


def _points(name: str, one: Any, i: int, argument: str) -> Any:
    """Return one set as a float array of its points, or as a list of objects."""
    if isinstance(one, str | bytes) or not hasattr(one, "__len__"):
        raise ilk.InputTypeError(f"{name}: {argument}[{i}] must be a set of points, got {one!r}")
    if len(one) == 0:
        raise ilk.InputError(f"{name}: {argument}[{i}] is an empty set, at least 1 point is needed")
    if not isinstance(one, np.ndarray) and isinstance(next(iter(one)), str | bytes):
        return list(one)
    try:
        points = np.asarray(one)
    except ValueError as error:  # points of different lengths
        raise ilk.InputError(f"{name}: {argument}[{i}]: {error}") from None
    if points.ndim != 2 or points.dtype.kind not in "biuf":
        raise ilk.InputError(
            f"{name}: {argument}[{i}] must be a set of vectors (two-dimensional, numbers), got "
            f"shape {points.shape} and type {points.dtype}"
        )
    return points if points.dtype == np.float32 else points.astype(float, copy=False)
