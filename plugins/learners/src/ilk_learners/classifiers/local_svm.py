"""local_svm: a support vector machine in the neighbourhood of each query."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from math import log2
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    INPUT_KINDS,
    Capabilities,
    Classifier,
    DistanceLike,
    IndexLike,
    InputError,
    KernelLike,
    LocalMetric,
    MetricLearnerLike,
    check_finite,
    check_fitted,
    check_labels,
    display_name,
    fit_component,
    n_rows,
    param,
    slot,
    take,
)
from ilk_learners.classifiers.training_cases import as_scores, no_decision, put
from ilk_learners.numerics import check_finite_parameters
from ilk_learners.svm.machines import solve
from ilk_learners.validation import (
    check_objects,
    check_one_search,
    with_input_tags,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, Labels

_CELLS = 2**24  # distances or kernel values held at once: 128 MiB
_QUERIES = 2**22  # neighbours of queries held at once: 32 MiB of row numbers
_WORTH = 8  # up to so many computed values per used one, one large product beats small ones


class LocalSVM(Classifier):
    """Train a support vector machine in the neighbourhood of each query (LSVM, LASVM).

    The neighbourhood of a query is its ``K = floor(k log2 N)`` nearest training rows. If all are
    of one class, that class is predicted. Else a machine is trained on them for each class
    present, against the rest; the largest ``f_c(x) = sum_i y_i alpha_i k(x_i, x) + b`` decides.
    With a metric learner (LASVM) the neighbourhoods are adapted: by a global one, which transforms
    all rows first; or by a local one, which finds the neighbours of each query, for a machine on
    the rows as they are.

    The default kernel is Gaussian in the distance, with the bandwidth of the neighbourhood:

        k(x, z) = exp(-d(x, z)^2 / (2 sigma^2)),    sigma^2 = mean of d^2 over the pairs of rows
                                                   of the neighbourhood,

    So it accepts the input of the distance, and reuses the distances of the neighbour search (but
    not those of a local metric). For an asymmetric distance the squares of both directions are
    averaged.

    Queries with the same neighbours share one machine; machines are cached for later queries.

    Memory: about 2^24 distances or kernel values at a time, or the K^2 of one neighbourhood if
    they are more, plus `cache_size` machines of about K (c + 1) numbers each for c classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    n_neighbors_ : int
        K.
    n_trained_, n_pure_ : int
        Machines trained, and queries predicted without one, since `fit`.
    distance_, index_, metric_learner_, kernel_ : components
        Fitted; the last two may be None, the second with a local metric.
    n_features_in_ : int
        Where the rows are vectors or tables.

    Raises
    ------
    ParameterError
        If a local metric learner is combined with an index.
    InputError
        If there are fewer than two classes, the distance does not accept X, or rows of a
        neighbourhood are infinitely far apart.

    Notes
    -----
    ``decision_function`` gives f_c of the classes present. In a neighbourhood of one class it is 1
    for that class and -1 for the others, like a machine trained on it. If several classes are
    present, an absent one has -1, or a value just below their smallest. Values of different
    neighbourhoods come from different machines.

    References
    ----------
    .. [1] Zaidi 2011: chapter 8; sections 8.2, 8.4; algorithm 8.
    .. [2] H. Zhang, A. C. Berg, M. Maire and J. Malik, "SVM-KNN: discriminative nearest neighbor
       classification for visual category recognition", *CVPR*, 2006.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> svm = ilk.classifier("local_svm", k=3).fit(X[::2], y[::2])
    >>> svm.n_neighbors_, round(svm.score(X[1::2], y[1::2]), 2)
    (18, 0.96)
    >>> svm.n_pure_, svm.n_trained_
    (30, 38)
    """

    k: float = param(
        default=5,
        type=float,
        gt=0,
        doc="K in units of log2 N; K is at least one row and at most all (a global machine).",
    )
    C: float = param(default=10.0, gt=0, doc="Cost of a violated margin.")
    kernel: KernelLike | None = slot(
        "kernel",
        default=None,
        doc="Fitted on all training rows; None: Gaussian with a bandwidth per neighbourhood.",
    )
    distance: DistanceLike = slot(
        "distance",
        default="euclidean",
        doc="Fitted on the training rows.",
    )
    index: IndexLike = slot("index", default="brute", doc="Finds the neighbours.")
    metric_learner: MetricLearnerLike | None = slot(
        "metric_learner",
        default=None,
        doc="A global one transforms the rows; a local one finds the neighbours, instead of index.",
    )
    tol: float = param(
        default=0.001,
        gt=0,
        doc="Tolerated violation of the optimality conditions, for libsvm.",
    )
    cache_size: int = param(default=1024, ge=0, doc="Most machines in the cache.")
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=INPUT_KINDS, sparse=True)

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(k=1, kernel="linear", cache_size=0),
            cls(metric_learner="megm"),
            cls(k=2, metric_learner="dann"),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, that numbers are finite, and that one component searches."""
        super().check_parameters()
        check_one_search(self, index="brute")
        check_finite_parameters(self, "k", "C", "tol")

    def fit(self, X: Cases, y: Labels) -> Self:
        """Store the training rows and labels, and learn the metric.

        Parameters
        ----------
        X : data of n rows, of any kind that the distance takes
        y : array of shape (n,)
        """
        self.check_parameters()
        learner: Any = None if self.metric_learner is None else self.resolve_slot("metric_learner")
        distance = self.resolve_slot("distance")
        X = check_objects(self, distance if learner is None else learner, X, reset=True)
        self.classes_, self.codes_ = check_labels(self, y, X, min_classes=2)
        n, labels = n_rows(X), self.classes_[self.codes_]
        # with n, neighbourhoods grow in number of rows, but shrink as a share of the data
        self.n_neighbors_ = min(max(int(self.k * log2(n)), 1), n)
        learner = None if learner is None else fit_component(learner, X, labels)
        self.metric_learner_ = learner
        local = isinstance(learner, LocalMetric)
        self._rows = rows = X if learner is None or local else learner.transform(X)
        self.distance_ = fit_component(distance, rows, labels)
        index = None if local else self.resolve_slot("index")
        self.index_ = index and fit_component(index, rows, labels, distance=self.distance_)
        kernel = None if self.kernel is None else self.resolve_slot("kernel")
        self.kernel_ = None if kernel is None else fit_component(kernel, rows, labels)
        self._kept = Kept(self.cache_size)
        return self

    @property
    def n_trained_(self) -> int:
        """Number of machines trained since `fit`."""
        return self._kept.n_trained

    @property
    def n_pure_(self) -> int:
        """Number of queries in neighbourhoods of one class since `fit`."""
        return self._kept.n_pure

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        best = self._decisions(X).argmax(axis=1)
        return self.classes_[best]

    def decision_function(self, X: Cases) -> np.ndarray:
        """f_c of each row and class; array of shape (m, n_classes), or (m,) for two classes."""
        return as_scores(self._decisions(X))

    def _decisions(self, X: Cases) -> np.ndarray:
        check_fitted(self)
        learner: Any = self.metric_learner_
        Q = check_objects(self, self.distance_ if learner is None else learner, X, reset=False)
        if learner is not None and self.index_ is not None:
            Q = learner.transform(Q)
        step = max(_QUERIES // self.n_neighbors_, 1)
        blocks = range(0, n_rows(Q), step)
        parts = [self._of_block(take(Q, np.arange(b, min(b + step, n_rows(Q))))) for b in blocks]
        return np.concatenate(parts)

    def _of_block(self, Q: Cases) -> np.ndarray:
        """Decision values of a block of queries whose neighbours fit in memory."""
        search: Any = self.metric_learner_ if self.index_ is None else self.index_
        near, rows = search.kneighbors(Q, self.n_neighbors_)
        # rows ascending, so that equal neighbourhoods are equal arrays, whatever the order of
        # distances
        order = np.argsort(rows, axis=1)
        near, rows = np.take_along_axis(near, order, 1), np.take_along_axis(rows, order, 1)
        codes = self.codes_[rows]
        decisions = no_decision(len(rows), len(self.classes_))
        pure = (codes == codes[:, :1]).all(axis=1)
        # without another class there is no border: the value of a row on the margin
        decisions[pure, codes[pure, 0]] = 1
        self._kept.count_pure(int(pure.sum()))
        for machine, members in self._machines(rows, np.flatnonzero(~pure)):
            similar = self._similarities(machine, take(Q, members), near[members], rows[members[0]])
            put(decisions, members, machine.present, machine.values(similar))
        return decisions

    def _machines(
        self, rows: np.ndarray, mixed: np.ndarray
    ) -> Iterator[tuple[LocalMachine, np.ndarray]]:
        """Yield the machine of each neighbourhood, and the queries in it."""
        if not mixed.size:
            return
        # queries that share a neighbourhood share a machine
        sets, which = np.unique(rows[mixed], axis=0, return_inverse=True)
        members = np.split(
            mixed[np.argsort(which, kind="stable")], np.cumsum(np.bincount(which))[:-1]
        )
        step = max(_CELLS // self.n_neighbors_**2, 1)
        for start in range(0, len(sets), step):
            block = range(start, min(start + step, len(sets)))
            machines = {i: m for i in block if (m := self._kept.find(sets[i]))}
            missing = [i for i in block if i not in machines]
            for i, between in zip(missing, self._between(sets[missing]), strict=True):
                machines[i] = self._trained(sets[i], between)
                self._kept.keep(sets[i], machines[i])
            yield from ((machines[i], members[i]) for i in block)

    def _between(self, sets: np.ndarray) -> Iterator[np.ndarray]:
        """Yield distances, or kernel values, between the rows of each set.

        If most pairs are needed, they are computed for all rows of all sets at once.
        """
        if not sets.size:
            return
        union, places = np.unique(sets, return_inverse=True)
        if union.size**2 <= min(_CELLS, _WORTH * sets.size * sets.shape[-1]):
            table = self._table(union)
            for chosen in places.reshape(sets.shape):
                yield table[chosen[:, None], chosen]
        else:
            yield from map(self._table, sets)

    def _table(self, rows: np.ndarray) -> np.ndarray:
        some = take(self._rows, rows)
        if self.kernel_ is None:
            return np.asarray(self.distance_.pairwise(some), dtype=float)
        gram = np.asarray(self.kernel_.gram(some), dtype=float)
        check_finite(self, gram, argument="the kernel's Gram matrix")
        return gram

    def _trained(self, rows: np.ndarray, between: np.ndarray) -> LocalMachine:
        width = 0.0
        if self.kernel_ is None:
            # a kernel must be symmetric: take the root mean square of both directions
            if not self.distance_.symmetric:
                between = _both_ways(between, between.T)
            width = self._width(between)
            between = _gaussian(between, width)
        return train(between, self.codes_[rows], self.C, self.tol, width)

    def _width(self, D: np.ndarray) -> float:
        """Root mean square of the distances between different rows."""
        largest, n = float(D.max()), len(D)
        if not np.isfinite(largest):
            raise InputError(
                f"{display_name(self)}: rows of a neighbourhood are infinitely far apart, so "
                f"the kernel has no bandwidth; give a kernel"
            )
        if largest == 0:
            return 0.0
        # relative to the largest: squares neither overflow nor underflow; the n zeros of the
        # diagonal do not count
        return largest * float(np.sqrt(np.square(D / largest).sum() / (n * (n - 1))))

    def _similarities(
        self, machine: LocalMachine, Q: Cases, near: np.ndarray, rows: np.ndarray
    ) -> np.ndarray:
        """Kernel values of queries with the rows of their shared neighbourhood."""
        if self.kernel_ is not None:
            return np.asarray(self.kernel_.gram(Q, take(self._rows, rows)), dtype=float)
        some = take(self._rows, rows)
        if self.index_ is None:  # the kernel is over the distance, not the local metric
            near = self.distance_.pairwise(Q, some)
        if not self.distance_.symmetric:
            near = _both_ways(near, self.distance_.pairwise(some, Q).T)
        return _gaussian(near.astype(float, copy=False), machine.width)

    def __sklearn_tags__(self) -> Any:
        """Take the input tags of the metric learner, or else of the distance."""
        if self.metric_learner is not None:
            return with_input_tags(self, "metric_learner", super().__sklearn_tags__())
        tags = with_input_tags(self, "distance", super().__sklearn_tags__())
        for name in ("index", "kernel"):
            other = super().__sklearn_tags__()
            if getattr(self, name) is not None:
                tags.input_tags.sparse &= with_input_tags(self, name, other).input_tags.sparse
        return tags


def _gaussian(D: np.ndarray, width: float) -> np.ndarray:
    """Kernel values; all 1 if the rows of a neighbourhood are all equal."""
    if width == 0:
        return np.ones_like(D)
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp(np.square(D / width) / -2))


def _both_ways(D: np.ndarray, E: np.ndarray) -> np.ndarray:
    """Root mean square of the distances in both directions."""
    return np.asarray(np.hypot(D, E) / np.sqrt(2))


_LOCK = threading.Lock()  # shared by all models: it is held for a moment only


@dataclass(frozen=True)
class LocalMachine:
    """One-against-rest machines of a few rows: ``k(x, rows) @ weights + bias``.

    Attributes
    ----------
    present : ndarray of int, shape (c,)
        Codes of the classes present.
    weights : ndarray of shape (K, c)
        Dual coefficients, y_i alpha_i.
    bias : ndarray of shape (c,)
    width : float
        Bandwidth sigma of the default kernel.
    """

    present: np.ndarray
    weights: np.ndarray
    bias: np.ndarray
    width: float

    def values(self, similarities: np.ndarray) -> np.ndarray:
        """Decision value of each class for rows of kernel values; array of shape (m, c)."""
        return np.asarray(similarities @ self.weights + self.bias)


def train(gram: np.ndarray, codes: np.ndarray, C: float, tol: float, width: float) -> LocalMachine:
    """Train on the Gram matrix of rows of at least two classes.

    For two classes one machine is trained; the other is its negative.
    """
    present = np.unique(codes)
    # for two classes, the machine of the second decides for both
    asked = present[1:] if len(present) == 2 else present
    gram, bounds = np.ascontiguousarray(gram), np.full(len(codes), C)
    weights, bias = np.zeros((len(codes), len(asked))), np.empty(len(asked))
    for column, c in enumerate(asked):
        machine = solve(gram, np.where(codes == c, 1.0, -1.0), bounds, tol=tol, max_iter=None)
        weights[machine.rows, column] = machine.coef
        bias[column] = machine.intercept
    if len(present) == 2:
        weights, bias = np.hstack([-weights, weights]), np.concatenate([-bias, bias])
    return LocalMachine(present, weights, bias, width)


@dataclass
class Kept:
    """Least-recently-used cache of machines, keyed by the rows they were trained on.

    Pickled copies start empty.

    Attributes
    ----------
    size : int
        Capacity.
    n_trained, n_pure : int
        Machines trained, and queries that needed none.
    """

    size: int
    n_trained: int = 0
    n_pure: int = 0
    machines: OrderedDict[bytes, LocalMachine] = field(default_factory=OrderedDict, repr=False)

    def find(self, rows: np.ndarray) -> LocalMachine | None:
        """Return the cached machine of these rows, or None."""
        # the bytes of ascending row numbers identify a neighbourhood
        key = rows.tobytes()
        with _LOCK:
            if key in self.machines:
                self.machines.move_to_end(key)
            return self.machines.get(key)

    def keep(self, rows: np.ndarray, machine: LocalMachine) -> None:
        """Store a trained machine."""
        with _LOCK:
            self.n_trained += 1
            self.machines[rows.tobytes()] = machine
            # the first is the one whose last use is longest ago
            while len(self.machines) > self.size:
                self.machines.popitem(last=False)

    def count_pure(self, n: int) -> None:
        """Count queries that needed no machine."""
        with _LOCK:
            self.n_pure += n

    def __getstate__(self) -> dict[str, Any]:
        return {"size": self.size, "n_trained": self.n_trained, "n_pure": self.n_pure}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, machines=OrderedDict())
