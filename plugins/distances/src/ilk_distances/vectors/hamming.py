"""Hamming distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import ilk
from ilk import param
from ilk.neighbors import MAX_SORTED, Rows, Tile, VectorDistance, fill_tile
from ilk_distances.vectors.symbols import as_symbols, comparable

if TYPE_CHECKING:
    from ilk import Cases
    from ilk.neighbors.sparse import SparseRows


class Hamming(VectorDistance):
    """Hamming distance: the share, or the number, of positions in which two rows differ.

    ``d(x, y) = sum_f [x_f != y_f] / n``, with n the number of positions, or 1 with
    ``normalize=False``. Two empty texts are at distance 0.

    Rows may be vectors of any type, rows of a data frame (nominal columns too), lists of
    hashable values, texts or bytes; ``==`` compares their values. A missing value is an error;
    the distance `heterogeneous` takes missing values.

    Raises
    ------
    InputError, InputTypeError
        If rows differ in length (names two of them), a value is missing, infinite or not
        hashable (names row and column), or X and Y cannot be compared, like texts and bytes.

    References
    ----------
    .. [1] R. W. Hamming, "Error detecting and error correcting codes", Bell System Technical
       Journal 29, 1950.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("hamming").between([0, 1, 1, 0], [0, 1, 0, 1])
    0.5
    >>> ilk.distance("hamming", normalize=False).pairwise(["karolin", "kathrin"])
    array([[0., 3.],
           [3., 0.]])
    """

    normalize: bool = param(default=True, doc="Divide the count by the number of positions.")
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("vectors", "tables", "strings"), symmetric=True, metric=True, sparse=True
    )

    @classmethod
    def examples(cls) -> list[Hamming]:
        """Return the share and the number."""
        return [cls(), cls(normalize=False)]

    def check_input(self, X: Cases, argument: str = "X") -> Any:
        """Return X as an array of numbers, of characters, of single bytes or of objects."""
        if ilk.is_sparse(X):
            return ilk.check_vectors(self, X, argument=argument, sparse=True)
        return as_symbols(self, X, argument)

    def check_pair(self, X: Any, Y: Any = None) -> tuple[Any, Any]:
        """Return X and Y (X again if None) as arrays; tables must have the same columns."""
        if ilk.is_table(X) and ilk.is_table(Y) and list(X.columns) != list(Y.columns):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: X has the columns {list(X.columns)} but Y has "
                f"{list(Y.columns)}"
            )
        return super().check_pair(X, Y)

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        X, Y = self.check_pair(X, Y)
        counts = super().pairwise(*self._numbered(X, Y))
        return self._related(counts, X, Y)

    def kneighbors(self, X: Any, Y: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k rows of Y nearest to each row of X, nearest first, ties by lower index."""
        X, Y = self.check_pair(X, Y)
        if k > MAX_SORTED:
            return ilk.nearest_blocked(self, X, Y, k)
        near, where = super().kneighbors(*self._numbered(X, Y), k)
        return self._related(near, X, Y), where

    def _numbered(self, X: Any, Y: Any) -> tuple[Any, Any]:
        """Rows as numbers that are equal where symbols are; sparse rows are numbers already."""
        return (X, Y) if ilk.is_sparse(X) or ilk.is_sparse(Y) else comparable(self, X, Y)

    def _related(self, counts: np.ndarray, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Counts, or shares if `normalize` is set."""
        single = X.dtype == Y.dtype == np.float32
        counts = counts.astype(np.float32 if single else np.float64, copy=False)
        return counts / max(X.shape[1], 1) if self.normalize else counts

    def merge(
        self, X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray
    ) -> np.ndarray:
        """Numbers of features in which the sparse ``X[rows[i]]`` and ``Y[columns[i]]`` differ."""
        from ilk.neighbors import sparse

        return sparse.merged(sparse.UNEQUAL, X, rows, Y, columns)

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk_distances.vectors.row_kernels import differences

        fill_tile(differences, X, Y, tile)
