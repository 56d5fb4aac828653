"""Ensembles of copies of one member, each fitted on a random sample of rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

import ilk
from ilk import ClassifierLike, RandomState, Seed, check_fitted, param, slot
from ilk_ensembles.base.bootstrap import (
    bootstrap_rows,
    check_share,
    draw_size,
)
from ilk_ensembles.base.combined_classifier import (
    CombinedClassifier,
    Query,
    check_member_weights,
    check_n_jobs,
)
from ilk_ensembles.base.members import (
    N_JOBS,
    ON_FAILURE,
    each_place,
    fit_each,
    fit_on_drawn,
    seed_members,
)
from ilk_ensembles.base.out_of_bag import (
    out_of_bag_error,
    out_of_bag_support,
    rows_left_out,
    stopped_at,
    treats_alike,
)
from ilk_ensembles.base.progress import VERBOSE, Progress
from ilk_ensembles.base.validation import check_features, indexable

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from ilk import ArrayLike, Cases, Estimator, Labels

_OUT_OF_BAG = (
    *("oob_decision_function_", "oob_prediction_", "oob_error_", "oob_errors_"),
    "n_never_out_of_bag_",
)
_LARGE = 2**31 - 1  # largest int32, for seeds and row numbers
Fit = Callable[[Any, Any, np.ndarray, Any], Any]
"""Fits a member on its sample: ``fit(member, X, y, weights)``."""


class Sample(NamedTuple):
    """Rows and columns that one member is fitted on; columns None: all columns."""

    rows: np.ndarray
    columns: np.ndarray | None


class Resampled(ilk.Component):
    """Draws a sample for each copy of a member, fits the copies, and predicts out of bag.

    Attributes
    ----------
    estimators_ : list
        The fitted members.
    rows_ : list of ndarray of int
        Rows drawn for each member.
    """

    max_samples: float = param(
        default=1.0,
        type=(float, int),
        gt=0,
        doc="Rows drawn for each member: as a share, or as a whole number (1 is one row).",
    )
    replace: bool = param(default=True, doc="Whether rows are drawn with replacement.")
    oob_score: bool = param(
        default=False,
        doc="Whether each row is also predicted out of bag, by the members it was not drawn for. "
        "The rule must treat members alike.",
    )
    n_members: int = param(default=10, ge=1, doc="Number of members.")
    on_failure: str = ON_FAILURE
    n_jobs: int | None = N_JOBS
    verbose: int = VERBOSE
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="With a fixed seed, the first members are the same for any number of members.",
    )

    def check_parameters(self) -> None:
        """Check each parameter, and that shares are at most 1."""
        super().check_parameters()
        check_n_jobs(self)
        check_share(self, "max_samples", self.max_samples)

    def _draw_columns(self, rng: np.random.RandomState, X: Cases | None) -> np.ndarray | None:
        """Columns for one member; None: all columns."""
        return None

    def _draw(
        self,
        rng: np.random.RandomState,
        X: Cases | None,
        codes: np.ndarray | None,
        weights: np.ndarray | None,
        columns: list[np.ndarray | None] | None = None,
    ) -> list[Sample]:
        """Draw a sample for each member; the first samples do not depend on their number.

        Where `columns` are given, X is a part of the data, and the sample size is capped at its
        number of rows.
        """
        n = ilk.n_rows(X)
        available = n if weights is None else int(np.count_nonzero(weights))
        classes = 1 if codes is None else len(np.unique(codes))
        share = self.max_samples
        # a whole number is of all rows; a part of them may have fewer
        if columns is not None and isinstance(share, int | np.integer):
            share = min(int(share), available)
        size = draw_size(self, share, available, replace=self.replace, at_least=classes)
        # numbers of all members are stored: the smallest type that holds them
        kind = np.int32 if n <= _LARGE else np.int64
        every = np.arange(n, dtype=kind)
        samples = []
        for at in range(self.n_members if columns is None else len(columns)):
            columns_of_member = self._draw_columns(rng, X) if columns is None else columns[at]
            rows = every
            # else nothing is drawn: all rows stay in their order
            if self.replace or size < n:
                rows = bootstrap_rows(
                    rng, n, size, replace=self.replace, codes=codes, weights=weights
                ).astype(kind)
            samples.append(Sample(rows, columns_of_member))
        return samples

    def _copies(self, member: Estimator, rng: np.random.RandomState) -> list[Any]:
        from sklearn.base import clone

        members = [clone(member, safe=False) for _ in range(self.n_members)]
        seeds = np.random.RandomState(rng.randint(_LARGE))  # so that adding members changes no draw
        seed_members(self, members, None if self.random_state is None else seeds)
        return members

    def _fit_samples(
        self,
        members: list[Any],
        samples: list[Sample],
        X: Cases,
        y: np.ndarray,
        weights: np.ndarray | None,
        fit: Fit,
        **stopping: Any,
    ) -> None:
        """Fit each member on its sample; keep the members whose fit succeeds.

        Further keywords are those of `fit_each`.
        """
        progress = Progress(self, len(members), self.verbose)

        def one(at: int, member: Estimator) -> Any:
            return self._fit_one(member, samples[at], X, y, weights, fit)

        self.estimators_: list[Any]
        positions, self.estimators_ = fit_each(
            self,
            members,
            one,
            self.n_jobs,
            on_failure=self.on_failure,
            progress=progress,
            argument=[f"members[{at}], on the sample drawn for it" for at in range(len(members))],
            alike=True,
            **stopping,
        )
        self.rows_: list[np.ndarray] = [samples[at].rows for at in positions]
        columns = [drawn for at in positions if (drawn := samples[at].columns) is not None]
        if columns:
            self.features_: list[np.ndarray] = columns
        self._places = [f"members[{at}]" for at in positions]

    def _fit_one(
        self,
        member: Estimator,
        sample: Sample,
        X: Cases | None,
        y: np.ndarray,
        weights: np.ndarray | None,
        fit: Fit,
    ) -> Any:
        X = columns_of(X, sample.columns)
        # all rows, in their order: no copy is needed
        if not self.replace and len(sample.rows) == len(y):
            return fit(member, X, y, weights)
        if self.replace and counts_copies(member):
            # a row drawn several times is one row of that weight: less to sort
            rows, counts = np.unique(sample.rows, return_counts=True)
            return fit(member, ilk.take(X, rows), y[rows], counts.astype(float))
        drawn = None if weights is None or self.replace else weights[sample.rows]
        return fit(member, ilk.take(X, sample.rows), y[sample.rows], drawn)

    def _columns_at(self, at: int) -> np.ndarray | None:
        return self.features_[at] if hasattr(self, "features_") else None

    def _support_out_of_bag(
        self,
        X: Cases,
        query: Callable[[Any, Any], np.ndarray],
        combine: Callable[[np.ndarray, np.ndarray], np.ndarray],
        width: int,
    ) -> np.ndarray:
        """Return `out_of_bag_support`, querying the members in threads."""

        def query_each(those: list[int], rows: list[np.ndarray]) -> list[np.ndarray]:
            def one(i: int, member: Estimator) -> np.ndarray:
                return query(member, columns_of(ilk.take(X, rows[i]), self._columns_at(those[i])))

            return each_place(
                self,
                [self.estimators_[at] for at in those],
                one,
                self.n_jobs,
                argument=[self._places[at] for at in those],
            )

        left_out = rows_left_out(self.rows_, ilk.n_rows(X))
        return out_of_bag_support(left_out, query_each, combine, width)

    def _forget_out_of_bag(self) -> None:
        for name in _OUT_OF_BAG:
            self.__dict__.pop(name, None)

    @property
    def patience(self) -> int | None:
        """Members without an improvement after which no more are fitted; a parameter of some."""
        return None

    @property
    def _asks_out_of_bag(self) -> str:
        """The parameter for which rows are predicted out of bag; empty if there is none."""
        return "oob_score" if self.oob_score else "patience" if self.patience else ""

    def _check_left_out(self, samples: list[Sample], n: int) -> None:
        if self._asks_out_of_bag and not self.replace and len(samples[0].rows) == n:
            raise self.parameter_error(
                self._asks_out_of_bag,
                "needs rows that are not drawn: replace, or fewer max_samples",
            )


def columns_of(X: Any, columns: np.ndarray | None) -> Any:
    """Columns of an array or a table by position; None: X itself."""
    if columns is None:
        return X
    return X.iloc[:, columns] if hasattr(X, "iloc") else X[:, columns]


def counts_copies(member: Estimator) -> bool:
    """Tell whether a member learns the same from a row of weight w as from w copies of it."""
    declared = getattr(member, "exact_weights", None)
    if isinstance(declared, bool):
        return declared
    capabilities = getattr(member, "capabilities", None)
    if capabilities is not None:
        return bool(capabilities.exact_weights)
    from sklearn.tree import DecisionTreeClassifier

    # its sums of counts are exact; numbers of rows, and rounded weights of classes, are not
    plain = {"min_samples_split": 2, "min_samples_leaf": 1, "class_weight": None}
    return type(member) is DecisionTreeClassifier and plain.items() <= vars(member).items()


def check_cells(owner: object, X: Any, member: Estimator) -> None:
    """Raise for the first missing value, by its row in X; members know only drawn rows.

    Raises
    ------
    InputError
        If a numeric array or table has infinity, or NaN that the member does not accept.
    """
    from sklearn.utils import get_tags

    if not hasattr(member, "get_params"):
        return
    if ilk.is_table(X) and all(
        isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in X.dtypes
    ):
        X = np.asarray(X, dtype=float)
    if isinstance(X, np.ndarray) and X.dtype.kind == "f":
        ilk.check_finite(owner, X, nan=bool(get_tags(member).input_tags.allow_nan))


def member_tags(tags: Tags, member: Callable[[], Any]) -> Any:
    """Tags of an ensemble that accepts the same input as its member."""
    from sklearn.utils import get_tags

    try:
        tags_of_member = get_tags(member()).input_tags
    except ilk.IlkError:  # `fit` raises it
        return tags
    tags.input_tags.allow_nan, tags.input_tags.sparse = (
        tags_of_member.allow_nan,
        tags_of_member.sparse,
    )
    return tags


class ResampledClassifier(Resampled, CombinedClassifier):
    """Copies of one classifier, each fitted on a random sample of rows and columns.

    A subclass declares the parameters annotated here, and may also draw columns.
    """

    member: ClassifierLike = slot(
        "classifier",
        default="decision_tree",
        doc="Cloned for each draw; unstable classifiers gain most. X may be any data it accepts.",
    )
    stratified: bool = param(
        default=False,
        doc="Draw from each class by its share, and at least one row of each.",
    )

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Draw a sample for each member, fit the members, then the rule if it is trainable.

        Parameters
        ----------
        X : data of n rows
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            With replacement, the probability of drawing a row is proportional to its weight, and
            members are fitted without weights. Without replacement, members are fitted with the
            weights of their rows and must accept them; rows of weight 0 are never drawn.
        """
        self.check_parameters()
        X = self._with_columns(X)
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=2)
        self._check_reject_label()
        check_features(self, X, reset=True)
        rng = ilk.check_seed(self, self.random_state)
        member = self.resolve_slot("member")
        check_cells(self, X, member)
        self._check_rule()
        takers = [self] if self.replace else [member]  # components that use the weights
        weights = check_member_weights(self, sample_weight, codes, takers)
        checked = self._output_check()
        members = self._copies(member, rng)
        # drawn before the samples, so it does not depend on their number
        self._folds_seed = int(rng.randint(2**31 - 1))
        samples = self._draw(rng, X, codes if self.stratified else None, weights)
        self._check_left_out(samples, len(codes))

        def fit(member: Estimator, X: Cases, y: np.ndarray, weights: ArrayLike) -> Any:
            return checked(fit_on_drawn(member, X, y, weights))

        self._forget_out_of_bag()
        stopping: dict[str, Any] = {}
        if self.patience:
            self.combiner_ = self._rule()
            watch = _Watch(self, samples, X, codes, weights)
            stopping = {"block": self.patience, "stop": watch.stop}
        self._fit_samples(members, samples, X, self.classes_[codes], weights, fit, **stopping)
        self._fit_combiner(X, codes, weights, rng)
        if self._asks_out_of_bag:
            self._estimate(X, codes, weights)
        if self.patience:
            self.oob_errors_ = np.array(watch.errors[: len(self.estimators_)])
        return self

    def _fitted_positions(self) -> tuple[list[int], int]:
        self.failures_: dict[int, ilk.IlkError]  # set by `fit_each`
        n_tried = len(self.estimators_) + len(self.failures_)
        return [at for at in range(n_tried) if at not in self.failures_], n_tried

    def _with_columns(self, X: Cases) -> Any:
        """X in a form that `take` and `columns_of` can index."""
        return indexable(X)

    def _check_rule(self) -> None:
        rule = self._rule()
        if self._asks_out_of_bag and not treats_alike(rule, self.n_members, len(self.classes_)):
            raise self.parameter_error(
                self._asks_out_of_bag,
                f"needs a rule that treats members alike, however many they are; "
                f"{ilk.display_name(rule)} does not",
            )

    def __sklearn_tags__(self) -> Any:
        """Accept the input that the member accepts."""
        return member_tags(super().__sklearn_tags__(), lambda: self.resolve_slot("member"))

    def _fit_members(
        self, members: list[Any], X: Cases | None, y: np.ndarray, weights: np.ndarray | None
    ) -> list[Any]:
        """Fit members on new draws from some rows, each with its original columns."""
        rng = np.random.RandomState(self._folds_seed)
        codes = np.unique(y, return_inverse=True)[1] if self.stratified else None
        columns = [self._columns_at(at) for at in range(len(members))]
        samples = self._draw(rng, X, codes, weights, columns)

        def one(at: int, member: Estimator) -> Any:
            return self._fit_one(member, samples[at], X, y, weights, fit_on_drawn)

        return each_place(self, members, one, self.n_jobs, argument=self._places)

    def _query_each(self, members: list[Any], X: Cases, query: Query) -> list[np.ndarray]:
        def one(at: int, member: Estimator) -> np.ndarray:
            return query(member, columns_of(X, self._columns_at(at)))

        return each_place(self, members, one, self.n_jobs, argument=self._places)

    def combined(self, X: Cases) -> np.ndarray:
        """Combined support for each class; array of shape (n, n_classes)."""
        return super().combined(self._with_columns(X))

    def _estimate(self, X: Cases, codes: np.ndarray, weights: np.ndarray | None) -> None:
        """Set the out-of-bag predictions and their error."""
        support = self._support_out_of_bag(
            X,
            self._query(),
            lambda outputs, rows: self._combine(outputs, ilk.take(X, rows)),
            len(self.classes_),
        )
        self.oob_decision_function_: np.ndarray = support
        self.oob_error_: float
        self.n_never_out_of_bag_: int
        self.oob_error_, self.n_never_out_of_bag_ = self._judged(support, codes, weights)

    def _query(self) -> Query:
        """The output of a member that the rule combines."""
        return self._codes if self.combiner_.needs == "labels" else self._probabilities

    def _judged(
        self, support: np.ndarray, codes: np.ndarray, weights: np.ndarray | None
    ) -> tuple[float, int]:
        """Error of the decisions for the rows that have support, and the number of others."""
        # rows that every member was fitted to have no support
        known = np.flatnonzero(~np.isnan(support[:, 0]))
        wrong = np.zeros(len(codes), dtype=bool)
        if len(known):
            decided, rejected = self.combiner_.decide(support[known])
            wrong[known] = decided != codes[known]
            if self.reject_label is not None:
                wrong[known] |= rejected
        return out_of_bag_error(wrong, support, weights)

    def staged_predict(self, X: Cases) -> Iterator[np.ndarray]:
        """Yield the predictions of the first 1, 2, ... members together.

        Each is an array of shape (n,). The outputs of all members for X are held in memory: 8 bytes
        for each member, row and class; for rules on labels, for each member and row.
        """
        for combined in self._staged(X):
            yield self._labels(*self.combiner_.decide(combined))

    def staged_predict_proba(self, X: Cases) -> Iterator[np.ndarray]:
        """Yield the probabilities of the first 1, 2, ... members; arrays of shape (n, C)."""
        for combined in self._staged(X):
            yield self._shares(combined)

    def _staged(self, X: Cases) -> Iterator[np.ndarray]:
        check_fitted(self)
        if self.combiner_.needs_fit:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: {ilk.display_name(self.combiner_)} learned from all "
                f"members, it cannot combine the first ones"
            )
        X = self._with_columns(X)
        check_features(self, X, reset=False)
        outputs = self._member_outputs(X)
        for count in range(1, len(outputs) + 1):
            yield self._combine(outputs[:count], X)


