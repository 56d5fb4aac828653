"""The Jeffrey divergence of histograms."""

from __future__ import annotations

import math

import numpy as np

from ilk.neighbors.rows import Rows, Tile, fill
from ilk_distances.histograms.histogram import thresholds
from ilk_distances.histograms.information import (
    FAINT,
    InformationDistance,
    logarithms,
    unless_extreme,
)

_SURE = 2.0**-16  # share of what was added up from which digits are left


class Jeffrey(InformationDistance):
    """Jeffrey divergence: what it costs to take two histograms for their mean.

    ``d(h, k) = sum_f h_f ln(h_f / m_f) + k_f ln(k_f / m_f)`` with ``m = (h + k) / 2``. This is
    what Rubner et al. call so: twice the Jensen-Shannon divergence, finite whatever bins are
    0. If histograms are normalized it is at most ``2 ln 2 / ln base``, rounded to the type of
    the result. Elsewhere the name means the sum of the Kullback-Leibler divergences both ways,
    which is ``symmetric_kl`` here.

    It is symmetric; its root is a metric, it itself is none. Equal histograms are at distance
    exactly 0, and close ones are compared by their differences.

    Parameters
    ----------
    smoothing : float, default=0
        Added to every bin; then histograms are normalized.
    normalize : bool, default=True
        Whether every histogram is divided by its mass, the sum of its bins.
    base : float, default=e
        Base of the logarithm, more than 1.

    Raises
    ------
    ParameterError
        If the smoothing or the base is not finite.
    InputError
        If a bin is negative, NaN or infinite (names row and column), if a mass is more than a
        quarter of the largest number of its type, or if an empty histogram is to be normalized.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, after equation (2.18): described only.
    .. [2] Y. Rubner, C. Tomasi and L. J. Guibas, "The earth mover's distance as a metric for image
       retrieval", *International Journal of Computer Vision* 40 (2), 2000.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("jeffrey", base=2).between([1, 0], [0, 3])
    2.0
    """

    def __init__(self, smoothing: float = 0, normalize: bool = True, base: float = math.e) -> None:
        self.smoothing = smoothing
        self.normalize = normalize
        self.base = base

    @classmethod
    def examples(cls) -> list[Jeffrey]:
        """Return one for each policy."""
        return [cls(), cls(smoothing=0.5), cls(normalize=False, base=2)]

    def _rows(self, X: np.ndarray) -> Rows:
        bins = self._bins(X)
        _, mass, product, size = logarithms(bins)
        sure = unless_extreme(bins, least=0, most=2.0**900) * _SURE
        ends = thresholds(product + math.log(2) * mass, sure * size + FAINT)
        return Rows(bins, X, {"left": ends, "right": ends})

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk_distances.histograms.logarithms import entropies
        from ilk_distances.histograms.near import JEFFREY

        fill(entropies, X, Y, tile)
        self._settle(JEFFREY, X, Y, tile, factor=-1)
        if self.normalize:
            np.minimum(tile.view, 2 * math.log(2), out=tile.view)  # sums are rounded
        self._to_base(tile)
