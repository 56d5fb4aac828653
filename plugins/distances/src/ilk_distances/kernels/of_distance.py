"""Kernels that are a decreasing function of a distance, and bandwidths from training data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from math import log2
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

import numpy as np

import ilk
from ilk import check_fitted, param
from ilk.neighbors import Norm, VectorDistance
from ilk_distances.kernels.checks import check_n_features, check_numbers, n_features
from ilk_distances.kernels.tiled import apply, can_tile, of_squares

if TYPE_CHECKING:
    from ilk import Cases, Distance, Labels

_Method = TypeVar("_Method", bound=Callable[..., Any])


def unfitted_too(method: _Method) -> _Method:
    """Let a method of a kernel that needs no training data be called before `fit`.

    The method runs on a fitted copy, so that a call leaves the kernel unchanged.
    """
    from sklearn.base import clone

    @wraps(method)
    def call(self: DistanceKernel, X: Cases, *others: Any, **named: Any) -> Any:
        ready = self if hasattr(self, "sigma_") or self.needs_fit else clone(self).fit(X)
        return method(ready, X, *others, **named)

    return cast("_Method", call)


class DistanceKernel(ilk.Kernel):
    """A kernel that is a decreasing function of ``u = d(x, y)^2 / (2 sigma^2)``.

    It is ``exp(-u)`` unless a subclass has another. A distance that is not symmetric is made so:
    ``d(x, y)^2`` stands for the mean of ``d(x, y)^2`` and ``d(y, x)^2``.
    """

    n_neighbors: int = param(
        default=7,
        ge=1,
        doc='For ``"neighbors"``; fewer where there are not so many other rows.',
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("vectors", "histograms", "tables", "strings", "signatures", "sets"),
        symmetric=True,
        needs_fit=True,
        gram_gradient=True,
        sparse=True,
    )
    power: ClassVar[int] = 2  # power of the distance in u: 1 for a distance that is a square
    gaussian: ClassVar[bool] = True  # whether the kernel is exp(-u)
    width: ClassVar[str] = "sigma"  # name of the bandwidth parameter

    @property
    def needs_fit(self) -> bool:
        """Whether training rows determine the bandwidth or the distance."""
        distance = self.resolve_slot("distance")
        learns = getattr(distance, "needs_fit", distance.capabilities.needs_fit)
        return isinstance(getattr(self, self.width), str) or bool(learns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if not self.capabilities.sparse:
            return tags
        distance = self.resolve_slot("distance")
        tags.input_tags.sparse = distance.__sklearn_tags__().input_tags.sparse
        return tags

    @property
    def induces_metric(self) -> bool:
        """Whether different objects are at a positive distance in the kernel's feature space."""
        return False

    def check_parameters(self) -> None:
        """Check that a numeric bandwidth is finite."""
        super().check_parameters()
        check_numbers(self, self.width)

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit the distance, and compute the bandwidth from the training rows unless given."""
        self.distance: Any
        self.check_parameters()
        self.distance_: Any
        self.distance_, X = self._fit_distance(X, y)
        X = self.distance_.check_input(X)
        self.width_: int | None = n_features(X)
        self.sigma_: Any = self._sigma(getattr(self, self.width), X)
        return self

    @unfitted_too
    def gram(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Kernel values of every row of X with every row of Y (X itself if left out)."""
        pair = self._checked_pair(X, Y)
        sigma = 1.0 if np.ndim(self.sigma_) else float(self.sigma_)
        if is_plain(self.distance_) and can_tile(pair[0], pair[-1], sigma, gaussian=self.gaussian):
            return of_squares(self._values, pair[0], pair[-1], sigma)
        return self._apply(self._values, *pair)

    @unfitted_too
    def diagonal(self, X: Cases) -> np.ndarray:
        """k(x, x) of every row: 1 unless the distance of an object to itself is not 0."""
        check_fitted(self)
        X = self._checked(X)
        return self._values(self._own(X))

    @unfitted_too
    def half_squares(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """``u = d(x, y)^2 / (2 sigma^2)`` of every row of X and of Y (X itself if left out)."""
        return self._apply(_same, *self._checked_pair(X, Y))

    @unfitted_too
    def squared_distances(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """``k(x, x) - 2 k(x, y) + k(y, y)``, computed without cancellation."""
        D = self._apply(self._drops, *self._checked_pair(X, Y))
        D *= 2
        if not self.distance_.metric:
            own_drops = self._drops(self._own(self._checked(X)))
            D -= own_drops[:, None]
            D -= own_drops if Y is None else self._drops(self._own(self._checked(Y, "Y")))
            np.maximum(D, 0, out=D)
        return D

    @unfitted_too
    def gram_gradient(self, X: Cases) -> tuple[np.ndarray, np.ndarray]:
        """Gram matrix and its derivatives with respect to the logarithm of the width.

        Returns
        -------
        gram : ndarray of shape (n, n)
        gradient : ndarray of shape (n, n, 1)
        """
        gram = self.gram(X)
        return gram, self._slopes(gram, self.half_squares(X))[:, :, None]

    def _values(self, u: np.ndarray) -> np.ndarray:
        """Replace each u by the kernel's value, in place."""
        with np.errstate(under="ignore"):
            np.negative(u, out=u)
            return np.asarray(np.exp(u, out=u))

    def _drops(self, u: np.ndarray) -> np.ndarray:
        """Replace each u by 1 minus the kernel's value, to all digits, in place."""
        with np.errstate(under="ignore"):
            np.negative(u, out=u)
            np.expm1(u, out=u)
            return np.asarray(np.negative(u, out=u))

    def _slopes(self, gram: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Derivatives with respect to the logarithm of the bandwidth."""
        with np.errstate(under="ignore"):
            return np.asarray(2 * gram * np.where(gram > 0, u, 0))

    def _is_over_euclidean(self) -> bool:
        """Whether the distance is a weighted Euclidean one without zero weights."""
        distance = self.distance_ if hasattr(self, "distance_") else self.resolve_slot("distance")
        return is_euclidean(distance) and bool(distance.metric)

    def _fit_distance(self, X: Cases, y: Labels | None) -> tuple[Any, Any]:
        """Return the fitted distance, and the training rows in the form for the distance."""
        return ilk.fit_component(self.resolve_slot("distance"), X, y), X

    def _mapped(self, X: Cases | None, argument: str = "X") -> Any:
        """Return X in the form for the distance."""
        return X

    def _sigma(self, given: float | np.ndarray | str, X: Cases | None) -> Any:
        """Return sigma for the value of the parameter, computed from training rows if needed."""
        if not isinstance(given, str):
            return float(given)
        k = int(self.n_neighbors)
        return _measured(self, self.distance_, X, given, k, argument=self.width, power=self.power)

    def _checked(self, X: Cases | None, argument: str = "X") -> Any:
        X = self.distance_.check_input(self._mapped(X, argument), argument)
        check_n_features(self, X, self.width_, argument)
        return X

    def _checked_pair(self, X: Cases | None, Y: Cases | None = None) -> list[Any]:
        check_fitted(self)
        X = self._checked(X)
        return [X] if Y is None else [X, self._checked(Y, "Y")]

    def _apply(self, function: Callable[..., Any], *pair: Any) -> np.ndarray:
        """Apply a function that works in place to the matrix of u, a few rows at a time."""
        D, dtype = self._distances(*pair)
        apply(lambda rows: function(self._half(rows)), D)
        return D.astype(dtype, copy=False)

    def _distances(self, *pair: Any) -> tuple[np.ndarray, Any]:
        """Return a new, symmetrized matrix of distances, and the type of the result."""
        D = self.distance_.pairwise(*pair)
        dtype = D.dtype
        fits = np.finfo(dtype).tiny < np.max(self.sigma_) < np.finfo(dtype).max
        ours = isinstance(self.distance_, VectorDistance)  # returns a new matrix: copy not needed
        # powers of d / sigma need the range of float64 if sigma is beyond that of the distances'
        # type
        D = np.array(D, dtype if fits else float, copy=None if ours else True)
        if not self.distance_.symmetric:
            # for a square matrix both directions are known already
            other = D.T if len(pair) == 1 else self.distance_.pairwise(*pair[::-1]).T
            D = _joined(D, other, self.power)
        return D, dtype

    def _half(self, D: np.ndarray) -> np.ndarray:
        """Return ``d^2 / (2 sigma^2)``, in place."""
        sigma = 1.0 if np.ndim(self.sigma_) else self.sigma_
        # divided before squaring: d / sigma stays in range where squares of d might not
        with np.errstate(over="ignore", under="ignore"):
            D /= sigma
            if self.power == 2:
                D *= D
            else:
                # d is a square already, so sigma divides it twice
                D /= sigma
            D *= 0.5
        return D

    def _own(self, X: Cases) -> np.ndarray:
        """Return u of every row with itself."""
        n = ilk.n_rows(X)
        if self.distance_.metric:
            # a metric is exactly 0 there: no distance needs computing
            return np.zeros(n, np.float32 if getattr(X, "dtype", None) == np.float32 else float)
        blocks = (self._apply(_same, ilk.take(X, rows)) for rows in _row_blocks(n, _DIAGONAL))
        return np.concatenate([np.diagonal(block) for block in blocks])


_DIAGONAL = 64  # rows in a block whose matrix is computed only for its diagonal


def is_euclidean(distance: Distance) -> bool:
    """Tell whether a distance is the Euclidean distance, weighted or not."""
    return isinstance(distance, Norm) and distance.p == 2


def is_plain(distance: Any) -> bool:
    """Tell whether a distance is the Euclidean distance without weights."""
    return is_euclidean(distance) and distance.weights is None


def _same(u: np.ndarray) -> np.ndarray:
    return u


def _joined(D: np.ndarray, other: np.ndarray, power: int) -> np.ndarray:
    """Distances whose power (2 or 1) is the mean of both directions' powers."""
    if power == 1:
        return D / 2 + other / 2
    larger = np.maximum(D, other)
    unit = np.where((larger > 0) & np.isfinite(larger), larger, 1)  # squares stay in range
    return np.asarray(unit * np.sqrt((np.square(D / unit) + np.square(other / unit)) / 2))


_PAIRS = 2**22  # distances in memory at a time: 32 MiB


def _measured(
    owner: object,
    distance: Distance,
    X: Cases | None,
    how: str,
    n_neighbors: int,
    *,
    argument: str,
    power: int = 2,
) -> float:
    """Return the bandwidth computed from training rows.

    Parameters
    ----------
    owner : Component
        Named in errors.
    distance : Distance
        Fitted.
    X : data of n rows
        As `distance.check_input` returns it.
    how : {"mean_distance", "neighbors"}
        The root of the mean of ``d^power`` over the pairs of different rows, or the mean of
        ``d^(power / 2)`` to the `n_neighbors` nearest other rows.
    n_neighbors : int
    argument : str
        Name of the bandwidth parameter.
    power : {1, 2}
        The power that makes the distance a square: 2, or 1 if it is a square already.

    Raises
    ------
    InputError
        If there are fewer than two rows, or all are equal, or a distance is not finite.
    """
    name, n = ilk.display_name(owner), ilk.n_rows(X)
    if n < 2:
        raise ilk.InputError(f"{name}: {argument} {how!r} needs at least 2 rows of X, got {n}")
    if how == "mean_distance":
        width = _root_of_mean(distance, X, n, power)
    else:
        near = _neighbor_distances(distance, X, min(int(n_neighbors), n - 1))
        width = float((near if power == 2 else np.sqrt(near)).mean(dtype=float))
    if width == 0:
        raise ilk.InputError(
            f"{name}: {argument} {how!r} is 0, as every row of X has the rows it is compared "
            f"with at distance 0; give {argument} as a number"
        )
    if not np.isfinite(width):
        raise ilk.InputError(f"{name}: {argument} {how!r} is {width}: a distance is not finite")
    return width


def _root_of_mean(distance: Distance, X: Any, n: int, power: int) -> float:
    """Root of the mean power of the distance over the pairs of different rows."""
    if is_plain(distance) and power == 2 and not ilk.is_sparse(X):
        return _spread(X)
    unit = float(distance.pairwise(ilk.take(X, [0]), X).max()) or 1.0  # squares stay in range
    if not np.isfinite(unit):
        return unit
    total, n_pairs = 0.0, 0
    for rows in _row_blocks(n, max(_PAIRS // n, 1)):
        first = int(rows[0]) if distance.symmetric else 0
        D = distance.pairwise(ilk.take(X, rows), ilk.take(X, np.arange(first, n)))
        D = np.asarray(D, dtype=float)
        if distance.symmetric:
            # each unordered pair once
            D = D[np.triu_indices(len(D), 1, D.shape[1])]
        else:
            D = D[rows[:, None] != np.arange(n)]
        D = D / unit
        total += float(D @ D) if power == 2 else float(D.sum())
        n_pairs += len(D)
    return (unit if power == 2 else float(np.sqrt(unit))) * float(np.sqrt(total / n_pairs))


def _spread(X: np.ndarray) -> float:
    """Root of the mean squared Euclidean distance of different rows: twice the variance."""
    n = len(X)
    blocks = [X[rows[0] : rows[-1] + 1] for rows in _row_blocks(n, max(_PAIRS // X.shape[1], 1))]
    with np.errstate(over="ignore", under="ignore"):
        # differences to a row, so that a large constant feature is 0, in units of the largest
        size = float(max(np.abs(np.subtract(Z, X[0], dtype=float)).max() for Z in blocks))
        if not 0 < size < np.inf:
            return size
        centre = sum((np.subtract(Z, X[0], dtype=float) / size).sum(axis=0) for Z in blocks) / n
        total, off = 0.0, np.zeros(X.shape[1])
        for Z in blocks:
            gaps = np.subtract(Z, X[0], dtype=float) / size - centre
            total += float(np.vdot(gaps, gaps))
            off += gaps.sum(axis=0)
        # the centre is rounded: its error is subtracted
        return size * float(np.sqrt(2 * (total - off @ off / n) / (n - 1)))


def mean_local_width(distance: Distance | None, X: Cases) -> float:
    """Root of the mean over the rows of sigma_i^2, the mean squared distance to a few others.

    They are the nearest ``max(1, floor(k / 2))`` other rows with ``k = floor(log2 n)``.
    """
    n = ilk.n_rows(X)
    near = _neighbor_distances(distance, X, max(int(log2(n)) // 2, 1))
    unit = float(near.max()) or 1.0  # squares stay in range
    return float(unit * np.sqrt(np.mean(np.square(near / unit), dtype=float)))


def _neighbor_distances(distance: Any, X: Any, k: int) -> np.ndarray:
    """Distances of the n rows to their k nearest other rows, as an array of n * k values."""
    return ilk.without_itself(*distance.kneighbors(X, X, k + 1))[0].ravel()


def _row_blocks(n: int, size: int) -> Iterator[np.ndarray]:
    """Yield the numbers of n rows, `size` at a time."""
    for start in range(0, n, size):
        yield np.arange(start, min(start + size, n))
