"""Distances of histograms that come from logarithms of their bins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ilk import Param
from ilk_distances.histograms.histogram import NORMALIZE, HistogramDistance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk.neighbors.rows import Tile

BASE = Param(float, gt=1, doc="Base of the logarithm.")
FAINT = 2.0**-900  # sums below may have lost terms
VAST = 2.0**150  # sums above have the logarithm of an empty bin


class InformationDistance(HistogramDistance):
    """A distance that comes from logarithms of bins; float32 is compared as float64."""

    parameters: ClassVar[Mapping[str, Param]] = {
        "smoothing": Param(float, ge=0, doc="Added to every bin before histograms are normalized."),
        "normalize": NORMALIZE,
        "base": BASE,
    }
    works_in_double: ClassVar[bool] = True
    base: float

    def check_parameters(self) -> None:
        """Check that the smoothing and the base are finite."""
        super().check_parameters()
        for name in ("smoothing", "base"):
            if not math.isfinite(getattr(self, name)):
                raise self.parameter_error(name, f"must be finite, got {getattr(self, name)}")

    def _to_base(self, tile: Tile) -> None:
        if self.base != math.e:
            D = tile.view
            D /= math.log(self.base)


def logarithms(bins: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Logarithms of bins, and the sums that the compiled `row_totals` makes with them."""
    from ilk_distances.histograms import logarithms as compiled

    bins = np.ascontiguousarray(bins)
    logs = compiled.logarithms(bins)
    return (logs, *compiled.row_totals(bins, logs))


def unless_extreme(bins: np.ndarray, least: float = 2.0**-800, most: float = 2.0**64) -> np.ndarray:
    """Return 1 for rows of which a bin can be multiplied with the logarithm of any, else NaN.

    With the logarithm that stands for that of an empty bin, a product is more than `VAST`.
    """
    from ilk_distances.histograms.bins import outside

    return np.where(outside(np.ascontiguousarray(bins), least, most), np.nan, 1.0)
