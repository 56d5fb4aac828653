"""Norms of differences of vectors, computed tile by tile; the Euclidean distance."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ilk.capabilities import Capabilities
from ilk.inputs import is_sparse
from ilk.neighbors.rows import Rows, Tile, fill_tile
from ilk.neighbors.vector_distance import VectorDistance
from ilk.neighbors.weights import (
    all_positive,
    check_feature_weights,
    check_spread,
    feature_weights,
)
from ilk.params import Array, param

if TYPE_CHECKING:
    from ilk.arrays import ArrayLike
    from ilk.neighbors.sparse import SparseRows

_CACHED = 2**15  # numbers in a block: it stays in the cache while each feature passes over it


class Norm(VectorDistance):
    """The weighted p-norm of the difference of two vectors; subclasses define p."""

    capabilities: ClassVar[Capabilities] = Capabilities(symmetric=True, metric=True, sparse=True)
    weights: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (n_features,)",
        doc="At least 0, and not all 0; features of weight 0 are left out.",
    )

    @property
    def metric(self) -> bool:
        """Whether p is at least 1 and no weight is zero."""
        self.p: float
        return self.p >= 1 and all_positive(self.weights)

    def check_parameters(self) -> None:
        """Check that the weights are a vector of non-negative numbers, not all zero."""
        super().check_parameters()
        check_feature_weights(self)
        if np.isfinite(self.p):
            check_spread(self)

    def _rows(self, X: np.ndarray) -> Rows:
        weights = feature_weights(self, X.shape[1])
        return Rows(X if weights is None or weights.all() else X[:, weights > 0], X)

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        weights = feature_weights(self, X.given.shape[1])
        if weights is None:
            _unweighted(X, Y, float(self.p), tile)
        elif self.p == np.inf:
            _unweighted(X, Y, np.inf, tile)
        else:
            tile.view[...] = _weighted(X.values, Y.values, float(self.p), weights[weights > 0])

    def compare_pairs(
        self, X: np.ndarray, rows: np.ndarray, Y: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """Distances of ``X[rows[i]]`` to ``Y[columns[i]]``, as `compare` has them."""
        from ilk.neighbors import sums

        if is_sparse(X) or is_sparse(Y):
            return super().compare_pairs(X, rows, Y, columns)
        how = {1: sums.SUM, 2: sums.SQUARES, np.inf: sums.LARGEST}.get(self.p)
        if how is None or self.weights is not None:
            return super().compare_pairs(X, rows, Y, columns)
        dtype = self.working_type(X, Y)
        D = np.empty(len(rows), dtype=dtype)
        # a smaller sum of squares may contain squares that underflowed
        faint = float(np.finfo(dtype).tiny) / float(np.finfo(dtype).eps)
        left, right = sums.gathered(X, rows, dtype), sums.gathered(Y, columns, dtype)
        if sums.pairs(*left, *right, how, faint, D):
            unsure = np.isnan(D)
            D[unsure] = super().compare_pairs(X, rows[unsure], Y, columns[unsure])
        return D.astype(np.result_type(X, Y), copy=False)

    def merge(
        self, X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray
    ) -> np.ndarray:
        """Distances of the sparse rows ``X[rows[i]]`` to ``Y[columns[i]]``."""
        from ilk.neighbors import sparse

        weights, p = feature_weights(self, X.n_features), float(self.p)
        if weights is not None:
            X, Y = X.in_double, Y.in_double
        known: dict[float, sparse.Merge] = {1: "sum", 2: "squares", np.inf: "largest"}
        how = known.get(p)
        if how is not None and (weights is None or p != 2):
            D = sparse.merged(how, X, rows, Y, columns, weights=weights)
            if p == 2:
                np.sqrt(D, out=D)
            unsure = np.isnan(D) if weights is None else np.isinf(D)
        else:
            D, unsure = self._merged_powers(X, rows, Y, columns, weights)
        if unsure.any():
            D[unsure] = sparse.densified(self, X, rows[unsure], Y, columns[unsure])
        return D

    def _merged_powers(
        self,
        X: SparseRows,
        rows: np.ndarray,
        Y: SparseRows,
        columns: np.ndarray,
        weights: np.ndarray | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Norms by powers of differences, scaled by the largest; which of them overflowed."""
        from ilk.neighbors import sparse

        unit, exponent = unit_weights(weights)
        scale = sparse.merged("largest", X, rows, Y, columns, weights=weights).astype(float)
        unsure = np.isinf(scale)
        scale[unsure | (scale == 0)] = 1
        X, Y = X.in_double, Y.in_double
        p = float(self.p)
        total = sparse.merged("powers", X, rows, Y, columns, power=p, weights=unit, scale=scale)
        if exponent == 0 and p >= 0.5:  # the root stays in range
            return scale * total ** (1 / p), unsure
        return _product(scale, total, exponent, p), unsure

    @property
    def embeds(self) -> bool:
        """Whether this is the Euclidean distance."""
        return self.p == 2 and self.weights is None

    def embedded(self, X: np.ndarray) -> np.ndarray:
        """Return the rows."""
        return X

    def _compare_squared(self, X: Rows, Y: Rows, tile: Tile) -> bool:
        if self.p == 2 and self.weights is None:
            return squares(X, Y, tile)
        return super()._compare_squared(X, Y, tile)


