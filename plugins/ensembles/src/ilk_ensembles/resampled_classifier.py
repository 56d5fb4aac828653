"""Classifiers whose members are copies of one, each shown rows and columns drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk_ensembles.cases import check_features, divisible
from ilk_ensembles.combined import Ask, CombinedClassifier, check_member_weights
from ilk_ensembles.members import each_place
from ilk_ensembles.only_class import fit_on_drawn
from ilk_ensembles.out_of_bag import out_of_bag_error, treats_alike
from ilk_ensembles.resampled import Resampled, check_cells, columns_of, with_tags_of


class ResampledClassifier(Resampled, CombinedClassifier):
    """Copies of one classifier, each shown rows and columns drawn at random.

    A subclass has the parameters that are annotated here, and may draw columns.
    """

    member: Any
    stratified: bool
    oob_decision_function_: np.ndarray
    oob_error_: float
    n_never_out_of_bag_: int

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw what each member is shown, fit it, then the rule where it learns.

        Parameters
        ----------
        X : data of n rows
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            With replacement the chance of a row to be drawn is proportional to its weight,
            and members are given none. Without, members are given the weights of their rows,
            and must take them; rows of weight 0 are not drawn.
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
        takers = [self] if self.replace else [member]  # who looks at the weights
        weights = check_member_weights(self, sample_weight, codes, takers)
        speaking = self._speaking()
        members = self._copies(member, rng)
        self._folds_seed = int(rng.randint(2**31 - 1))
        shown = self._draw(rng, X, codes if self.stratified else None, weights)
        self._check_left_out(shown, len(codes))

        def fit(member: Any, X: Any, y: np.ndarray, weights: Any) -> Any:
            return speaking(fit_on_drawn(member, X, y, weights))

        self._fit_shown(members, shown, X, self.classes_[codes], weights, fit)
        self._fit_combiner(X, codes, weights, rng)
        self._forget_out_of_bag()
        if self.oob_score:
            self._estimate(X, codes, weights)
        return self

    def _kept(self) -> tuple[list[int], int]:
        return [at for at in range(self.n_members) if at not in self.failures_], self.n_members

    def _with_columns(self, X: Any) -> Any:
        """X as `take` and `columns_of` can divide it."""
        return divisible(X)

    def _check_rule(self) -> None:
        rule = self._rule()
        if self.oob_score and not treats_alike(rule, self.n_members, len(self.classes_)):
            raise self.parameter_error(
                "oob_score",
                f"needs a rule that treats members alike, however many they are; "
                f"{ilk.display_name(rule)} does not",
            )

    def __sklearn_tags__(self) -> Any:
        """What the member takes is taken."""
        return with_tags_of(super().__sklearn_tags__(), lambda: self.resolve_slot("member"))

    def _fit_members(self, members: list[Any], X: Any, y: np.ndarray, weights: Any) -> list[Any]:
        """Fit members on new draws from some rows, with the columns that they had."""
        rng = np.random.RandomState(self._folds_seed)
        codes = np.unique(y, return_inverse=True)[1] if self.stratified else None
        columns = [self._columns_at(at) for at in range(len(members))]
        shown = self._draw(rng, X, codes, weights, columns)

        def one(at: int, member: Any) -> Any:
            return self._fit_one(member, shown[at], X, y, weights, fit_on_drawn)

        return each_place(self, members, one, self.n_jobs, argument=self._places)

    def _ask_each(self, members: list[Any], X: Any, ask: Ask) -> list[np.ndarray]:
        def one(at: int, member: Any) -> np.ndarray:
            return ask(member, columns_of(X, self._columns_at(at)))

        return each_place(self, members, one, self.n_jobs, argument=self._places)

    def combined(self, X: Any) -> np.ndarray:
        """Combined support for each class; array of shape (n, n_classes)."""
        return super().combined(self._with_columns(X))

    def _estimate(self, X: Any, codes: np.ndarray, weights: np.ndarray | None) -> None:
        """Set what is said of rows by the members that were not shown them, and its error."""
        support = self._support_out_of_bag(
            X,
            self._codes if self.combiner_.needs == "labels" else self._probabilities,
            lambda said, rows: self._combine(said, ilk.take(X, rows)),
            len(self.classes_),
        )
        known = np.flatnonzero(~np.isnan(support[:, 0]))
        wrong = np.zeros(len(codes), dtype=bool)
        if len(known):
            found, rejected = self.combiner_.decide(support[known])
            wrong[known] = found != codes[known]
            if self.reject_label is not None:
                wrong[known] |= rejected
        self.oob_decision_function_ = support
        self.oob_error_, self.n_never_out_of_bag_ = out_of_bag_error(wrong, support, weights)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yield what the first 1, 2, ... members predict together.

        Each is an array of shape (n,). What all members say of X is held: 8 bytes for each
        member, row and class; of rules of labels, for each member and row.
        """
        for combined in self._staged(X):
            yield self._labels(*self.combiner_.decide(combined))

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the probabilities of the first 1, 2, ... members; arrays of shape (n, C)."""
        for combined in self._staged(X):
            yield self._shares(combined)

    def _staged(self, X: Any) -> Iterator[np.ndarray]:
        check_is_fitted(self)
        if self.combiner_.needs_fit:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: {ilk.display_name(self.combiner_)} learned from all "
                f"members, it cannot combine the first ones"
            )
        X = self._with_columns(X)
        check_features(self, X, reset=False)
        said = self._said(X)
        for count in range(1, len(said) + 1):
            yield self._combine(said[:count], X)
