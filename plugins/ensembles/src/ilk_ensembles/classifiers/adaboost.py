"""adaboost: members in turn, each looking harder at what those before it got wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk import Capabilities, ClassifierLike, RandomState, param, slot
from ilk_ensembles.base.combined_classifier import check_no_class_lost
from ilk_ensembles.base.members import failure
from ilk_ensembles.base.outputs import ABSTAINS, member_codes, one_per_row
from ilk_ensembles.base.progress import VERBOSE
from ilk_ensembles.base.resampling import member_tags
from ilk_ensembles.base.validation import check_features, indexable
from ilk_ensembles.boosting.additive import (
    EDGE,
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


class AdaBoost(StagedClassifier):
    """Fits members in turn, each on weights that are larger where those before it erred.

    All cases start with equal weights, or the given ones. Round k fits a member h_k, whose
    error e_k is the weight of the cases that it gets wrong, and gives it the voting weight

    ``alpha_k = ln((1 - e_k) / e_k) / 2``.

    Then weights are multiplied by ``exp(alpha_k)`` where it erred, by ``exp(-alpha_k)`` where
    it did not, and divided by their sum Z_k. The class with most votes,
    ``F_c(x) = sum of alpha_k over those with h_k(x) = c``, is predicted; ties, up to rounding,
    go to the first class.

    A member no better than chance is left out, and boosting stops: one of error 1/2 or more, or
    1 - 1/C under SAMME, which adds ``ln(C - 1) / 2`` to alpha for C classes. If that is the first
    one, it is kept with weight 1 and decides alone. A member without error also ends it, with
    the weight of all those before it together and ``ln(2^52 - 1) / 2 = 18.02`` more: so it, too,
    decides alone. ``stopped_`` tells.

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
        ``sum_i w_i exp(-margin_i)`` after each round, where the margin is the votes of those
        that are right less the votes of those that are wrong: the training error is at most
        that. It is ``prod_k Z_k`` (but for `restarts`), with ``Z_k = 2 sqrt(e_k (1 - e_k))`` for
        two classes. Under SAMME with more classes it holds, but may be above 1.
    stopped_ : {"perfect", "chance"} or None
        Why there were fewer rounds: a member without error, or none better than chance.
    failures_ : dict of int to IlkError
        Rounds that were left out, from 0.
    n_features_in_ : int
        Where X has columns.

    Raises
    ------
    ParameterError
        If `restarts` is given without resampling.
    InputError
        If there is one class; if the member takes no weights and `method` is "weighting"; if
        weights are wrong, or those of a class all 0; if a member fails.

    Notes
    -----
    Beside members, memory holds a few numbers for each row, whatever the number of rounds. With
    `decision_stump` rows are sorted once, and a round costs O(n p).

    With weighting, X that is a table of numbers is first put into the order of `ilk.case_order`.
    So neither the order of the rows nor the names of the classes settle ties between stumps.

    The worked example in [1]_ prints ``ln((1 - e) / e)`` as voting weights, twice its own
    formula: decisions are the same.

    References
    ----------
    .. [1] K. O. Arras, *Supervised Learning*, lecture slides, part 3: AdaBoost.
    .. [2] Y. Freund and R. E. Schapire, "A decision-theoretic generalization of on-line learning
       and an application to boosting", *Journal of Computer and System Sciences* 55, 1997: M1.
    .. [3] J. Zhu, H. Zou, S. Rosset and T. Hastie, "Multi-class AdaBoost", *Statistics and Its
       Interface* 2, 2009: SAMME.
    .. [4] Cunningham, Cord and Delany (2008), sec. 2.5.5, equations 2.32 and 2.33.

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
    n_members: int = param(default=50, ge=1, doc="Rounds; fewer where boosting stops.")
    method: Literal["weighting", "resampling"] = param(
        default="weighting",
        choices=("weighting", "resampling"),
        doc="Whether members take the weights, or n rows are drawn by them, with replacement. "
        "Draws of one class are drawn anew. Errors are those on all rows either way.",
    )
    multiclass: Literal["samme", "m1"] = param(
        default="samme",
        choices=("samme", "m1"),
        doc='For more than two classes. Under "m1" members must err less than 1/2.',
    )
    learning_rate: float = param(default=1.0, gt=0, doc="Each alpha is multiplied by it.")
    restarts: int = param(
        default=0,
        ge=0,
        doc="With resampling, how many times weights start afresh, rather than boosting stop, "
        "where a member is no better than chance; it is drawn again.",
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
        """Return boosted stumps, trees by M1, and neighbours from drawn rows."""
        tree: dict[str, Any] = {"use": "sklearn", "estimator": "DecisionTreeClassifier"}
        tree["params"] = {"max_depth": 2}
        drawn = cls(member="knn", n_members=5, method="resampling", restarts=2, random_state=0)
        return [
            cls(),
            cls(member=tree, n_members=10, multiclass="m1", learning_rate=0.5, random_state=0),
            drawn,
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that `restarts` are those of resampling."""
        super().check_parameters()
        if self.restarts and self.method != "resampling":
            raise self.parameter_error(
                "restarts",
                f"must be 0 unless method is 'resampling', got {self.restarts}: the same member "
                f"would be fitted again",
            )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost.

        Parameters
        ----------
        X : data of n rows
            Whatever the members take.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            The weights of the first round. A case of weight 2 counts as two, one of weight 0
            as none.

        Returns
        -------
        AdaBoost
            Itself.
        """
        self.check_parameters()
        X = indexable(X)
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=2)
        check_features(self, X, reset=True)
        rows, start = weighted_rows(self, X, sample_weight, len(codes))
        if rows is not None:
            X, codes = ilk.take(X, rows), codes[rows]
            check_no_class_lost(self, codes)
        if self.method == "weighting":
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

    def __sklearn_tags__(self) -> Any:
        return member_tags(super().__sklearn_tags__(), lambda: self.resolve_slot("member"))

    def _staged_support(self, X: Any) -> Iterator[tuple[np.ndarray, float]]:
        check_is_fitted(self)
        X = indexable(X)
        check_features(self, X, reset=False)
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

    def _to_probabilities(self, support: np.ndarray) -> np.ndarray:
        return vote_probabilities(support)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of the voting weight of the members that look at each feature; shape (p,).

        Stumps look at one feature; other members say by their own ``feature_importances_``.
        """
        check_is_fitted(self)
        shares = [feature_shares(member, self.n_features_in_) for member in self.estimators_]
        weighed = self.alphas_ @ np.array(shares)
        total = weighed.sum()
        return np.asarray(weighed / total if total > 0 else weighed)

    @property
    def feature_ranking_(self) -> np.ndarray:
        """Positions of the features that are looked at, those of most voting weight first."""
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
        self.n_classes = len(owner.classes_) if owner.multiclass == "samme" else 2

    def accepts(self, y: np.ndarray) -> bool:
        return bool((y != y[0]).any())

    def evaluate(self, member: Any, number: int, weights: np.ndarray) -> RoundResult:
        said = self.learner.ask(number, member, lambda m, X: one_per_row(m.predict(X), len(self.y)))
        wrong = said != self.y
        stop: Stop | None = None
        error = float(weights[wrong].sum())
        if not wrong.any():
            alpha, stop = decisive_weight(sum(self.alphas), self.n_classes, self.rate), "perfect"
        elif error >= 1 - 1 / self.n_classes - EDGE:
            alpha, stop = 1.0, "chance"
        else:
            alpha = self.rate * voting_weight(error, self.n_classes)
        return RoundResult(error, alpha, np.where(wrong, alpha, -alpha), stop)
