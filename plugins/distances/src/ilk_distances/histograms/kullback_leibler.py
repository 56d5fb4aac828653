"""The Kullback-Leibler divergence of histograms."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import ilk
from ilk.neighbors.rows import Rows, Tile, fill
from ilk_distances.histograms.histogram import thresholds
from ilk_distances.histograms.information import (
    FAINT,
    VAST,
    InformationDistance,
    logarithms,
    unless_extreme,
)

if TYPE_CHECKING:
    import numpy as np

_SURE = 2.0**-16  # share of what was added up from which digits are left


class KullbackLeibler(InformationDistance):
    """Kullback-Leibler divergence: what it costs to take histogram k for histogram h.

    ``d(h, k) = sum_f h_f ln(h_f / k_f)``, of histograms divided by their masses. It is neither
    symmetric nor a metric. Bins where h is 0 count nothing; where only k is 0 the distance is
    infinite, unless `smoothing` is set.

    Of histograms that are not normalized it is ``sum_f h_f ln(h_f / k_f) - h_f + k_f``, the
    generalized divergence: that is the same where the masses are equal, and not negative where
    they are not.

    Logarithms are taken once for each histogram. Equal histograms are at distance exactly 0, and
    close ones are compared by their differences.

    Parameters
    ----------
    smoothing : float, default=0
        Added to every bin; then histograms are normalized.
    normalize : bool, default=True
        Whether every histogram is divided by its mass, the sum of its bins.
    base : float, default=e
        Base of the logarithm, more than 1: with 2 distances are in bits.

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
       Techniques for Multimedia*, Springer, 2008, equation (2.18), which says nothing of bins
       that are 0.
    .. [2] S. Kullback and R. A. Leibler, "On information and sufficiency", *The Annals of
       Mathematical Statistics* 22 (1), 1951.

    Examples
    --------
    >>> import ilk
    >>> bits = ilk.distance("kullback_leibler", base=2)
    >>> bits.between([1, 0], [1, 3]), bits.between([1, 3], [1, 0])
    (2.0, inf)
    """

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(inputs=("histograms",))

    def __init__(self, smoothing: float = 0, normalize: bool = True, base: float = math.e) -> None:
        self.smoothing = smoothing
        self.normalize = normalize
        self.base = base

    @classmethod
    def examples(cls) -> list[KullbackLeibler]:
        """Return one for each policy."""
        return [cls(), cls(smoothing=0.5), cls(normalize=False, base=2)]

    def _rows(self, X: np.ndarray) -> Rows:
        bins = self._bins(X)
        logs, mass, product, size = logarithms(bins)
        sure = unless_extreme(bins) * _SURE
        extras = {
            "logs": logs,
            "left": thresholds(product - mass, sure * size + FAINT),
            "right": thresholds(mass, sure * mass),
        }
        return Rows(bins, X, extras)

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk_distances.histograms.logarithms import products
        from ilk_distances.histograms.near import DIVERGENCE

        fill(products, X, replace(Y, values=Y.extras["logs"]), tile)
        self._settle(DIVERGENCE, X, Y, tile, factor=-1, most=VAST)
        self._to_base(tile)
