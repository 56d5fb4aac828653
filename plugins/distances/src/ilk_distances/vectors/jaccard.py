"""Jaccard distance, and sets as rows of a sparse matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from numbers import Number
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import ilk
from ilk import param
from ilk.neighbors import Rows, Tile, VectorDistance, fill_tile
from ilk_distances.histograms.histogram import first_negative

if TYPE_CHECKING:
    from ilk import Cases
    from ilk.neighbors import SparseRows


class Jaccard(VectorDistance):
    """Jaccard distance: the share of the union of two sets that only one of them has.

    ``d(x, y) = |x xor y| / |x or y|`` of sets or of binary vectors. Other non-negative vectors
    are compared by the weighted Jaccard distance (Ruzicka's):
    ``sum_f |x_f - y_f| / sum_f max(x_f, y_f)``, which is 1 minus the sum of minima over the sum
    of maxima. It is at most 1, and 0 for two empty sets or vectors of zeros.

    Both are metrics. A text is the set of its substrings of a given length, so different texts
    can be at distance 0.

    Raises
    ------
    InputError, InputTypeError
        If a vector has a value that is negative, NaN or infinite (names row and column);
        if an object is no set (`set` or `frozenset` of anything hashable), list of words, or
        text, or has a missing member (names the row); if X has vectors and Y sets.

    References
    ----------
    .. [1] P. Jaccard, "The distribution of the flora in the alpine zone", New Phytologist 11,
       1912.
    .. [2] S. Kosub, "A note on the triangle inequality for the Jaccard distance", Pattern
       Recognition Letters 120, 2019.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("jaccard")
    >>> d.pairwise([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]]).round(2)
    array([[0.  , 0.67, 1.  ],
           [0.67, 0.  , 1.  ],
           [1.  , 1.  , 0.  ]])
    >>> d.between({"a", "b"}, {"b", "c", "d"})
    0.75
    """

    shingle: int = param(
        default=3,
        ge=1,
        doc="Length of the substrings of texts (and bytes). A shorter text, unless empty, forms "
        "a set of itself alone.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("histograms", "strings"), symmetric=True, metric=True, sparse=True
    )
    works_in_double: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> list[Jaccard]:
        """Return one for short substrings as well."""
        return [cls(), cls(shingle=1)]

    def check_input(self, X: Any, argument: str = "X") -> Any:
        """Return X as an array of non-negative numbers, or as `Sets`."""
        if isinstance(X, Sets):
            return X
        X = ilk.as_table(X)
        if isinstance(X, str | bytes | set | frozenset | dict):
            kind = type(X).__name__
            raise ilk.InputTypeError(
                f"{ilk.display_name(self)}: {argument} must be a list of rows, got one {kind}"
            )
        if ilk.n_rows(X) == 0:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: {argument} has no rows, at least 1 is needed"
            )
        if _are_vectors(X):
            return self._non_negative(
                ilk.check_vectors(self, X, argument=argument, sparse=True), argument
            )
        return as_sets(self, list(X), argument, self._substrings)

    def _non_negative(self, X: Any, argument: str) -> Any:
        negative = first_negative(X)
        if negative is not None:
            value, row, column = negative
            raise ilk.InputError(
                f"{ilk.display_name(self)}: {argument} must not be negative, got "
                f"{value} at row {row}, column {column}"
            )
        return X

    def _substrings(self, text: str | bytes) -> list[str | bytes]:
        if len(text) <= self.shingle:
            return [text] if text else []
        starts = range(len(text) - self.shingle + 1)
        return [text[start : start + self.shingle] for start in starts]

    def check_pair(self, X: Any, Y: Any = None) -> tuple[Any, Any]:
        """Return X and Y (X again if None), both as arrays or as sets with the same columns."""
        self.check_parameters()
        X, Y = super().check_pair(X, Y)
        if isinstance(X, Sets) != isinstance(Y, Sets):
            kinds = ["sets" if isinstance(each, Sets) else "vectors" for each in (X, Y)]
            raise ilk.InputTypeError(
                f"{ilk.display_name(self)}: X has {kinds[0]} but Y has {kinds[1]}, which cannot be "
                f"compared"
            )
        return (X.among(Y.things), Y) if isinstance(X, Sets) else (X, Y)

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        X, Y = self.check_pair(X, Y)
        return _of_sets(X, Y) if isinstance(X, Sets) else super().pairwise(X, Y)

    def kneighbors(self, X: Cases, Y: Cases | None, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k rows of Y nearest to each row of X, nearest first, ties by lower index."""
        X, Y = self.check_pair(X, Y)
        if isinstance(X, Sets):
            return ilk.nearest_blocked(self, X, Y, k)
        return super().kneighbors(X, Y, k)

    def _rows(self, X: np.ndarray) -> Rows:
        with np.errstate(over="ignore"):
            return Rows(X, X, {"sums": np.cumsum(X, axis=1)[:, -1]})

    def sparse_rows(self, X: Any, dtype: type[np.floating[Any]]) -> SparseRows:
        """Return the rows with their sums."""
        rows = super().sparse_rows(X, dtype)
        return replace(rows, extras={"sums": rows.sums()})

    def merge(
        self, X: SparseRows, rows: np.ndarray, Y: SparseRows, columns: np.ndarray
    ) -> np.ndarray:
        """Distances of the sparse rows ``X[rows[i]]`` to ``Y[columns[i]]``."""
        from ilk.neighbors import densified, merged

        D = merged("sum", X, rows, Y, columns)
        whole = X.extras["sums"][rows] + Y.extras["sums"][columns] + D  # twice the sum of maxima
        D = np.minimum(np.divide(2 * D, whole, out=np.zeros_like(D), where=whole > 0), 1)
        large = np.isinf(whole)
        if large.any():
            D[large] = densified(self, X, rows[large], Y, columns[large])
        return np.asarray(D)

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        large = np.isinf(_ratios(X, Y, tile))
        if large.any():  # smaller numbers have the same ratio
            x, y = (self._rows(rows.values * 2.0**-100) for rows in (X, Y))
            smaller = np.empty(tile.shape)
            _ratios(x, y, Tile(smaller, 0, 0, tile.shape))
            tile.view[large] = smaller[large]


