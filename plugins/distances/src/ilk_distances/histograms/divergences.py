"""Divergences of histograms, computed from logarithms of bins."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

import ilk
from ilk import param
from ilk.neighbors import Rows, Tile, fill_tile, padded_width
from ilk_distances.histograms.histogram import NORMALIZE, HistogramDistance, thresholds

_SURE = 2.0**-16  # a sum is precise above this share of the sum of its absolute terms
_SURE_OF_DIFFERENCES = 2.0**-24  # likewise, for sums of differences of masses and logarithms
_FAINT = 2.0**-900  # sums below may have lost terms by underflow
_VAST = 2.0**150  # sums above contain the logarithm of an empty bin (`VOID`)


_SMOOTHING: Any = param(
    default=0,
    type=float,
    ge=0,
    doc="Added to every bin; then histograms are normalized.",
)


class InformationDistance(HistogramDistance):
    """A distance from logarithms of bins; float32 is compared as float64."""

    base: float = param(
        default=math.e, type=float, gt=1, doc="Base of the logarithm; with 2 distances are in bits."
    )
    works_in_double: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> list[Self]:
        """Return one for each policy."""
        subclass: Any = cls  # each subclass declares the three
        return [subclass(), subclass(smoothing=0.5), subclass(normalize=False, base=2)]

    def check_parameters(self) -> None:
        """Check that the smoothing and the base are finite."""
        super().check_parameters()
        for name in ("smoothing", "base"):
            if not math.isfinite(getattr(self, name)):
                raise self.parameter_error(name, f"must be finite, got {getattr(self, name)}")

    def _finish(self, D: np.ndarray) -> None:
        if self.base != math.e:
            D /= math.log(self.base)


class KullbackLeibler(InformationDistance):
    """Kullback-Leibler divergence: the information lost if histogram k stands for histogram h.

    ``d(h, k) = sum_f h_f ln(h_f / k_f)``, of histograms divided by their masses. It is neither
    symmetric nor a metric. Bins where h is 0 contribute 0; if k is 0 in a bin where h is not,
    the distance is infinite, unless `smoothing` is set.

    Of histograms that are not normalized it is ``sum_f h_f ln(h_f / k_f) - h_f + k_f``, the
    generalized divergence: it is the same for equal masses, and never negative for others.

    Logarithms are taken once for each histogram. Equal histograms are at distance exactly 0, and
    close ones are compared by their differences.

    Raises
    ------
    ParameterError
        If the smoothing or the base is not finite.
    InputError
        If a bin is negative, NaN or infinite (names row and column), if a mass is more than a
        quarter of the largest number of its type, or if an empty histogram is to be normalized.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.2; equation 2.18 (without a rule for bins of 0).
    .. [2] S. Kullback and R. A. Leibler, "On information and sufficiency", *The Annals of
       Mathematical Statistics* 22 (1), 1951.

    Examples
    --------
    >>> import ilk
    >>> bits = ilk.distance("kullback_leibler", base=2)
    >>> bits.between([1, 0], [1, 3]), bits.between([1, 3], [1, 0])
    (2.0, inf)
    """

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(inputs=("histograms",), sparse=True)
    sums = "DIVERGENCE"

    smoothing: float = _SMOOTHING
    normalize: bool = NORMALIZE

    def _rows(self, X: np.ndarray) -> Rows:
        bins = self._bins(X)
        logs, mass, product, size = _logarithms(bins)
        sure = _unless_extreme(bins) * _SURE
        # d = sum (h ln h - h) + sum k - sum h ln k: the masses cancel for normalized histograms,
        # and make every term h ln(h / k) - h + k non-negative
        extras = {
            "logs": logs,
            "left": thresholds(product - mass, sure * size + _FAINT),
            "right": thresholds(mass, sure * mass),
        }
        return Rows(bins, X, extras)

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk_distances.histograms.bin_sums import DIVERGENCE, products

        fill_tile(products, X, replace(Y, values=Y.extras["logs"]), tile)
        self._settle(DIVERGENCE, X, Y, tile, factor=-1, most=_VAST)
        self._finish(tile.view)


class _EntropyDifference(InformationDistance):
    """Jeffrey divergence, by entropies of histograms and of their mean."""

    sums = "JEFFREY"

    def _rows(self, X: np.ndarray) -> Rows:
        bins = self._bins(X)
        _, mass, product, size = _logarithms(bins)
        sure = _unless_extreme(bins, least=0, most=2.0**900) * _SURE
        # d = sum (h ln h + h ln 2) + sum (k ln k + k ln 2) - sum s ln s with s = h + k
        ends = thresholds(product + math.log(2) * mass, sure * size + _FAINT)
        return Rows(bins, X, {"left": ends, "right": ends})

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk_distances.histograms.bin_sums import JEFFREY, entropies

        fill_tile(entropies, X, Y, tile)
        self._settle(JEFFREY, X, Y, tile, factor=-1)
        self._finish(tile.view)

    def _finish(self, D: np.ndarray) -> None:
        if self.normalize:
            np.minimum(D, 2 * math.log(2), out=D)  # rounding may exceed it
        super()._finish(D)


class Jeffrey(_EntropyDifference):
    """Jeffrey divergence: the information lost if their mean stands for two histograms.

    ``d(h, k) = sum_f h_f ln(h_f / m_f) + k_f ln(k_f / m_f)`` with ``m = (h + k) / 2``. The name
    follows Rubner et al.: it is twice the Jensen-Shannon divergence, and finite also for empty
    bins. For normalized histograms it is at most ``2 ln 2 / ln base``, rounded to the type of
    the result. Elsewhere the name means the sum of the Kullback-Leibler divergences both ways,
    which is ``symmetric_kl`` here.

    It is symmetric; its root is a metric, but not the divergence itself. Equal histograms are at
    distance exactly 0, and close ones are compared by their differences.

    Raises
    ------
    ParameterError
        If the smoothing or the base is not finite.
    InputError
        If a bin is negative, NaN or infinite (names row and column), if a mass is more than a
        quarter of the largest number of its type, or if an empty histogram is to be normalized.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.2 (described after equation 2.18 without a formula).
    .. [2] Y. Rubner, C. Tomasi and L. J. Guibas, "The earth mover's distance as a metric for image
       retrieval", *International Journal of Computer Vision* 40 (2), 2000.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("jeffrey", base=2).between([1, 0], [0, 3])
    2.0
    """

    smoothing: float = _SMOOTHING
    normalize: bool = NORMALIZE


class JensenShannon(_EntropyDifference):
    """Jensen-Shannon distance: the root of the Jensen-Shannon divergence, a metric.

    ``d(h, k) = sqrt((sum_f h_f ln(h_f / m_f) + k_f ln(k_f / m_f)) / 2)`` with
    ``m = (h + k) / 2``, of histograms divided by their masses, as scipy's ``jensenshannon``.
    The sum is the distance ``jeffrey``.

    It is finite also for empty bins: at most 1 in base 2. Equal histograms are at distance
    exactly 0, and close ones are compared by their differences, so that rounding never leaves
    the root of a negative number.

    Raises
    ------
    ParameterError
        If the base is not finite.
    InputError
        If a bin is negative, NaN or infinite (names row and column), if a mass is more than a
        quarter of the largest number of its type, or if a histogram is empty.

    References
    ----------
    .. [1] J. Lin, "Divergence measures based on the Shannon entropy", *IEEE Transactions on
       Information Theory* 37 (1), 1991.
    .. [2] D. M. Endres and J. E. Schindelin, "A new metric for probability distributions", *IEEE
       Transactions on Information Theory* 49 (7), 2003.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("jensen_shannon", base=2).between([1, 0], [0, 3])
    1.0
    """

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("histograms",), symmetric=True, metric=True, sparse=True
    )
    smoothing = 0
    normalize = True

    @classmethod
    def examples(cls) -> list[JensenShannon]:
        """Return one in natural units, and one in bits."""
        return [cls(), cls(base=2)]

    def _finish(self, D: np.ndarray) -> None:
        super()._finish(D)
        D /= 2
        np.sqrt(D, out=D)


class SymmetricKL(InformationDistance):
    """Symmetric Kullback-Leibler divergence: the sum of the divergences both ways.

    ``d(h, k) = sum_f (h_f - k_f) (ln h_f - ln k_f)``. It is infinite where a bin is 0 in one
    histogram only, unless `smoothing` is set. Jeffreys introduced it, and some call it the
    Jeffreys divergence; ``jeffrey`` here is Rubner's, which stays finite.

    It is symmetric but no metric. Equal histograms are at distance exactly 0, and close ones are
    compared by their differences.

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

    smoothing: float = _SMOOTHING
    normalize: bool = NORMALIZE
    sums = "SYMMETRIC"

    def _rows(self, X: np.ndarray) -> Rows:
        bins = self._bins(X)
        logs, _, _, size = _logarithms(bins)
        n, p = X.shape
        # bins and their logarithms side by side, each padded to whole turns of the kernel's loop
        half = padded_width(p)
        values = np.zeros((n, 2 * half))
        values[:, :p], values[:, half : half + p] = bins, logs
        ends = thresholds(0.0, _unless_extreme(bins) * _SURE_OF_DIFFERENCES * size + _FAINT)
        return Rows(values, X, {"left": ends, "right": ends})

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk_distances.histograms.bin_sums import SYMMETRIC, differences

        fill_tile(differences, X, Y, tile)
        self._settle(SYMMETRIC, X, Y, tile, most=_VAST)
        self._finish(tile.view)


def _logarithms(bins: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Logarithms of bins, and the sums of `row_totals`."""
    from ilk_distances.histograms import bin_sums

    bins = np.ascontiguousarray(bins)
    logs = bin_sums.logarithms(bins)
    return (logs, *bin_sums.row_totals(bins, logs))


def _unless_extreme(
    bins: np.ndarray, least: float = 2.0**-800, most: float = 2.0**64
) -> np.ndarray:
    """Return 1 for rows whose bins times any logarithm stay in range, else NaN.

    A product with `VOID`, the logarithm of an empty bin, exceeds `_VAST`.
    """
    from ilk_distances.histograms.bin_sums import outside

    return np.where(outside(np.ascontiguousarray(bins), least, most), np.nan, 1.0)
