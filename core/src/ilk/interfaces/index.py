"""Index: finds nearest neighbours."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ilk.component import Component
from ilk.frames import guard_columns
from ilk.neighbors.checks import check_k

if TYPE_CHECKING:
    import numpy as np

    from ilk.arrays import Cases, Labels
    from ilk.interfaces.distance import Distance


class Index(Component):
    """Finds the training rows nearest to a query.

    Queries in a data frame with columns in another order, or of other names, than in `fit` are
    refused.

    Attributes
    ----------
    exact : bool
        Whether the answers equal brute force, ties included.
    by_blocks : bool
        Whether it takes rows and queries that are read block by block (`row_blocks`).
    n_distance_evaluations_ : int
        Number of distances computed since `fit`.
    """

    kind: ClassVar[str] = "index"
    exact: ClassVar[bool] = True
    by_blocks: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        guard_columns(cls, "fit", "kneighbors", "radius_neighbors")

    @property
    def aligns_columns(self) -> bool:
        """Whether it finds the columns of data frames by name itself; else others are refused."""
        return False

    @abstractmethod
    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Build the index from training rows and an already fitted distance.

        Parameters
        ----------
        X : data of n rows
        y : array of shape (n,), optional
            Labels, for indexes that use them.
        distance : Distance
            Fitted.
        """

    @abstractmethod
    def kneighbors(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index.

        Returns
        -------
        distances : ndarray of shape (m, k)
        indices : ndarray of int, shape (m, k)

        Raises
        ------
        InputError
            If k is not within 1..n.
        """

    def radius_neighbors(self, Q: Cases, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first.

        Returns
        -------
        distances, indices : lists of m arrays
        """
        raise AttributeError(f"{type(self).__name__} has no radius_neighbors")

    def check_k(self, k: int, n: int) -> None:
        """Raise an InputError unless 1 <= k <= n."""
        check_k(self, k, n)
