"""adaboost_r2: boosting of regressors fitted to reweighted cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Capabilities, RandomState, RegressorLike, check_fitted, param, slot
from ilk_ensembles.base.members import failure
from ilk_ensembles.base.outputs import number_per_row
from ilk_ensembles.base.progress import VERBOSE
from ilk_ensembles.base.resampling import member_tags
from ilk_ensembles.base.validation import check_features, check_numbers, indexable, row_blocks
from ilk_ensembles.boosting.additive import EDGE, decisive_weight, voting_weight
from ilk_ensembles.boosting.rounds import RoundResult, Rounds
from ilk_ensembles.boosting.weak_learner import ON_FAILURE, RANDOM_STATE, WeakLearner, weighted_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ilk import ArrayLike, Cases, Estimator, Matrix, Predictor


_CELLS = 1 << 20  # predictions held in memory at once: 8 MB of float64
_EXACT = 1e-14  # errors below this share of the largest target are rounding
_TIED = 1e-12  # rounding of a cumulative weight, as a share of the total


class AdaBoostR2(ilk.Regressor):
    """Fits regressors in turn, each with larger weights on large errors (AdaBoost.R2).

    All cases start with equal weights, or with the given ones. Round k fits a member to n rows
    drawn by the weights, with replacement. Let ``e_i`` be its absolute error on case i, and D
    the largest. The loss of the case is

    - ``e_i / D`` (linear), ``(e_i / D)^2`` (square) or ``1 - exp(-e_i / D)`` (exponential).

    Let L be the weighted mean loss, and ``beta_k = L / (1 - L)``. Weights are multiplied by
    ``beta_k^(1 - loss)`` and divided by their sum; the voting weight of the member is
    ``alpha_k = ln(1 / beta_k)``. The prediction is the weighted median: the least y such that
    members that predict at most y have at least half of the votes.

    A member of mean loss 1/2 or more is dropped, and boosting stops; if it is the first member,
    it is kept with weight 1. A member without error also stops boosting. Its voting weight is
    the sum of all before it plus ``ln(2^52 - 1) = 36.04``, so that it decides alone.

    Attributes
    ----------
    estimators_ : list of T regressors
        The fitted members.
    alphas_ : ndarray of shape (T,)
        Their voting weights.
    errors_ : ndarray of shape (T,)
        Their mean losses.
    stopped_ : {"perfect", "chance"} or None
        Why boosting stopped early: a member without error, or one of mean loss 1/2 or more.
    failures_ : dict of int to IlkError
        Errors of the failed rounds, by number from 0.
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    InputError
        If a member fails, or takes no weights and `method` is "weighting"; if y or weights
        are invalid.

    Notes
    -----
    Besides the members, fitting holds a few numbers for each row in memory, and prediction blocks
    of rows; `staged_predict` holds all predictions of the members.

    With weighting, a numeric table X is first sorted by `ilk.row_order`: the order of the rows
    does not matter. With resampling it does, because draws use row numbers.

    References
    ----------
    .. [1] H. Drucker, "Improving regressors using boosting techniques", *Proceedings of ICML*,
       1997.
    .. [2] Cunningham 2008: section 2.5.5.

    Examples
    --------
    >>> import ilk
    >>> import numpy as np
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> boosted = ilk.regressor("adaboost_r2", random_state=0).fit(X, np.sin(X[:, 0]))
    >>> round(float(boosted.score(X, np.sin(X[:, 0]))), 2)
    0.98
    """

    member: RegressorLike | None = slot(
        "regressor",
        default=None,
        doc="Cloned and fitted in each round. If left out: scikit-learn's tree of depth 3.",
    )
    n_members: int = param(default=50, ge=1, doc="Maximum number of rounds.")
    loss: Literal["linear", "square", "exponential"] = param(
        default="linear",
        choices=("linear", "square", "exponential"),
        doc="Loss as a function of the error, as a share of the largest.",
    )
    method: Literal["resampling", "weighting"] = param(
        default="resampling",
        choices=("weighting", "resampling"),
        doc="Whether rows are resampled by the weights, as published, or members take the weights. "
        "Losses are measured on all rows either way.",
    )
    learning_rate: float = param(
        default=1.0,
        gt=0,
        doc="Factor of each alpha, and of the exponent of beta.",
    )
    on_failure: Literal["raise", "drop"] = ON_FAILURE
    verbose: int = VERBOSE
    random_state: RandomState = RANDOM_STATE
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables", "strings", "sets", "signatures"), sample_weight=True
    )
    waivers: ClassVar[Mapping[str, str]] = {
        f"sklearn:check_sample_weight_equivalence_on_{kind}_data": (
            "rows are drawn at random by their weights: two equal rows are drawn as often as one "
            "of weight 2, but not by the same random numbers"
        )
        for kind in ("dense", "sparse")
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """Return boosted trees, and nearest neighbours for any kind of rows."""
        return [cls(random_state=0), cls(member="knn", n_members=5, loss="square", random_state=0)]

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Run the boosting rounds.

        Parameters
        ----------
        X : data of n rows
            Data that the members accept.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Initial weights. A case of weight 0 counts as none. A case of weight 2 counts as two
            cases with "weighting"; with "resampling" it is drawn as often as two cases.

        Returns
        -------
        AdaBoostR2
            The fitted ensemble.
        """
        self.check_parameters()
        X = indexable(X)
        y = check_numbers(self, y, X)
        check_features(self, X, reset=True)
        rows, start = weighted_rows(self, X, sample_weight, len(y))
        if rows is not None:
            X, y = ilk.take(X, rows), y[rows]
        if self.method == "weighting":
            # a canonical order: the sums of weights do not depend on the given one
            order = ilk.row_order(X, y, start)
            X, y, start = ilk.take(X, order), y[order], start[order]
        rng = ilk.check_seed(self, self.random_state)
        rounds = _Losses(self, WeakLearner(self, self._member(), X, self.method, rng), y, start)
        rounds.run()
        self.estimators_, self.failures_ = rounds.members, rounds.failures
        self.alphas_, self.errors_ = np.array(rounds.alphas), np.array(rounds.errors)
        self.stopped_ = rounds.stop
        return self

    def predict(self, X: Cases) -> np.ndarray:
        """Weighted median of the members' predictions; array of shape (m,)."""
        X = self._checked(X)
        size = max(_CELLS // len(self.estimators_), 1)
        outputs = (np.stack(list(self._member_outputs(rows))) for rows in row_blocks(X, size))
        return np.concatenate([weighted_medians(values, self.alphas_) for values in outputs])

    def staged_predict(self, X: Cases) -> Iterator[np.ndarray]:
        """Yield the predictions after each round, equal to those of a fit with fewer rounds."""
        outputs: list[np.ndarray] = []
        for predicted in self._member_outputs(self._checked(X)):
            outputs.append(predicted)
            yield weighted_medians(np.stack(outputs), self.alphas_[: len(outputs)])

    def _checked(self, X: Cases) -> Any:
        check_fitted(self)
        X = indexable(X)
        check_features(self, X, reset=False)
        return X

    def _member_outputs(self, X: Cases) -> Iterator[np.ndarray]:
        """Predictions of each member for the rows."""
        for number, member in enumerate(self.estimators_):
            try:
                yield number_per_row(member.predict(X), ilk.n_rows(X))
            except Exception as error:
                raise failure(self, f"estimators_[{number}]", member, error) from error

    def _member(self) -> Any:
        from sklearn.tree import DecisionTreeRegressor

        if self.member is None:
            return DecisionTreeRegressor(max_depth=3)
        return self.resolve_slot("member")

    def __sklearn_tags__(self) -> Any:
        return member_tags(super().__sklearn_tags__(), self._member)


class _Losses(Rounds):
    """Rounds of AdaBoost.R2."""

    def evaluate(self, member: Estimator, number: int, weights: np.ndarray) -> RoundResult:
        errors = np.abs(self.learner.query(number, member, self._numbers) - self.y)
        rate = self.owner.learning_rate
        largest = errors.max()
        if largest <= _EXACT * np.abs(self.y).max():
            # weights of R2 are ln((1 - L) / L), twice the half log odds of AdaBoost
            alpha = 2 * decisive_weight(sum(self.alphas) / 2, learning_rate=rate)
            return RoundResult(0.0, alpha, np.zeros(len(weights)), "perfect")
        # relative to the largest error, as R2 defines it: losses lie in [0, 1]
        losses = _LOSSES[self.owner.loss](errors / largest)
        mean = float(weights @ losses)
        # from a mean loss of 1/2, beta is 1 or more: weights would move to the easy cases
        if mean >= 0.5 - EDGE:
            return RoundResult(mean, 1.0, np.zeros(len(weights)), "chance")
        alpha = 2 * rate * voting_weight(mean)
        # R2 multiplies a weight by beta^(1 - loss), with beta = exp(-alpha)
        return RoundResult(mean, alpha, alpha * (losses - 1))

    def _numbers(self, member: Predictor, X: Matrix) -> np.ndarray:
        return number_per_row(member.predict(X), len(self.y))


_LOSSES: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": lambda share: share,
    "square": lambda share: share**2,
    "exponential": lambda share: -np.expm1(-share),
}


def weighted_medians(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted median of each column: the least value with half of the weight at or below it.

    Parameters
    ----------
    values : ndarray of shape (L, m)
    weights : ndarray of shape (L,)

    Returns
    -------
    ndarray of shape (m,)
    """
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0)
    # the tolerance makes the median independent of the order of summation
    middle = (reached >= (0.5 - _TIED) * reached[-1]).argmax(axis=0)
    columns = np.arange(values.shape[1])
    return np.asarray(values[order[middle, columns], columns])