def _are_vectors(X: Any) -> bool:
    """Tell whether X is a table, a sparse matrix, or has only numbers."""
    if ilk.is_table(X) or ilk.is_sparse(X):
        return True
    if isinstance(X, np.ndarray) and X.dtype != object:
        return X.dtype.kind not in "US" or X.ndim != 1
    if not all(isinstance(row, list | tuple | np.ndarray) for row in X):
        return False
    try:
        return np.array(list(X)).dtype.kind in "biuf"
    except ValueError:  # rows of different lengths
        return False


def _ratios(X: Rows, Y: Rows, tile: Tile) -> np.ndarray:
    """Fill a tile with distances, and return their denominators."""
    from ilk.neighbors import manhattan

    fill_tile(manhattan, X, Y, tile)
    D = tile.view
    with np.errstate(invalid="ignore", over="ignore"):
        sums = X.extras["sums"][:, None] + Y.extras["sums"]
        # 2 max(x, y) = x + y + |x - y|
        whole = np.asarray(sums + D)  # twice the sum of maxima
        np.divide(2 * D, whole, out=D, where=whole > 0)
    np.minimum(D, 1, out=D)
    return whole


def _of_sets(X: Sets, Y: Sets) -> np.ndarray:
    D = np.empty((len(X), len(Y)))

    def work(start: int, stop: int) -> None:
        common = X[start:stop].common(Y)
        either = X.sizes[start:stop, None] + Y.sizes - common
        D[start:stop] = np.divide(
            either - common, either, out=np.zeros_like(common), where=either > 0
        )

    ilk.in_blocks(work, len(X), 64)
    return D


