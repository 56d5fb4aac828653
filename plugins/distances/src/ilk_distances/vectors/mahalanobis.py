"""Mahalanobis distance, and the linear map that whitens rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, param
from ilk.neighbors import Euclidean
from ilk_distances.vectors.mapped import Mapped, mapped, norms, times

if TYPE_CHECKING:
    from ilk import Cases, Labels

_CLOSE = 2**14  # pairs computed again at a time: bounds the memory
_SLACK = 1e-8  # tolerance for the rounding error of correlations
_BLOCK = 2**18  # numbers in a block of rows: bounds the memory


class Mahalanobis(ilk.Distance):
    """Mahalanobis distance: Euclidean after a linear map that makes the covariance the identity.

    ``d(x, y) = sqrt((x - y)' A (x - y))`` where A is the inverse of the covariance S, or ``L'L``
    for given `components` L. It does not change if the features undergo an invertible affine map.

    It is computed as ``|L x - L y|``, so that no negative number comes under the root, with L
    from the singular values of the centred rows (for a given S: from its eigenvalues). If x and
    y are so close that this loses digits, ``|L (x - y)|`` is used: equal rows are at distance 0.

    A singular S has no inverse, which is an error unless `shrinkage` or `pinv` is set. Whether
    S counts as singular does not depend on the units of the features; directions in which rows
    differ by no more than the rounding of X count as constant.

    Attributes
    ----------
    components_ : ndarray of shape (r, p)
        L.
    metric_matrix_ : ndarray of shape (p, p)
        ``L'L``.
    location_ : ndarray of shape (p,)
        Mean of the training rows.
    rank_ : int
        Rank of L.

    Raises
    ------
    ParameterError
        If the covariance given is not symmetric, has a negative eigenvalue (indefinite) or is
        singular; or if parameters exclude each other.
    InputError
        If the covariance of the training rows is singular; names its rank.

    References
    ----------
    .. [1] Zaidi 2011: section 2.4; equations 2.16, 2.19.
    .. [2] O. Ledoit and M. Wolf, "A well-conditioned estimator for large-dimensional covariance
       matrices", *Journal of Multivariate Analysis* 88(2), 2004.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("mahalanobis", covariance=[[4, 0], [0, 0.25]])
    >>> d.pairwise([[0, 0]], [[2, 0], [0, 2]])
    array([[1., 4.]])
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> round(ilk.distance("mahalanobis").fit(X).between(X[0], X[1]), 4)
    1.3545
    """

    covariance: ArrayLike | str = param(
        default="empirical",
        type=Array,
        choices=("empirical", "ledoit_wolf"),
        form='{"empirical", "ledoit_wolf"} or array of shape (p, p)',
        doc='``"empirical"``: of the training rows, divided by n - 1. ``"ledoit_wolf"``: '
        "divided by n, then shrunk by the amount of Ledoit and Wolf. An array is S itself, "
        "not its inverse, and must be symmetric and positive semi-definite.",
    )
    components: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (r, p)",
        doc="L, in place of a covariance; `fit` then learns nothing.",
    )
    shrinkage: float = param(
        default=0.0,
        ge=0,
        le=1,
        doc="Share s of the identity in ``(1 - s) S + s tr(S)/p I``, from 0 to 1.",
    )
    pinv: bool = param(
        default=False,
        doc="Whether the pseudo-inverse replaces the inverse of a singular S. Then only "
        "differences within the span of S count: a pseudo-metric.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        symmetric=True, metric=True, needs_fit=True
    )

    @classmethod
    def examples(cls) -> list[Mahalanobis]:
        """Return one for each way to obtain the map."""
        S = np.diag([1.0, 2.0, 3.0, 4.0]) + 0.5
        return [
            cls(),
            cls(covariance="ledoit_wolf"),
            cls(covariance=S),
            cls(shrinkage=0.1),
            cls(pinv=True),
            cls(components=np.eye(4)[:2] + 0.5),
        ]

    @property
    def needs_fit(self) -> bool:
        """Whether the map is learned."""
        return self.components is None and isinstance(self.covariance, str)

    @property
    def metric(self) -> bool:
        """Whether the map has full rank; before `fit`, whether full rank is guaranteed."""
        if hasattr(self, "components_"):
            return bool(self.rank_ == self.components_.shape[1])
        if self.needs_fit:
            return not self.pinv
        whitening = self._given()
        return bool(whitening.rank == whitening.components.shape[1])

    def check_parameters(self) -> None:
        """Check the shapes of the given matrices, and that only one of them is given."""
        super().check_parameters()
        if self.components is not None:
            _check_matrix(self, "components")
            if not isinstance(self.covariance, str) or self.covariance != "empirical":
                raise self.parameter_error("components", "must be None where covariance is given")
            if self.shrinkage or self.pinv:
                other = "shrinkage" if self.shrinkage else "pinv"
                raise self.parameter_error("components", f"must be None where {other} is given")
        if not isinstance(self.covariance, str):
            shape = _check_matrix(self, "covariance").shape
            if shape[0] != shape[1]:
                raise self.parameter_error("covariance", f"must be square, got shape {shape}")
        elif self.covariance == "ledoit_wolf" and self.shrinkage:
            raise self.parameter_error(
                "shrinkage", f"must be 0 if covariance is 'ledoit_wolf', got {self.shrinkage}"
            )

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn mean and covariance of the rows of X, unless the map is given."""
        self.check_parameters()
        X = ilk.check_vectors(self, X)
        location = X.mean(axis=0, dtype=float)
        if not np.isfinite(location).all():
            f = int(np.argmin(np.isfinite(location)))
            raise ilk.InputError(
                f"{ilk.display_name(self)}: the mean of column {f} of X is infinite"
            )
        whitening = self._learned(X, location) if self.needs_fit else self._given()
        self._check_width(X, whitening.components)
        self.location_ = location
        self.components_, self.rank_ = whitening
        return self

    @property
    def metric_matrix_(self) -> np.ndarray:
        """``L'L``."""
        return np.asarray(self.components_.T @ self.components_)

    def _learned(self, X: np.ndarray, location: np.ndarray) -> Whitening:
        name = ilk.display_name(self)
        if len(X) < 2:
            raise ilk.InputError(f"{name}: X has {len(X)} row, a covariance needs at least 2")
        share, ddof = self.shrinkage, 1
        if self.covariance == "ledoit_wolf":
            # their shrinkage is for the covariance that divides by n
            share, ddof = _ledoit_wolf(X), 0
        whitening = whitening_of_rows(X, location, share, ddof)
        if whitening.rank == 0:
            raise ilk.InputError(
                f"{name}: all rows of X are equal (the rank of its covariance is 0)"
            )
        if whitening.rank < X.shape[1] and not self.pinv:
            raise ilk.InputError(
                f"{name}: the covariance of X {_singular(whitening.rank, X.shape[1])}"
            )
        return whitening

    def _given(self) -> Whitening:
        if self.components is not None:
            L = np.asarray(self.components, dtype=float)
            sizes = np.abs(L).max(axis=0)
            # columns of one size, so that the rank does not depend on units
            return Whitening(L, int(np.linalg.matrix_rank(L / np.where(sizes > 0, sizes, 1.0))))
        given = np.asarray(self.covariance)
        S = given.astype(float)
        if self.shrinkage:
            # towards the identity times the mean variance
            S = (1 - self.shrinkage) * S + self.shrinkage * np.trace(S) / len(S) * np.eye(len(S))
        single = given.dtype == np.float32
        whitening = whitening_of_matrix(S, float(np.finfo(np.float32 if single else float).eps))
        if isinstance(whitening, str):
            raise self.parameter_error("covariance", whitening)
        if whitening.rank == 0 or (whitening.rank < len(S) and not self.pinv):
            raise self.parameter_error("covariance", _singular(whitening.rank, len(S)))
        return whitening

    def _map(self) -> tuple[np.ndarray, np.ndarray]:
        """Return L and the location that is subtracted first."""
        from sklearn.exceptions import NotFittedError

        if hasattr(self, "components_"):
            return self.components_, self.location_
        if self.needs_fit:
            raise NotFittedError(f"{ilk.display_name(self)}: call fit first, or give the map")
        L = self._given().components
        return L, np.zeros(L.shape[1])

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        X, Y = self.check_pair(X, Y)
        # one product for all pairs; pairs that lose digits in it are computed again below
        D = Euclidean().pairwise(X.after, Y.after)
        # a cheap bound first, for all pairs of a row at once; then the bound of each pair
        i, j = np.divmod(np.flatnonzero(~((X.doubt + Y.doubt.max())[:, None] <= D)), len(Y))
        doubtful = ~(X.doubt[i] + Y.doubt[j] <= D[i, j])  # NaN where both overflow
        i, j = i[doubtful], j[doubtful]
        for start in range(0, len(i), _CLOSE):
            some = slice(start, start + _CLOSE)
            # close pairs: the difference is mapped, which loses no digits
            gaps = X.before[i[some]].astype(float) - Y.before[j[some]]
            D[i[some], j[some]] = norms(times(gaps, X.map))
        return D.astype(np.float32) if X.single and Y.single else D

    def kneighbors(self, X: Any, Y: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k rows of Y nearest to each row of X, nearest first, ties by lower index."""
        ilk.check_k(self, k, ilk.n_rows(Y))
        X, Y = self.check_pair(X, Y)
        rounded = X.single and Y.single and X.after.dtype == np.float64
        near, where = (_Rounded() if rounded else Euclidean()).kneighbors(X.after, Y.after, k)
        # at most the distance before it was rounded
        least = np.nextafter(near[:, 0], near.dtype.type(0))
        # these queries may have a neighbour whose mapped distance lost digits
        again = np.flatnonzero(~(X.doubt + Y.doubt.max() <= least))
        if again.size:
            near[again], where[again] = ilk.nearest_blocked(self, X[again], Y, k)
        return near, where

    def prepare(self, X: Cases) -> ilk.Prepared:
        """Return a handle on X, mapped once."""
        return ilk.Prepared(self, self.check_input(X))

    def check_input(self, X: Cases, argument: str = "X") -> Mapped:
        """Return X before and after the map."""
        if isinstance(X, Mapped):
            return X
        self.check_parameters()
        L, location = self._map()
        X = ilk.check_vectors(self, X, argument=argument)
        self._check_width(X, L)
        with np.errstate(over="ignore", invalid="ignore"):
            rows = mapped(X, L, location)
        beyond = ~np.isfinite(rows.after).all(axis=1)
        if beyond.any():
            raise ilk.InputError(
                f"{ilk.display_name(self)}: {argument} has numbers too large for the map at row "
                f"{int(np.argmax(beyond))}"
            )
        return rows

    def _check_width(self, X: np.ndarray, L: np.ndarray) -> None:
        if X.shape[1] != L.shape[1]:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: X has {X.shape[1]} features, but the map takes "
                f"{L.shape[1]} features"
            )


class _Rounded(Euclidean):
    """Euclidean distances of float64 rounded to float32, which makes ties."""

    works_in_double: ClassVar[bool] = True

    def result_type(self, X: np.ndarray, Y: np.ndarray) -> type[np.floating[Any]]:
        """Always float32."""
        return np.float32


def _check_matrix(owner: Mahalanobis, name: str) -> np.ndarray:
    matrix = np.asarray(getattr(owner, name), dtype=float)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise owner.parameter_error(name, f"must be a matrix, got shape {matrix.shape}")
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        i, j = bad[0]
        raise owner.parameter_error(name, f"must be finite, got {matrix[i, j]} at [{i}, {j}]")
    return matrix


def _singular(rank: int, p: int) -> str:
    return (
        f"is singular: its rank is {rank} for {p} features; set shrinkage above 0, covariance to "
        f"'ledoit_wolf', or pinv to True"
    )


def _ledoit_wolf(X: np.ndarray) -> float:
    """Ledoit and Wolf's shrinkage; rows are rescaled so that fourth powers stay in range."""
    from sklearn.covariance import ledoit_wolf_shrinkage

    X = X.astype(float, copy=False)
    _, exponent = np.frexp(np.abs(X).max())
    return float(ledoit_wolf_shrinkage(np.ldexp(X, -int(exponent))))


class Whitening(NamedTuple):
    """``L S L' = I`` of size rank; ``L'L`` is the inverse, or the pseudo-inverse, of S."""

    components: np.ndarray
    rank: int


def whitening_of_rows(
    X: np.ndarray, location: np.ndarray, shrinkage: float, ddof: int
) -> Whitening:
    """Whiten the covariance of rows, ``(1 - s) S + s tr(S)/p I``, without forming it.

    Singular values of the rows resolve small variances that are lost when the covariance squares
    them. Features are scaled before the rank is determined, so the rank does not depend on their
    units; directions within the rounding error of X do not count.
    """
    import scipy.linalg as la

    n, p = X.shape
    highest, lowest = X.max(axis=0).astype(float), X.min(axis=0).astype(float)
    furthest = np.maximum(np.abs(highest), np.abs(lowest))
    eps = float(np.finfo(X.dtype).eps)
    # a spread within the rounding error of the values is no variance
    varies = highest / 2 - lowest / 2 > eps * furthest
    spread = np.where(varies, np.maximum(highest - location, location - lowest), 0.0)
    unit = float(spread.max()) or 1.0
    root = _root(X, location, np.where(spread > 0, spread, np.inf)) * (spread / unit)
    root /= np.sqrt(n - ddof)
    if shrinkage:
        mean = float((root**2).sum()) / p
        # (1 - s) R'R + s mean I = S'S for the rows of R and of the identity stacked in S
        root = np.vstack([np.sqrt(1 - shrinkage) * root, np.sqrt(shrinkage * mean) * np.eye(p)])
    # standardized features: the rank does not depend on units
    scale = np.sqrt((root**2).sum(axis=0))
    # the rounding error of the given numbers, in units of each feature's deviation
    noise = eps * (furthest / unit)[scale > 0] / scale[scale > 0]
    tolerance = max(n * eps, 4 * np.sqrt(p) * noise.max(initial=0))
    scale[scale == 0] = 1
    _, sizes, axes = la.svd(root / scale, full_matrices=False)
    whitening = _whiten(sizes, axes, scale, tolerance)
    return Whitening(whitening.components / unit, whitening.rank)


def whitening_of_matrix(S: np.ndarray, eps: float) -> Whitening | str:
    """Whiten a covariance, or return an error message about it."""
    import scipy.linalg as la

    diagonal = np.diagonal(S)
    wrong = (diagonal < 0) | ((diagonal == 0) & S.any(axis=0))
    if wrong.any():
        f = int(np.argmax(wrong))
        return f"must be positive semi-definite, got the variance {diagonal[f]} at {f}"
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    correlations = S / scale / scale[:, None]
    if not np.allclose(correlations, correlations.T, rtol=0, atol=_SLACK):
        i, j = np.unravel_index(np.argmax(np.abs(correlations - correlations.T)), S.shape)
        return f"must be symmetric, got {S[i, j]} at [{i}, {j}] and {S[j, i]} at [{j}, {i}]"
    sizes, axes = la.eigh((correlations + correlations.T) / 2)
    if sizes[0] < -_SLACK * sizes[-1]:
        return (
            f"must be positive semi-definite, got a matrix whose correlations have the eigenvalue "
            f"{sizes[0]:.6g}"
        )
    # eigenvalues of correlations that rounding made negative
    variance = np.maximum(sizes[::-1], 0)
    return _whiten(np.sqrt(variance), axes.T[::-1], scale, np.sqrt(10 * len(S) * eps))


def _root(X: np.ndarray, location: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Triangular R with ``R'R = Z'Z`` for ``Z = (X - location) / spread``, by QR of blocks."""
    p = X.shape[1]
    R = np.empty((0, p))
    step = max(_BLOCK // p, p)
    for start in range(0, len(X), step):
        rows = (X[start : start + step] - location) / spread
        # R of the rows so far and the new block: their product stays Z'Z
        R = np.asarray(np.linalg.qr(np.vstack([R, rows]), mode="r"))
    return R


def _whiten(sizes: np.ndarray, axes: np.ndarray, scale: np.ndarray, tolerance: float) -> Whitening:
    """Return the map for standard deviations `sizes` along `axes` of features of some scale."""
    rank = int(np.count_nonzero(sizes > tolerance * sizes[0]))
    axes = axes[:rank]
    L = axes / sizes[:rank, None] / scale
    if rank < len(scale):  # projection on the span makes it the Moore-Penrose inverse
        span, _ = np.linalg.qr((axes * scale).T)
        L = L @ span @ span.T
    return Whitening(L, rank)
