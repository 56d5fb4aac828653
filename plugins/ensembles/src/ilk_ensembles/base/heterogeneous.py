"""Heterogeneous ensembles: a list of different members, all fitted on the same data."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

import ilk
from ilk import (
    Capabilities,
    ClassifierLike,
    RandomState,
    RegressorLike,
    Seed,
    check_fitted,
    param,
    slots,
)
from ilk_ensembles.base.combined_classifier import (
    CombinedClassifier,
    Query,
    cases_of_weight,
    check_n_jobs,
)
from ilk_ensembles.base.members import (
    MEMBER_SEEDS,
    N_JOBS,
    ON_FAILURE,
    each_place,
    fit_each,
    fit_member,
    seed_members,
)
from ilk_ensembles.base.outputs import number_per_row
from ilk_ensembles.base.progress import VERBOSE, Progress
from ilk_ensembles.base.validation import (
    check_features,
    check_numbers,
    common_tags,
    indexable,
    row_blocks,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk import ArrayLike, Cases, Estimator, Labels, Predictor

CLASSIFIERS = ("knn", "nearest_mean", "naive_bayes")
REGRESSORS = ("knn", "boosted_experts", "bagging")
ANY_INPUT: Final = ("vectors", "tables", "strings", "sets", "signatures")
_CELLS = 1 << 22  # predictions held in memory at once: 32 MB of float64


LEFT_OUT_OF_FOLDS: Any = param(
    default="raise",
    choices=("raise", "drop"),
    doc="A member that cannot be fitted is an error, or is left out and listed in "
    "``failures_``. One that fails on a part of the rows only is an error.",
)
FOLD_SEEDS: Any = param(
    default=None,
    type=Seed,
    doc="For the folds; gives a seed to each member, and to the learner, whose own random "
    "state is None.",
)
PASSTHROUGH: Any = param(
    default=False,
    doc="Whether the learner sees X beside them, which must then be vectors.",
)


class HeterogeneousClassifier(CombinedClassifier):
    """Fits every member on the same data, and combines their outputs by a rule.

    Attributes
    ----------
    positions_ : list of int
        Positions of ``estimators_`` in `members`.
    """

    members: Sequence[ClassifierLike] = slots(
        "classifier",
        default=CLASSIFIERS,
        doc="Must have ``predict_proba``; `calibrated` gives it to any. Instances, names or "
        "tables; pipelines too. X may be any data that all of them accept.",
    )
    on_failure: str = param(
        default="raise",
        choices=("raise", "drop"),
        doc="'raise': a member that fails to fit is an error. 'drop': it is left out, with its "
        "weight, and listed in ``failures_``. If a member fails only on held-out splits of a "
        "trainable combiner, that is always an error.",
    )
    n_jobs: int | None = N_JOBS
    verbose: int = VERBOSE
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=ANY_INPUT, sample_weight=True, probabilistic=True
    )
    _least_classes: ClassVar[int] = 1

    def check_parameters(self) -> None:
        """Check each parameter, and that there is at least one member."""
        super().check_parameters()
        check_members(self)

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Fit every member, then the rule if it is trainable.

        Parameters
        ----------
        X : data of n rows
            Data that all members accept.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Passed to the members that accept it; an error if none does. Rows of weight 0 are
            dropped.
        """
        self.check_parameters()
        X = indexable(X)
        check_features(self, X, reset=True)
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=self._least_classes)
        self._check_reject_label()
        rng = ilk.check_seed(self, self.random_state)
        members = self.resolve_slot("members")
        seed_members(self, members, None if self.random_state is None else rng)
        weights, X, codes = cases_of_weight(self, sample_weight, X, codes, members)
        self.positions_: list[int]
        self.positions_, self.estimators_ = self._fit_all(members, X, codes, weights)
        self._fit_combiner(X, codes, weights, rng)
        return self

    def _fit_all(
        self, members: list[Any], X: Cases, codes: np.ndarray, weights: np.ndarray | None
    ) -> tuple[list[int], list[Any]]:
        """Positions of the fitted members, and the members; sets ``failures_``."""
        checked, labels = self._output_check(), self.classes_[codes]
        return fit_each(
            self,
            members,
            lambda _, member: checked(fit_member(member, X, labels, weights)),
            self.n_jobs,
            on_failure=self.on_failure,
            progress=Progress(self, len(members), self.verbose),
        )

    def _fit_members(
        self, members: list[Any], X: Cases | None, y: np.ndarray, weights: np.ndarray | None
    ) -> list[Any]:
        def fit(_: int, member: Estimator) -> Any:
            return fit_member(member, X, y, weights)

        places = [f"{place}, on a part of the rows," for place in self._places()]
        return each_place(self, members, fit, self.n_jobs, argument=places)

    def _query_each(self, members: list[Any], X: Cases, query: Query) -> list[np.ndarray]:
        def one(_: int, member: Estimator) -> np.ndarray:
            return query(member, X)

        return each_place(self, members, one, self.n_jobs, argument=self._places())

    def _fitted_positions(self) -> tuple[list[int], int]:
        return self.positions_, len(self.members)

    def _places(self) -> list[str]:
        """Names of the fitted members in errors."""
        return [f"members[{at}]" for at in self.positions_]

    def _readers(self) -> list[Any]:
        """The components that see X."""
        return list(self.resolve_slot("members"))

    def __sklearn_tags__(self) -> Any:
        """Accept the input that all who see it accept."""
        return common_tags(super().__sklearn_tags__(), self._readers)


