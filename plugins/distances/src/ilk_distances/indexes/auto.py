"""The index that chooses: kd-tree or brute force, by size and distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk.neighbors import Brute, Norm, check_distance, check_radius
from ilk_distances.indexes.exact import check_queries
from ilk_distances.indexes.kd_tree import KDTree

if TYPE_CHECKING:
    from ilk import Cases, Distance, Labels

# Measured on one core. On normal, uniform, clustered and heavy-tailed rows, and queries like them,
# a tree within these bounds is faster than brute force for 1, 10 and 100 neighbours.
_FEWEST_ROWS, _FEWEST_ROWS_ELSE = 1000, 2000  # times 2^features; Euclidean, and other distances
_MOST_FEATURES, _MOST_FEATURES_ELSE = 6, 5
_BATCH = 512  # a tree is built in the time in which brute force answers about 200 queries
_OUTSIDE = 0.1  # share of queries outside the training rows up to which a tree is faster
_SAMPLED = 4096  # training rows whose box stands for that of all
_TOTAL = 2048  # the same after so many queries in small batches: a tenth of their time


class Auto(ilk.Index):
    """Chooses between `brute` and `kd_tree` by size, width and distance; exact, for any distance.

    Both give the same answers to the last bit, so that the choice is one of speed. A kd-tree
    answers if the distance is a Minkowski distance and a metric, the rows are an array in memory,
    and there are p features and n rows with

    - p <= 6 and n >= 1000 * 2^p for the Euclidean distance,
    - p <= 5 and n >= 2000 * 2^p for others, such as the Manhattan distance;

    and if enough queries come to pay for the tree: 512 in one call, or 2048 in all. Everything
    else is left to brute force, and so are batches with more than a tenth of the queries outside
    the box around the training rows, for which many leaves are near. The rule was measured with
    rows and queries of one distribution; if rows lie around a hollow in which the queries are, name
    `brute`, and for rows in many tight clusters of 7 to 15 features, name `kd_tree`.

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
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(sparse=True)

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Take training rows and an already fitted distance; y is ignored."""
        self.check_parameters()
        check_distance(self, distance)
        self._brute = Brute().fit(X, distance=distance)
        self._tree: KDTree | None = None
        self.index_: Brute | KDTree = self._brute
        self.X_, self.distance_ = self._brute.X_, distance
        self.suits_tree_ = suits_tree(self.X_, distance)
        self.n_queries_ = 0
        return self

    def kneighbors(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index."""
        ilk.check_fitted(self)
        self.check_k(k, ilk.n_rows(self.X_))
        return self._chosen(Q).kneighbors(Q, k)

    def radius_neighbors(self, Q: Cases, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first."""
        ilk.check_fitted(self)
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
        many = m >= _BATCH or self.n_queries_ >= _TOTAL
        self.index_ = self._brute
        if self.suits_tree_ and many and not ilk.is_sparse(Q) and self._outside(Q) <= _OUTSIDE:
            if self._tree is None:
                self._tree = KDTree().fit(self.X_, distance=self.distance_)
            self.index_ = self._tree
        return self.index_

    def _outside(self, Q: Any) -> float:
        """The share of queries outside the box around the training rows."""
        X: Any = self.X_
        Q = check_queries(self, self.distance_, Q, X)
        some = X[:: max(len(X) // _SAMPLED, 1)]
        inside = (some.min(axis=0) <= Q) & (some.max(axis=0) >= Q)
        return 1 - float(inside.all(axis=1).mean())


def suits_tree(X: Any, distance: Any) -> bool:
    """Tell whether a kd-tree of training rows is faster than brute force for many queries."""
    array = isinstance(X, np.ndarray) and X.ndim == 2
    if not array or not isinstance(distance, Norm) or not distance.metric:
        return False
    n, n_features = X.shape
    euclidean = float(distance.p) == 2
    fewest = _FEWEST_ROWS if euclidean else _FEWEST_ROWS_ELSE
    most = _MOST_FEATURES if euclidean else _MOST_FEATURES_ELSE
    return bool(n_features <= most and n >= fewest * 2**n_features)
