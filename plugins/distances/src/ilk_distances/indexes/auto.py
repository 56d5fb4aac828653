"""The index that chooses: kd-tree or brute force, by size and distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk.neighbors import Brute, Norm, check_radius
from ilk_distances.indexes.kd_tree import KDTree

if TYPE_CHECKING:
    from ilk import Cases, Distance, Labels

# Measured on one core. On normal, uniform, clustered and heavy-tailed rows, and queries like them,
# a tree within these bounds is faster than brute force for 1, 10 and 100 neighbours.
_FEWEST_ROWS = {2.0: 500, np.inf: 500}  # times 2^features, by exponent of the distance
_FEWEST_ROWS_ELSE = 2000  # scipy's tree takes other powers more slowly
_MOST_FEATURES = {2.0: 6, np.inf: 6}
_MOST_FEATURES_ELSE = 5
_BATCH = 512  # a tree is built in the time in which brute force answers about 200 queries
_TOTAL = 2048  # the same after so many queries in small batches: a tenth of their time


class Auto(ilk.Index):
    """Chooses between `brute` and `kd_tree` by size, width and distance; exact, for any distance.

    Both give the same answers to the last bit, so that the choice is one of speed. A kd-tree
    answers if the distance is a Minkowski distance and a metric, the rows are an array in memory,
    and there are p features and n rows with

    - p <= 6 and n >= 500 * 2^p for the Euclidean and the Chebyshev distance,
    - p <= 5 and n >= 2000 * 2^p for others, such as the Manhattan distance;

    and if enough queries come to pay for the tree: 512 in one call, or 2048 in all. Everything
    else is left to brute force. The rule was measured with queries that are distributed like the
    training rows; for queries far outside, name `brute`, and for rows in many tight clusters of 7
    to 15 features, name `kd_tree`.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : data of n rows, or RowBlocks
        Training rows as the distance takes them; float arrays are not copied.
    index_ : Brute or KDTree
        The index that answered last.
    suits_tree_ : bool
        Whether a kd-tree answers as soon as there are enough queries.
    n_queries_ : int
        Number of queries since `fit`.
    n_distance_evaluations_ : int
        Number of computed distances since `fit`, as both indexes count them.

    Raises
    ------
    InputError
        If k is not within 1..n, a radius is negative, or a distance is NaN.

    See Also
    --------
    Brute, KDTree

    Examples
    --------
    >>> import ilk, numpy as np
    >>> X = np.random.default_rng(0).random((5000, 2))
    >>> index = ilk.index("auto").fit(X, distance=ilk.distance("euclidean"))
    >>> index.kneighbors(X[:1], 1)[1], index.index_
    (array([[0]]), Brute())
    >>> index.kneighbors(X, 1)[1][:3].ravel(), index.index_
    (array([0, 1, 2]), KDTree())
    """

    by_blocks: ClassVar[bool] = True

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Take training rows and an already fitted distance; y is ignored."""
        self.check_parameters()
        self._brute = Brute().fit(X, distance=distance)
        self._tree: KDTree | None = None
        self.index_: Brute | KDTree = self._brute
        self.X_, self.distance_ = self._brute.X_, distance
        self.suits_tree_ = suits_tree(self.X_, distance)
        self.n_queries_ = 0
        return self

    def kneighbors(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index."""
        check_is_fitted(self)
        self.check_k(k, ilk.n_rows(self.X_))
        return self._chosen(Q).kneighbors(Q, k)

    def radius_neighbors(self, Q: Cases, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first."""
        check_is_fitted(self)
        return self._chosen(Q).radius_neighbors(Q, check_radius(self, r))

    @property
    def n_distance_evaluations_(self) -> int:
        """Number of computed distances since `fit`."""
        parts = (self._brute, self._tree)
        return sum(index.n_distance_evaluations_ for index in parts if index is not None)

    def _chosen(self, Q: Any) -> Brute | KDTree:
        if ilk.row_blocks(self, Q, "Q") is not None:
            self.index_ = self._brute
            return self.index_
        m = ilk.n_rows(Q)
        self.n_queries_ += m
        if self.suits_tree_ and (m >= _BATCH or self.n_queries_ >= _TOTAL):
            if self._tree is None:
                self._tree = KDTree().fit(self.X_, distance=self.distance_)
            self.index_ = self._tree
        return self.index_


def suits_tree(X: Any, distance: Any) -> bool:
    """Tell whether a kd-tree of training rows is faster than brute force for many queries."""
    array = isinstance(X, np.ndarray) and X.ndim == 2
    if not array or not isinstance(distance, Norm) or not distance.metric:
        return False
    n, n_features = X.shape
    p = float(distance.p)
    fewest = _FEWEST_ROWS.get(p, _FEWEST_ROWS_ELSE) * 2**n_features
    return bool(n_features <= _MOST_FEATURES.get(p, _MOST_FEATURES_ELSE) and n >= fewest)
