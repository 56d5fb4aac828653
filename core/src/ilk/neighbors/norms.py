"""Norms of differences of vectors, computed tile by tile; the Euclidean distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from ilk.capabilities import Capabilities
from ilk.neighbors.powers import doubtful, mend, norms, unit_weights
from ilk.neighbors.rows import Rows, Tile, fill
from ilk.neighbors.vector_distance import VectorDistance
from ilk.neighbors.weights import (
    all_positive,
    check_spread,
    check_weights,
    weights_for,
)
from ilk.params import Array, param

if TYPE_CHECKING:
    from ilk.aliases import ArrayLike


class Norm(VectorDistance):
    """The weighted p-norm of the difference of two vectors; subclasses say where p comes from."""

    capabilities: ClassVar[Capabilities] = Capabilities(symmetric=True, metric=True)
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
        check_weights(self)
        if np.isfinite(self.p):
            check_spread(self)

    def _rows(self, X: np.ndarray) -> Rows:
        weights = weights_for(self, X.shape[1])
        return Rows(X if weights is None or weights.all() else X[:, weights > 0], X)

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        weights = weights_for(self, X.given.shape[1])
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
        from ilk.neighbors import pairs

        how = {1: pairs.SUM, 2: pairs.SQUARES, np.inf: pairs.LARGEST}.get(self.p)
        if how is None or self.weights is not None:
            return super().compare_pairs(X, rows, Y, columns)
        dtype = self._working_type(X, Y)
        D = np.empty(len(rows), dtype=dtype)
        faint = float(np.finfo(dtype).tiny) / float(np.finfo(dtype).eps)
        left, right = pairs.gathered(X, rows, dtype), pairs.gathered(Y, columns, dtype)
        if pairs.pairs(*left, *right, how, faint, D):
            unsure = np.isnan(D)
            D[unsure] = super().compare_pairs(X, rows[unsure], Y, columns[unsure])
        return D.astype(np.result_type(X, Y), copy=False)

    def _compare_squared(self, X: Rows, Y: Rows, tile: Tile) -> bool:
        if self.p == 2 and self.weights is None:
            return squares(X, Y, tile)
        return super()._compare_squared(X, Y, tile)


class Euclidean(Norm):
    """Euclidean distance: the root of the weighted sum of squared differences.

    ``d(x, y) = sqrt(sum_f w_f (x_f - y_f)^2)``, the Minkowski distance with p = 2.

    Computed from differences, not from the expansion ``|x|^2 - 2 x'y + |y|^2``, which loses
    every digit of the distance of two rows that are close but far from the origin.

    Raises
    ------
    ParameterError, InputError
        As the Minkowski distance does.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.1.

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
        fill(sums.largest, X, Y, tile)
    elif p == 1:
        fill(sums.absolute, X, Y, tile)
    elif p == 2:
        if squares(X, Y, tile):
            np.sqrt(D, out=D)
    elif p == 3:
        fill(sums.cubed, X, Y, tile)
        unsure = doubtful(D, X.values, Y.values, p)
        np.cbrt(D, out=D)
        mend(D, unsure, X.values, Y.values, p)
    else:
        D[...] = norms(X.values, Y.values, p)


def squares(X: Rows, Y: Rows, tile: Tile) -> bool:
    """Fill a tile with squared Euclidean distances, or with distances where a square is none.

    Returns
    -------
    bool
        Whether they are squares.
    """
    from ilk.neighbors import sums

    fill(sums.squared, X, Y, tile)
    D = tile.view
    unsure = doubtful(D, X.values, Y.values, 2)
    if unsure is None:
        return True
    np.sqrt(D, out=D)
    mend(D, unsure, X.values, Y.values, 2)
    return False


def _weighted(X: np.ndarray, Y: np.ndarray, p: float, weights: np.ndarray) -> np.ndarray:
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
