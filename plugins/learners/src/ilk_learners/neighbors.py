"""Nearest neighbours that vote: the base of knn as a classifier and as a regressor."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    INPUT_KINDS,
    Capabilities,
    Component,
    DistanceLike,
    IlkError,
    IndexLike,
    InputError,
    InputTypeError,
    LocalMetric,
    MetricLearnerLike,
    RowBlocks,
    check_finite,
    check_fitted,
    check_stored,
    check_weights,
    display_name,
    fit_component,
    is_frozen,
    is_table,
    n_rows,
    one_row,
    param,
    row_blocks,
    rows_of_weight,
    slot,
    without_itself,
)
from ilk_learners.validation import (
    check_columns,
    check_objects,
    check_one_search,
    learns,
    takes_vectors,
)
from ilk_learners.votes import _BY_WIDTH, n_asked, vote_weights

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Labels
    from ilk_learners.votes import Vote, Width, ZeroDistance


VOTES_ONLY = "a weight multiplies a vote; two copies of a case are two of the k neighbours"


class Nearest(Component):
    """Searches training rows for the k nearest to a query; each of them has a vote.

    A subclass inherits the parameters below, calls `_checked_rows`, `_weighted` and `_take_rows`
    in `fit`, and `_voters` in `predict`.
    """

    k: int = param(default=5, ge=1, doc="Number of neighbours that vote.")
    distance: DistanceLike = slot(
        "distance",
        default="euclidean",
        doc="Fitted on the training rows.",
    )
    index: IndexLike = slot(
        "index",
        default="brute",
        doc='Finds the neighbours; "auto" takes a kd-tree where it is faster: the same answers.',
    )
    metric_learner: MetricLearnerLike | None = slot(
        "metric_learner",
        default=None,
        doc="A global one is fitted first and transforms the rows. A local one finds the "
        "neighbours itself, instead of distance and index.",
    )
    vote: Vote = param(
        default="majority",
        choices=("majority", "inverse_distance", *_BY_WIDTH),
        doc="Weight of a vote.",
    )
    power: float = param(
        default=1.0,
        gt=0,
        doc="The n of inverse distances; the larger, the less far neighbours count.",
    )
    width: Width = param(
        default="next_neighbor",
        type=float,
        gt=0,
        choices=("next_neighbor", "last_neighbor"),
        doc="The bandwidth h of the last three: a distance; or, for each query, the distance of "
        "neighbour k + 1, the first without a vote; or that of neighbour k, whose vote is then 0 "
        'under "epanechnikov".',
    )
    zero_distance: ZeroDistance = param(
        default="votes",
        choices=("decides", "votes"),
        doc="Whether rows at distance zero exclude the others; if not, each of the k votes. With "
        "inverse distances they always exclude them, the limit of the formula.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=INPUT_KINDS,
        fast_leave_one_out=True,
        sparse=True,
        sample_weight=True,
    )
    late: ClassVar[tuple[str, ...]] = ("k", "vote", "power", "width", "zero_distance")
    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_sample_weight_equivalence_on_dense_data": VOTES_ONLY,
        "sklearn:check_sample_weight_equivalence_on_sparse_data": VOTES_ONLY,
    }

    @abstractmethod
    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Store the training rows and targets."""

    def check_parameters(self) -> None:
        """Check each parameter, and that a local metric has no distance or index besides."""
        super().check_parameters()
        check_one_search(self, index="brute", distance="euclidean")

    def _checked_rows(self, X: Cases) -> Any:
        """Training rows in the form of the metric learner, or else of the distance."""
        taker = "distance" if self.metric_learner is None else "metric_learner"
        blocks = row_blocks(self, X)
        if blocks is not None:
            problem = self._not_by_blocks()
            if problem is None:
                check_columns(self, blocks, reset=True)
                blocks.check(self, nan=_content(self, "distance").capabilities.nan)
                return blocks
            if not isinstance(X, np.ndarray):
                raise InputTypeError(f"{display_name(self)}: to read X block by block, {problem}")
        return check_objects(self, _content(self, taker), X, reset=True)

    def _weighted(self, X: Any, y: np.ndarray, sample_weight: ArrayLike | None) -> tuple[Any, Any]:
        """Rows of positive weight, and their targets.

        Sets ``weights_`` where weights differ, and ``numbers_`` where rows are dropped.
        """
        for name in ("weights_", "numbers_"):
            vars(self).pop(name, None)
        if sample_weight is None:
            return X, y
        weights = check_weights(self, sample_weight, X)
        if not weights.all():
            if isinstance(X, RowBlocks):
                raise InputError(
                    f"{display_name(self)}: sample_weight must be above 0 where X is read block "
                    f"by block; leave these rows out of X"
                )
            self.numbers_ = np.flatnonzero(weights)
        weights, X, y = rows_of_weight(weights, X, y)
        with np.errstate(over="ignore"):
            if np.isinf(weights.sum()):
                raise InputError(f"{display_name(self)}: sample_weight has a sum that is infinite")
        if weights.min() < weights.max():
            self.weights_ = weights
        return X, y

    def _not_by_blocks(self) -> str | None:
        """Reason why training rows cannot be read block by block with these parameters."""
        if self.metric_learner is not None:
            return "metric_learner must be None"
        if not _content(self, "index").by_blocks:
            return f"index must be 'brute', got {self.index!r}"
        distance = _content(self, "distance")
        if not takes_vectors(distance):
            return f"distance must take vectors, got {self.distance!r}"
        if learns(distance):
            return (
                f"distance must be one that learns nothing from training rows, or frozen, got "
                f"{self.distance!r}"
            )
        return None

    @property
    def _n_asked(self) -> int:
        return n_asked(self.k, self.vote, self.width)

    def _take_rows(self, X: Cases, y: np.ndarray) -> None:
        """Fit the components in the slots on checked training rows and their targets."""
        vars(self).pop("_expected", None)
        self._check_number(n_rows(X))
        learner: Any = None if self.metric_learner is None else self.seeded_slot("metric_learner")
        if learner is not None:
            learner = fit_component(learner, X, y)
        self.metric_learner_ = learner
        self.distance_ = self.index_ = None
        if isinstance(learner, LocalMetric):
            self._rows = X
            return
        self._rows = X if learner is None else learner.transform(X)
        distance = self.seeded_slot("distance")
        if isinstance(X, RowBlocks):  # it learns nothing: the first block suffices
            some = next(iter(X))[1]
            self.distance_ = fit_component(distance, some, y[: len(some)])
        else:
            self.distance_ = fit_component(distance, self._rows, y)
        index = self.seeded_slot("index")
        self.index_ = fit_component(index, self._rows, y, distance=self.distance_)

    def _check_number(self, n: int) -> None:
        further = self._n_asked - int(self.k)
        if self.k > n - further:
            why = "the number of training rows"
            if further:
                vote = f"vote={self.vote!r} with width='next_neighbor'"
                why += f" without the next one, which {vote} looks at (give width as a number)"
            raise InputError(
                f"{display_name(self)}: k must be at most {n - further}, {why} "
                f"(n_samples = {n}), got {self.k}"
            )

    @property
    def _search(self) -> Any:
        """The index or local metric that finds neighbours."""
        return self.metric_learner_ if self.index_ is None else self.index_

    def kneighbors(self, X: Cases, k: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The nearest training rows of each query, nearest first, ties by lower index.

        Parameters
        ----------
        X : data of m rows
        k : int, optional
            None: the number of votes.

        Returns
        -------
        distances : ndarray of shape (m, k)
        indices : ndarray of int, shape (m, k)
        """
        near, rows = self._nearest(X, self.k if k is None else k)
        return near, self._numbered(rows)

    def _numbered(self, rows: np.ndarray) -> np.ndarray:
        """Numbers, among the rows given to `fit`, of rows that take part."""
        numbers: np.ndarray | None = vars(self).get("numbers_")
        return rows if numbers is None else numbers[rows]

    def _nearest(self, X: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The nearest training rows, numbered among the rows of positive weight."""
        check_fitted(self)
        blocks = row_blocks(self, X)
        if blocks is not None:
            answers = [self._nearest(block, k) for block in self._read(blocks)]
            return np.concatenate([d for d, _ in answers]), np.concatenate([i for _, i in answers])
        learner: Any = self.metric_learner_
        Q = check_objects(self, self.distance_ if learner is None else learner, X, reset=False)
        if self.index_ is not None and learner is not None:
            Q = learner.transform(Q)
        near, where = self._search.kneighbors(Q, k)
        return near, where

    def nearest_cases(self, X: Cases) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Distances, numbers and labels of the training rows that vote on each query.

        Parameters
        ----------
        X : data of m rows

        Returns
        -------
        distances, indices, labels : ndarray of shape (m, k)
            Nearest first; of a regressor, targets in place of labels.
        """
        near, rows = self._nearest(X, self.k)
        return near, self._numbered(rows), self._targets(rows)

    @abstractmethod
    def _targets(self, rows: np.ndarray) -> np.ndarray:
        """Labels or targets of training rows, in the shape of `rows`."""

    def _read(self, blocks: RowBlocks) -> Iterator[np.ndarray]:
        """Yield checked blocks of queries; errors count rows from the start of X."""
        taker: Any = self.distance_ if self.metric_learner_ is None else self.metric_learner_
        if not takes_vectors(taker):
            raise InputTypeError(
                f"{display_name(self)}: X is read block by block as vectors, which "
                f"{display_name(taker)} does not accept"
            )
        check_columns(self, blocks, reset=False)
        for first, block in blocks:
            check_finite(self, block, nan=taker.capabilities.nan, first_row=first)
            yield block

    def _voters(self, X: Cases) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Distances, row numbers and vote weights of the voters on each query."""
        return self._weighed(*self._lists(X))

    def with_late(self, other: Component) -> Self:
        """Return this fitted component with the `late` parameters of another."""
        twin = super().with_late(other)
        twin._check_number(n_rows(self._rows))  # noqa: SLF001  # one of this class
        return twin

    def expect(self, X: Cases) -> None:
        """Search once for the neighbours of X, for copies with fewer votes, too."""
        self._expected = _Expected(X)

    def _lists(self, X: Cases) -> tuple[np.ndarray, np.ndarray]:
        """The neighbours to ask, from the longest lists found for expected queries.

        By ties to the lower index, a list of an exact index begins with each shorter one.
        """
        n, expected = self._n_asked, vars(self).get("_expected")
        if expected is None or expected.X is not X:
            return self._nearest(X, n)
        near, rows = expected.lists  # both at once: cells may run in threads
        width = near.shape[1]
        if width < n:
            near, rows = expected.lists = self._nearest(X, n)
        elif width > n and not getattr(self.index_, "exact", False):
            return self._nearest(X, n)
        # contiguous, as from a search: numpy may round other layouts otherwise
        return np.ascontiguousarray(near[:, :n]), np.ascontiguousarray(rows[:, :n])

    def _weighed(
        self, near: np.ndarray, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        k = int(self.k)
        weights = vote_weights(
            near,
            k,
            self.vote,
            power=self.power,
            width=self.width,
            zero_decides=self.zero_distance == "decides",
        )
        rows = rows[:, :k]
        of_cases: np.ndarray | None = vars(self).get("weights_")
        if of_cases is not None:
            weights = of_cases[rows] if weights is None else of_cases[rows] * weights
        return near[:, :k], rows, weights

    def check_loaded(self) -> None:
        """Check that each stored training row has a weight and a number, if any has one."""
        n = n_rows(self._rows)
        if "weights_" in vars(self):
            check_stored(self, "weights_", (n,), kinds="f", least=0)
        if "numbers_" in vars(self):
            check_stored(self, "numbers_", (n,), least=0)

    def _one(self, x: object) -> Any:
        """Turn one object (or data of one row) into data of one row."""
        single = is_table(x) or getattr(x, "ndim", 1) == 2
        if isinstance(x, Integral) and "indices" in _content(self, "distance").capabilities.inputs:
            x = [x]
        row = x if single else one_row(x)
        if n_rows(row) != 1:
            raise InputError(f"{display_name(self)}: x must be one object, got {n_rows(row)} rows")
        return row

    @property
    def fast_leave_one_out(self) -> bool:
        """Whether `leave_one_out` is available with the present parameters."""
        try:
            return self._in_the_way() is None
        except IlkError:  # `fit` reports it
            return False

    def _in_the_way(self) -> tuple[str, str] | None:
        """Parameter that forces a refit for each case, and its required value."""
        if self.metric_learner is not None:
            return "metric_learner", "must be None (map the rows before, if it is learned already)"
        if learns(_content(self, "distance")):
            return "distance", "must be one that learns nothing from training rows, or frozen"
        index = _content(self, "index")
        if is_frozen(index) or not index.exact:
            return "index", "must be an exact one, and not frozen"
        return None

    def _twin(self, X: Cases, y: Labels) -> Self:
        """A copy fitted on all rows, for leave-one-out predictions.

        Raises
        ------
        ParameterError
            If a component must be refitted without each row.
        """
        self.check_parameters()
        problem = self._in_the_way()
        if problem is not None:
            name, what = problem
            raise self.parameter_error(
                name,
                f"{what} for leave_one_out, got {getattr(self, name)!r}; the resampling of that "
                f"name fits anew without each row",
            )
        return copy.copy(self).fit(X, y)

    def _voters_among_others(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Voters on each training row, as if fitted without it.

        The distances do not depend on the training rows, and an exact index finds all neighbours.
        """
        neighbors = neighbors_of_others(self, self.index_, self._rows, self._n_asked)
        return self._weighed(*neighbors)

    def __sklearn_tags__(self) -> Any:
        """Take the input tags of the metric learner, or else of the distance."""
        tags = super().__sklearn_tags__()
        name = "distance" if self.metric_learner is None else "metric_learner"
        try:
            component = _content(self, name)
        except IlkError:  # `fit` reports it
            return tags
        if hasattr(component, "__sklearn_tags__"):
            tags.input_tags = component.__sklearn_tags__().input_tags
        if self.metric_learner is None:
            index = _content(self, "index")
            tags.input_tags.sparse &= getattr(index, "capabilities", index).sparse
        return tags


@dataclass(eq=False)
class _Expected:
    """Queries, and the longest lists of their neighbours that have been searched for."""

    X: Any
    lists: tuple[np.ndarray, np.ndarray] = field(
        default_factory=lambda: (np.empty((0, 0)), np.empty((0, 0), dtype=np.int64))
    )


def _content(owner: Component, name: str) -> Any:
    """The component in a slot; built only if the slot holds a name or a table."""
    value = getattr(owner, name)
    return owner.resolve_slot(name) if isinstance(value, str | Mapping) else value


def neighbors_of_others(
    owner: object, index: Any, X: Cases, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest other rows of each training row.

    A row is excluded by its number, not as its first neighbour: each of several equal rows leaves
    out only itself and keeps its duplicates.

    Parameters
    ----------
    owner : Component
        Named in errors.
    index : Index
        Fitted on X.
    X : data of n rows
    k : int
        1 <= k <= n - 1.

    Returns
    -------
    distances : ndarray of shape (n, k)
    indices : ndarray of int, shape (n, k)
        Nearest first, ties by lower index.

    Raises
    ------
    InputError
        If there are fewer than k other rows.
    """
    n, k = n_rows(X), int(k)  # k + 1 could overflow a small numpy integer
    if k > n - 1:
        raise InputError(
            f"{display_name(owner)}: k must be at most {n - 1}, the number of other rows "
            f"(n_samples = {n}), got {k}"
        )
    return without_itself(*index.kneighbors(X, k + 1))


def n_of_other_classes(codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Number of neighbours of each row that are of another class.

    A row with more than r such neighbours among its k nearest is a class outlier.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class of each row.
    rows : ndarray of int, shape (n, k)
        Its neighbours, from `neighbors_of_others`.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    return np.asarray(np.count_nonzero(codes[rows] != codes[:, None], axis=1))


@dataclass(frozen=True)
class Explanation:
    """The neighbours behind one prediction; prints as a table.

    Attributes
    ----------
    prediction : label or float
    indices : ndarray of int, shape (k,)
        Training rows, nearest first.
    labels : ndarray of shape (k,)
        Their labels; of a regressor, their targets.
    distances : ndarray of shape (k,)
    votes : ndarray of shape (k,)
        Weights of their votes relative to the nearest one's, which is 1; 0 for an excluded
        neighbour. With sample weights, each times the weight of its row.
    shares : mapping of label to float
        Normalised votes of each class, as in ``predict_proba``; empty for a regressor.
    """

    prediction: Any
    indices: np.ndarray
    labels: np.ndarray
    distances: np.ndarray
    votes: np.ndarray
    shares: Mapping[Any, float] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"prediction {self.prediction}"]
        lines += [f"  {label}: {share:.3f}" for label, share in self.shares.items()]
        lines.append(
            f"{'row':>8}  {'distance':>10}  {'vote':>6}  {'label' if self.shares else 'target'}"
        )
        lines += [
            f"{row:>8}  {distance:>10.4g}  {vote:>6.3g}  {label}"
            for row, label, distance, vote in zip(
                self.indices, self.labels, self.distances, self.votes, strict=True
            )
        ]
        return "\n".join(lines)
