"""Bray-Curtis distance: the share of two samples that they do not have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.neighbors import Rows, Tile, fill_tile
from ilk_distances.histograms.histogram import HistogramDistance

if TYPE_CHECKING:
    from ilk.neighbors import SparseRows


class BrayCurtis(HistogramDistance):
    """Bray-Curtis distance: the share of two samples that they do not have in common.

    ``d(x, y) = sum_f |x_f - y_f| / sum_f (x_f + y_f)``, between 0 and 1, for counts and other
    non-negative amounts. Two empty samples are at distance 0; an empty sample is at distance 1
    from any other. It is no metric: the triangle inequality fails.

    Raises
    ------
    InputError
        If an amount is negative, NaN or infinite (names row and column), or the sum of a row is
        more than a quarter of the largest number of its type.

    References
    ----------
    .. [1] J. R. Bray and J. T. Curtis, "An ordination of the upland forest communities of
       southern Wisconsin", *Ecological Monographs* 27 (1957) 325-349.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("bray_curtis").between([6, 7, 4], [10, 0, 6])
    0.3939393939393939
    """

    def _rows(self, X: np.ndarray) -> Rows:
        # Summed in the order of the features, so that trailing zero features change no bit.
        return Rows(X, X, {"mass": np.cumsum(X, axis=1)[:, -1]})

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk.neighbors import manhattan

        fill_tile(manhattan, X, Y, tile)
        mass = X.extras["mass"][:, None] + Y.extras["mass"]
        mass[mass == 0] = 1
        np.divide(tile.view, mass, out=tile.view)
        np.minimum(tile.view, 1, out=tile.view)  # rounding may exceed 1

    def sparse_rows(self, X: Any, dtype: type[np.floating[Any]]) -> SparseRows:
        """Return the rows with their masses."""
        rows = super().sparse_rows(X, dtype)
        return replace(rows, extras={"mass": rows.sums()})

    def merge(
        self, X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray
    ) -> np.ndarray:
        """Distances of the sparse rows ``X[rows[i]]`` to ``Y[columns[i]]``."""
        from ilk.neighbors import merged

        mass = X.extras["mass"][rows] + Y.extras["mass"][columns]
        mass[mass == 0] = 1
        D = merged("sum", X, rows, Y, columns)
        return np.asarray(np.minimum(D / mass, 1))
