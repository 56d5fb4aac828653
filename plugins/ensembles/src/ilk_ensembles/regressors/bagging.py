"""Bagging of regressors fitted on bootstrap samples of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Capabilities, RegressorLike, check_fitted, slot
from ilk_ensembles.base.members import RULE, each_place, fit_member
from ilk_ensembles.base.out_of_bag import out_of_bag_error
from ilk_ensembles.base.outputs import number_per_row
from ilk_ensembles.base.resampling import (
    Resampled,
    check_cells,
    member_tags,
)
from ilk_ensembles.base.validation import check_features, check_numbers, indexable, row_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ilk import ArrayLike, Cases, Estimator, Labels, Predictor

_AS_OFTEN = (
    "rows are drawn at random by their weights: two equal rows are drawn as often as one of "
    "weight 2, but not by the same random numbers"
)
_CELLS = 1 << 22  # predictions held in memory at once: 32 MB of float64


class BaggingRegressor(Resampled, ilk.Regressor):
    """Bootstrap aggregating: the mean of regressors fitted on randomly drawn rows.

    ``f_E(q) = (1/S) sum_i f_i(q, D_i)``, equation (2.26) of [1]_ with equal weights, where
    ``D_i`` are rows drawn from the data, by default n rows with replacement; or the median of
    the ``f_i(q, D_i)`` [3]_, which for an even number is the midpoint of the two middle values.

    About 37 % of the rows are not drawn for a given member: they are out of its bag. Combining,
    for each row, the members it is out of the bag of estimates the error on new cases.

    Memory: the members, 4 bytes for each row drawn and, while fitting, a copy of the drawn rows
    for each member fitted in parallel.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted members.
    rows_ : list of ndarray of int
        Rows drawn for each member, in the order of drawing.
    failures_ : dict of int to IlkError
        Errors of the dropped members, by position.
    oob_prediction_ : ndarray of shape (n,)
        With `oob_score`: mean or median, for each training row, of its out-of-bag members; NaN
        for rows in every bag.
    oob_error_ : float
        With `oob_score`: its weighted mean squared error. Rows of NaN are ignored; NaN if there
        are no others.
    n_never_out_of_bag_ : int
        With `oob_score`: number of rows in every bag.
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    ParameterError
        If more rows are requested than exist, without replacement; or `oob_score` where every
        bag has all rows.
    InputError
        If a member fails; the error names it.

    References
    ----------
    .. [1] Cunningham 2008: section 2.5.3; equations 2.25-2.26.
    .. [2] L. Breiman, "Bagging predictors", *Machine Learning* 24, 1996.
    .. [3] Evaluation slides: Bagging.

    Examples
    --------
    >>> import ilk
    >>> import numpy as np
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> bagging = ilk.regressor("bagging", n_members=50, oob_score=True, random_state=0)
    >>> bagging = bagging.fit(X, np.sin(X[:, 0]))
    >>> bagging.oob_error_ < 0.001
    True
    """

    member: RegressorLike | None = slot(
        "regressor",
        default=None,
        doc="Cloned for each draw; unstable regressors gain most. X may be any data it accepts. If "
        "left out: scikit-learn's regression tree.",
    )
    rule: Literal["mean", "median"] = RULE
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables", "strings", "sets", "signatures"), sample_weight=True
    )
    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_sample_weight_equivalence_on_dense_data": _AS_OFTEN,
        "sklearn:check_sample_weight_equivalence_on_sparse_data": _AS_OFTEN,
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """Trees, any kind of rows, and a subset of the rows without replacement."""
        return [
            cls(random_state=0),
            cls(member="knn", n_members=5, rule="median", random_state=0),
            cls(max_samples=0.7, replace=False, oob_score=True, n_jobs=2, random_state=0),
        ]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Draw a sample for each member and fit it.

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
        X = indexable(X)
        targets = check_numbers(self, y, X)
        check_features(self, X, reset=True)
        rng = ilk.check_seed(self, self.random_state)
        member = self._member()
        check_cells(self, X, member)
        weights = self._check_weights(sample_weight, X, member)
        members = self._copies(member, rng)
        samples = self._draw(rng, X, None, weights)
        self._check_left_out(samples, len(targets))
        self._fit_samples(members, samples, X, targets, weights, fit_member)
        self._forget_out_of_bag()
        if self.oob_score:
            support = self._support_out_of_bag(
                X, _answers, lambda outputs, _: self._combine(outputs)[:, np.newaxis], 1
            )
            self.oob_prediction_ = support[:, 0]
            squares = (self.oob_prediction_ - targets) ** 2
            self.oob_error_, self.n_never_out_of_bag_ = out_of_bag_error(squares, support, weights)
        return self

    def _member(self) -> Any:
        from sklearn.tree import DecisionTreeRegressor

        return DecisionTreeRegressor() if self.member is None else self.resolve_slot("member")

    def _check_weights(
        self, sample_weight: ArrayLike | None, X: Cases, member: Estimator
    ) -> np.ndarray | None:
        if sample_weight is None:
            return None
        weights = ilk.check_weights(self, sample_weight, X)
        if not self.replace and not ilk.takes_weights(member):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: {ilk.display_name(member)} does not take "
                f"sample_weight, which it needs without replacement"
            )
        return weights

    def predict(self, X: Cases) -> np.ndarray:
        """Predicted number for each row; array of shape (m,)."""
        X = self._checked(X)
        size = max(_CELLS // len(self.estimators_), 1)
        return np.concatenate(
            [self._combine(self._member_outputs(rows)) for rows in row_blocks(X, size)]
        )

    def staged_predict(self, X: Cases) -> Iterator[np.ndarray]:
        """Yield the predictions of the first 1, 2, ... members together; arrays of shape (m,).

        The predictions of all members are held in memory: 8 bytes for each member and row.
        """
        outputs = self._member_outputs(self._checked(X))
        total = np.zeros(outputs.shape[1])
        for count, predicted in enumerate(outputs, start=1):
            total += predicted
            # a mean follows from the one before; a median needs all members so far
            yield total / count if self.rule == "mean" else self._combine(outputs[:count])

    def _checked(self, X: Cases) -> Any:
        check_fitted(self)
        X = indexable(X)
        check_features(self, X, reset=False)
        return X

    def _member_outputs(self, X: Cases) -> np.ndarray:
        """Predictions of each member; array of shape (L, m)."""

        def query(_: int, member: Predictor) -> np.ndarray:
            return _answers(member, X)

        return np.stack(
            each_place(self, self.estimators_, query, self.n_jobs, argument=self._places)
        )

    def _combine(self, outputs: np.ndarray) -> np.ndarray:
        return np.asarray(
            outputs.mean(axis=0) if self.rule == "mean" else np.median(outputs, axis=0)
        )

    def __sklearn_tags__(self) -> Any:
        return member_tags(super().__sklearn_tags__(), self._member)


def _answers(member: Predictor, X: Cases | None) -> np.ndarray:
    return number_per_row(member.predict(X), ilk.n_rows(X))
