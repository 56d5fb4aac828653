"""adaboost: boosting of members fitted to reweighted cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Capabilities, ClassifierLike, RandomState, check_fitted, param, slot
from ilk_ensembles.base.combined_classifier import check_no_class_lost
from ilk_ensembles.base.members import failure
from ilk_ensembles.base.outputs import ABSTAINS, member_codes, one_per_row
from ilk_ensembles.base.progress import VERBOSE
from ilk_ensembles.base.resampling import member_tags
from ilk_ensembles.base.validation import (
    by_feature,
    check_features,
    indexable,
    n_encoded,
)
from ilk_ensembles.boosting.additive import (
    EDGE,
    Splits,
    StagedClassifier,
    decisive_weight,
    feature_shares,
    vote_probabilities,
    voting_weight,
)
from ilk_ensembles.boosting.rounds import RoundResult, Rounds, Stop
from ilk_ensembles.boosting.weak_learner import ON_FAILURE, RANDOM_STATE, WeakLearner, weighted_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import ArrayLike, Cases, Estimator, Labels


class AdaBoost(StagedClassifier):
    """Fits members in turn, each with larger weights on the errors of those before (AdaBoost).

    All cases start with equal weights, or with the given ones. Round k fits a member h_k; its
    error e_k is the weight of the cases it misclassifies, and its voting weight is

    ``alpha_k = ln((1 - e_k) / e_k) / 2``.

    Then weights are multiplied by ``exp(alpha_k)`` for misclassified cases, by
    ``exp(-alpha_k)`` for the others, and divided by their sum Z_k. The class with the most
    votes, ``F_c(x) = sum of alpha_k over the k with h_k(x) = c``, is predicted; ties, up to
    rounding, go to the first class.

    A member no better than chance is dropped, and boosting stops: its error is at least 1/2, or
    1 - 1/C under SAMME, which adds ``ln(C - 1) / 2`` to alpha for C classes. If it is the first
    member, it is kept with weight 1 and decides alone. A member without error also stops
    boosting. Its weight is the sum of all before it plus ``ln(2^52 - 1) / 2 = 18.02``, so that
    it, too, decides alone. ``stopped_`` gives the reason.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Sorted.
    estimators_ : list of T classifiers
        The fitted members.
    alphas_ : ndarray of shape (T,)
        Their voting weights.
    errors_ : ndarray of shape (T,)
        Their weighted errors.
    error_bounds_ : ndarray of shape (T,)
        ``sum_i w_i exp(-margin_i)`` after each round, where the margin is the votes for the
        true class minus the votes for others: an upper bound of the training error. It is
        ``prod_k Z_k`` (except with `restarts`), with ``Z_k = 2 sqrt(e_k (1 - e_k))`` for two
        classes. Under SAMME with more classes the bound holds, but may exceed 1.
    stopped_ : {"perfect", "chance"} or None
        Why boosting stopped early: a member without error, or none better than chance.
    encoder_ : OneHot or None
        Encodes nominal columns for stumps, which split by one category against the others; other
        members get the table.
    failures_ : dict of int to IlkError
        Errors of the failed rounds, by number from 0.
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    ParameterError
        If `restarts` is given without resampling.
    InputError
        If there is one class; if the member takes no weights and `method` is "weighting"; if
        weights are invalid, or all weights of a class are 0; if a member fails.

    Notes
    -----
    Besides the members, memory holds a few numbers for each row, whatever the number of rounds.
    With `decision_stump`, rows are sorted once, and a round costs O(n p).

    With weighting, a numeric table X is first sorted by `ilk.case_order`. So neither the order
    of the rows nor the names of the classes settle ties between stumps.

    The worked example in [1]_ prints ``ln((1 - e) / e)`` as voting weights, twice its own
    formula; the decisions are the same.

    References
    ----------
    .. [1] Arras: Boosting; AdaBoost Learning; AdaBoost Inference and Decision; Why Does It Work;
       AdaBoost Example.
    .. [2] Y. Freund and R. E. Schapire, "A decision-theoretic generalization of on-line learning
       and an application to boosting", *Journal of Computer and System Sciences* 55, 1997: M1.
    .. [3] J. Zhu, H. Zou, S. Rosset and T. Hastie, "Multi-class AdaBoost", *Statistics and Its
       Interface* 2, 2009: SAMME.
    .. [4] Cunningham 2008: section 2.5.5; equations 2.32-2.33.
    .. [5] Evaluation slides: Boosting Approach; AdaBoost Algorithm; AdaBoost by Resampling.
    .. [6] Ntoutsi 2015: Boosting; AdaBoost.
    .. [7] Zaidi 2011: section 10.3; equations 10.7-10.8.

    Examples
    --------
    >>> import ilk
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["a", "b", "b", "b", "a", "a"]
    >>> boosted = ilk.classifier("adaboost", n_members=3).fit(X, y)
    >>> boosted.errors_.round(3).tolist(), boosted.alphas_.round(3).tolist()
    ([0.167, 0.2, 0.187], [0.805, 0.693, 0.733])
    >>> [int((labels != y).sum()) for labels in boosted.staged_predict(X)]
    [1, 1, 0]
    """

    member: ClassifierLike = slot(
        "classifier",
        default="decision_stump",
        doc="A fresh clone is fitted in each round.",
    )
    n_members: int = param(default=50, ge=1, doc="Maximum number of rounds.")
    method: Literal["weighting", "resampling"] = param(
        default="weighting",
        choices=("weighting", "resampling"),
        doc="Whether members take the weights, or n rows are resampled by them, with replacement. "
        "Samples of one class are redrawn. Errors are measured on all rows either way.",
    )
    multiclass: Literal["samme", "m1"] = param(
        default="samme",
        choices=("samme", "m1"),
        doc='For more than two classes. Under "m1" the errors of members must be below 1/2.',
    )
    learning_rate: float = param(default=1.0, gt=0, doc="Factor of each alpha.")
    restarts: int = param(
        default=0,
        ge=0,
        doc="With resampling: how many times to reset the weights and resample, instead of "
        "stopping, where a member is no better than chance.",
    )
    on_failure: Literal["raise", "drop"] = ON_FAILURE
    verbose: int = VERBOSE
    random_state: RandomState = RANDOM_STATE
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables", "strings", "sets", "signatures"),
        sample_weight=True,
        probabilistic=True,
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Return boosted stumps, trees by M1, and nearest neighbours on resampled rows."""
        tree: dict[str, Any] = {"use": "sklearn", "estimator": "DecisionTreeClassifier"}
        tree["params"] = {"max_depth": 2}
        drawn = cls(member="knn", n_members=5, method="resampling", restarts=2, random_state=0)
        return [
            cls(),
            cls(member=tree, n_members=10, multiclass="m1", learning_rate=0.5, random_state=0),
            drawn,
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that `restarts` come with resampling."""
        super().check_parameters()
        if self.restarts and self.method != "resampling":
            raise self.parameter_error(
                "restarts",
                f"must be 0 unless method is 'resampling', got {self.restarts}: the same member "
                f"would be fitted again",
            )

    def fit(self, X: Any, y: Labels | None, sample_weight: ArrayLike | None = None) -> Self:
        """Run the boosting rounds.

        Parameters
        ----------
        X : data of n rows
            Data that the members accept.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Initial weights. A case of weight 2 counts as two cases, a case of weight 0 as none.

        Returns
        -------
        AdaBoost
            The fitted ensemble.
        """
        self.check_parameters()
        X = indexable(X)
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=2)
        X = self._checked(X, sample_weight, reset=True)
        rows, start = weighted_rows(self, X, sample_weight, len(codes))
        if rows is not None:
            X, codes = ilk.take(X, rows), codes[rows]
            check_no_class_lost(self, codes)
        if self.method == "weighting":
            # a canonical order: the sums of weights, and so ties, do not depend on the given one
            order, _ = ilk.case_order(X, codes, start)
            X, codes, start = ilk.take(X, order), codes[order], start[order]
        rng = ilk.check_seed(self, self.random_state)
        learner = WeakLearner(self, self.resolve_slot("member"), X, self.method, rng)
        rounds = _Votes(self, learner, codes, start)
        rounds.run()
        self.estimators_, self.failures_ = rounds.members, rounds.failures
        self.alphas_, self.errors_ = np.array(rounds.alphas), np.array(rounds.errors)
        self.error_bounds_, self.stopped_ = np.array(rounds.totals), rounds.stop
        return self

    def _checked(self, X: Cases, sample_weight: ArrayLike | None = None, *, reset: bool) -> Any:
        """Check the features; encode a table once for all members that sort its columns."""
        check_features(self, X, reset=reset)
        if reset:
            able = getattr(self.resolve_slot("member"), "capabilities", None)
            mixed = ilk.is_table(X) and len(ilk.nominal_columns(X)) > 0
            self.encoder_: Any = None
            if not (mixed and able is not None and able.presort):
                return X
        elif self.encoder_ is None:
            return X
        return ilk.encoded_vectors(self, X, reset=reset, sample_weight=sample_weight)

    def __sklearn_tags__(self) -> Any:
        return member_tags(super().__sklearn_tags__(), lambda: self.resolve_slot("member"))

    def _staged_support(self, X: Cases) -> Iterator[tuple[np.ndarray, float]]:
        check_fitted(self)
        splits = self._splits()
        if splits is not None:
            X = ilk.encoded_vectors(self, X, reset=False)
            votes = np.zeros((len(X), len(self.classes_)))
            yield from zip(splits.staged(X, votes), np.cumsum(self.alphas_).tolist(), strict=True)
            return
        X = self._checked(indexable(X), reset=False)
        votes, total = np.zeros((ilk.n_rows(X), len(self.classes_))), 0.0
        rows = np.arange(len(votes))
        for number, (member, alpha) in enumerate(
            zip(self.estimators_, self.alphas_.tolist(), strict=True)
        ):
            try:
                codes = member_codes(member, X, self.classes_)
            except Exception as error:
                raise failure(self, f"estimators_[{number}]", member, error) from error
            some = codes != ABSTAINS
            if some.all():
                votes[rows, codes] += alpha
            else:
                votes[rows[some], codes[some]] += alpha
            total += alpha
            yield votes, total

    def _splits(self) -> Splits | None:
        p = n_encoded(self) if "n_features_in_" in vars(self) else 0
        return Splits.of_members(self.estimators_, self.alphas_, self.classes_, p)

    def _to_probabilities(self, support: np.ndarray) -> np.ndarray:
        return vote_probabilities(support)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Feature importances of the members, weighted by their votes; shape (p,).

        A stump uses one feature; other members give their own ``feature_importances_``.
        """
        check_fitted(self)
        shares = [feature_shares(member, n_encoded(self)) for member in self.estimators_]
        weighed = by_feature(self, self.alphas_ @ np.array(shares))
        total = weighed.sum()
        return np.asarray(weighed / total if total > 0 else weighed)

    @property
    def feature_ranking_(self) -> np.ndarray:
        """Positions of the features in use, by descending voting weight."""
        importances = self.feature_importances_
        order = np.argsort(-importances, kind="stable")
        return np.asarray(order[importances[order] > 0])


class _Votes(Rounds):
    """Rounds of AdaBoost."""

    def __init__(
        self, owner: AdaBoost, learner: WeakLearner, codes: np.ndarray, start: Any
    ) -> None:
        super().__init__(owner, learner, owner.classes_[codes], start, owner.restarts)
        self.rate = owner.learning_rate
        # M1 is the two-class algorithm, whatever the number of classes
        self.n_classes = len(owner.classes_) if owner.multiclass == "samme" else 2

    def accepts(self, y: np.ndarray) -> bool:
        # a sample of one class teaches a member nothing
        return bool((y != y[0]).any())

    def evaluate(self, member: Estimator, number: int, weights: np.ndarray) -> RoundResult:
        predicted = self.learner.query(
            number, member, lambda m, X: one_per_row(m.predict(X), len(self.y))
        )
        wrong = np.flatnonzero(predicted != self.y)
        stop: Stop | None = None
        error = float(weights[wrong].sum())
        if not len(wrong):
            # the exact weight would be infinite: take one that outvotes all members before
            alpha, stop = decisive_weight(sum(self.alphas), self.n_classes, self.rate), "perfect"
        elif error >= 1 - 1 / self.n_classes - EDGE:
            alpha, stop = 1.0, "chance"
        else:
            alpha = self.rate * voting_weight(error, self.n_classes)
        change = np.full(len(weights), -alpha)
        change[wrong] = alpha
        return RoundResult(error, alpha, change, stop)
