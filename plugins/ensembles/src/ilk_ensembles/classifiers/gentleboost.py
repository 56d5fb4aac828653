"""gentleboost: a sum of regressions on labels of +1 and -1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Capabilities, RandomState, RegressorLike, check_fitted, param, slot
from ilk_ensembles.base.combined_classifier import check_no_class_lost
from ilk_ensembles.base.members import MEMBER_SEEDS, failure
from ilk_ensembles.base.outputs import number_per_row
from ilk_ensembles.base.progress import VERBOSE, Progress
from ilk_ensembles.base.resampling import member_tags
from ilk_ensembles.base.validation import (
    by_feature,
    check_features,
    indexable,
    n_encoded,
)
from ilk_ensembles.boosting.additive import Splits, StagedClassifier, one_against_rest
from ilk_ensembles.boosting.rounds import check_any
from ilk_ensembles.boosting.stumps import RegressionStump, SortedRows, as_problems, feature_gains
from ilk_ensembles.boosting.weak_learner import WeakLearner, weighted_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ilk import ArrayLike, Cases, Labels, Matrix, Predictor

_NOTHING = 1e-12  # boosting stops at a round whose predictions are all smaller, in size


class GentleBoost(StagedClassifier):
    """Sums regressions on the weighted labels, round by round (Gentle AdaBoost).

    With labels y of +1 and -1 and weights w, a round fits a regression f to y by weighted least
    squares, adds it to the score F, and multiplies each weight by ``exp(-y f)``: a Newton step
    for the exponential loss. As f lies in [-1, 1], while `adaboost` uses log odds, single cases
    cannot gain all the weight at once. The label is the sign of F.

    By default f is a regression stump: the weighted mean of y at or below a threshold on one
    feature, and the mean above it. The best feature and threshold are found in one pass over
    presorted rows: O(p n) a round. Ties, up to rounding, go to the lowest feature, then the
    lowest threshold. A nominal column of a data frame is split by one category against all others;
    a category unseen in training goes with the others.

    For more than two classes, each class has its own rounds against the rest, and the class of
    largest F is predicted; ties go to the first class.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Sorted.
    estimators_ : list of T lists of Q
        The members of each round, one for each problem: Q is 1 for two classes, C for more.
        Stumps have ``feature_`` (with nominal columns: column of ``encoder_``), ``threshold_``,
        ``below_`` and ``above_``.
    encoder_ : OneHot or None
        Encodes the nominal columns for stumps, if there are any.
    losses_ : ndarray of shape (T, Q)
        Weighted mean of ``exp(-y F)`` after each round.
    error_bounds_ : ndarray of shape (T,)
        Their sum over the problems: an upper bound of the training error.
    failures_ : dict of int to IlkError
        Errors of the failed rounds, by number from 0.
    n_features_in_ : int

    Raises
    ------
    InputError
        If there is one class, or a class has no weight; if a member takes no weights or fails;
        if weights are invalid.

    Notes
    -----
    Besides X, memory holds 3 bytes for each cell of X for stumps (5 from 65,537 rows on), and
    a few numbers for each row and problem, whatever the number of rounds.

    A numeric table X is first sorted by `ilk.case_order`. So neither the order of the rows nor
    the names of the classes settle ties between stumps.

    References
    ----------
    .. [1] J. Friedman, T. Hastie and R. Tibshirani, "Additive logistic regression: a statistical
       view of boosting", *Annals of Statistics* 28, 2000: algorithm 4.
    .. [2] Zaidi 2011: section 10.3; figure 10.3.

    Examples
    --------
    >>> import ilk
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["a", "b", "b", "b", "a", "a"]
    >>> boosted = ilk.classifier("gentleboost", n_rounds=4).fit(X, y)
    >>> boosted.predict(X).tolist()
    ['a', 'b', 'b', 'b', 'a', 'a']
    >>> boosted.error_bounds_.round(2).tolist()
    [0.7, 0.49, 0.35, 0.25]
    """

    member: RegressorLike | None = slot(
        "regressor",
        default=None,
        doc="Cloned and fitted in each round; takes sample weights. If left out: stumps.",
    )
    n_rounds: int = param(default=100, ge=1, doc="Maximum; stops early once a round adds nothing.")
    learning_rate: float = param(default=1.0, gt=0, lt=np.inf, doc="Factor of each f.")
    on_failure: Literal["raise", "drop"] = param(
        default="raise",
        choices=("raise", "drop"),
        doc="'raise': a member that fails to fit is an error. 'drop': its round is left out, for "
        "all classes, and the next one has the same weights (and other seeds).",
    )
    verbose: int = VERBOSE
    random_state: RandomState = MEMBER_SEEDS
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables"), sample_weight=True, probabilistic=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Return stumps with learning rates 1 and 1/2."""
        return [cls(), cls(n_rounds=30, learning_rate=0.5)]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Run the boosting rounds.

        Parameters
        ----------
        X : array of shape (n, p)
            Or any data that `member` accepts.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Initial weights. A case of weight 2 counts as two cases, a case of weight 0 as none.

        Returns
        -------
        GentleBoost
            The fitted ensemble.
        """
        self.check_parameters()
        X = self._checked(X, sample_weight, reset=True)
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=2)
        rows, start = weighted_rows(self, X, sample_weight, len(codes))
        if rows is not None:
            X, codes = ilk.take(X, rows), codes[rows]
            check_no_class_lost(self, codes)
        # a canonical order: the sums of weights, and so ties, do not depend on the given one
        order, _ = ilk.case_order(X, codes, start)
        X, codes, start = ilk.take(X, order), codes[order], start[order]
        self._boost(X, as_problems(codes, len(self.classes_)), start)
        return self

    def check_loaded(self) -> None:
        """Check that stumps refer to existing features."""
        p = n_encoded(self)
        for member in (member for members in self.estimators_ for member in members):
            if isinstance(member, RegressionStump) and not -1 <= member.feature_ < p:
                raise ilk.stored_fault(self, f"feature_ of a stump is {member.feature_}")

    def _boost(self, X: Cases, labels: np.ndarray, start: np.ndarray) -> None:
        """Fit the members of each round; labels have shape (Q, n)."""
        fit_round = self._round_fitter(X)
        self.estimators_: list[Any] = []
        self.failures_: dict[int, ilk.IlkError] = {}
        losses: list[np.ndarray] = []
        # logarithms: a product of many factors may leave the range of floats
        logs = np.tile(np.log(start), (len(labels), 1))
        progress = Progress(self, self.n_rounds, self.verbose, "rounds")
        for number in range(self.n_rounds):
            # relative to the largest, so that not all weights underflow
            weights = np.exp(logs - logs.max(axis=1, keepdims=True))
            weights /= weights.sum(axis=1, keepdims=True)
            try:
                members, predicted = fit_round(number, labels, weights)
            except ilk.IlkError as error:
                if self.on_failure == "raise":
                    raise
                self.failures_[number] = error
                progress.step("failed")
                continue
            # the Newton step of sum_i w_i exp(-y_i F(x_i)) multiplies weights by exp(-y_i f(x_i))
            logs -= self.learning_rate * labels * predicted
            self.estimators_.append(members)
            with np.errstate(over="ignore"):
                # the exponential loss of the sum so far, which bounds the weighted error
                losses.append(np.exp(logs).sum(axis=1))
            progress.step(f"loss {losses[-1].sum():.3g}")
            if np.abs(predicted).max() <= _NOTHING:
                break
        check_any(self, self.estimators_, self.failures_)
        self.losses_ = np.array(losses)
        # where the ensemble errs, the sign of some problem is wrong: the bounds add up
        self.error_bounds_ = self.losses_.sum(axis=1)

    def _round_fitter(self, X: Any) -> Callable[..., tuple[list[Any], np.ndarray]]:
        """Return a function of number, labels and weights: the round's members and predictions."""
        if self.member is None:
            sorted_rows = SortedRows(X)

            def stumps(_: int, labels: np.ndarray, weights: np.ndarray) -> Any:
                fitted = sorted_rows.fit(weights * labels)
                return fitted, np.array([stump.predict(X) for stump in fitted])

            return stumps
        rng = ilk.check_seed(self, self.random_state)
        learner = WeakLearner(self, self.resolve_slot("member"), X, "weighting", rng)
        n = ilk.n_rows(X)

        def query(member: Predictor, rows: Matrix) -> np.ndarray:
            return number_per_row(member.predict(rows), n)

        def members(number: int, labels: np.ndarray, weights: np.ndarray) -> Any:
            fitted = [learner.fit(number, y, w) for y, w in zip(labels, weights, strict=True)]
            return fitted, np.array([learner.query(number, one, query) for one in fitted])

        return members

    def _checked(self, X: Cases, sample_weight: ArrayLike | None = None, *, reset: bool) -> Any:
        if self.member is None:
            return ilk.encoded_vectors(self, X, reset=reset, sample_weight=sample_weight)
        self.encoder_: Any = None  # members encode
        X = indexable(X)
        check_features(self, X, reset=reset)
        return X

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the total decrease of ``ln(loss)``; shape (p,)."""
        check_fitted(self)
        # the loss of F = 0 is 1
        before = np.vstack([np.ones(self.losses_.shape[1]), self.losses_[:-1]])
        falls = np.log(before) - np.log(self.losses_)
        gains = feature_gains(self.estimators_, np.maximum(falls, 0), n_encoded(self))
        return by_feature(self, gains)

    def _splits(self) -> Splits | None:
        if self.member is not None:
            return None
        stumps = [stump for stumps in self.estimators_ for stump in stumps]
        # for two classes, F is the score of the second
        problems = np.arange(len(self.classes_)) if len(self.classes_) > 2 else np.array([1])
        sides = np.array([[stump.below_, stump.above_] for stump in stumps])
        return Splits(
            np.maximum([stump.feature_ for stump in stumps], 0),
            np.array([stump.threshold_ for stump in stumps], dtype=float),
            np.tile(np.repeat(problems[:, None], 2, axis=1), (len(self.estimators_), 1)),
            self.learning_rate * sides,
            len(self.estimators_) * self.learning_rate,
        )

    def _staged_support(self, X: Cases) -> Iterator[tuple[np.ndarray, float]]:
        check_fitted(self)
        X = self._checked(X, reset=False)
        scores = np.zeros((ilk.n_rows(X), len(self.classes_)))
        # for two classes, F is the score of the second; that of the first stays 0
        class_scores = scores[:, 1:] if len(self.classes_) == 2 else scores
        for number, members in enumerate(self.estimators_):
            for problem, member in enumerate(members):
                try:
                    class_scores[:, problem] += self.learning_rate * number_per_row(
                        member.predict(X), len(class_scores)
                    )
                except Exception as error:
                    raise failure(self, f"estimators_[{number}]", member, error) from error
            yield scores, (number + 1) * self.learning_rate

    def _to_probabilities(self, support: np.ndarray) -> np.ndarray:
        scores = support[:, 1:] if support.shape[1] == 2 else support
        return one_against_rest(scores, support.argmax(axis=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.member is None:
            return tags
        return member_tags(tags, lambda: self.resolve_slot("member"))
