"""Voting of regressors: the mean, weighted or not, or the median of their predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, param
from ilk_ensembles.base.heterogeneous import HeterogeneousRegressor
from ilk_ensembles.base.members import RULE
from ilk_ensembles.combiners.weights import check_given, for_members

if TYPE_CHECKING:
    from ilk import Cases, Labels


class VotingRegressor(HeterogeneousRegressor):
    """Fits every member on the same data; predicts the mean, or the median, of their outputs.

    ``f(x) = sum_j w_j f_j(x) / sum_j w_j``, equation (2.26) of [1]_, with equal weights by
    default; or the median of the ``f_j(x)``, which for an even number is the midpoint of the two
    middle values and is robust against one outlying member.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted members.
    positions_ : list of int
        Their positions in `members`.
    failures_ : dict of int to IlkError
        Errors of the dropped members, by position in `members`.
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    ParameterError
        If there is no member; if weights are invalid, do not match the number of members, or are
        given with the median.
    InputError
        If a member fails, or its prediction is not finite; the error names it. If y is not numeric.

    References
    ----------
    .. [1] Cunningham 2008: section 2.5.3.
    .. [2] Evaluation slides: Voting; Variance of an Average.

    Examples
    --------
    >>> import ilk
    >>> import numpy as np
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> vote = ilk.regressor("voting", members=["knn", "gp"], weights=[1, 3])
    >>> float(vote.fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0]))) > 0.99
    True
    """

    rule: Literal["mean", "median"] = RULE
    weights: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (L,)",
        doc="Weights of the members in the mean: at least 0 and not all 0.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Members that accept weights, weights of members, and the median for any kind of rows."""
        few = {"use": "boosted_experts", "n_rounds": 2}
        lines = [few, {**few, "rule": "median"}]
        parts: list[Any] = ["knn", few, {"use": "bagging", "n_members": 3}]
        near = [{"use": "knn", "k": k} for k in (1, 3, 5)]
        return [
            cls(members=lines),
            cls(members=parts, weights=[1, 0.5, 2], n_jobs=2, random_state=0),
            cls(members=near, rule="median"),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that weights match the members, and are for the mean."""
        super().check_parameters()
        if self.weights is None:
            return
        if self.rule == "median":
            raise self.parameter_error("weights", "are for the mean, the rule is 'median'")
        check_given(self, self.weights)
        for_members(self, np.asarray(self.weights, dtype=float), len(self.members))

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Fit every member.

        Parameters
        ----------
        X : data of n rows
            Data that the members accept.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Passed to the members that accept it; an error if none does. Rows of weight 0
            are dropped.
        """
        self.check_parameters()
        X, y = self._checked(X, y)
        members = self._seeded_members(ilk.check_seed(self, self.random_state))
        weights, X, y = self._weighted(sample_weight, X, y, members)
        self._fit_all(members, X, y, weights)
        self._check_votes()
        return self

    def _votes(self) -> np.ndarray | None:
        """Weights of the fitted members; None if equal."""
        if self.weights is None:
            return None
        weights = np.asarray(self.weights, dtype=float)[self.positions_]
        return np.asarray(weights / weights.max())

    def _check_votes(self) -> None:
        self.failures_: dict[int, ilk.IlkError]  # set by `fit_each`
        if self.weights is not None and not np.asarray(self.weights)[self.positions_].any():
            raise ilk.InputError(
                f"{ilk.display_name(self)}: every member that has a weight was left out; the "
                f"first: {next(iter(self.failures_.values()))}"
            )

    def _combine(self, outputs: np.ndarray, X: Cases) -> np.ndarray:
        if self.rule == "median":
            return np.asarray(np.median(outputs, axis=0))
        return np.asarray(np.average(outputs, axis=0, weights=self._votes()))
