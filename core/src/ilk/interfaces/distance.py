"""Distance: the dissimilarity of two objects."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk.component import Component
from ilk.errors import InputError
from ilk.frames import guard_columns, keeps_columns, same_columns
from ilk.inputs import check_same_features, check_vectors, n_rows, take

if TYPE_CHECKING:
    from ilk.arrays import Cases, Labels


class Distance(Component):
    """The dissimilarity of two objects; small always means close.

    A subclass must define `pairwise`; all other methods use it by default, and may be
    overridden for speed. A distance that needs no training data (``capabilities.needs_fit`` is
    False) works without `fit`. Data frames with columns in another order, or of other names, than
    in `fit` or than each other are refused.
    """

    kind: ClassVar[str] = "distance"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        guard_columns(cls, "fit", "pairwise", "prepare", "kneighbors", "check_input")

    @property
    def aligns_columns(self) -> bool:
        """Whether it finds the columns of data frames by name itself; else others are refused."""
        return False

    @abstractmethod
    def pairwise(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Distances of every row of X to every row of Y.

        Parameters
        ----------
        X : data of n rows
        Y : data of m rows, optional
            X itself if left out.

        Returns
        -------
        ndarray of shape (n, m)
            Non-negative. float32 if both inputs are float32, else float64.
        """

    @property
    def metric(self) -> bool:
        """Whether the metric axioms hold with the present parameters.

        The triangle inequality holds up to rounding.
        """
        return self.capabilities.metric

    @property
    def symmetric(self) -> bool:
        """Whether d(x, y) = d(y, x) with the present parameters."""
        return self.capabilities.symmetric

    @keeps_columns
    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit the distance to training data; by default it learns nothing."""
        self.check_parameters()
        return self

    def between(self, x: object, y: Labels) -> float:
        """Distance between two single objects."""
        return float(self.pairwise(one_row(x), one_row(y))[0, 0])

    @same_columns
    def prepare(self, X: Cases) -> Prepared:
        """Return a handle on X whose ``to(q, indices=None)`` gives distances from one query.

        The handle stores results computed once per object (logarithms, compressed sizes, bounds).
        """
        return Prepared(self, X)

    @same_columns
    def kneighbors(self, X: Cases, Y: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k rows of Y nearest to each row of X, nearest first, ties by lower index.

        Parameters
        ----------
        X : data of n rows
            Queries.
        Y : data of m rows
        k : int
            1 <= k <= m.

        Returns
        -------
        distances : ndarray of shape (n, k)
        indices : ndarray of int, shape (n, k)

        Raises
        ------
        InputError
            If k > m.
        """
        from ilk.neighbors.blocked import nearest_blocked

        return nearest_blocked(self, X, Y, k)

    @same_columns
    def check_input(self, X: Cases, argument: str = "X") -> Any:
        """Return X in the form that `pairwise` uses; errors name the cell.

        Distances on vectors get a float array; others override this or use X unchanged.
        """
        if set(self.capabilities.inputs) & {"vectors", "histograms"}:
            return check_vectors(
                self,
                X,
                argument=argument,
                nan=self.capabilities.nan,
                sparse=self.capabilities.sparse,
            )
        return X

    def check_pair(self, X: Cases, Y: Cases | None = None) -> tuple[Any, Any]:
        """Return X and Y (X again if None) as checked by `check_input`, of equal width."""
        X = self.check_input(X)
        if Y is None:
            return X, X
        Y = self.check_input(Y, "Y")
        if getattr(X, "ndim", 1) == 2 and getattr(Y, "ndim", 1) == 2:
            check_same_features(self, X, Y)
        return X, Y


@dataclass(eq=False, repr=False)
class Prepared:
    """A distance and the data to compare queries with; see `Distance.prepare`."""

    distance: Distance
    X: Any

    def to(self, q: object, indices: np.ndarray | None = None) -> np.ndarray:
        """Distances from one query to the rows with the given indices (default: all).

        Returns
        -------
        ndarray of shape (len(indices),)
        """
        rows = self.X if indices is None else take(self.X, indices)
        return np.asarray(self.distance.pairwise(one_row(q), rows)[0])

    def __len__(self) -> int:
        return n_rows(self.X)


def one_row(x: object) -> Any:
    """Return a single object as data of one row.

    A vector, or a list of numbers or of cells of a table, becomes an array of one row; a row of
    a data frame becomes a frame of one row; a text, a set or a nested object a list of one.

    Raises
    ------
    InputError
        For a number, which is only a part of an object.
    """
    if hasattr(x, "to_frame"):  # a row of a data frame
        return x.to_frame().T.infer_objects()
    if isinstance(x, np.ndarray):
        return x[None] if x.ndim == 1 else x
    if isinstance(x, list | tuple) and all(map(_is_cell, x)):
        numbers = all(isinstance(cell, Real) for cell in x)
        return np.array([x], dtype=None if numbers else object)
    if isinstance(x, Real):
        raise InputError(f"expected one object (a row), got the number {x!r}")
    if isinstance(x, list | tuple | str | bytes) or not hasattr(x, "shape"):
        return [x]
    return x


def _is_cell(value: object) -> bool:
    return value is None or isinstance(value, Real | str | bytes)
