"""The symmetric Kullback-Leibler divergence of histograms."""

from __future__ import annotations

import math

import numpy as np

from ilk.neighbors.rows import UNROLLED, Rows, Tile, fill
from ilk_distances.histograms.histogram import thresholds
from ilk_distances.histograms.information import (
    FAINT,
    VAST,
    InformationDistance,
    logarithms,
    unless_extreme,
)

_SURE = 2.0**-24  # share of masses and logarithms from which differences of logarithms have digits


class SymmetricKL(InformationDistance):
    """Symmetric Kullback-Leibler divergence: the sum of the divergences both ways.

    ``d(h, k) = sum_f (h_f - k_f) (ln h_f - ln k_f)``. It is infinite where a bin is 0 in one
    histogram only, unless `smoothing` is set. Jeffreys introduced it, and some call it the
    Jeffreys divergence; ``jeffrey`` here is Rubner's, which stays finite.

    It is symmetric but no metric. Equal histograms are at distance exactly 0, and close ones are
    compared by their differences.

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
    .. [1] H. Jeffreys, "An invariant form for the prior probability in estimation problems",
       *Proceedings of the Royal Society A* 186, 1946.

    Examples
    --------
    >>> import ilk
    >>> bits = ilk.distance("symmetric_kl", base=2)
    >>> bits.between([1, 1], [1, 3]) == bits.between([1, 3], [1, 1])
    True
    >>> round(bits.between([1, 1], [1, 3]), 4)
    0.3962
    """

    def __init__(self, smoothing: float = 0, normalize: bool = True, base: float = math.e) -> None:
        self.smoothing = smoothing
        self.normalize = normalize
        self.base = base

    @classmethod
    def examples(cls) -> list[SymmetricKL]:
        """Return one for each policy."""
        return [cls(), cls(smoothing=0.5), cls(normalize=False, base=2)]

    def _rows(self, X: np.ndarray) -> Rows:
        bins = self._bins(X)
        logs, _, _, size = logarithms(bins)
        n, p = X.shape
        half = -(-p // UNROLLED) * UNROLLED
        values = np.zeros((n, 2 * half))
        values[:, :p], values[:, half : half + p] = bins, logs
        ends = thresholds(0.0, unless_extreme(bins) * _SURE * size + FAINT)
        return Rows(values, X, {"left": ends, "right": ends})

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk_distances.histograms.logarithms import differences
        from ilk_distances.histograms.near import SYMMETRIC

        fill(differences, X, Y, tile)
        self._settle(SYMMETRIC, X, Y, tile, most=VAST)
        self._to_base(tile)
