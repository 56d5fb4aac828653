"""Distances of histograms: what is the same for all of them before bins are compared."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import ilk
from ilk import Param
from ilk_distances.engine.distance import VectorDistance
from ilk_distances.engine.rows import Rows

NORMALIZE = Param(bool, doc="Whether every histogram is divided by its mass.")


class HistogramDistance(VectorDistance):
    """A distance of histograms: rows of non-negative bins, whose sum is their mass."""

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("histograms",), symmetric=True
    )
    normalize: bool = False
    smoothing: float = 0

    def check_input(self, X: Any, argument: str = "X") -> Any:
        """Return X as an array of non-negative numbers, or raise an error that names the cell."""
        X = super().check_input(X, argument)
        if X.min() < 0:
            i, j = (int(index) for index in np.argwhere(X < 0)[0])
            problem = f"has a negative bin ({X[i, j]:g}) at row {i}, column {j}"
            raise ilk.InputError(f"{ilk.display_name(self)}: {argument} {problem}")
        self._check_masses(X, argument)
        return X

    def _check_masses(self, X: np.ndarray, argument: str) -> None:
        masses = np.sum(X, axis=1, dtype=float)
        most = float(np.finfo(X.dtype).max) / 4  # sums of two histograms are finite
        problem = None
        if not masses.max() <= most:
            i = int(np.argmax(~(masses <= most)))
            problem = f"has a row of which the sum is too large ({masses[i]:g}), row {i}"
        elif self._needs_mass() and not masses.min() > 0:
            i = int(np.argmin(masses))
            problem = f"has an empty histogram (all bins are 0) at row {i}"
        if problem:
            raise ilk.InputError(f"{ilk.display_name(self)}: {argument} {problem}")

    def _needs_mass(self) -> bool:
        """Tell whether a histogram must have a bin that is not 0."""
        return self.normalize and not self.smoothing

    def _rows(self, X: np.ndarray) -> Rows:
        return Rows(self._bins(X), X)

    def _bins(self, X: np.ndarray) -> np.ndarray:
        """The bins that are compared."""
        if not self.normalize:
            return X
        from ilk_distances.histograms.bins import normalized

        return np.asarray(normalized(np.ascontiguousarray(X)))