class Euclidean(Norm):
    """Euclidean distance: the root of the weighted sum of squared differences.

    ``d(x, y) = sqrt(sum_f w_f (x_f - y_f)^2)``, the Minkowski distance with p = 2.

    Computed from differences, not from the expansion ``|x|^2 - 2 x'y + |y|^2``, which loses
    every digit of the distance of two rows that are close but far from the origin. Searches use
    the expansion only to rule out rows that are certainly too far.

    Raises
    ------
    ParameterError, InputError
        As the Minkowski distance does.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.1; equation 2.17.
    .. [2] Zaidi 2011: section 2.4; equation 2.1.
    .. [3] Arras: Distance Metrics.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("euclidean").pairwise([[0, 0], [3, 4]])
    array([[0., 5.],
           [5., 0.]])
    """

    p = 2.0


def _unweighted(X: Rows, Y: Rows, p: float, tile: Tile) -> None:
    from ilk.neighbors import sums

    D = tile.view
    if p == np.inf:
        fill_tile(sums.chebyshev, X, Y, tile)
    elif p == 1:
        fill_tile(sums.manhattan, X, Y, tile)
    elif p == 2:
        # roots are taken once for the tile, after all sums are known to be precise
        if squares(X, Y, tile):
            np.sqrt(D, out=D)
    elif p == 3:
        fill_tile(sums.cubed, X, Y, tile)
        unsure = doubtful(D, X.values, Y.values, p)
        np.cbrt(D, out=D)
        mend(D, unsure, X.values, Y.values, p)
    else:
        D[...] = norms(X.values, Y.values, p)


def squares(X: Rows, Y: Rows, tile: Tile) -> bool:
    """Fill a tile with squared Euclidean distances, or with distances if a square is imprecise.

    Returns
    -------
    bool
        Whether the tile has squares.
    """
    from ilk.neighbors import sums

    fill_tile(sums.squared_euclidean, X, Y, tile)
    D = tile.view
    unsure = doubtful(D, X.values, Y.values, 2)
    if unsure is None:
        return True
    np.sqrt(D, out=D)
    mend(D, unsure, X.values, Y.values, 2)
    return False


