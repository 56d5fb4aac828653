"""Cosine and correlation distance: how far two vectors point apart; vectors of length one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import ilk
from ilk.neighbors import Rows, Tile, VectorDistance, fill_tile

if TYPE_CHECKING:
    from collections.abc import Callable

    from ilk.neighbors import SparseRows

_SURE = 2.0**-40  # distances above keep enough digits although directions are rounded


class Angle(VectorDistance):
    """One minus the cosine of two vectors, from which their means may be subtracted first.

    Attributes
    ----------
    centres : bool
        Whether means are subtracted.
    """

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(symmetric=True, sparse=True)
    works_in_double: ClassVar[bool] = True
    centres: ClassVar[bool]
    # more than the rounding of directions changes the square of a distance, or the cut at 2
    embedding_error: ClassVar[float] = 2.0**-32

    @property
    def embeds(self) -> bool:
        """Always: the distance is half the squared one of directions."""
        return True

    def embedded(self, X: np.ndarray) -> np.ndarray:
        """Return directions, up to rounding: sums in any order are faster."""
        X = X.astype(float, copy=False)
        X = centred(X) if self.centres else scaled(X)
        X /= np.sqrt(np.einsum("ij,ij->i", X, X))[:, None]
        return X

    def embedded_radius(self, r: float) -> float:
        """Return the root of 2 r."""
        return float(np.sqrt(2 * r))

    def _directions(self, X: np.ndarray) -> np.ndarray:
        X = X.astype(float, copy=False)
        return directions(centred(X) if self.centres else X)

    def check_input(self, X: Any, argument: str = "X") -> Any:
        """Return X as floats; a row without direction is an error."""
        X = super().check_input(X, argument)
        check_directions(self, X, argument, centred=self.centres)
        return X

    def compare_pairs(
        self, X: np.ndarray, rows: np.ndarray, Y: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """Distances of ``X[rows[i]]`` to ``Y[columns[i]]``, as `compare` has them."""
        from ilk.neighbors import squared_pairs

        if ilk.is_sparse(X) or ilk.is_sparse(Y):
            return super().compare_pairs(X, rows, Y, columns)
        left, i = np.unique(rows, return_inverse=True)
        right, j = np.unique(columns, return_inverse=True)
        A, B = X[left], Y[right]
        D = squared_pairs(self._directions(A), i, self._directions(B), j)
        halve(D, A, B, lambda close: (i[close], j[close]), self.centres)
        return D.astype(self.result_type(X, Y), copy=False)

    def _rows(self, X: np.ndarray) -> Rows:
        return Rows(self._directions(X), X)

    def sparse_rows(self, X: Any, dtype: type[np.floating[Any]]) -> SparseRows:
        """Return directions; the value of features without a stored one is minus a mean."""
        rows = super().sparse_rows(X, dtype)
        scaled = replace(rows, values=np.ldexp(rows.values, -rows.by_row(exponents(rows))))
        values, absent = scaled.values, np.zeros(len(rows))
        if self.centres:
            means = _means(scaled)
            values, absent = values - scaled.by_row(means), -means
        squares = scaled.sums(np.square(values))
        if self.centres:
            squares += (rows.n_features - np.diff(rows.ends)) * np.square(absent)
        lengths = np.sqrt(squares)
        values = values / scaled.by_row(lengths)
        return replace(
            rows, values=values, absent=absent / lengths, extras={"values": scaled.values}
        )

    def merge(
        self, X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray
    ) -> np.ndarray:
        """Distances of the sparse rows ``X[rows[i]]`` to ``Y[columns[i]]``."""
        from ilk.neighbors import dense_pairs, merged
        from ilk_distances.vectors import row_kernels

        D = merged("squares", X, rows, Y, columns)
        D = np.minimum(np.nan_to_num(D) * 0.5, 2.0)  # NaN: a square of a tiny difference
        close = np.flatnonzero(D < _SURE)
        if close.size:
            given = [replace(Z, values=Z.extras["values"]) for Z in (X, Y)]
            pairs = dense_pairs(given[0], rows[close], given[1], columns[close], whole=self.centres)
            for part, A, B in pairs:
                each = np.arange(len(A))
                D[close[part]] = row_kernels.one_less_cosine(A, B, each, each, self.centres)
        return np.asarray(D)

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk.neighbors import squared_euclidean

        fill_tile(squared_euclidean, X, Y, tile)
        halve(tile.view, X.given, Y.given, np.nonzero, self.centres)


class Cosine(Angle):
    """Cosine distance: one minus the cosine of the angle between two vectors.

    ``d(x, y) = 1 - x'y / (|x| |y|)``, from 0 (same direction) to 2 (opposite). It is half the
    squared Euclidean distance of ``x/|x|`` and ``y/|y|`` and is computed as such: the difference
    from 1 would lose the digits of small angles. The smallest angles are computed from the
    component of y orthogonal to x. Equal vectors are at distance exactly 0; float32 is computed
    in float64.

    It is no metric: the triangle inequality fails, and multiples of a vector are at distance 0,
    up to rounding.

    Raises
    ------
    InputError
        If a vector is zero (names the row), or has a NaN or an infinite value.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.1 (on similarity of vectors).

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("cosine")
    >>> d.pairwise([[1.0, 0.0]], [[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]])
    array([[0., 1., 2.]])
    """

    centres = False


class Correlation(Angle):
    """Correlation distance: one minus Pearson's correlation of two vectors.

    ``d(x, y) = 1 - corr(x, y)``, from 0 to 2: the cosine distance of the vectors after the mean
    of each is subtracted. Equal vectors are at distance exactly 0; float32 is computed in float64.

    It is no metric: the triangle inequality fails, and ``a x + b`` with a > 0 is at distance 0
    from x, up to rounding.

    Raises
    ------
    InputError
        If a vector is constant (names the row), as one of a single feature is, or has a NaN or
        an infinite value.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.1 (on similarity of vectors).

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("correlation")
    >>> d.pairwise([[1.0, 2.0, 3.0]], [[10.0, 20.0, 30.0], [3.0, 2.0, 1.0]]).round(12)
    array([[0., 2.]])
    """

    centres = True


def halve(
    D: np.ndarray,
    X: np.ndarray,
    Y: np.ndarray,
    pairs: Callable[[np.ndarray], tuple[np.ndarray, ...]],
    centred: bool,
) -> None:
    """Turn squared Euclidean distances of directions into distances.

    Distances so small that the rounding of directions matters are computed again from the given
    rows, with their means subtracted if `centred`; `pairs` tells the rows of a mask of them.
    """
    np.multiply(D, 0.5, out=D)
    np.minimum(D, 2.0, out=D)
    if D.min(initial=np.inf) < _SURE:
        from ilk_distances.vectors import row_kernels

        close = D < _SURE
        X, Y = (scaled(rows.astype(float, copy=False)) for rows in (X, Y))
        D[close] = row_kernels.one_less_cosine(X, Y, *pairs(close), centred)


def check_directions(owner: object, X: np.ndarray, argument: str, centred: bool) -> None:
    """Raise if a row has no direction: it is zero, or constant if rows are centred.

    Raises
    ------
    InputError
        Naming the component, the argument and the row.
    """
    if ilk.is_sparse(X):
        lost = _constant(X) if centred else ~_largest(X).any(axis=1)
    else:
        lost = (X[:, :1] == X).all(axis=1) if centred else ~X.any(axis=1)
    if lost.any():
        what = "constant, so it correlates with nothing" if centred else "zero, so it has no angle"
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} has a row that is {what}: row "
            f"{int(np.argmax(lost))}"
        )


def _largest(X: Any) -> np.ndarray:
    """Largest and smallest value of each sparse row, zeros included; array of shape (n, 2)."""
    ends = (X.max(axis=1), X.min(axis=1))
    return np.stack([np.ravel(end.toarray()) for end in ends], axis=1)


def _constant(X: Any) -> np.ndarray:
    """Tell which sparse rows have one value only."""
    ends = _largest(X)
    return np.asarray(ends[:, 0] == ends[:, 1])


def exponents(rows: SparseRows) -> np.ndarray:
    """Powers of two that `scaled` divides each of some sparse rows by."""
    largest = np.ravel(abs(rows.csr).max(axis=1).toarray())
    return np.asarray(np.frexp(largest)[1])


def _means(rows: SparseRows) -> np.ndarray:
    """Means of sparse rows, precisely also for rows far from zero."""
    means = rows.sums() / rows.n_features
    # the first mean has a rounding error relative to the size of the row
    rest = rows.sums(rows.values - rows.by_row(means))
    rest -= (rows.n_features - np.diff(rows.ends)) * means
    return np.asarray(means + rest / rows.n_features)


def scaled(X: np.ndarray) -> np.ndarray:
    """Multiply each row, exactly, by a power of two that brings its largest number into [1/2, 1).

    Then no square overflows or vanishes, and no sum overflows.
    """
    _, exponents = np.frexp(np.abs(X).max(axis=1, keepdims=True))
    return np.asarray(np.ldexp(X, -exponents, order="C"))


def directions(X: np.ndarray) -> np.ndarray:
    """Divide each row by its length, without overflow or underflow."""
    X = scaled(X)
    # cumsum adds in the order of the features, whatever their number and the memory layout
    squares = np.cumsum(np.square(X), axis=1)[:, -1:]
    return np.asarray(X / np.sqrt(squares))


def centred(X: np.ndarray) -> np.ndarray:
    """Subtract its mean from each row, precisely also for rows far from zero."""
    X = scaled(X)
    # twice: the first mean has a rounding error relative to the size of the row
    X = X - X.mean(axis=1, keepdims=True)
    return np.asarray(X - X.mean(axis=1, keepdims=True))
