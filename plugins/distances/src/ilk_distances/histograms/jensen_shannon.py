"""The Jensen-Shannon distance of histograms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

import ilk
from ilk_distances.histograms.information import BASE
from ilk_distances.histograms.jeffrey import Jeffrey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk import Param
    from ilk.neighbors.rows import Rows, Tile


class JensenShannon(Jeffrey):
    """Jensen-Shannon distance: the root of the Jensen-Shannon divergence, a metric.

    ``d(h, k) = sqrt((sum_f h_f ln(h_f / m_f) + k_f ln(k_f / m_f)) / 2)`` with
    ``m = (h + k) / 2``, of histograms divided by their masses, as scipy's ``jensenshannon``.
    The sum is the distance ``jeffrey``.

    It is finite whatever bins are 0: at most 1 in base 2. Equal histograms are at distance
    exactly 0, and close ones are compared by their differences: it never is the root of a tiny
    negative number.

    Parameters
    ----------
    base : float, default=e
        Base of the logarithm, more than 1.

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

    parameters: ClassVar[Mapping[str, Param]] = {"base": BASE}
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("histograms",), symmetric=True, metric=True
    )
    smoothing = 0
    normalize = True

    def __init__(self, base: float = math.e) -> None:
        self.base = base

    @classmethod
    def examples(cls) -> list[JensenShannon]:
        """Return one in natural units, and one in bits."""
        return [cls(), cls(base=2)]

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        super()._compare(X, Y, tile)
        D = tile.view
        D /= 2
        np.sqrt(D, out=D)
