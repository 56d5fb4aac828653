"""Bagging of regressors: members that learn from bootstraps of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk import Capabilities, RegressorLike, param, slot
from ilk_ensembles.base.members import each_place, fit_member
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

_AS_OFTEN = (
    "rows are drawn at random by their weights: two equal rows are drawn as often as one of "
    "weight 2, but not by the same random numbers"
)
_CELLS = 1 << 22  # predictions held in memory at once: 32 MB of float64


class BaggingRegressor(Resampled, ilk.Regressor):
    """Bootstrap aggregating: the mean of regressors fitted on rows drawn at random.

    ``f_E(q) = (1/S) sum_i f_i(q, D_i)``, equation (2.26) of [1]_ with equal weights, where
    ``D_i`` are rows drawn from the data, by default as many as there are, with replacement; or
    the median of the ``f_i(q, D_i)`` [3]_, that of an even number midway between the two in
    the middle.

    About 37 of 100 rows are not drawn for a member, they are out of its bag: what such members
    say of a row together is an estimate for new cases.

    Memory is that of the members, 4 bytes for each row drawn and, while fitting, a copy of the
    rows drawn for each member that is fitted at once.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted members.
    rows_ : list of ndarray of int
        Rows drawn for each member, in the order of drawing.
    failures_ : dict of int to IlkError
        Errors of the dropped members, by position.
    oob_prediction_ : ndarray of shape (n,)
        With `oob_score`: mean or median, for each training row, of the members that it was not
        drawn for; NaN where it was drawn for all.
    oob_error_ : float
        With `oob_score`: mean squared error of it, by weight where there are weights. Rows of
        NaN do not count. NaN where there are no others.
    n_never_out_of_bag_ : int
        With `oob_score`: how many rows were drawn for all members.
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    ParameterError
        If more rows are asked for than there are, without replacement; or `oob_score` where
        all rows are shown to all members.
    InputError
        If a member fails; names it.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.5.3.
    .. [2] L. Breiman, "Bagging predictors", *Machine Learning* 24, 1996.
    .. [3] *System Evaluation*, lecture slides: bagging, by average or median with regression.

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
        doc="Cloned for each; unstable ones gain. X may be whatever it takes. If left out a "
        "regression tree, scikit-learn's.",
    )
    rule: Literal["mean", "median"] = param(
        default="mean",
        choices=("mean", "median"),
        doc="What becomes of the members' numbers.",
    )
    oob_score: bool = param(
        default=False,
        doc="Whether the members say of each row that was not drawn for them what it is.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables", "strings", "sets", "signatures"), sample_weight=True
    )
    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_sample_weight_equivalence_on_dense_data": _AS_OFTEN,
        "sklearn:check_sample_weight_equivalence_on_sparse_data": _AS_OFTEN,
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """Trees, any kind of rows, and part of the rows without replacement."""
        return [
            cls(random_state=0),
            cls(member="knn", n_members=5, rule="median", random_state=0),
            cls(max_samples=0.7, replace=False, oob_score=True, n_jobs=2, random_state=0),
        ]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw a sample for each member and fit it.

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
                X, _answers, lambda said, _: self._combine(said)[:, np.newaxis], 1
            )
            self.oob_prediction_ = support[:, 0]
            squares = (self.oob_prediction_ - targets) ** 2
            self.oob_error_, self.n_never_out_of_bag_ = out_of_bag_error(squares, support, weights)
        return self

    def _member(self) -> Any:
        return DecisionTreeRegressor() if self.member is None else self.resolve_slot("member")

    def _check_weights(self, sample_weight: Any, X: Any, member: Any) -> np.ndarray | None:
        if sample_weight is None:
            return None
        weights = ilk.check_weights(self, sample_weight, X)
        if not self.replace and not ilk.takes_weights(member):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: {ilk.display_name(member)} does not take "
                f"sample_weight, as without replacement it must"
            )
        return weights

    def predict(self, X: Any) -> np.ndarray:
        """Predicted number for each row; array of shape (m,)."""
        X = self._checked(X)
        size = max(_CELLS // len(self.estimators_), 1)
        return np.concatenate(
            [self._combine(self._member_outputs(rows)) for rows in row_blocks(X, size)]
        )

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yield what the first 1, 2, ... members predict together; arrays of shape (m,).

        The predictions of all members are held: 8 bytes for each member and row.
        """
        said = self._member_outputs(self._checked(X))
        total = np.zeros(said.shape[1])
        for count, own in enumerate(said, start=1):
            total += own
            yield total / count if self.rule == "mean" else self._combine(said[:count])

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        X = indexable(X)
        check_features(self, X, reset=False)
        return X

    def _member_outputs(self, X: Any) -> np.ndarray:
        """Predictions of each member; array of shape (L, m)."""

        def ask(_: int, member: Any) -> np.ndarray:
            return _answers(member, X)

        return np.stack(each_place(self, self.estimators_, ask, self.n_jobs, argument=self._places))

    def _combine(self, said: np.ndarray) -> np.ndarray:
        return np.asarray(said.mean(axis=0) if self.rule == "mean" else np.median(said, axis=0))

    def __sklearn_tags__(self) -> Any:
        return member_tags(super().__sklearn_tags__(), self._member)


def _answers(member: Any, X: Any) -> np.ndarray:
    return number_per_row(member.predict(X), ilk.n_rows(X))
