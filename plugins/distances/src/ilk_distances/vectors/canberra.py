"""Canberra distance: the sum of relative differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

import ilk
from ilk.neighbors import Rows, Tile, VectorDistance, fill_tile

if TYPE_CHECKING:
    from ilk.neighbors import SparseRows


class Canberra(VectorDistance):
    """Canberra distance: the sum of relative differences, each between 0 and 1.

    ``d(x, y) = sum_f |x_f - y_f| / (|x_f| + |y_f|)``; a feature that is zero in both contributes
    0. It is a metric and sensitive to values near zero. Multiplying a feature by a number
    changes nothing, up to rounding.

    Raises
    ------
    InputError
        If X or Y has a NaN or an infinite value (names row and column), or their numbers of
        features differ.

    References
    ----------
    .. [1] G. N. Lance and W. T. Williams, "Computer programs for hierarchical polythetic
       classification (similarity analyses)", *The Computer Journal* 9 (1966) 60-64.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("canberra").between([1.0, 0.0, 3.0], [3.0, 0.0, 0.0])
    1.5
    """

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        symmetric=True, metric=True, sparse=True
    )

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk_distances.vectors.row_kernels import relative

        largest = max(np.abs(X.values).max(), np.abs(Y.values).max())
        if largest < np.finfo(X.values.dtype).max / 2:
            fill_tile(relative, X, Y, tile)
        else:
            tile.view[...] = _of_huge(X.values.astype(float), Y.values.astype(float))

    def merge(
        self, X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray
    ) -> np.ndarray:
        """Distances of the sparse rows ``X[rows[i]]`` to ``Y[columns[i]]``."""
        from ilk.neighbors import densified, merged

        largest = max(float(np.abs(Z.values).max(initial=0)) for Z in (X, Y))
        if not largest < np.finfo(X.values.dtype).max / 2:
            return densified(self, X, rows, Y, columns)
        return merged("relative", X, rows, Y, columns)


def _of_huge(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Sums of relative differences of numbers so large that ``|x| + |y|`` may overflow."""
    total = np.zeros((len(X), len(Y)))
    for x, y in zip(X.T[:, :, None], Y.T[:, None, :], strict=True):
        # halves only where numbers are large: small ones would lose digits
        half = np.where(np.maximum(np.abs(x), np.abs(y)) > 1, 0.5, 1.0)
        gap, size = np.abs(x * half - y * half), np.abs(x) * half + np.abs(y) * half
        total += np.divide(gap, size, out=np.zeros_like(gap), where=size > 0)
    return total
