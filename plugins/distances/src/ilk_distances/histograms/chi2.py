"""The chi-squared distance of histograms."""

from __future__ import annotations

from functools import partial

import numpy as np

from ilk import param
from ilk.neighbors import Rows, Tile, fill_tile
from ilk_distances.histograms.histogram import HistogramDistance, thresholds

# Range of bins for the fast sums, and the share of the masses above which a sum of normalized
# bins is precise.
_USUAL = {np.float64: (2.0**-255, 2.0**255), np.float32: (2.0**-26, 2.0**40)}
_SURE = {np.float64: 2.0**-26, np.float32: 2.0**-10}


class ChiSquared(HistogramDistance):
    """Chi-squared distance of histograms: squared differences from the mean, over the mean.

    ``d(h, k) = sum_f (h_f - m_f)^2 / m_f`` with ``m = (h + k) / 2``, over the bins with a
    non-zero mean. It equals half of ``sum_f (h_f - k_f)^2 / (h_f + k_f)``, a common form:
    scikit-learn's ``-additive_chi2_kernel`` is twice as large.

    Its square root is a metric, but not the distance itself. Bins that are 0 in both histograms
    contribute 0, and the distance to an empty histogram is half the mass of the other, up to
    rounding. For normalized histograms it is between 0 and 1. Differences are taken bin by bin:
    equal histograms are at distance exactly 0, and close ones lose no digits.

    Raises
    ------
    InputError
        If a bin is negative, NaN or infinite (names row and column), if a mass is more than a
        quarter of the largest number of its type, or if an empty histogram is to be normalized.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.2; equation 2.19 (printed without the square, and divided by
       h).
    .. [2] Y. Rubner, C. Tomasi and L. J. Guibas, "The earth mover's distance as a metric for image
       retrieval", *International Journal of Computer Vision* 40 (2), 2000.
    .. [3] Zaidi 2011: equation 3.4.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("chi2").between([0.5, 0.5, 0], [0.5, 0, 0.5])
    0.5
    """

    normalize: bool = param(
        default=False,
        doc="Whether every histogram is divided by its mass, the sum of its bins.",
    )

    sums = "CHI2"

    @classmethod
    def examples(cls) -> list[ChiSquared]:
        """Return one that takes histograms as they are, and one that normalizes them."""
        return [cls(), cls(normalize=True)]

    def _rows(self, X: np.ndarray) -> Rows:
        from ilk_distances.histograms.bin_sums import outside

        bins = self._bins(X)
        ends = thresholds(0.0, np.full(len(X), _SURE[bins.dtype.type]))
        unusual = outside(np.ascontiguousarray(bins), *_USUAL[bins.dtype.type])
        return Rows(bins, X, {"unusual": unusual, "left": ends, "right": ends})

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk_distances.histograms.bin_sums import CHI2, chi2_sums, paired_chi2_sums

        kind = X.values.dtype.type
        # fast sums for usual bins; careful ones where a pair has an unusual bin
        unusual = X.extras["unusual"][:, None] | Y.extras["unusual"]
        if not unusual.all():
            fill_tile(partial(paired_chi2_sums, least=kind(_USUAL[kind][0])), X, Y, tile)
        if unusual.any():
            D = np.empty(tile.shape, dtype=kind)
            smallest = np.finfo(kind).smallest_subnormal
            fill_tile(partial(chi2_sums, least=smallest), X, Y, Tile(D, 0, 0, tile.shape))
            np.copyto(tile.view, D, where=unusual)
        if self.normalize:
            self._settle(CHI2, X, Y, tile)
        self._finish(tile.view)

    def _finish(self, D: np.ndarray) -> None:
        if self.normalize:
            np.minimum(D, 1, out=D)  # rounding may exceed 1
