"""Precomputed distances and kernel values."""

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
        return _same_matrix(self)

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
        _check_square(self, self.matrix)

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
        return _row_numbers(self, X, len(self._matrix()), argument)

    def _matrix(self) -> np.ndarray:
        return self.matrix_ if hasattr(self, "matrix_") else _as_matrix(self, self.matrix)

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


class PrecomputedKernel(ilk.Kernel):
    """Kernel values looked up in a matrix: ``k(x, y) = matrix[x, y]``; data are row numbers.

    The Gram matrix has the values of all N objects, for training and testing alike, and X is a
    column of their numbers, ``np.arange(N)[:, np.newaxis]``, as for the distance precomputed.
    (scikit-learn's ``kernel="precomputed"`` takes rows of the matrix itself as X.)

    The matrix is not copied, neither by `fit` nor by ``clone``.

    Raises
    ------
    ParameterError
        If the matrix is missing, not square, not symmetric, or has a value that is not finite.
    InputError
        If X is no column of whole numbers within 0..N-1; names the row and the value.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> rows = np.arange(150)[:, np.newaxis]
    >>> svm = ilk.classifier("svm", kernel=ilk.kernel("precomputed", matrix=X @ X.T))
    >>> linear = ilk.classifier("svm", kernel="linear").fit(X[::2], y[::2])
    >>> bool((svm.fit(rows[::2], y[::2]).predict(rows) == linear.predict(X)).all())
    True
    """

    matrix: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (N, N)",
        doc="Symmetric up to rounding, finite.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(inputs=("indices",), symmetric=True)

    def __sklearn_clone__(self) -> Any:
        return _same_matrix(self)

    @classmethod
    def examples(cls) -> list[Self]:
        """Return the products of 200 points on a line."""
        points = np.linspace(-1.0, 1.0, 200)
        return [cls(matrix=np.outer(points, points))]

    def check_parameters(self) -> None:
        """Check the shape of the matrix."""
        super().check_parameters()
        _check_square(self, self.matrix)

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Check the values of the matrix, and the row numbers in X; nothing is learned."""
        self.check_parameters()
        matrix = _as_matrix(self, self.matrix)
        for start in range(0, len(matrix), max(_CHECKED // len(matrix), 1)):
            part = slice(start, start + max(_CHECKED // len(matrix), 1))
            block, mirrored = matrix[part], matrix[:, part].T
            for bad, rule in (
                (~np.isfinite(block), "must be finite"),
                (~np.isclose(block, mirrored, rtol=1e-9, atol=0), "must be symmetric"),
            ):
                if bad.any():
                    i, j = np.argwhere(bad)[0]
                    cell = f"{block[i, j]} at [{start + i}, {j}]"
                    raise self.parameter_error("matrix", f"{rule}, got {cell}")
        _row_numbers(self, X, len(matrix), "X")
        return self

    def gram(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        self.check_parameters()
        matrix = _as_matrix(self, self.matrix)
        rows = _row_numbers(self, X, len(matrix), "X")
        columns = rows if Y is None else _row_numbers(self, Y, len(matrix), "Y")
        return np.asarray(matrix[np.ix_(rows, columns)])

    def diagonal(self, X: Cases) -> np.ndarray:
        matrix = _as_matrix(self, self.matrix)
        rows = _row_numbers(self, X, len(matrix), "X")
        return np.asarray(matrix[rows, rows])


def _same_matrix(component: Any) -> Any:
    """Clone a component with the same matrix, which is only read and may be large."""
    if ilk.is_frozen(component):
        return component
    return type(component)(**component.get_params(deep=False))


def _check_square(owner: ilk.Component, matrix: ArrayLike | None) -> None:
    if matrix is not None:
        shape = np.shape(matrix)
        if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
            raise owner.parameter_error("matrix", f"must be square, got shape {shape}")


def _as_matrix(owner: ilk.Component, matrix: ArrayLike | None) -> np.ndarray:
    if matrix is None:
        raise owner.parameter_error("matrix", "must be an array of numbers, got None")
    array = np.asarray(matrix)
    return array if array.dtype in (np.float32, np.float64) else array.astype(float)


def _row_numbers(owner: ilk.Component, X: Cases, n: int, argument: str) -> np.ndarray:
    """Return the row numbers in X as a vector of integers, all below n."""
    name = ilk.display_name(owner)
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
    bad = np.flatnonzero(~((numbers >= 0) & (numbers < n) & (np.floor(numbers) == numbers)))
    if bad.size:
        raise ilk.InputError(
            f"{name}: {argument} has {numbers[bad[0]]} at row {bad[0]}, which is no row number "
            f"of the matrix (0 to {n - 1})"
        )
    return numbers.astype(np.intp, copy=False)