class HeterogeneousRegressor(ilk.Regressor):
    """Fits every member on the same data, and combines their predictions into one number.

    Attributes
    ----------
    estimators_ : list of L regressors
    positions_ : list of int
        Their positions in `members`.
    """

    members: Sequence[RegressorLike] = slots(
        "regressor",
        default=REGRESSORS,
        doc="Instances, names or tables; pipelines too. X may be any data that all accept.",
    )
    on_failure: str = ON_FAILURE
    n_jobs: int | None = N_JOBS
    verbose: int = VERBOSE
    random_state: RandomState = MEMBER_SEEDS
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=ANY_INPUT, sample_weight=True)

    def check_parameters(self) -> None:
        """Check each parameter, and that there is at least one member."""
        super().check_parameters()
        check_members(self)

    @abstractmethod
    def _combine(self, outputs: np.ndarray, X: Cases) -> np.ndarray:
        """Combine the members' predictions, of shape (L, n), into one number for each row."""

    def _checked(self, X: Cases, y: Labels) -> tuple[Any, np.ndarray]:
        X = indexable(X)
        check_features(self, X, reset=True)
        return X, check_numbers(self, y, X)

    def _fit_all(
        self, members: list[Any], X: Cases, y: np.ndarray, weights: np.ndarray | None
    ) -> None:
        """Set ``estimators_``, ``positions_`` and ``failures_``."""
        self.estimators_: list[Any]
        self.positions_: list[int]
        self.positions_, self.estimators_ = fit_each(
            self,
            members,
            lambda _, member: fit_member(member, X, y, weights),
            self.n_jobs,
            on_failure=self.on_failure,
            progress=Progress(self, len(members), self.verbose),
        )

    def _seeded_members(self, rng: np.random.RandomState) -> list[Any]:
        members: list[Any] = self.resolve_slot("members")
        seed_members(self, members, None if self.random_state is None else rng)
        return members

    def _weighted(
        self, sample_weight: ArrayLike | None, X: Cases, y: np.ndarray, takers: Sequence[Any]
    ) -> tuple[Any, Any, np.ndarray]:
        """Weights as an array, or None; X and y without rows of weight 0.

        It is an error if no member accepts weights.
        """
        if sample_weight is None:
            return None, X, y
        weights = ilk.check_weights(self, sample_weight, X)
        if not any(map(ilk.takes_weights, takers)):
            raise ilk.InputError(f"{ilk.display_name(self)}: no member takes sample_weight")
        weights, X, y = ilk.rows_of_weight(weights, X, y)
        return weights, X, y

    def predict(self, X: Cases) -> np.ndarray:
        """Predicted number for each row; array of shape (m,)."""
        check_fitted(self)
        X = indexable(X)
        check_features(self, X, reset=False)
        blocks = row_blocks(X, max(_CELLS // len(self.estimators_), 1))
        return np.concatenate(
            [self._combine(self._member_outputs(self.estimators_, B), B) for B in blocks]
        )

    def _member_outputs(self, members: list[Any], X: Cases) -> np.ndarray:
        """Predictions of each member; array of shape (L, m)."""

        def query(_: int, member: Predictor) -> np.ndarray:
            return number_per_row(member.predict(X), ilk.n_rows(X))

        return np.stack(each_place(self, members, query, self.n_jobs, argument=self._places()))

    def _places(self) -> list[str]:
        """Names of the fitted members in errors."""
        return [f"members[{at}]" for at in self.positions_]

    def _readers(self) -> list[Any]:
        """The components that see X."""
        return list(self.resolve_slot("members"))

    def __sklearn_tags__(self) -> Any:
        """Accept the input that all who see it accept."""
        return common_tags(super().__sklearn_tags__(), self._readers)


def check_members(owner: Any) -> None:
    """Raise a ParameterError if there is no member, or ``n_jobs`` is 0."""
    if not len(owner.members):
        raise owner.parameter_error("members", "must have at least one member, got none")
    check_n_jobs(owner)
