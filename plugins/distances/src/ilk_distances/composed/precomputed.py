"""Precomputed distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, param

if TYPE_CHECKING:
    from ilk import Cases, Labels


class Precomputed(ilk.Distance):
    """Distances looked up in a matrix: ``d(x, y) = matrix[x, y]``; data are row numbers.

    The matrix has the distances of all N objects, for training and testing alike, and X is a
    column of their numbers, ``np.arange(N)[:, np.newaxis]``. Splits, editors and pipelines,
    which select rows of X, therefore work without change. (scikit-learn's
    ``metric="precomputed"`` takes rows of the matrix itself as X, and its columns must be
    selected along with the rows.)

    The matrix is not copied, neither by `fit` nor by ``clone``.

    Attributes
    ----------
    matrix_ : ndarray of shape (N, N)
        The matrix, set by `fit`.

    Raises
    ------
    ParameterError
        If the matrix is missing, not square, has a negative value or a NaN (names the cell), or
        is not as declared.
    InputError
        If X is no column of whole numbers within 0..N-1; names the row and the value.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("precomputed", matrix=[[0, 1, 4], [1, 0, 2], [4, 2, 0]], symmetric=True)
    >>> d.pairwise([[0], [2]], [[1], [2]])
    array([[1., 4.],
           [2., 0.]])
    """

    matrix: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (N, N)",
        doc="Non-negative, no NaN; infinity is allowed and ranks last. Row: from, column: to.",
    )
    metric: bool = param(
        default=False,
        doc="Your promise that the triangle inequality holds and different objects are not at "
        "distance 0; needs ``symmetric=True``. Zeros on the diagonal are checked by `fit`.",
    )
    symmetric: bool = param(
        default=False,
        doc="Your promise that the matrix is symmetric; checked by `fit`, up to rounding.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(inputs=("indices",))

    def __sklearn_clone__(self) -> Any:
        # A copy of the matrix might not fit into memory; the matrix is only read.
        return self if ilk.is_frozen(self) else type(self)(**self.get_params(deep=False))

    @classmethod
    def examples(cls) -> list[Precomputed]:
        """Return an asymmetric matrix, and the distances of 200 points on a line."""
        points = np.arange(200.0)
        line = np.abs(np.subtract.outer(points, points))
        return [cls(matrix=line + np.triu(line)), cls(matrix=line, metric=True, symmetric=True)]

    def check_parameters(self) -> None:
        """Check the shape of the matrix, and that a metric is symmetric."""
        super().check_parameters()
        if self.metric and not self.symmetric:
            raise self.parameter_error("symmetric", "must be true where metric is, got False")
        if self.matrix is not None:
            shape = np.shape(self.matrix)
            if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
                raise self.parameter_error("matrix", f"must be square, got shape {shape}")

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Check every value of the matrix, and the row numbers in X; nothing is learned."""
        self.check_parameters()
        matrix = self._matrix()
        everyone = np.arange(len(matrix))
        step = max(_CHECKED // len(matrix), 1)
        for start in range(0, len(matrix), step):
            rows = everyone[start : start + step]
            block = matrix[start : start + step]
            self._check_values(block, rows, everyone)
            if self.symmetric:
                mirrored = matrix[:, start : start + step].T
                odd = ~np.isclose(block, mirrored, rtol=1e-9, atol=0)
                self._complain(block, odd, "must be symmetric", rows, everyone)
            if self.metric:
                odd = (block != 0) & (rows[:, None] == everyone)
                self._complain(block, odd, "must be 0 on the diagonal", rows, everyone)
        self.check_input(X)
        self.matrix_ = matrix
        return self

    def between(self, x: object, y: Labels) -> float:
        """Distance between two objects, given by their numbers."""
        return float(
            self.pairwise([x] if np.isscalar(x) else x, [y] if np.isscalar(y) else y)[0, 0]
        )

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every object in X to every object in Y (X itself if left out)."""
        self.check_parameters()
        X, Y = self.check_pair(X, Y)
        D = self._matrix()[np.ix_(X, Y)]
        if not hasattr(self, "matrix_"):
            self._check_values(D, X, Y)
        return D

    def check_input(self, X: Cases, argument: str = "X") -> np.ndarray:
        """Return the row numbers in X as a vector of integers."""
        name = ilk.display_name(self)
        try:
            numbers = np.asarray(ilk.as_table(X))
        except ValueError as error:  # rows of different lengths
            raise ilk.InputError(f"{name}: {argument}: {error}") from None
        if numbers.ndim == 2 and numbers.shape[1] == 1:
            numbers = numbers[:, 0]
        if numbers.ndim != 1 or numbers.size == 0 or numbers.dtype.kind not in "iuf":
            raise ilk.InputError(
                f"{name}: {argument} must be a column of row numbers of the matrix, got an array "
                f"of shape {numbers.shape} and type {numbers.dtype}"
            )
        n = len(self._matrix())
        bad = np.flatnonzero(~((numbers >= 0) & (numbers < n) & (np.floor(numbers) == numbers)))
        if bad.size:
            raise ilk.InputError(
                f"{name}: {argument} has {numbers[bad[0]]} at row {bad[0]}, which is no row number "
                f"of the matrix (0 to {n - 1})"
            )
        return numbers.astype(np.intp, copy=False)

    def _matrix(self) -> np.ndarray:
        if hasattr(self, "matrix_"):
            return self.matrix_
        if self.matrix is None:
            raise self.parameter_error("matrix", "must be an array of numbers, got None")
        matrix = np.asarray(self.matrix)
        return matrix if matrix.dtype in (np.float32, np.float64) else matrix.astype(float)

    def _check_values(self, block: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> None:
        self._complain(block, ~(block >= 0), "must be at least 0 and not NaN", rows, columns)

    def _complain(
        self, block: np.ndarray, bad: np.ndarray, rule: str, rows: np.ndarray, columns: np.ndarray
    ) -> None:
        """Raise an error about the first bad cell of a block with these rows and columns."""
        if bad.any():
            i, j = np.argwhere(bad)[0]
            cell = f"{block[i, j]} at [{rows[i]}, {columns[j]}]"
            raise self.parameter_error("matrix", f"{rule}, got {cell}")


_CHECKED = 2**20  # cells checked at a time: bounds the memory of the comparison
