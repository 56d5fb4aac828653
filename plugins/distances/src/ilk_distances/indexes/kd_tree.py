"""kd-tree: boxes of training rows, for Minkowski distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk import param
from ilk.neighbors import Norm, check_radius, training_rows
from ilk_distances.indexes.candidates import Candidates
from ilk_distances.indexes.exact import check_metric, check_queries, count, margin

if TYPE_CHECKING:
    from ilk import Cases, Distance, Labels

INSERTED = 128  # maximum number of neighbours sorted by insertion, which is quadratic
QUERIES = 512  # queries in a thread's block: large beside the cost of its start
LEAST = 1e-300  # absolute error of reduced distances, because powers may underflow


class KDTree(ilk.Index):
    """kd-tree: halves the rows repeatedly along the widest feature; exact, for Minkowski.

    Every node has the smallest box around its rows; a query skips the nodes whose box is
    farther than the k-th nearest row found so far. The tree selects, with a margin for rounding,
    the candidates for the nearest rows. The distance itself then compares them with the query,
    so that answers are those of `brute` to the last bit, ties by lower training index included.

    Takes `minkowski` with p of at least 1, `manhattan`, `euclidean` and `chebyshev`, weighted or
    not. Best in up to about 15 dimensions; beyond, most boxes are near every query.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : ndarray of shape (n, p)
        Training rows; not copied.
    order_ : ndarray of int, shape (n,)
        Training indices in the order of the leaves.
    boxes_ : ndarray of shape (n_nodes, 2, p)
        Smallest and largest values of each node; the children of node i are 2 i + 1 and 2 i + 2.
    n_distance_evaluations_ : int
        Number of distances computed since `fit`: of queries to the rows of visited leaves, and
        again to the candidates for the nearest rows.

    Raises
    ------
    InputError
        If the distance is no Minkowski distance or no metric, k is not within 1..n, or a radius
        is negative.

    References
    ----------
    .. [1] J. H. Friedman, J. L. Bentley and R. A. Finkel, "An algorithm for finding best matches
       in logarithmic expected time", *ACM Transactions on Mathematical Software* 3, 1977.

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
    copy: bool = param(
        default=True,
        doc="Whether to keep a copy of the rows in the order of the tree, which makes queries "
        "faster. A memory-mapped array is never copied.",
    )

    @classmethod
    def examples(cls) -> list[KDTree]:
        """Return the default, and a deep tree without a copy."""
        return [cls(), cls(leaf_size=2, copy=False)]

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
        self._build()
        self.n_distance_evaluations_ = 0
        return self

    def kneighbors(self, Q: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index."""
        check_is_fitted(self)
        self.check_k(k, len(self.X_))
        Q = check_queries(self, self.distance_, Q, self.X_)
        near = np.empty((len(Q), int(k)), np.result_type(Q, self.X_))
        where = np.empty((len(Q), int(k)), np.int64)
        counts: list[int] = []

        def work(start: int, stop: int) -> None:
            rows = slice(start, stop)
            candidates, looked = self._candidates(Q[rows], int(k), np.inf)
            # the search compares with margins for rounding: the distance itself decides
            again = self._settle(candidates, Q[rows], near[rows], where[rows])
            counts.append(looked + again)

        ilk.in_blocks(work, len(Q), QUERIES)
        count(self, sum(counts))
        return near, where

    def radius_neighbors(self, Q: Cases, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first."""
        check_is_fitted(self)
        r = check_radius(self, r)
        Q = check_queries(self, self.distance_, Q, self.X_)
        near: list[Any] = [None] * len(Q)
        where: list[Any] = [None] * len(Q)
        counts: list[int] = []

        def work(start: int, stop: int) -> None:
            rows = slice(start, stop)
            candidates, looked = self._candidates(Q[rows], 0, r)
            near[rows], where[rows], again = candidates.within(self.distance_, Q[rows], self.X_, r)
            counts.append(looked + again)

        ilk.in_blocks(work, len(Q), QUERIES)
        count(self, sum(counts))
        return near, where

    def check_loaded(self) -> None:
        """Check that the leaves have each row once, and that boxes match the features."""
        n, p = ilk.check_stored(self, "X_", (None, None), kinds="f").shape
        n_leaves = len(self._starts) - 1
        ilk.check_stored(self, "_starts", (None,), spans=n)
        ilk.check_stored(self, "order_", (n,), least=0, below=n)
        ilk.check_stored(self, "boxes_", (2 * n_leaves - 1, 2, p), kinds="f")
        if self._tiles is not None:
            ilk.check_stored(self, "_tiles", (n * p,), kinds="f")
        weights = self.distance_.weights
        if n_leaves.bit_count() != 1 or (weights is not None and len(weights) != p):
            raise ilk.stored_fault(self, f"{n_leaves} leaves or the weights do not match the tree")

    def _build(self) -> None:
        from ilk_distances.indexes import kd_tree_steps

        n, p = self.X_.shape
        # a power of two: the tree is complete, so positions replace pointers to children
        n_leaves = 2 ** max(-(-n // self.leaf_size) - 1, 0).bit_length()
        self.order_ = np.empty(n, np.int64)
        self.boxes_ = np.empty((2 * n_leaves - 1, 2, p))
        self._starts = np.empty(n_leaves + 1, np.int64)
        X = _for_kernels(self.X_)
        kd_tree_steps.halve(X, self.order_, self._starts, self.boxes_)
        self._tiles = None
        if self.copy and not _is_mapped(self.X_):
            self._tiles = np.empty(self.X_.size, self.X_.dtype)
            kd_tree_steps.lay(X, self.order_, self._starts, self._tiles)

    def _candidates(self, Q: np.ndarray, k: int, r: float) -> tuple[Candidates, int]:
        """Candidates for the nearest rows of each query, and the number of computed distances."""
        from ilk_distances.indexes import kd_tree_steps

        p = float(self.distance_.p)
        how = kd_tree_steps.how(p)
        power = p if how == kd_tree_steps.SQUARES else 1.0
        weights, unit = self._weights(how, p)
        relative, absolute, most = margin(np.result_type(Q, self.X_))
        # the search compares reduced distances, so the radius and the errors are reduced likewise:
        # a relative error e of d becomes (1 + e)^power - 1 of d^power
        with np.errstate(over="ignore", under="ignore"):
            radius, least, most = (np.array([r, absolute, most]) / unit) ** power
        slack = np.array([(1 + relative) ** power - 1, max(least, LEAST), most])
        copied = self._tiles is not None
        positions, ends, evaluations = kd_tree_steps.candidates(
            self._tiles if copied else np.empty(0, self.X_.dtype),
            np.empty((0, 0), self.X_.dtype) if copied else _for_kernels(self.X_),
            self.order_,
            self._starts,
            self.boxes_,
            np.ascontiguousarray(Q, dtype=float),
            k,
            float(radius),
            how,
            p,
            weights,
            slack,
        )
        # queries whose first candidates are near one another in the tree read the same rows
        firsts = np.append(0, ends[:-1])
        turns = (
            np.argsort(positions[np.minimum(firsts, len(positions) - 1)])
            if len(positions)
            else np.arange(len(Q))
        )
        return Candidates(self.order_[positions], ends, turns), int(evaluations)

    def _settle(
        self, candidates: Candidates, Q: np.ndarray, near: np.ndarray, where: np.ndarray
    ) -> int:
        """Write the nearest candidates of each query; return the number of computed distances."""
        from ilk_distances.indexes import kd_tree_steps

        how, k = kd_tree_steps.how(float(self.distance_.p)), near.shape[1]
        # kinds of distances that have a compiled loop over pairs
        plain = self.distance_.weights is None and how != kd_tree_steps.POWERS
        if not plain or k > INSERTED:
            near[:], where[:], compared = candidates.nearest(self.distance_, Q, self.X_, k)
            return compared
        rows, ends = candidates.rows, candidates.ends
        queries = np.repeat(np.arange(len(Q)), np.diff(ends, prepend=0))
        values = self.distance_.compare_pairs(Q, queries, self.X_, rows)
        kd_tree_steps.settle(values, rows, ends, near, where)
        return len(rows)

    def _weights(self, how: int, p: float) -> tuple[np.ndarray, float]:
        """Factors of the (powers of) differences, at most 1, and the divisor of distances."""
        from ilk_distances.indexes import kd_tree_steps

        n_features = self.X_.shape[1]
        if self.distance_.weights is None or how == kd_tree_steps.LARGEST:
            return np.ones(n_features), 1.0
        weights = np.asarray(self.distance_.weights, dtype=float)
        # relative to the largest weight, so that weighted differences cannot overflow by it
        scaled = weights / weights.max()
        unit = float(weights.max() ** (1 / p))
        return (scaled ** (1 / p), unit) if how == kd_tree_steps.POWERS else (scaled, unit)


class _Memory:
    """The memory of an array, ignoring its writeable flag."""

    def __init__(self, X: np.ndarray) -> None:
        self.X = X
        address, _ = X.__array_interface__["data"]
        self.__array_interface__ = {**X.__array_interface__, "data": (address, False)}


def _for_kernels(X: np.ndarray) -> np.ndarray:
    """Return a contiguous array of the same rows whose numba type is writable.

    Otherwise numba would compile every kernel again for each layout of the data.
    """
    X = X if _is_mapped(X) else np.ascontiguousarray(X)
    return X if X.flags.writeable else np.asarray(_Memory(X))


def _is_mapped(X: Cases | None) -> bool:
    """Tell whether an array is a view of a memory-mapped file."""
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap):
            return True
        X = X.base
    return False
