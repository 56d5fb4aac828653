"""Regressors of a list of members that are all fitted on the same data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk import Capabilities
from ilk_ensembles.cases import check_features, divisible, taken_by_all
from ilk_ensembles.listed import ANY_INPUT, check_listed
from ilk_ensembles.members import each_place, fit_each, fit_member, seed_members
from ilk_ensembles.outputs import number_each
from ilk_ensembles.progress import Progress
from ilk_ensembles.targets import check_numbers

MEMBERS = ("knn", "boosted_experts", "bagging")
_CELLS = 1 << 22  # predictions that are held at once: 32 MB


class ListedRegressors(ilk.Regressor):
    """Fits every member on the same data, and makes one number of theirs.

    Attributes
    ----------
    estimators_ : list of L regressors
    positions_ : list of int
        Theirs among `members`.
    """

    members: Sequence[Any]
    on_failure: str
    n_jobs: int | None
    verbose: int
    random_state: Any
    estimators_: list[Any]
    positions_: list[int]
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=ANY_INPUT, sample_weight=True)

    def check_parameters(self) -> None:
        """Check each parameter, and that there is a member."""
        super().check_parameters()
        check_listed(self)

    @abstractmethod
    def _combine(self, said: np.ndarray, X: Any) -> np.ndarray:
        """One number for each row from what members say of them, of shape (L, n)."""

    def _checked(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        X = divisible(X)
        check_features(self, X, reset=True)
        return X, check_numbers(self, y, X)

    def _fit_listed(
        self, members: list[Any], X: Any, y: np.ndarray, weights: np.ndarray | None
    ) -> None:
        """Set ``estimators_``, ``positions_`` and ``failures_``."""
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

    def _check_weights(self, sample_weight: Any, X: Any, takers: Sequence[Any]) -> Any:
        """Weights as an array, or None; an error where no one takes them."""
        if sample_weight is None:
            return None
        weights = ilk.check_weights(self, sample_weight, X)
        if not any(map(ilk.takes_weights, takers)):
            raise ilk.InputError(f"{ilk.display_name(self)}: no member takes sample_weight")
        return weights

    def predict(self, X: Any) -> np.ndarray:
        """Predicted number for each row; array of shape (m,)."""
        check_is_fitted(self)
        X = divisible(X)
        check_features(self, X, reset=False)
        n = ilk.n_rows(X)
        size = max(_CELLS // len(self.estimators_), 1)
        if n <= size:
            return self._combine(self._said(self.estimators_, X), X)
        blocks = (ilk.take(X, np.arange(i, min(i + size, n))) for i in range(0, n, size))
        return np.concatenate([self._combine(self._said(self.estimators_, B), B) for B in blocks])

    def _said(self, members: list[Any], X: Any) -> np.ndarray:
        """What each member says; array of shape (L, m)."""

        def ask(_: int, member: Any) -> np.ndarray:
            return number_each(member.predict(X), ilk.n_rows(X))

        return np.stack(each_place(self, members, ask, self.n_jobs, argument=self._places()))

    def _places(self) -> list[str]:
        """What errors call the fitted members."""
        return [f"members[{at}]" for at in self.positions_]

    def __sklearn_tags__(self) -> Any:
        """What all members take is taken."""
        return taken_by_all(super().__sklearn_tags__(), lambda: self.resolve_slot("members"))
