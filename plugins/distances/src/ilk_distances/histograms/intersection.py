"""The distance by histogram intersection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk import param
from ilk.neighbors import Rows, Tile, fill_tile
from ilk_distances.histograms.histogram import HistogramDistance, thresholds

if TYPE_CHECKING:
    from ilk.neighbors import SparseRows

_SURE = {np.float64: 2.0**-20, np.float32: 2.0**-6}


class HistogramIntersection(HistogramDistance):
    """Histogram intersection: the share of the smaller histogram that is not in the larger one.

    ``d(h, k) = 1 - sum_f min(h_f, k_f) / min(sum h, sum k)``, between 0 and 1. It is 0 if one
    histogram lies within the other, so it is a metric only for normalized histograms: then it is
    half their Manhattan distance.

    It is computed from the excess of the smaller histogram over the larger one, divided by its
    mass: equal histograms are at distance exactly 0, and close ones lose no digits.

    Raises
    ------
    InputError
        If a bin is negative, NaN or infinite (names row and column), if a mass is more than a
        quarter of the largest number of its type, or if a histogram is empty.

    References
    ----------
    .. [1] M. J. Swain and D. H. Ballard, "Color indexing", *International Journal of Computer
       Vision* 7 (1), 1991.
    .. [2] Y. Rubner, C. Tomasi and L. J. Guibas, "The earth mover's distance as a metric for image
       retrieval", *International Journal of Computer Vision* 40 (2), 2000, who divide by the
       mass of k.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("histogram_intersection").between([2, 2, 0], [0, 3, 5])
    0.5
    """

    normalize: bool = param(
        default=False,
        doc="Whether every histogram is divided by its mass, the sum of its bins.",
    )
    needs_mass = True
    sums = "OVERLAP"

    @property
    def metric(self) -> bool:
        """Whether histograms are normalized."""
        return self.normalize

    @classmethod
    def examples(cls) -> list[HistogramIntersection]:
        """Return one that takes histograms as they are, and one that normalizes them."""
        return [cls(), cls(normalize=True)]

    def _rows(self, X: np.ndarray) -> Rows:
        from ilk_distances.histograms.bin_sums import masses

        bins = self._bins(X)
        if self.normalize:
            ends = thresholds(0.0, np.full(len(X), _SURE[bins.dtype.type]))
            return Rows(bins, X, {"left": ends, "right": ends})
        return Rows(bins, X, {"mass": masses(np.ascontiguousarray(X), 0.0).astype(X.dtype)})

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        D = tile.view
        if self.normalize:
            from ilk.neighbors import manhattan
            from ilk_distances.histograms.bin_sums import OVERLAP

            fill_tile(manhattan, X, Y, tile)
            # for normalized histograms 1 - sum min(h, k) = sum |h - k| / 2, which keeps digits of
            # close ones
            D /= 2
            self._settle(OVERLAP, X, Y, tile)
        else:
            from ilk_distances.histograms.bin_sums import excess

            fill_tile(excess, X, Y, tile)
            D /= np.minimum(X.extras["mass"][:, None], Y.extras["mass"])
        self._finish(D)

    def merge(
        self, X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray
    ) -> np.ndarray:
        """Distances of the sparse rows ``X[rows[i]]`` to ``Y[columns[i]]``."""
        if self.normalize:
            return super().merge(X, rows, Y, columns)
        from ilk.neighbors import merged

        D = merged("excess", X, rows, Y, columns)
        D /= np.minimum(X.extras["masses"][rows, 0], Y.extras["masses"][columns, 0])
        self._finish(D)
        return D

    def _finish(self, D: np.ndarray) -> None:
        np.minimum(D, 1, out=D)
