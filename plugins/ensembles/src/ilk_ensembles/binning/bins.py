"""Bins: the range of each feature cut into parts of equal width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

import ilk

_CELLS = 1 << 16  # binned in one block
_SMALL = 256  # bins whose numbers take one byte


@dataclass(frozen=True)
class Bins:
    """Cuts ``[low, high]`` of each feature into `n_bins` parts of equal width.

    Bin k of a feature holds ``low + k w <= x < low + (k + 1) w`` with
    ``w = (high - low) / n_bins``; the last one holds `high` too. What lies outside falls into
    the bin at that end. A feature of one value has all in bin 0.

    Attributes
    ----------
    low, high : ndarray of shape (p,)
    n_bins : int
    """

    low: np.ndarray
    high: np.ndarray
    n_bins: int

    @classmethod
    def of(cls, X: np.ndarray, n_bins: int) -> Self:
        """Bins between the least and the largest value of each column."""
        return cls(X.min(axis=0).astype(float), X.max(axis=0).astype(float), n_bins)

    def codes(self, X: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        """Bin of each value, feature by feature; of some columns only, where they are given.

        Returns
        -------
        ndarray of uint8, or of uint16 from 257 bins on, shape (p, n)
        """
        from ilk_ensembles.binning.kernels import bin_block

        some = slice(None) if columns is None else columns
        low, high = self.low[some], self.high[some]
        n, p = len(X), len(low)
        codes = np.empty((p, n), dtype=np.uint8 if self.n_bins <= _SMALL else np.uint16)

        def work(start: int, stop: int) -> None:
            block = np.ascontiguousarray(X[start:stop, some], dtype=float)
            bin_block(block, low, high, self.n_bins, start, codes)

        ilk.in_blocks(work, n, max(_CELLS // max(p, 1), 1))
        return codes