@dataclass(frozen=True)
class Sets:
    """Finite sets.

    Attributes
    ----------
    rows : csr_matrix of shape (n, n_things)
        1 where a set has a member.
    sizes : ndarray of shape (n,)
        Numbers of members, including members without a column.
    things : list
        The members that the columns represent.
    """

    rows: Any
    sizes: np.ndarray
    things: list[Any]

    @property
    def shape(self) -> tuple[int]:
        """The number of sets."""
        return (len(self.sizes),)

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, rows: int | slice | np.ndarray) -> Sets:
        chosen = [int(rows)] if isinstance(rows, int | np.integer) else rows
        return Sets(self.rows[chosen], self.sizes[chosen], self.things)

    def among(self, things: list[Any]) -> Sets:
        """Return the same sets with other columns; members without a column count in sizes only."""
        import scipy.sparse as sp

        if things is self.things:
            return self
        column = {thing: place for place, thing in enumerate(things)}
        places = np.array([column.get(thing, -1) for thing in self.things], dtype=np.int64)
        known = np.flatnonzero(places >= 0)
        shape = len(self.things), len(things)
        ones = np.ones(len(known))
        renaming = sp.csr_matrix((ones, (known, places[known])), shape=shape)
        return Sets(self.rows @ renaming, self.sizes, things)

    def common(self, other: Sets) -> np.ndarray:
        """Numbers of common members of every pair; both have the same columns."""
        return np.asarray((self.rows @ other.rows.T).toarray())


def as_sets(
    owner: object, X: Sequence[Any], argument: str, members: Callable[[str | bytes], Iterable[Any]]
) -> Sets:
    """Return sets, lists of words or of other non-numeric things, and texts as `Sets`.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : sequence
    argument : str
    members : callable
        Gives the members of a text or bytes.

    Raises
    ------
    InputError, InputTypeError
        Naming the first row of another type, or with a member that is missing or not hashable.
    """
    import scipy.sparse as sp

    column: dict[Any, int] = {}
    positions: list[list[int]] = []
    for row, item in enumerate(X):
        things = _members(owner, item, f"{argument} has", row, members)
        positions.append(sorted(column.setdefault(thing, len(column)) for thing in things))
    sizes = np.array([len(each) for each in positions])
    ends = np.concatenate([[0], np.cumsum(sizes)])
    indices = np.array([place for each in positions for place in each], dtype=np.int64)
    shape = len(positions), len(column)
    return Sets(sp.csr_matrix((np.ones(len(indices)), indices, ends), shape), sizes, list(column))


def _members(
    owner: object, item: Any, has: str, row: int, members: Callable[[str | bytes], Iterable[Any]]
) -> set[Any]:
    name = ilk.display_name(owner)
    if isinstance(item, str | bytes):
        return set(members(item))
    is_set = isinstance(item, AbstractSet)
    if not isinstance(item, AbstractSet | list | tuple) and getattr(item, "ndim", 0) != 1:
        raise ilk.InputTypeError(
            f"{name}: {has} a {type(item).__name__} at row {row}, expected a set, a list of words, "
            f"or a text"
        )
    try:
        things = set(item)
    except TypeError as error:
        raise ilk.InputTypeError(f"{name}: {has} at row {row} an {error}") from None
    if not is_set and any(isinstance(thing, Number) for thing in things):
        raise ilk.InputTypeError(
            f"{name}: {has} numbers in a {type(item).__name__} at row {row}; vectors must be rows "
            f"of one array of a numeric type (np.asarray(X, dtype=float)), sets of numbers sets"
        )
    odd = [thing for thing in things if thing is None or thing != thing]  # noqa: PLR0124  # NaN
    if odd:
        raise ilk.InputError(f"{name}: {has} a set with a missing member ({odd[0]}) at row {row}")
    return things
