"""The Hellinger distance of histograms."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

import ilk
from ilk.neighbors import Rows, Tile, fill_tile
from ilk_distances.histograms.histogram import NORMALIZE, HistogramDistance, thresholds

_SURE = {np.float64: 2.0**-26, np.float32: 2.0**-10}  # sums above this share of masses are precise


class Hellinger(HistogramDistance):
    """Hellinger distance: the Euclidean distance of the roots of bins, over the root of 2.

    ``d(h, k) = sqrt(sum_f (sqrt(h_f) - sqrt(k_f))^2 / 2)``, by default of histograms divided by
    their masses: then it is between 0 and 1. It is a metric. Equal histograms are at distance
    exactly 0, and close ones are compared by ``(h_f - k_f) / (sqrt(h_f) + sqrt(k_f))``, which
    loses no digits of nearly equal roots.

    Raises
    ------
    InputError
        If a bin is negative, NaN or infinite (names row and column), if a mass is more than a
        quarter of the largest number of its type, or if an empty histogram is to be normalized.

    References
    ----------
    .. [1] E. Hellinger, "Neue Begründung der Theorie quadratischer Formen von unendlichvielen
       Veränderlichen", *Journal für die reine und angewandte Mathematik* 136, 1909.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("hellinger").between([1, 0], [0, 3])
    1.0
    """

    normalize: bool = NORMALIZE
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("histograms",), symmetric=True, metric=True, sparse=True
    )

    sums = "HELLINGER"

    @classmethod
    def examples(cls) -> list[Hellinger]:
        """Return one that normalizes histograms, and one that takes them as they are."""
        return [cls(), cls(normalize=False)]

    def _rows(self, X: np.ndarray) -> Rows:
        from ilk_distances.histograms.bin_sums import masses

        bins = self._bins(X)
        kind = np.finfo(bins.dtype)
        faint = float(kind.tiny) / float(kind.eps)  # squares below have lost digits
        sure = _SURE[bins.dtype.type] * masses(np.ascontiguousarray(bins), 0.0)
        ends = thresholds(0.0, sure + faint)
        return Rows(np.sqrt(bins), X, {"left": ends, "right": ends})

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk.neighbors import squared_euclidean
        from ilk_distances.histograms.bin_sums import HELLINGER

        fill_tile(squared_euclidean, X, Y, tile)
        self._settle(HELLINGER, X, Y, tile)
        self._finish(tile.view)

    def _finish(self, D: np.ndarray) -> None:
        # d^2 = sum (sqrt h - sqrt k)^2 / 2
        D /= 2
        if self.normalize:
            np.minimum(D, 1, out=D)  # rounding may exceed 1
        np.sqrt(D, out=D)
