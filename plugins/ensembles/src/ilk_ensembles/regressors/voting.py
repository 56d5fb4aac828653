"""A vote of regressors: the mean, weighted or not, or the median of what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Param
from ilk_ensembles.base.heterogeneous import PARAMETERS, REGRESSORS, HeterogeneousRegressor
from ilk_ensembles.combiners.weights import check_given, for_members


class VotingRegressor(HeterogeneousRegressor):
    """Fits every member on the same data; predicts the mean, or the median, of their numbers.

    ``f(x) = sum_j w_j f_j(x) / sum_j w_j``, equation (2.26) of [1]_, all alike unless there are
    weights; or the median of the ``f_j(x)``, that of an even number midway between the two in
    the middle, which one member that is far off does not move.

    Parameters
    ----------
    members : list of regressors
        Instances, names or tables; pipelines too. X may be whatever all of them take.
    rule : {"mean", "median"}, default="mean"
    weights : array of shape (L,), optional
        Of the members, for the mean: at least 0 and not all 0.
    on_failure : {"raise", "drop"}, default="raise"
        A member that cannot be fitted is an error, or is left out and listed in ``failures_``.
    n_jobs : int, optional
        How many members are fitted, and asked, at once (threads); -1: one per processor. The
        result is the same.
    verbose : int, default=0
        1: a line at each tenth of the members; 2: at each one.
    random_state : int or numpy generator, optional
        Gives a seed to each member whose own random state is None.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted members.
    positions_ : list of int
        Theirs among `members`.
    failures_ : dict of int to IlkError
        Why members were left out, by their position in `members`.
    n_features_in_ : int
        Where X has columns.

    Raises
    ------
    ParameterError
        If there is no member; if weights are wrong, for another number of members, or given
        with the median.
    InputError
        If a member fails, or predicts what is no finite number; names it. If y is no numbers.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.5.3.
    .. [2] *System Evaluation*, lecture slides: "Voting", by average or median with regression.

    Examples
    --------
    >>> import ilk
    >>> import numpy as np
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> vote = ilk.regressor("voting", members=["knn", "gp"], weights=[1, 3])
    >>> float(vote.fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0]))) > 0.99
    True
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "members": Param(slot="regressor", many=list, doc="The regressors that vote."),
        "rule": Param(choices=("mean", "median"), doc="What becomes of the members' numbers."),
        "weights": Param(ilk.Array, none=True, doc="Of the members, for the mean."),
        **PARAMETERS,
    }

    def __init__(
        self,
        members: Sequence[Any] = REGRESSORS,
        rule: Literal["mean", "median"] = "mean",
        weights: Any = None,
        *,
        on_failure: Literal["raise", "drop"] = "raise",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.members = members
        self.rule = rule
        self.weights = weights
        self.on_failure = on_failure
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Members that take weights, weights of members, and the median for any kind of rows."""
        few = {"use": "boosted_experts", "n_rounds": 2}
        lines = [few, {**few, "rule": "median"}]
        parts = ["knn", few, {"use": "bagging", "n_members": 3}]
        near = [{"use": "knn", "k": k} for k in (1, 3, 5)]
        return [
            cls(lines),
            cls(parts, weights=[1, 0.5, 2], n_jobs=2, random_state=0),
            cls(near, "median"),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that weights are for the members, and for the mean."""
        super().check_parameters()
        if self.weights is None:
            return
        if self.rule == "median":
            raise self.parameter_error("weights", "are for the mean, the rule is 'median'")
        check_given(self, self.weights)
        for_members(self, np.asarray(self.weights, dtype=float), len(self.members))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit every member.

        Parameters
        ----------
        X : data of n rows
            Whatever the members take.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Given to the members that take it; an error if none does.
        """
        self.check_parameters()
        X, y = self._checked(X, y)
        members = self._seeded_members(ilk.check_seed(self, self.random_state))
        self._fit_all(members, X, y, self._check_weights(sample_weight, X, members))
        self._check_votes()
        return self

    def _votes(self) -> np.ndarray | None:
        """Weights of the fitted members; None where they are alike."""
        if self.weights is None:
            return None
        weights = np.asarray(self.weights, dtype=float)[self.positions_]
        return np.asarray(weights / weights.max())

    def _check_votes(self) -> None:
        if self.weights is not None and not np.asarray(self.weights)[self.positions_].any():
            raise ilk.InputError(
                f"{ilk.display_name(self)}: every member that has a weight was left out; the "
                f"first: {next(iter(self.failures_.values()))}"
            )

    def _combine(self, said: np.ndarray, X: Any) -> np.ndarray:
        if self.rule == "median":
            return np.asarray(np.median(said, axis=0))
        return np.asarray(np.average(said, axis=0, weights=self._votes()))
