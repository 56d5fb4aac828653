"""Stacked regressions: a regressor trained on held-out predictions of other regressors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import RandomState, RegressorLike, ResamplingLike, slot
from ilk_ensembles.base.held_out import held_out_outputs, random_folds
from ilk_ensembles.base.heterogeneous import (
    FOLD_SEEDS,
    LEFT_OUT_OF_FOLDS,
    PASSTHROUGH,
    HeterogeneousRegressor,
)
from ilk_ensembles.base.members import (
    each_place,
    failure,
    fit_member,
    has_fixed_parameters,
    parameters_checked,
    seed_members,
)
from ilk_ensembles.base.validation import beside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk import ArrayLike, Cases, Estimator, Labels


class StackingRegressor(HeterogeneousRegressor):
    """Fits a regressor on held-out predictions of members (stacked regressions).

    Rows are held out in turn. Clones of the members, fitted on the other rows, predict them: the
    features ``f_1(x), ..., f_L(x)`` on which the learner is trained. Then the members are
    refitted on all rows; a prediction applies the learner to their predictions.

    Attributes
    ----------
    estimators_ : list of L regressors
        The members, fitted on all rows.
    positions_ : list of int
        Their positions in `members`.
    learner_ : regressor
        The fitted learner.
    failures_ : dict of int to IlkError
        Errors of the dropped members, by position in `members`.
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    ParameterError
        If there is no member.
    InputError
        If a member or the learner fails, or a prediction is not finite; the error names it. If
        there is only one row, so that none can be held out.

    Notes
    -----
    Sample weights are passed to the members and the learner that accept them; rows of weight 0
    are never held out. Memory: L numbers for each row while fitting; prediction works in blocks
    of rows, 32 MB at a time.

    References
    ----------
    .. [1] D. H. Wolpert, "Stacked generalization", *Neural Networks* 5, 1992.
    .. [2] L. Breiman, "Stacked regressions", *Machine Learning* 24, 1996 (without an intercept).
    .. [3] Evaluation slides: Stacking.

    Examples
    --------
    >>> import ilk
    >>> import numpy as np
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = ilk.regressor("stacking", members=["knn", "boosted_experts"], random_state=0)
    >>> float(model.fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0]))) > 0.99
    True
    """

    learner: RegressorLike | None = slot(
        "regressor",
        default=None,
        doc="Fitted on arrays of shape (n, L). If left out: least squares with an intercept "
        "and non-negative coefficients [2]_, scikit-learn's LinearRegression.",
    )
    passthrough: bool = PASSTHROUGH
    on_failure: Literal["raise", "drop"] = LEFT_OUT_OF_FOLDS
    resampling: ResamplingLike | None = slot(
        "resampling",
        default=None,
        doc="How rows are held out. If left out: at most 5 random folds.",
    )
    random_state: RandomState = FOLD_SEEDS
    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_sample_weight_equivalence_on_dense_data": (
            "two equal rows may be held out at different times, one of weight 2 is held out at once"
        ),
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """Members that take weights; neighbours as the learner; any kind of rows."""
        line = {"use": "boosted_experts", "rule": "median"}
        few, halves = {"use": "bagging", "n_members": 2}, {"use": "kfold", "folds": 2}
        near = [{"use": "knn", "k": k} for k in (1, 5)]
        return [
            cls(members=[line, {**line, "threshold": 0.5}], random_state=0),
            cls(
                members=["knn", few],
                learner="knn",
                passthrough=True,
                resampling=halves,
                n_jobs=2,
                random_state=0,
            ),
            cls(members=near, random_state=0),
        ]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Fit every member, then the learner on held-out predictions.

        Parameters
        ----------
        X : data of n rows
            Data that the members accept.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Passed to the members, and the learner, that accept it; an error if none does. Rows of
            weight 0 are dropped.
        """
        self.check_parameters()
        X, y = self._checked(X, y)
        rng = ilk.check_seed(self, self.random_state)
        members, learner = self._seeded_members(rng), self._learner()
        weights, X, y = self._weighted(sample_weight, X, y, [*members, learner])
        self._fit_all(members, X, y, weights)
        rows, outputs = self._held_out(X, y, weights, rng)
        seed_members(self, [learner], None if self.random_state is None else rng)
        features = self._features(outputs, ilk.take(X, rows))
        try:
            shares = None if weights is None else weights[rows]
            self.learner_ = fit_member(learner, features, y[rows], shares)
        except Exception as error:
            raise failure(self, "learner", learner, error) from error
        return self

    def _readers(self) -> list[Any]:
        return [*super()._readers(), *([self._learner()] if self.passthrough else [])]

    # non-negative coefficients, as Breiman proposes: those of similar predictions do not cancel
    def _learner(self) -> Any:
        from sklearn.linear_model import LinearRegression

        return (
            LinearRegression(positive=True)
            if self.learner is None
            else self.resolve_slot("learner")
        )

    def _held_out(
        self, X: Cases, y: np.ndarray, weights: np.ndarray | None, rng: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray]:
        """Positions of held-out rows, and the members' predictions for them, of shape (L, h)."""
        from sklearn.base import clone

        places = [f"{place}, on a part of the rows," for place in self._places()]
        known = all(map(has_fixed_parameters, self.estimators_))

        def query(train: np.ndarray, test: np.ndarray) -> np.ndarray:
            part, some = ilk.take(X, train), None if weights is None else weights[train]

            def fit(_: int, member: Estimator) -> Any:
                return fit_member(clone(member, safe=False), part, y[train], some)

            with parameters_checked(known):
                fitted = each_place(self, self.estimators_, fit, self.n_jobs, argument=places)
            return self._member_outputs(fitted, ilk.take(X, test))

        scheme = None if self.resampling is None else self.resolve_slot("resampling")
        return held_out_outputs(self, query, X, y, scheme, rng, random_folds)

    def _features(self, outputs: np.ndarray, X: Cases) -> Any:
        """The members' predictions side by side, and X with `passthrough`."""
        if not self.passthrough:
            return outputs.T
        return beside(outputs.T, ilk.check_vectors(self, X, sparse=True))

    def _combine(self, outputs: np.ndarray, X: Cases) -> np.ndarray:
        return np.asarray(self.learner_.predict(self._features(outputs, X)), dtype=float)