class _Watch:
    """Follows the out-of-bag error of an ensemble while its members are fitted.

    Attributes
    ----------
    errors : list of float
        Of the first 1, 2, ... members.
    """

    def __init__(
        self,
        owner: ResampledClassifier,
        samples: list[Sample],
        X: Cases,
        codes: np.ndarray,
        weights: np.ndarray | None,
    ) -> None:
        self.owner, self.samples, self.X = owner, samples, X
        self.codes, self.weights = codes, weights
        self.errors: list[float] = []
        self._left_out = np.empty((0, len(codes)), dtype=bool)
        self._outputs: list[np.ndarray] = []

    def stop(self, positions: list[int], fitted: list[Any]) -> int | None:
        """Number of members that are enough, by the owner's patience."""
        owner, done = self.owner, len(self._outputs)
        new = [self.samples[at] for at in positions[done:]]
        left_out = rows_left_out([sample.rows for sample in new], len(self.codes))
        query = owner._query()  # noqa: SLF001  # of this module

        def one(at: int, member: Any) -> np.ndarray:
            rows = ilk.take(self.X, np.flatnonzero(left_out[at]))
            return query(member, columns_of(rows, new[at].columns))

        places = [f"members[{at}]" for at in positions[done:]]
        self._outputs += each_place(owner, fitted[done:], one, owner.n_jobs, argument=places)
        self._left_out = np.concatenate([self._left_out, left_out])
        self.errors += [self._error(count) for count in range(done + 1, len(fitted) + 1)]
        return stopped_at(self.errors, owner.patience or 1)

    def _error(self, count: int) -> float:
        """Out-of-bag error of the first members."""
        owner = self.owner
        support = out_of_bag_support(
            self._left_out[:count],
            self._known,
            lambda outputs, rows: owner._combine(outputs, ilk.take(self.X, rows)),  # noqa: SLF001
            len(owner.classes_),
        )
        return owner._judged(support, self.codes, self.weights)[0]  # noqa: SLF001

    def _known(self, members: list[int], rows: list[np.ndarray]) -> list[np.ndarray]:
        """Outputs of members for some of the rows that they were not fitted on."""
        return [
            self._outputs[at][np.searchsorted(np.flatnonzero(self._left_out[at]), some)]
            for at, some in zip(members, rows, strict=True)
        ]
