"""Classifiers that combine the outputs of fitted members by a rule."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk import RandomState, check_fitted, param, slot
from ilk_ensembles.base.held_out import held_out_outputs
from ilk_ensembles.base.members import (
    MEMBER_SEEDS,
    has_fixed_parameters,
    parameters_checked,
    seed_members,
)
from ilk_ensembles.base.outputs import check_probabilistic, member_codes, member_probabilities
from ilk_ensembles.base.validation import check_features, indexable, row_blocks
from ilk_ensembles.combiners.support import ULPS, over_classes

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, FittedClassifier, Predictor

REJECT_LABEL: Any = param(
    default=None,
    type=(str, int, bool),
    doc="Predicted where the combiner rejects; must not be a class. If left out nothing is "
    "rejected: the class of most support is predicted.",
)
_CELLS = 1 << 22  # outputs held in memory at once: 32 MB of float64

Query = Callable[[Any, Any], np.ndarray]
"""Output of one member for rows: ``query(member, rows)``."""


RESAMPLING: Any = slot(
    "resampling",
    default=None,
    doc="How rows are held out for a combiner that learns. If left out: stratified folds, "
    "at most 5; the only row of a class is always trained on.",
)
COMBINER: Any = slot(
    "combiner",
    default="sum",
    doc="Rule that combines the outputs of the members.",
)


class CombinedClassifier(ilk.Classifier):
    """Combines the outputs of its members by a rule, in blocks of rows.

    A subclass sets ``classes_``, ``estimators_`` and ``combiner_`` in `fit`, and defines in
    `_query_each` which data each member sees. Blocks bound the memory for outputs, whatever the
    number of rows; only a trainable rule gets the held-out outputs of all rows at once.
    """

    random_state: RandomState = MEMBER_SEEDS

    @property
    def reject_label(self) -> Any:
        """Label of rejected rows; some ensembles have a parameter for it."""
        return None

    @property
    def resampling(self) -> Any:
        """Resampling that holds rows out for a trainable rule; a parameter of some ensembles."""
        return None

    @abstractmethod
    def _fit_members(
        self, members: list[Any], X: Cases, y: np.ndarray, weights: np.ndarray | None
    ) -> list[Any]:
        """Fit members, each on its part of X; return them. Raises if a member fails."""

    @abstractmethod
    def _query_each(self, members: list[Any], X: Cases, query: Query) -> list[np.ndarray]:
        """``query(member, rows)`` of each fitted member, with its part of X, in order."""

    def _rule(self) -> Any:
        """The combiner, not yet fitted."""
        return self.resolve_slot("combiner")

    def _output_check(self) -> Callable[[Any], Any]:
        """Return a function that returns a fitted member, or raises if the rule cannot use it."""
        if self._rule().needs == "labels":
            return lambda member: member
        return partial(check_probabilistic, otherwise=", or a rule of labels, such as 'majority'")

    def _fitted_positions(self) -> tuple[list[int], int]:
        """Positions of ``estimators_`` among all members, and the total number of members.

        The default is for subclasses that drop no member.
        """
        self.estimators_: list[Any]
        return list(range(len(self.estimators_))), len(self.estimators_)

    def _fit_combiner(
        self,
        X: Cases | None,
        codes: np.ndarray,
        weights: np.ndarray | None,
        rng: np.random.RandomState,
    ) -> None:
        """Set ``combiner_``; a trainable rule is fitted to held-out outputs."""
        from sklearn.base import clone

        self.combiner: Any
        self.combiner_: Any = self._rule()
        positions, n_members = self._fitted_positions()
        if len(positions) < n_members and hasattr(self.combiner_, "restricted"):
            self.combiner_ = self.combiner_.restricted(positions, n_members)
        if ilk.is_frozen(self.combiner_) or not self.combiner_.needs_fit:
            self._try_combiner(ilk.take(X, np.arange(1)))
            return
        weights, X, codes = ilk.rows_of_weight(weights, X, codes)
        labels = self.classes_[codes]
        known = all(map(has_fixed_parameters, self.estimators_))

        def query(train: np.ndarray, test: np.ndarray) -> np.ndarray:
            some = None if weights is None else weights[train]
            fresh = [clone(member, safe=False) for member in self.estimators_]
            with parameters_checked(known):
                fitted = self._fit_members(fresh, ilk.take(X, train), labels[train], some)
            return self._outputs(fitted, ilk.take(X, test))

        scheme = self.resolve_slot("resampling") if self.resampling is not None else None
        rows, outputs = held_out_outputs(self, query, X, codes, scheme, rng)
        self._check_held_out(codes[rows])
        seed_members(self, [self.combiner_], None if self.random_state is None else rng)
        seen = ilk.take(X, rows)
        if weights is not None and self.combiner_.capabilities.sample_weight:
            self.combiner_.fit(outputs, codes[rows], seen, sample_weight=weights[rows])
        else:
            self.combiner_.fit(outputs, codes[rows], seen)

    def _try_combiner(self, X: Cases) -> None:
        """Let the rule raise now if it does not fit the number of members or classes."""
        n_members, n_classes = len(self.estimators_), len(self.classes_)
        if self.combiner_.needs == "labels":
            outputs = np.zeros((n_members, 1), dtype=np.intp)
        else:
            outputs = np.full((n_members, 1, n_classes), 1 / n_classes)
        self.combiner_.decide(self._combine(outputs, X))

    def _check_held_out(self, codes: np.ndarray) -> None:
        """Raise an InputError where the held-out rows have one class only."""
        present = np.unique(codes)
        if len(present) == 1 < len(self.classes_):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: rows of class {self.classes_.item(present[0])!r} "
                f"only can be held out, so {ilk.display_name(self.combiner_)} has nothing to "
                f"learn from"
            )

    def _outputs(self, members: list[Any], X: Cases) -> np.ndarray:
        """Outputs of the members in the form that the rule takes; array of shape (L, n, C)."""
        if self.combiner_.needs == "labels":
            codes = np.stack(self._query_each(members, X, self._codes))
            return ilk.label_outputs(self, codes, len(self.classes_))
        return np.stack(self._query_each(members, X, self._probabilities))

    def predict(self, X: Cases) -> np.ndarray:
        """Predicted label of each row; array of shape (n,)."""
        return self._labels(*self.decide(X))

    def _labels(self, codes: np.ndarray, rejected: np.ndarray) -> np.ndarray:
        labels = self.classes_[codes]
        if self.reject_label is None or not rejected.any():
            return np.asarray(labels)
        reject = np.asarray(self.reject_label)
        if reject.dtype.kind != labels.dtype.kind:
            reject, labels = reject.astype(object), labels.astype(object)
        return np.where(rejected, reject, labels)

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Combined support, each row divided by its sum; array of shape (n, n_classes)."""
        return self._shares(self.combined(X))

    def outputs(self, X: Cases) -> ilk.Outputs:
        """Labels and probabilities; each member is asked once."""
        combined = self.combined(X)
        return ilk.Outputs(
            lambda: self._labels(*self.combiner_.decide(combined)),
            lambda: self._shares(combined),
        )

    def _shares(self, combined: np.ndarray) -> np.ndarray:
        from ilk_ensembles.combiners.rule_kernels import divide_agreeing

        support = np.ascontiguousarray(combined, dtype=float)
        codes, _ = self.combiner_.decide(combined)
        shares = np.empty(support.shape)
        total = over_classes(np.add, support)[:, 0]
        if not divide_agreeing(support, total, np.asarray(codes, dtype=np.intp), ULPS, shares):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: output of {ilk.display_name(self.combiner_)} cannot "
                f"be made probabilities: it is negative, or zero for every class"
            )
        return shares

    def decide(self, X: Cases) -> tuple[np.ndarray, np.ndarray]:
        """Return the position of the predicted class, and a mask of rows the combiner rejects.

        Returns
        -------
        codes : ndarray of int, shape (n,)
        rejected : ndarray of bool, shape (n,)
        """
        combined = self.combined(X)
        codes, rejected = self.combiner_.decide(combined)
        return codes, rejected

    def combined(self, X: Cases) -> np.ndarray:
        """Combined support for each class; array of shape (n, n_classes)."""
        check_fitted(self)
        X = indexable(X)
        check_features(self, X, reset=False)
        return self._in_blocks(X, self._combined_block)

    def _in_blocks(self, X: Cases, work: Callable[[Any], np.ndarray]) -> np.ndarray:
        """Concatenate ``work(rows)`` over blocks of rows."""
        size = max(_CELLS // (len(self.estimators_) * len(self.classes_)), 1)
        done = [work(rows) for rows in row_blocks(X, size)]
        return done[0] if len(done) == 1 else np.concatenate(done)

    def _combined_block(self, X: Cases) -> np.ndarray:
        """Combined support of one block of rows."""
        return self._combine(self._member_outputs(X), X)

    def _member_outputs(self, X: Cases) -> np.ndarray:
        """Codes of shape (L, n) for rules on labels, else outputs of shape (L, n, C)."""
        labels = self.combiner_.needs == "labels"
        query = self._codes if labels else self._probabilities
        return np.stack(self._query_each(self.estimators_, X, query))

    def _combine(self, outputs: np.ndarray, X: Cases) -> np.ndarray:
        """Combined support of rows from the members' outputs."""
        if self.combiner_.needs == "labels":
            return np.asarray(self.combiner_.combine_labels(outputs, len(self.classes_), X))
        return np.asarray(self.combiner_.combine(outputs, X))

    def _codes(self, member: Predictor, X: Cases) -> np.ndarray:
        return member_codes(member, X, self.classes_)

    def _probabilities(self, member: FittedClassifier, X: Cases) -> np.ndarray:
        return member_probabilities(member, X, self.classes_)

    def _check_reject_label(self) -> None:
        if self.reject_label is not None and self.reject_label in self.classes_.tolist():
            raise self.parameter_error(
                "reject_label", f"must not be one of the classes, got {self.reject_label!r}"
            )


def check_n_jobs(owner: Any) -> None:
    """Raise a ParameterError for ``n_jobs=0``."""
    if owner.n_jobs == 0:
        raise owner.parameter_error("n_jobs", "must not be 0")


def check_member_weights(
    owner: object, weights: ArrayLike | None, codes: np.ndarray, members: Any
) -> Any:
    """Return sample weights as an array, or None if there are none.

    Raises
    ------
    InputError
        If weights are invalid, give a class no weight, or no member accepts them.
    """
    if weights is None:
        return None
    weights = ilk.check_weights(owner, weights, codes)
    check_no_class_lost(owner, codes[weights > 0])
    if not any(map(ilk.takes_weights, members)):
        raise ilk.InputError(f"{ilk.display_name(owner)}: no member takes sample_weight")
    return weights


def cases_of_weight(
    owner: object, weights: ArrayLike | None, X: Any, codes: np.ndarray, members: Any
) -> tuple[Any, Any, np.ndarray]:
    """Return weights as `check_member_weights`, X and codes, without cases of weight 0.

    So these are absent for members that take no weights, too.
    """
    checked = check_member_weights(owner, weights, codes, members)
    weights, X, codes = ilk.rows_of_weight(checked, X, codes)
    return weights, X, codes


def check_no_class_lost(owner: Any, codes: np.ndarray) -> None:
    """Raise an InputError where a class of `owner` is missing among the codes of weighted rows."""
    lost = np.flatnonzero(np.bincount(codes, minlength=len(owner.classes_)) == 0)
    if len(lost):
        label = owner.classes_.item(lost[0])
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: sample_weight is zero for every case of class {label!r}"
        )
