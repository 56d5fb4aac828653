"""kd-tree: scipy's tree finds candidates for Minkowski distances, which the distance then ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

import ilk
from ilk import check_fitted, param
from ilk.neighbors import Norm, check_radius, training_rows
from ilk_distances.indexes.candidates import nearest_pairs, within_lists
from ilk_distances.indexes.exact import Margin, check_metric, check_queries, count, margin

if TYPE_CHECKING:
    from ilk import Cases, Distance, Labels

_QUERIES = 2048  # maximum number of queries in a block; they are sorted by place
_NUMBERS = 2**19  # candidates of a block: bounds the memory
_MOST = 1024  # candidates of a query from which brute force takes about as long
_STEEP = 16.0  # larger exponents underflow: the Chebyshev distance finds the candidates
_BITS = 400  # powers of numbers up to 2^(400 / p) neither overflow nor vanish
_LEAST = 1e-290  # smaller powers may have lost digits by underflow


class KDTree(ilk.Index):
    """kd-tree: halves the rows repeatedly along a wide feature; exact, for Minkowski.

    A query skips the nodes whose box is farther than the k-th nearest row found so far. scipy's
    tree selects, with a margin for rounding, the candidates for the nearest rows. The distance
    itself then compares them with the query, so that answers are those of `brute` to the last
    bit, ties by lower training index included. Queries with more than about 1,000 candidates,
    because of many equal rows, are compared with all rows.

    Takes `minkowski` with p of at least 1, `manhattan`, `euclidean` and `chebyshev`, weighted or
    not. Best in up to about 10 dimensions; beyond, most boxes are near every query, and `brute`
    is faster. `auto` chooses between the two.

    Memory in addition to the rows: at most 16 bytes a row. Rows that are no contiguous array of
    float64, and rows under a weighted distance, are copied once more in double. Files have no
    tree: it is built again at the first search.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : ndarray of shape (n, p)
        Training rows; not copied.
    n_distance_evaluations_ : int
        Number of distances computed by the distance since `fit`: of queries to the candidates.
        Distances inside scipy's tree are not counted.

    Raises
    ------
    InputError
        If the distance is no Minkowski distance or no metric, k is not within 1..n, or a radius
        is negative.

    References
    ----------
    .. [1] J. H. Friedman, J. L. Bentley and R. A. Finkel, "An algorithm for finding best matches in
       logarithmic expected time", *ACM Transactions on Mathematical Software* 3, 1977.
    .. [2] Arras: K-NN Inference and Decision.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [5.0, 5.0]]
    >>> index = ilk.index("kd_tree").fit(X, distance=ilk.distance("manhattan"))
    >>> distances, indices = index.kneighbors([[1.0, 0.5]], 3)
    >>> distances
    array([[0.5, 0.5, 1.5]])
    >>> indices
    array([[1, 2, 0]])
    """

    leaf_size: int = param(
        default=32,
        ge=1,
        doc="Maximum number of rows in a leaf.",
    )

    @classmethod
    def examples(cls) -> list[KDTree]:
        """Return the default, and a deep tree."""
        return [cls(), cls(leaf_size=2)]

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Take training rows and an already fitted distance; y is ignored."""
        self.check_parameters()
        if not isinstance(distance, Norm):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: distance must be minkowski, manhattan, euclidean or "
                f"chebyshev, got {ilk.display_name(distance)}; cover_tree takes any metric"
            )
        check_metric(self, distance)
        self.X_ = training_rows(self, distance, X)
        self.distance_ = distance
        self._tree: _Scaled | None = None
        self._built()
        self.n_distance_evaluations_ = 0
        return self

    def kneighbors(self, Q: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index."""
        check_fitted(self)
        self.check_k(k, len(self.X_))
        k = int(k)
        Q = check_queries(self, self.distance_, Q, self.X_)
        near = np.empty((len(Q), k), np.result_type(Q, self.X_))
        where = np.empty((len(Q), k), np.int64)
        tree, counts = self._built(), []

        def work(start: int, stop: int) -> None:
            rows = slice(start, stop)
            counts.append(self._nearest(tree, Q[rows], k, near[rows], where[rows]))

        size = min(_QUERIES, _NUMBERS // k, -(-len(Q) // ilk.n_threads()))
        ilk.in_blocks(work, len(Q), max(size, 1))
        count(self, sum(counts))
        return near, where

    def radius_neighbors(self, Q: Cases, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first."""
        check_fitted(self)
        r = check_radius(self, r)
        Q = check_queries(self, self.distance_, Q, self.X_)
        near: list[Any] = [None] * len(Q)
        where: list[Any] = [None] * len(Q)
        tree, counts = self._built(), []

        def work(start: int, stop: int) -> None:
            rows = slice(start, stop)
            near[rows], where[rows], compared = self._within(tree, Q[rows], r)
            counts.append(compared)

        ilk.in_blocks(work, len(Q), _QUERIES)
        count(self, sum(counts))
        return near, where

    def check_loaded(self) -> None:
        """Check the rows; the tree is built again from them."""
        p = ilk.check_stored(self, "X_", (None, None), kinds="f").shape[1]
        weights = self.distance_.weights
        if not np.isfinite(self.X_).all() or (weights is not None and len(weights) != p):
            raise ilk.stored_fault(self, "X_ must be finite, with a weight for each feature")

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        return {**state, "_tree": None} if "_tree" in state else state

    def _built(self) -> _Scaled:
        """The tree; built again after loading."""
        if self._tree is None:
            self._tree = _Scaled.of(self.X_, self.distance_, self.leaf_size)
        return self._tree

    def _nearest(
        self, tree: _Scaled, Q: np.ndarray, k: int, near: np.ndarray, where: np.ndarray
    ) -> int:
        """Write the nearest rows of each query; return the number of computed distances."""
        from scipy.spatial import cKDTree

        n, compared = len(self.X_), 0
        places, usable = tree.place(Q)
        # near queries follow one another and read the same leaves
        left = cKDTree(places).indices[usable] if len(Q) > 1 else np.flatnonzero(usable)
        wanted = k + 1
        while len(left) and 4 * wanted <= n and wanted <= max(8 * k, _MOST):
            reached, rows = tree.tree.query(places[left], wanted, p=tree.p)
            limit = tree.limit(tree.loose * reached[:, k - 1], self._margin(Q), places[left])
            done = reached[:, -1] > limit
            some, rows = left[done], rows[done]
            near[some], where[some] = nearest_pairs(self.distance_, Q[some], self.X_, rows, k)
            compared += rows.size
            left, wanted = left[~done], 8 * wanted
        rest = np.union1d(left, np.flatnonzero(~usable))
        if len(rest):
            near[rest], where[rest] = self.distance_.nearest(Q[rest], self.X_, k)
        return compared + len(rest) * n

    def _within(
        self, tree: _Scaled, Q: np.ndarray, r: float
    ) -> tuple[list[np.ndarray], list[np.ndarray], int]:
        """Rows within r of each query, nearest first, and the number of computed distances."""
        from scipy.spatial import cKDTree

        places, usable = tree.place(Q)
        with np.errstate(over="ignore"):
            reach = np.divide(r, tree.unit) if tree.unit else np.inf
        limit = tree.limit(np.full(len(Q), reach), self._margin(Q), places).max()
        if not usable.all() or limit == np.inf:
            brute = ilk.index("brute").fit(self.X_, distance=self.distance_)
            return *brute.radius_neighbors(Q, r), len(Q) * len(self.X_)
        pairs = cKDTree(places).sparse_distance_matrix(
            tree.tree, limit, p=tree.p, output_type="ndarray"
        )
        pairs = pairs[np.argsort(pairs["i"], kind="stable")]
        queries, rows = (np.ascontiguousarray(pairs[name], np.int64) for name in "ij")
        return *within_lists(self.distance_, Q, self.X_, queries, rows, r), len(rows)

    def _margin(self, Q: np.ndarray) -> Margin:
        return margin(np.result_type(Q, self.X_))


class _Scaled(NamedTuple):
    """scipy's tree of rows whose unweighted distances are those of the rows, but for a factor.

    Attributes
    ----------
    tree : cKDTree
    p : float
        Exponent of the tree's distances.
    loose : float
        Distances of the tree are smaller than those of the rows, at most by this factor.
    factors : ndarray of shape (n_features,) or None
        Of the features; None if the rows are in the tree as they are.
    unit : float
        The distance of rows whose distance in the tree is 1.
    largest : float
        Numbers of queries below it are in the range of the tree.
    rounding : ndarray of shape (2,)
        Absolute error of distances in the tree, and that per unit of the numbers of a query.
    """

    tree: Any
    p: float
    loose: float
    factors: np.ndarray | None
    unit: float
    largest: float
    rounding: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, distance: Any, leaf_size: int) -> _Scaled:
        """Build the tree for a Minkowski distance."""
        from scipy.spatial import cKDTree

        p, n_features = float(distance.p), X.shape[1]
        steep = p > _STEEP
        power = 1.0 if steep else p
        bits = _BITS / power
        sizes = np.maximum(X.max(axis=0), -X.min(axis=0)).astype(float)
        factors, unit = np.ones(n_features), 1.0
        weighted = distance.weights is not None and p < np.inf
        if weighted:
            weights = np.asarray(distance.weights, dtype=float)
            # relative to the largest weight, so that weighted differences cannot overflow by it
            factors = (weights / weights.max()) ** (1 / p)
            unit = float(weights.max() ** (1 / p))
        exponent = int(np.frexp((sizes * factors).max())[1])
        if abs(exponent) > bits:  # a power of two changes no digit
            shift = float(np.clip(-exponent, -1000, 1000))
            with np.errstate(over="ignore", under="ignore"):
                factors, unit = factors * 2.0**shift, unit * 2.0**-shift
        changed = weighted or abs(exponent) > bits
        with np.errstate(under="ignore"):
            rows = X * factors if changed else X
            lost = (n_features * _LEAST) ** (1 / power)
        by_size = 2 * float(np.finfo(float).eps) if weighted else 0.0
        return cls(
            # no compact nodes: a quarter faster to build, and as fast to search
            cKDTree(rows, leafsize=leaf_size, compact_nodes=False, copy_data=False),
            np.inf if steep else p,
            n_features ** (1 / p) if steep else 1.0,
            factors if changed else None,
            unit,
            2.0 ** (1.1 * bits),
            np.array([lost + by_size * float((sizes * factors).sum()), by_size]),
        )

    def place(self, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return queries in the form for the tree, and whether each is in its range."""
        with np.errstate(over="ignore", under="ignore"):
            places = np.asarray(Q if self.factors is None else Q * self.factors, dtype=float)
        usable = np.abs(places).max(axis=1) < self.largest
        return (places if usable.all() else np.where(usable[:, None], places, 0.0)), usable

    def limit(self, reached: np.ndarray, margin: Margin, places: np.ndarray) -> np.ndarray:
        """Return the largest distance in the tree of a row that may be as near as others.

        `reached`, of shape (m,), are the distances of the others in the tree; infinite where
        distances may overflow, so that nothing is excluded.
        """
        by_size = self.rounding[1] * np.abs(places).sum(axis=1) if self.rounding[1] else 0.0
        with np.errstate(over="ignore", divide="ignore"):
            limit = reached * (1 + margin.relative) + margin.absolute / np.float64(self.unit)
            limit = limit + self.rounding[0] + by_size
            return np.where(limit * self.unit < margin.most, limit, np.inf)
