"""mag_kmeans: k-means with a penalty on unequal class sizes within clusters."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from ilk import (
    Clusterer,
    InputError,
    RandomState,
    Seed,
    check_fitted,
    check_labels,
    check_seed,
    check_vectors,
    display_name,
    param,
)
from ilk_learners.numerics import common_deviations, difference

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ilk import Cases, Labels

_DROP = 1e-12  # relative to the objective: smaller decreases are rounding errors
_CELLS = 2**20  # cells of deviations held at once: 8 MiB


class MagKMeans(Clusterer):
    """Find compact clusters that hold the classes in equal numbers (MagKmeans).

    It minimises, over the cluster of each row and the centres mu_j,

    ``sum_i |x_i - mu_z(i)|^2 + O sum_j sum_c |n_jc - n_j / C|``

    where n_jc of the n_j rows in cluster j are of class c. With two classes the second sum is
    the printed ``|sum_i Z_ij Y_i|``, Y = +1 or -1, summed over j. Without labels, or with one
    class, it is 0: k-means.

    Assignments and centres are updated in turn, from k-means++ initialization. With two classes
    each assignment is optimal for its centres (a minimum-cost flow instead of a linear program).
    With more classes it is optimal for each class while the others are fixed, one class after the
    other until convergence. So the objective never rises. A cluster that becomes empty gets the row
    farthest from its centre; if it stays empty, it is dropped.

    Memory: a copy of X, and about 4 n n_clusters numbers (n n_clusters without labels).

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Cluster of each training row, numbered by first appearance. With labels, not always the
        cluster of the nearest centre.
    cluster_centers_ : ndarray of shape (n_found, p)
        Mean of each cluster; fewer than `n_clusters` if some are empty, as with fewer distinct
        rows.
    scale_ : float
        O, in the units of X squared.
    objective_ : float
        In the units of X squared.
    objective_path_ : ndarray of shape (n_iter_,)
        The objective after each update of the centres.
    n_iter_ : int
    n_features_in_ : int

    Raises
    ------
    InputError
        If there are fewer than `n_clusters` rows.

    Warns
    -----
    ConvergenceWarning
        If the best run was stopped by `max_iter`.

    References
    ----------
    .. [1] Zaidi 2011: section 8.1; equation 8.1 (for two classes).
    .. [2] H. Cheng, P.-N. Tan and R. Jin, "Efficient algorithm for localized support vector
       machine", *IEEE Transactions on Knowledge and Data Engineering* 22(4), 2010.

    Examples
    --------
    Two clusters of neighbours, and two that hold both classes:

    >>> import ilk
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    >>> ilk.clusterer("mag_kmeans", n_clusters=2, balance=0, random_state=0).fit(X, y).labels_
    array([0, 0, 1, 1])
    >>> ilk.clusterer("mag_kmeans", n_clusters=2, balance=3, random_state=0).fit(X, y).labels_
    array([0, 1, 0, 1])
    """

    n_clusters: int = param(default=8, ge=1, doc="Number of clusters.")
    balance: float = param(
        default=0.1,
        ge=0,
        doc="O in units of the mean squared distance of the rows to their mean: the result does "
        "not depend on the scale of X. 0: k-means. A row moves for balance if that costs less "
        "than 2 O. Values far above 0.1 tear clusters apart, and queries get the machines of "
        "distant rows: at 1 profile_svm lost 1 to 16 points of accuracy on five data sets (3 and "
        "8 clusters).",
    )
    n_init: int = param(
        default=5,
        ge=1,
        doc="Number of initializations; the run with the smallest objective is used.",
    )
    max_iter: int = param(default=300, ge=1, doc="Maximal iterations per run.")
    random_state: RandomState = param(default=None, type=Seed, doc="For the initializations.")

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(n_clusters=3, balance=1)]

    def check_parameters(self) -> None:
        """Check each parameter, and that the balance is finite."""
        super().check_parameters()
        if not np.isfinite(self.balance):
            raise self.parameter_error("balance", f"must be finite, got {self.balance}")

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,), optional
            Classes; None: k-means.
        """
        self.check_parameters()
        X = check_vectors(self, X, reset=True)
        if len(X) < self.n_clusters:
            raise InputError(
                f"{display_name(self)}: n_clusters must be at most the number of rows "
                f"(n_samples = {len(X)}), got {self.n_clusters}"
            )
        codes = np.zeros(len(X), dtype=np.int64) if y is None else check_labels(self, y, X)[1]
        self._origin, rows, self._exponent = common_deviations(X)
        # the price of imbalance is in units of the mean squared deviation, so that rescaling X
        # changes nothing
        scale = self.balance * float(np.vdot(rows, rows)) / len(rows)
        best = self._best_run(_Problem(rows, codes, scale))
        self._set(best, scale, X.dtype)
        return self

    def _best_run(self, problem: _Problem) -> _Run:
        from sklearn.cluster import kmeans_plusplus
        from sklearn.exceptions import ConvergenceWarning

        rng = check_seed(self, self.random_state)
        starts = (
            kmeans_plusplus(problem.rows, self.n_clusters, random_state=rng)[0]
            for _ in range(self.n_init)
        )
        best = min((problem.descend(s, self.max_iter) for s in starts), key=lambda r: r.path[-1])
        if not best.converged:
            warnings.warn(
                f"{display_name(self)}: not converged within max_iter={self.max_iter}",
                ConvergenceWarning,
                stacklevel=3,
            )
        return best

    def _set(self, run: _Run, scale: float, dtype: DTypeLike) -> None:
        clusters, first, labels = np.unique(run.labels, return_index=True, return_inverse=True)
        # clusters are numbered by their first row
        order = np.argsort(first)
        self.labels_ = np.argsort(order)[labels]
        self._centers = run.centers[clusters[order]]
        with np.errstate(over="ignore", under="ignore"):
            centers = np.ldexp(self._centers, self._exponent) + self._origin
            self.objective_path_ = np.ldexp(np.array(run.path), 2 * self._exponent)
            self.scale_ = float(np.ldexp(scale, 2 * self._exponent))
        self.cluster_centers_ = centers.astype(dtype)
        self.objective_ = float(self.objective_path_[-1])
        self.n_iter_ = len(run.path)

    def fit_predict(self, X: Cases, y: Labels | None = None) -> np.ndarray:
        """Find the clusters and return ``labels_``."""
        return self.fit(X, y).labels_

    def predict(self, X: Cases) -> np.ndarray:
        """Cluster of the nearest centre for each row, ties by lower number; shape (m,).

        It ignores classes, so the result for a training row may differ from `labels_`.
        """
        check_fitted(self)
        X = check_vectors(self, X, reset=False)
        with np.errstate(over="ignore"):
            rows = difference(X, self._origin, self._exponent).astype(float, copy=False)
        step = max(_CELLS // rows.shape[1], 1)
        blocks = [rows[start : start + step] for start in range(0, len(rows), step)]
        return np.concatenate([_distances(block, self._centers).argmin(axis=1) for block in blocks])


class _Run(NamedTuple):
    labels: np.ndarray
    centers: np.ndarray
    path: list[float]
    converged: bool


class _Problem:
    """Rows, their class codes, and the cost of imbalance."""

    def __init__(self, rows: np.ndarray, codes: np.ndarray, scale: float) -> None:
        self.rows = rows
        self.codes = codes
        self.scale = scale
        self.n_classes = int(codes.max()) + 1

    def descend(self, centers: np.ndarray, max_iter: int) -> _Run:
        """Update assignments and centres in turn until the objective converges."""
        labels, centers = self._round(None, centers)
        path = [self._objective(labels, centers)]
        for _ in range(max_iter - 1):
            new, moved = self._round(labels, self._without_empty(labels, centers))
            value = self._objective(new, moved)
            # neither step can raise the objective, except by rounding
            if not value < path[-1] * (1 - _DROP):
                return _Run(labels, centers, path, converged=True)
            labels, centers = new, moved
            path.append(value)
        return _Run(labels, centers, path, converged=False)

    def _round(
        self, labels: np.ndarray | None, centers: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        from scipy.sparse import csr_array

        # |x - mu|^2 without |x|^2, which is the same for all clusters
        costs = np.einsum("jp,jp->j", centers, centers) - 2 * (self.rows @ centers.T)
        labels = self._assigned(costs, labels)
        n, counts = len(labels), np.bincount(labels, minlength=len(centers))[:, None]
        members = csr_array((np.ones(n), (labels, np.arange(n))), shape=(len(centers), n))
        # an empty cluster keeps its centre here, and is moved before the next round
        return labels, np.where(counts, members @ self.rows / np.maximum(counts, 1), centers)

    def _assigned(self, costs: np.ndarray, labels: np.ndarray | None) -> np.ndarray:
        """Assign rows to clusters, given the cost of each (up to a constant per row)."""
        if self.n_classes == 1 or self.scale == 0:
            return np.asarray(costs.argmin(axis=1))
        if self.n_classes > 2:
            return self._by_class(costs, costs.argmin(axis=1) if labels is None else labels)
        # two classes: |n_1 - n / 2| + |n_2 - n / 2| = |n_1 - n_2|, the size of the sum of signs
        breakpoints, slopes = np.zeros((costs.shape[1], 1)), np.array([self.scale])
        return _best(costs, self.codes, breakpoints, slopes)

    def _by_class(self, costs: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Assign the rows of one class after the other, with the others fixed."""
        labels, K, C = labels.copy(), costs.shape[1], self.n_classes
        members = [np.flatnonzero(self.codes == c) for c in range(C)]
        # with the other classes fixed, the imbalance of a cluster is a sum of C absolute values
        slopes = np.full(C, self.scale / C)
        slopes[0] *= C - 1
        value = np.inf
        while True:
            counts = self._counts(labels, K)
            now = self._imbalance(counts) + costs[np.arange(len(labels)), labels].sum()
            if not now < value - _DROP * abs(now):
                return labels
            value = now
            for c, rows_of_class in enumerate(members):
                others = np.delete(counts, c, axis=1)
                rest = others.sum(axis=1, keepdims=True)
                # with s rows of class c: |s - (s + rest) / C| = (C - 1) / C |s - rest / (C - 1)|
                breakpoints = np.hstack([rest / (C - 1), C * others - rest])
                ones = np.ones(len(rows_of_class), dtype=np.int64)
                labels[rows_of_class] = _best(costs[rows_of_class], ones, breakpoints, slopes)
                counts[:, c] = np.bincount(labels[rows_of_class], minlength=K)

    def _counts(self, labels: np.ndarray, K: int) -> np.ndarray:
        """Number of rows of each class in each cluster; array of shape (K, C)."""
        cells = np.bincount(labels * self.n_classes + self.codes, minlength=K * self.n_classes)
        return cells.reshape(K, self.n_classes).astype(float)

    def _imbalance(self, counts: np.ndarray) -> float:
        return self.scale * float(np.abs(counts - counts.mean(axis=1, keepdims=True)).sum())

    def _squares(self, labels: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """Squared distance of each row to its centre."""
        squares = np.empty(len(labels))
        step = max(_CELLS // centers.shape[1], 1)
        for start in range(0, len(labels), step):
            block = slice(start, start + step)
            gaps = self.rows[block] - centers[labels[block]]
            squares[block] = np.einsum("ip,ip->i", gaps, gaps)
        return squares

    def _objective(self, labels: np.ndarray, centers: np.ndarray) -> float:
        imbalance = self._imbalance(self._counts(labels, len(centers)))
        return float(self._squares(labels, centers).sum()) + imbalance

    def _without_empty(self, labels: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """Move the centres of empty clusters to the rows farthest from their own centres."""
        empty = np.flatnonzero(np.bincount(labels, minlength=len(centers)) == 0)
        if not empty.size:
            return centers
        farthest = np.argsort(-self._squares(labels, centers), kind="stable")[: len(empty)]
        centers = centers.copy()
        centers[empty] = self.rows[farthest]
        return centers


def _best(
    costs: np.ndarray, signs: np.ndarray, breakpoints: np.ndarray, slopes: np.ndarray
) -> np.ndarray:
    from ilk_learners.clusterers.balanced import assign

    labels = np.empty(len(costs), dtype=np.int64)
    assign(costs, signs.astype(np.int64, copy=False), breakpoints, slopes, labels)
    return labels


def _distances(rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Squared distances up to a constant per row."""
    return np.asarray(np.einsum("jp,jp->j", centers, centers) - 2 * (rows @ centers.T))
