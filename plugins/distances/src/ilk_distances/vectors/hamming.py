"""Hamming distance, over rows of nominal symbols: numbers, characters, cells of any type."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import ilk
from ilk import param
from ilk.neighbors import MAX_SORTED, Rows, Tile, VectorDistance, fill_tile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk import Cases
    from ilk.neighbors import SparseRows


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
    .. [2] Arras: Distance Metrics.

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
        from ilk.neighbors import merged

        return merged("unequal", X, rows, Y, columns)

    def _compare(self, X: Rows, Y: Rows, tile: Tile) -> None:
        from ilk_distances.vectors.row_kernels import differences

        fill_tile(differences, X, Y, tile)


EXACT = 2**53  # integers up to this are exact as float64


def as_symbols(owner: object, X: Any, argument: str = "X") -> np.ndarray:
    """Return X as a two-dimensional array of numbers, characters, single bytes or objects.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : list of texts, of bytes or of rows, two-dimensional array, or data frame
    argument : str

    Raises
    ------
    InputError, InputTypeError
        If rows differ in length (names two), or a cell is missing, infinite or no single value
        (names row and column).
    """
    X = ilk.as_table(X)
    if isinstance(X, str | bytes):
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} must be a list of rows, got the single {X!r}"
        )
    if ilk.n_rows(X) == 0:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} has no rows, at least 1 is needed"
        )
    if np.ma.isMaskedArray(X) and np.ma.getmaskarray(X).any():
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} has masked values; fill them first"
        )
    if hasattr(X, "tocsr"):
        return np.asarray(ilk.check_vectors(owner, X, argument=argument))  # which refuses it
    if ilk.is_table(X):
        X = X.to_numpy()
    elif getattr(X, "ndim", 1) == 1:
        X = _array(owner, list(X), argument)
    return _cells(owner, np.asarray(X), argument)


def _array(owner: object, rows: list[Any], argument: str) -> np.ndarray:
    if isinstance(rows[0], str | bytes):
        return _characters(owner, rows, argument)
    if not all(_is_row(row) for row in rows):
        return np.array(rows, dtype=object)
    _check_lengths(owner, rows, argument)
    if all(map(_is_number, rows[0])):
        numbers = np.array(rows)
        if numbers.dtype.kind in "biu" or (numbers.dtype.kind == "f" and _is_small(numbers)):
            return numbers
    cells = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            cells[i, j] = cell
    return cells


def _is_row(row: Any) -> bool:
    return isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim == 1)


def _is_small(numbers: np.ndarray) -> bool:
    """Tell whether all numbers are so small that integers among them are exact as floats."""
    return bool(np.abs(numbers).max(initial=0) < EXACT)


def _is_number(cell: object) -> bool:
    return isinstance(cell, Real | np.bool_)


def _characters(owner: object, texts: Sequence[Any], argument: str) -> np.ndarray:
    """Texts of equal length as an array of characters, bytes as an array of single bytes."""
    kind = str if isinstance(texts[0], str) else bytes
    other = next((row for row, text in enumerate(texts) if not isinstance(text, kind)), None)
    if other is not None:
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: {argument} has {texts[0]!r} at row 0 and {texts[other]!r} "
            f"at row {other}, which cannot be compared"
        )
    _check_lengths(owner, texts, argument)
    shape = len(texts), len(texts[0])
    if kind is bytes:
        return np.frombuffer(b"".join(texts), dtype="S1").reshape(shape)
    codes = "".join(texts).encode("utf-32-le", "surrogatepass")
    return np.frombuffer(codes, dtype="<U1").reshape(shape)


def _check_lengths(owner: object, rows: Sequence[Any], argument: str) -> None:
    lengths = [len(row) for row in rows]
    other = next((row for row, length in enumerate(lengths) if length != lengths[0]), None)
    if other is not None:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} must have rows of one length, got "
            f"{lengths[0]} at row 0 and {lengths[other]} at row {other}"
        )


def _cells(owner: object, X: np.ndarray, argument: str) -> np.ndarray:
    if X.dtype in {np.dtype("<U1"), np.dtype("S1")} or (X.ndim == 2 and X.dtype.kind in "biu"):
        return X
    if X.ndim != 2 or X.dtype.kind == "f":
        return np.asarray(ilk.check_vectors(owner, X, argument=argument))
    numbers = _as_numbers(X)
    if numbers is not None:
        return _cells(owner, numbers, argument)
    _check_cells(owner, X, argument)
    return X.astype(object)


def _as_numbers(X: np.ndarray) -> np.ndarray | None:
    """Convert an array of objects to numbers, if all are numbers and convert exactly."""
    if X.dtype != object or not all(map(_is_number, X.flat)):
        return None
    numbers = np.array(X.tolist())
    if numbers.dtype.kind == "f" and any(
        not isinstance(c, float) and c != float(c) for c in X.flat
    ):
        return None
    return numbers if numbers.dtype.kind in "biuf" else None


def _check_cells(owner: object, cells: np.ndarray, argument: str) -> None:
    import pandas as pd

    missing = pd.isna(cells)
    if missing.any():
        row, column = (int(i) for i in np.argwhere(missing)[0])
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} has a missing value ({cells[row, column]}) at "
            f"row {row}, column {column}"
        )
    try:
        pd.factorize(cells.astype(object).ravel())
    except TypeError as error:
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: {argument} has a cell that is no single value: {error}"
        ) from None


def comparable(owner: object, X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Replace the symbols of both arrays by floats that are equal where the symbols are.

    The floats are float32 if that is exact.

    Raises
    ------
    InputTypeError
        If one array has characters and the other bytes or numbers.
    """
    import pandas as pd

    x, y = _kind(X), _kind(Y)
    if x == y != "objects":
        X, Y = _codes(X), _codes(Y)
    elif "bytes" in {x, y} or "objects" not in {x, y}:
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: X has {x} but Y has {y}, which cannot be compared"
        )
    if X.shape[1] == 0:
        return np.zeros((len(X), 1)), np.zeros((len(Y), 1))
    size = max(_size(X), _size(Y))
    # codes of the cells take the place of numbers that are not exact as floats
    if size > EXACT:
        cells = np.concatenate([_objects(each).ravel() for each in (X, Y)])
        codes = pd.factorize(cells)[0]
        size = len(codes)
        X, Y = codes[: X.size].reshape(X.shape), codes[X.size :].reshape(Y.shape)
    # float32 holds integers up to 2^24 exactly
    dtype = np.float32 if size <= 2**24 else np.float64
    return X.astype(dtype, copy=False), Y.astype(dtype, copy=False)


def _kind(X: np.ndarray) -> str:
    return {"U": "characters", "S": "bytes", "O": "objects"}.get(X.dtype.kind, "numbers")


def _objects(X: np.ndarray) -> np.ndarray:
    if X.dtype.kind == "U":  # numpy would drop the character 0
        return np.asarray(np.frompyfunc(chr, 1, 1)(_codes(X)), dtype=object)
    return X.astype(object)


def _codes(X: np.ndarray) -> np.ndarray:
    if X.dtype.kind in "biuf":
        return X
    return np.ascontiguousarray(X).view("<u4" if X.dtype.kind == "U" else np.uint8).reshape(X.shape)


def _size(X: np.ndarray) -> float:
    """The largest integer of an array; for floats, the largest exact integer of their type."""
    if X.dtype == object:
        return np.inf
    if X.dtype.kind == "f":
        return 2**24 if X.dtype == np.float32 else EXACT
    return max(int(X.max()), -int(X.min())) if X.dtype.kind in "iu" else 1
