"""Brute force: every query is compared with every training row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.validation import check_is_fitted

import ilk
from ilk_distances.indexes.exact import check_radius, training_rows

if TYPE_CHECKING:
    import numpy as np


class Brute(ilk.Index):
    """Brute force: compares every query with every training row; exact, for any distance.

    Distances are computed in blocks of 32 MiB (at most 64 queries with 65536 training rows
    at a time, or more queries with fewer rows), and of each block only the k nearest are
    kept. Selecting them takes some more, so that a search stays under about 200 MiB beside the
    data and the answer, however many rows there are; a matrix of all queries by all training
    rows never exists.

    Ties go to the lower training index. Infinite distances are legal and rank last.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : data of n rows
        Training rows as the distance takes them; float arrays are not copied.
    n_distance_evaluations_ : int
        How many distances have been computed since `fit`: queries times training rows.

    Raises
    ------
    InputError
        If k is not within 1..n, a radius is negative, or a distance is NaN.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.3.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [1.0], [5.0]]
    >>> index = ilk.index("brute").fit(X, distance=ilk.distance("euclidean"))
    >>> distances, indices = index.kneighbors([[1.0]], 3)
    >>> indices
    array([[1, 2, 0]])
    >>> index.radius_neighbors([[0.0]], 1.0)[1]
    [array([0, 1, 2])]
    >>> index.n_distance_evaluations_
    8
    """

    def fit(self, X: Any, y: Any = None, *, distance: Any) -> Self:
        """Take training rows and an already fitted distance; y is ignored."""
        self.check_parameters()
        self.X_ = training_rows(self, distance, X)
        self.distance_ = distance
        self.n_distance_evaluations_ = 0
        return self

    def kneighbors(self, Q: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index."""
        check_is_fitted(self)
        self.check_k(k, ilk.n_rows(self.X_))
        Q = self.distance_.check_input(Q, "Q")
        found = self.distance_.kneighbors(Q, self.X_, int(k))
        self._count(Q)
        return found  # type: ignore[no-any-return]  # the slot is Any

    def radius_neighbors(self, Q: Any, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first."""
        check_is_fitted(self)
        r = check_radius(self, r)
        Q = self.distance_.check_input(Q, "Q")
        found = ilk.within_blocked(self.distance_, Q, self.X_, r)
        self._count(Q)
        return found

    def _count(self, Q: Any) -> None:
        self.n_distance_evaluations_ += ilk.n_rows(Q) * ilk.n_rows(self.X_)