def _weighted(X: np.ndarray, Y: np.ndarray, p: float, weights: np.ndarray) -> np.ndarray:
    from scipy.spatial.distance import cdist

    if p == 1:
        D = np.asarray(cdist(X, Y, "cityblock", w=weights))
        mend(D, np.isinf(D), X, Y, p, weights)
        return D
    if p != 2:
        return norms(X, Y, p, weights)
    unit, exponent = unit_weights(weights)
    D = np.asarray(cdist(X, Y, "sqeuclidean", w=unit))
    unsure = doubtful(D, X, Y, p, unit)
    np.sqrt(D, out=D)
    if exponent:
        np.ldexp(D, exponent // 2, out=D)
    mend(D, unsure, X, Y, p, weights)
    return D


def doubtful(
    D: np.ndarray, X: np.ndarray, Y: np.ndarray, p: float, weights: np.ndarray | None = None
) -> np.ndarray | None:
    """Find sums D of p-th powers that overflowed or may have lost terms by underflow.

    Returns
    -------
    ndarray of bool or None
        Mask of these sums, or None if there are none.
    """
    kind = np.finfo(X.dtype)
    # by then a square beside others has lost so much that it may matter
    faint = float(kind.tiny) / float(kind.eps)  # powers of less lose digits
    none_far = D.max() < np.inf
    if none_far and D.min() >= faint:
        return None
    unsure = np.asarray(faint > D)
    if np.count_nonzero(unsure) <= len(X) + len(Y):
        # mostly of equal rows; numpy searches flat arrays ten times as fast
        rows, columns = np.divmod(np.flatnonzero(unsure), len(Y))
        unsure[rows, columns] = (X[rows] != Y[columns]).any(axis=1)
    elif _zeros_are_true(X, Y, weights, faint ** (1 / p)):
        unsure[...] = False
    unsure |= np.isinf(D)
    return unsure if unsure.any() else None


def mend(
    D: np.ndarray,
    unsure: np.ndarray | None,
    X: np.ndarray,
    Y: np.ndarray,
    p: float,
    weights: np.ndarray | None = None,
) -> None:
    """Compute the unsure distances again, with scaled differences."""
    if unsure is None:
        return
    rows, columns = np.nonzero(unsure)
    for start in range(0, len(rows), _CACHED):
        i, j = rows[start : start + _CACHED], columns[start : start + _CACHED]
        D[i, j] = _scaled_norm(X[i].T.astype(float), Y[j].T.astype(float), p, weights)


def unit_weights(weights: np.ndarray | None) -> tuple[np.ndarray | None, int]:
    """Divide weights by a power of 4 so that the largest is near 1; also return log2 of it.

    A power of 4 has an exact root.
    """
    if weights is None:
        return None, 0
    exponent = 2 * (int(np.frexp(weights.max())[1]) // 2)
    return np.ldexp(weights, -exponent), exponent


def _zeros_are_true(X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None, faint: float) -> bool:
    """Tell whether no power of a non-zero difference can underflow, by the size of the numbers.

    Numbers of at least v are multiples of a step larger than eps / 2 times v, and so are
    their differences.
    """
    least = min(float(np.abs(Z[Z != 0]).min(initial=np.inf)) for Z in (X, Y))
    if weights is not None:
        least *= float(np.sqrt(weights.min()))
    return bool(least * float(np.finfo(X.dtype).eps) / 2 >= faint)


def norms(X: np.ndarray, Y: np.ndarray, p: float, weights: np.ndarray | None = None) -> np.ndarray:
    """Weighted p-norms of the difference of every row of X to every row of Y."""
    D = np.empty((len(X), len(Y)))
    A, B = np.ascontiguousarray(X.T, dtype=float), np.ascontiguousarray(Y.T, dtype=float)
    step = max(_CACHED // len(Y), 1)
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        D[rows] = _scaled_norm(A[:, rows, None], B[:, None, :], p, weights)
    return D


def _scaled_norm(A: np.ndarray, B: np.ndarray, p: float, weights: np.ndarray | None) -> np.ndarray:
    """Weighted p-norms of A - B along the first axis; scaling by the largest avoids overflow."""
    unit, exponent = unit_weights(weights)
    largest = reduce(np.maximum, (np.abs(a - b) for a, b in zip(A, B, strict=True)))
    far = np.isinf(largest)
    scale = np.where((largest > 0) & ~far, largest, 1.0)
    total = np.zeros(scale.shape)
    # feature by feature, in the order of the features, as the fast loops sum
    for f, (a, b) in enumerate(zip(A, B, strict=True)):
        term = _powers(np.abs(a - b), scale, p)
        if unit is not None:
            term *= unit[f]
        total += term
    if exponent == 0 and p >= 0.5:  # the root stays in range
        D = np.asarray(scale * total ** (1 / p))
    else:
        D = _product(scale, total, exponent, p)
    if far.any():
        # halves of both operands: their difference is finite where that of the operands is not
        np.copyto(D, 2 * _scaled_norm(A / 2, B / 2, p, weights), where=far)
    return D


def _product(scale: np.ndarray, total: np.ndarray, exponent: int, p: float) -> np.ndarray:
    """``scale * (total * 2**exponent)**(1 / p)``, without overflow of the factors."""
    mantissa, power = np.frexp(total)
    small = mantissa < np.sqrt(0.5)  # centres the mantissa around 1, where its log2 is exact
    logs = np.log2(mantissa * (1 + small), out=np.zeros_like(total), where=total > 0)
    # clipped far beyond the range of floats, so that the integer shift below cannot overflow
    powers = np.clip((power - small + exponent) / p, -(2**20), 2**20)
    logs = np.clip(logs / p, -(2**19), 2**19)
    whole = np.rint(powers) + np.rint(logs)
    rest = (powers - np.rint(powers)) + (logs - np.rint(logs))
    base, shift = np.frexp(scale)
    D = np.ldexp(base * np.exp2(rest), shift + whole.astype(int))
    return np.asarray(np.where(total > 0, D, 0.0))


def _powers(gaps: np.ndarray, scale: np.ndarray, p: float) -> np.ndarray:
    """``(gaps / scale)**p`` without relevant underflow; the gaps are overwritten."""
    if p >= 0.5:
        gaps /= scale
        np.power(gaps, p, out=gaps)
    else:  # a ratio may underflow although its p-th power does not
        np.power(gaps, p, out=gaps)
        gaps /= scale**p
    return gaps
