"""The common base of distances of histograms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import ilk
from ilk import param
from ilk.neighbors import Rows, Tile, VectorDistance

if TYPE_CHECKING:
    from ilk.neighbors import SparseRows

NORMALIZE: Any = param(
    default=True,
    doc="Whether every histogram is divided by its mass, the sum of its bins.",
)


class HistogramDistance(VectorDistance):
    """A distance of histograms: rows of non-negative bins; their sum is the mass.

    Sums over bins are first computed by a fast loop. Sums so small that they may have lost
    digits are computed again from differences of bins, which keep their digits.
    """

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("histograms",), symmetric=True, sparse=True
    )
    sums: ClassVar[str]  # name of the kind of sum in `bin_sums` for sparse histograms

    @property
    def normalize(self) -> bool:
        """Whether histograms are divided by their masses; a parameter of some distances."""
        return False

    @property
    def smoothing(self) -> float:
        """Summand for every bin; a parameter of some distances."""
        return 0

    @property
    def needs_mass(self) -> bool:
        """Whether a histogram must have a bin that is not 0."""
        return self.normalize and not self.smoothing

    def check_input(self, X: Any, argument: str = "X") -> Any:
        """Return X as an array of non-negative numbers, or raise an error that names the cell."""
        X = super().check_input(X, argument)
        negative = first_negative(X)
        if negative is not None:
            value, i, j = negative
            problem = f"has a negative bin ({value:g}) at row {i}, column {j}"
            raise ilk.InputError(f"{ilk.display_name(self)}: {argument} {problem}")
        self._check_masses(X, argument)
        return X

    def _check_masses(self, X: Any, argument: str) -> None:
        with np.errstate(over="ignore"):
            masses = np.ravel(X.sum(axis=1, dtype=float)) + float(self.smoothing) * X.shape[1]
        most = float(np.finfo(X.dtype).max) / 4  # keeps sums of two histograms finite
        problem = None
        if not masses.max() <= most:
            i = int(np.argmin(masses <= most))
            problem = f"has a histogram whose mass is too large ({masses[i]:g}) at row {i}"
        elif self.needs_mass and not masses.min() > 0:
            i = int(np.argmin(masses))
            problem = f"has an empty histogram (all bins are 0) at row {i}"
        if problem:
            raise ilk.InputError(f"{ilk.display_name(self)}: {argument} {problem}")

    def _rows(self, X: np.ndarray) -> Rows:
        return Rows(self._bins(X), X)

    def _bins(self, X: np.ndarray) -> np.ndarray:
        """The bins that are compared."""
        if not self.normalize:
            return X + self.smoothing if self.smoothing else X
        from ilk_distances.histograms.bin_sums import normalized

        return np.asarray(normalized(np.ascontiguousarray(X), float(self.smoothing)))

    def _settle(
        self, kind: int, X: Rows, Y: Rows, tile: Tile, factor: int = 1, most: float = np.inf
    ) -> None:
        """Finish sums by `bin_sums.settled`, and compute imprecise ones again.

        The `thresholds` are in the extras: "left" of X, "right" of Y.
        """
        from ilk_distances.histograms.bin_sums import settled

        left, right = X.extras["left"], Y.extras["right"]
        width = tile.matrix.shape[1]
        start = tile.row * width + tile.column
        if settled(tile.matrix.reshape(-1), start, width, factor, left, right, most):
            low = ~(tile.view >= left[1][:, None] + right[1])
            tile.view[low] = self._recomputed(kind, X.given, Y.given, low)

    def _recomputed(self, kind: int, X: np.ndarray, Y: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        rows, columns = np.nonzero(pairs)
        sums = np.zeros(len(rows))
        # mostly pairs of equal rows: their sum is 0, and nothing need be compiled
        few = len(rows) <= sum(pairs.shape)
        differ = (X[rows] != Y[columns]).any(axis=1) if few else np.ones(len(rows), dtype=bool)
        if differ.any():
            from ilk_distances.histograms.bin_sums import recomputed

            X, x_added = self._scaled(X)
            Y, y_added = self._scaled(Y)
            places, added = (rows[differ], columns[differ]), (x_added, y_added)
            sums[differ] = recomputed(kind, X, Y, *places, added, self.normalize)
        return sums

    def sparse_rows(self, X: Any, dtype: type[np.floating[Any]]) -> SparseRows:
        """Return bins in double, with the summand of every bin and the masses in two parts."""
        from ilk_distances.histograms.bin_sums import sparse_masses

        rows = super().sparse_rows(X, dtype).in_double
        added = np.full(len(rows), float(self.smoothing))
        if self.normalize:
            largest = np.ravel(rows.csr.max(axis=1).toarray())
            shifts = -np.frexp(np.maximum(largest, added))[1]  # as `_scaled` has them
            rows = replace(rows, values=np.ldexp(rows.values, rows.by_row(shifts)))
            added = np.ldexp(added, shifts)
        masses = sparse_masses(rows.values, rows.ends, rows.n_features, added)
        return replace(rows, extras={"added": added, "masses": masses})

    def merge(
        self, X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray
    ) -> np.ndarray:
        """Distances of the sparse rows ``X[rows[i]]`` to ``Y[columns[i]]``."""
        from ilk_distances.histograms import bin_sums

        x, y = (
            (Z.values, Z.indices, Z.ends, Z.extras["added"], Z.extras["masses"]) for Z in (X, Y)
        )
        D = np.zeros(len(rows))
        kind = getattr(bin_sums, self.sums)
        bin_sums.merged_sums(kind, *x, *y, X.n_features, rows, columns, self.normalize, D)
        self._finish(D)
        return D

    def _finish(self, D: np.ndarray) -> None:
        """Turn sums over bins into distances, in place."""

    def _scaled(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Histograms and the summands of their bins; bins at most 1 if normalized."""
        X = np.ascontiguousarray(X, dtype=float)
        added = np.full(len(X), float(self.smoothing))
        if not self.normalize:
            return X, added
        # an exact factor, so that sums of any bins stay in range
        exponents = -np.frexp(np.maximum(X.max(axis=1), added))[1]
        return np.ldexp(X, exponents[:, None]), np.ldexp(added, exponents)


def first_negative(X: Any) -> tuple[float, int, int] | None:
    """The first negative number of an array or of CSR, its row and its column; None if none."""
    if not X.min() < 0:
        return None
    rows, columns = (X < 0).nonzero()
    row = int(rows.min())
    column = int(columns[rows == row].min())
    return float(X[row, column]), row, column


def thresholds(values: object, least: Any) -> np.ndarray:
    """Return summands, and below them thresholds of precision, for `bin_sums.settled`."""
    return np.stack(np.broadcast_arrays(np.asarray(values, dtype=float), least))
