"""Classifiers of a list of members that are all fitted on the same data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import ilk
from ilk import Capabilities, Param
from ilk_ensembles.cases import check_features, divisible, taken_by_all
from ilk_ensembles.combined import (
    Ask,
    CombinedClassifier,
    check_member_weights,
    check_n_jobs,
)
from ilk_ensembles.members import (
    N_JOBS,
    ON_FAILURE,
    each_place,
    fit_each,
    fit_member,
    seed_members,
)
from ilk_ensembles.progress import VERBOSE, Progress

if TYPE_CHECKING:
    import numpy as np

MEMBERS = ("knn", "nearest_mean", "naive_bayes")
PARAMETERS: Mapping[str, Param] = {
    "on_failure": ON_FAILURE,
    "n_jobs": N_JOBS,
    "verbose": VERBOSE,
    "random_state": Param(ilk.Seed, none=True, doc="Gives a seed to each member without one."),
}
ANY_INPUT: Final = ("vectors", "tables", "strings", "sets", "signatures")


class ListedMembers(CombinedClassifier):
    """Fits every member on the same data, and combines what they say by a rule.

    Attributes
    ----------
    positions_ : list of int
        Of ``estimators_`` among `members`.
    """

    members: Sequence[Any]
    on_failure: str
    n_jobs: int | None
    verbose: int
    positions_: list[int]
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=ANY_INPUT, sample_weight=True, probabilistic=True
    )
    _least_classes: ClassVar[int] = 1

    def check_parameters(self) -> None:
        """Check each parameter, and that there is a member."""
        super().check_parameters()
        check_listed(self)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit every member, then the rule where it learns.

        Parameters
        ----------
        X : data of n rows
            Whatever the members take.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Given to the members that take it; an error if none does.
        """
        self.check_parameters()
        X = divisible(X)
        check_features(self, X, reset=True)
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=self._least_classes)
        self._check_reject_label()
        rng = ilk.check_seed(self, self.random_state)
        members = self.resolve_slot("members")
        seed_members(self, members, None if self.random_state is None else rng)
        weights = check_member_weights(self, sample_weight, codes, members)
        speaking = self._speaking()
        labels = self.classes_[codes]
        self.positions_, self.estimators_ = fit_each(
            self,
            members,
            lambda _, member: speaking(fit_member(member, X, labels, weights)),
            self.n_jobs,
            on_failure=self.on_failure,
            progress=Progress(self, len(members), self.verbose),
        )
        self._fit_combiner(X, codes, weights, rng)
        return self

    def _fit_members(self, members: list[Any], X: Any, y: np.ndarray, weights: Any) -> list[Any]:
        def fit(_: int, member: Any) -> Any:
            return fit_member(member, X, y, weights)

        places = [f"{place}, on a part of the rows," for place in self._places()]
        return each_place(self, members, fit, self.n_jobs, argument=places)

    def _ask_each(self, members: list[Any], X: Any, ask: Ask) -> list[np.ndarray]:
        def one(_: int, member: Any) -> np.ndarray:
            return ask(member, X)

        return each_place(self, members, one, self.n_jobs, argument=self._places())

    def _kept(self) -> tuple[list[int], int]:
        return self.positions_, len(self.members)

    def _places(self) -> list[str]:
        """What errors call the fitted members."""
        return [f"members[{at}]" for at in self.positions_]

    def __sklearn_tags__(self) -> Any:
        """What all members take is taken."""
        return taken_by_all(super().__sklearn_tags__(), lambda: self.resolve_slot("members"))


def check_listed(owner: Any) -> None:
    """Raise a ParameterError if there is no member, or no job."""
    if not len(owner.members):
        raise owner.parameter_error("members", "must have at least one member, got none")
    check_n_jobs(owner)
