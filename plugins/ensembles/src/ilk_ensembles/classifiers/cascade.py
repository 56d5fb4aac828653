"""The cascade: later members learn and predict the rows on which earlier ones are uncertain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

import ilk
from ilk import ArrayLike, check_fitted, param
from ilk_ensembles.base.held_out import stratified_folds
from ilk_ensembles.base.heterogeneous import HeterogeneousClassifier
from ilk_ensembles.base.members import failure, fit_each, fit_member
from ilk_ensembles.base.outputs import check_probabilistic, member_probabilities
from ilk_ensembles.base.progress import Progress
from ilk_ensembles.base.validation import check_features, indexable
from ilk_ensembles.combiners.cascade import COSTS, THRESHOLD
from ilk_ensembles.combiners.cascade import Cascade as CascadeRule
from ilk_ensembles.combiners.support import ULPS, over_classes
from ilk_ensembles.combiners.weights import normalized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ilk import Cases, Estimator


class Cascade(HeterogeneousClassifier):
    """Queries members in turn, until one is confident enough.

    A member predicts a row if its largest probability is at least the threshold. It passes all
    other rows on to the next member, so that expensive members see few rows. The last member
    predicts all remaining rows.

    Later members are fitted on the rows that they will be asked about: those that the earlier ones
    leave. Each member is fitted on its rows, then without each of at most 5 folds of them; the rows
    whose largest held-out probability is below its threshold are the rows of the next member. So
    that these have enough rows of every class, the least confident ones of each class are kept in
    any case, up to `min_cases`.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of L classifiers
        The fitted members, in the order of the list.
    positions_ : list of int
        Their positions in `members`.
    order_ : ndarray of int, shape (L,)
        Positions in ``estimators_`` in the order of querying.
    thresholds_ : ndarray of shape (L - 1,)
        In that order.
    n_cases_ : list of int
        Number of rows that each of ``estimators_`` was fitted on.
    failures_ : dict of int to IlkError
        Errors of the dropped members, by position in `members`.
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    ParameterError
        If there is no member, or the number of thresholds or costs does not match.
    InputError
        If a member fails, or has no probabilities; the error names the member and the cause.

    See Also
    --------
    ilk_ensembles.combiners.cascade.Cascade : The same predictions, from outputs of all members.

    Notes
    -----
    [2]_ leaves training open; [1]_ trains later members on the rows of another sample that earlier
    ones are uncertain of, for which the folds stand. Folds are drawn with a fixed seed.

    ``predict`` returns the class of the largest ``predict_proba``; ties go to the first of the
    sorted classes. Outputs of members are computed in blocks of rows, 32 MB at a time.

    References
    ----------
    .. [1] C. Kaynak and E. Alpaydin, "MultiStage cascading of multiple classifiers: one man's noise
       is another man's data", *Proceedings of ICML*, 2000.
    .. [2] Evaluation slides: Cascading.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> model = ilk.classifier("cascade", members=["lda", "knn"], threshold=0.95).fit(X, y)
    >>> bool((model.member_of(X) == 0).mean() > 0.8)  # knn sees the others only
    True
    """

    threshold: float | ArrayLike = THRESHOLD
    costs: ArrayLike | None = COSTS
    min_cases: int | None = param(
        default=10,
        none=True,
        ge=1,
        doc="Fewest rows of each class that later members are fitted on, besides those that "
        "earlier members leave; None: all rows.",
    )
    on_failure: Literal["raise", "drop"] = param(
        default="raise",
        choices=("raise", "drop"),
        doc="'raise': a member that fails to fit is an error. 'drop': leave it out and list it in "
        "``failures_``; the others keep their order and thresholds.",
    )
    n_jobs: int | None = param(
        default=None,
        type=int,
        doc="Number of members fitted in parallel threads, with ``min_cases=None``; -1: one per "
        "processor. Else members are fitted, and in any case queried, one after the other.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """One threshold, one for each member with costs, and any kind of rows; all on all rows."""
        weighted = [
            {"use": "sklearn", "estimator": name} for name in ("GaussianNB", "LogisticRegression")
        ]
        return [
            cls(members=weighted),
            cls(threshold=[0.8, 0.7], costs=[2, 1, 3], n_jobs=2, min_cases=None),
            cls(members=[{"use": "knn", "k": 1}, {"use": "knn", "k": 5}]),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that thresholds and costs match the members."""
        super().check_parameters()
        rule = CascadeRule(threshold=self.threshold, costs=self.costs)
        rule.check_parameters()
        rule.order(len(self.members))
        rule.thresholds(len(self.members))

    def _rule(self) -> CascadeRule:
        return CascadeRule(threshold=self.threshold, costs=self.costs)

    @property
    def order_(self) -> np.ndarray:
        """Positions of the members in ``estimators_``, in the order of querying."""
        self.combiner_: CascadeRule
        return np.asarray(self.combiner_.order(len(self.estimators_)))

    @property
    def thresholds_(self) -> np.ndarray:
        """Confidence threshold of each member but the last, in the order of querying."""
        return self.combiner_.thresholds(len(self.estimators_))

    def _output_check(self) -> Callable[[Any], Any]:
        return check_probabilistic

    def _fit_all(
        self, members: list[Any], X: Cases, codes: np.ndarray, weights: np.ndarray | None
    ) -> tuple[list[int], list[Any]]:
        self.n_cases_: list[int]
        self.failures_: dict[int, ilk.IlkError]
        if self.min_cases is None:
            positions, fitted = super()._fit_all(members, X, codes, weights)
            self.n_cases_ = [len(codes)] * len(fitted)
            return positions, fitted
        stages = Stages(self, X, codes, weights, self.min_cases)
        places = self._rule().order(len(members)).tolist()
        limits = [*(self._rule().thresholds(len(members)) - ULPS), 0.0]
        found, results = fit_each(
            self,
            [members[at] for at in places],
            lambda stage, member: stages.fit(member, limits[stage]),
            1,  # each stage needs the rows that the one before it leaves
            on_failure=self.on_failure,
            progress=Progress(self, len(members), self.verbose),
            argument=[f"members[{at}]" for at in places],
        )
        self.failures_ = {places[stage]: error for stage, error in self.failures_.items()}
        by_place = {places[stage]: each for stage, each in zip(found, results, strict=True)}
        positions = sorted(by_place)
        self.n_cases_ = [by_place[at][1] for at in positions]
        return positions, [by_place[at][0] for at in positions]

    def member_of(self, X: Cases) -> np.ndarray:
        """Position in ``estimators_`` of the member that predicts each row; int of shape (n,)."""
        check_fitted(self)
        X = indexable(X)
        check_features(self, X, reset=False)
        return self._in_blocks(X, self._members_of_block)

    def _members_of_block(self, X: Cases) -> np.ndarray:
        members = np.empty(ilk.n_rows(X), dtype=np.intp)
        for position, rows, _ in self._answers(X):
            members[rows] = position
        return members

    def _combined_block(self, X: Cases) -> np.ndarray:
        """Probabilities for a block of rows by the members that predict them."""
        support = np.empty((ilk.n_rows(X), len(self.classes_)))
        for _, rows, probabilities in self._answers(X):
            support[rows] = probabilities
        return support

    def _answers(self, X: Cases) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield, for each queried member, its position, the rows it predicts, and its support."""
        left = np.arange(ilk.n_rows(X))
        limits = [*(self.thresholds_ - ULPS), 0.0]  # a rounded 0.9 still reaches 0.9
        for position, limit in zip(self.order_.tolist(), limits, strict=True):
            support = self._support(position, X)
            sure = over_classes(np.maximum, support)[:, 0] >= limit
            yield position, left[sure], support[sure]
            if sure.all():
                return
            X, left = ilk.take(X, np.flatnonzero(~sure)), left[~sure]

    def _support(self, position: int, X: Cases) -> np.ndarray:
        member = self.estimators_[position]
        try:
            return np.asarray(normalized(self, self._probabilities(member, X)[None])[0])
        except Exception as error:
            raise failure(self, self._places()[position], member, error) from error


class Stages:
    """The rows that are left to the next member, while members are fitted in order.

    Parameters
    ----------
    owner : Cascade
        Named in errors.
    X : data of n rows
    codes : ndarray of int, shape (n,)
    weights : ndarray of shape (n,) or None
    min_cases : int
        Rows of each class that are left in any case: those of the least confidence.
    """

    def __init__(
        self,
        owner: Cascade,
        X: Cases,
        codes: np.ndarray,
        weights: np.ndarray | None,
        min_cases: int,
    ) -> None:
        self.owner, self.X, self.codes, self.weights = owner, X, codes, weights
        self.min_cases, self.left = min_cases, np.arange(len(codes))

    def fit(self, member: Estimator, limit: float) -> tuple[Any, int]:
        """Fit a member on the rows left, and leave those below the limit; number of its rows."""
        from sklearn.base import clone

        rows, fresh = self.left, clone(member, safe=False)
        fitted = check_probabilistic(self._fitted(member, rows))
        if limit > 0:
            confidence = self._confidence(fresh, rows)
            self.left = rows[self._kept(self.codes[rows], confidence, limit)]
        return fitted, len(rows)

    def _fitted(self, member: Estimator, rows: np.ndarray) -> Any:
        weights = None if self.weights is None else self.weights[rows]
        labels = self.owner.classes_[self.codes[rows]]
        return fit_member(member, ilk.take(self.X, rows), labels, weights)

    def _confidence(self, member: Estimator, rows: np.ndarray) -> np.ndarray:
        """Largest probability of each row by members that have not seen it; 0 if none can be."""
        from sklearn.base import clone

        confidence, codes = np.zeros(len(rows)), self.codes[rows]
        if np.bincount(codes).max() < 2:
            return confidence
        for train, test in stratified_folds(self.owner, codes, np.random.RandomState(0)):
            fitted = self._fitted(clone(member, safe=False), rows[train])
            seen = ilk.take(self.X, rows[test])
            given = member_probabilities(fitted, seen, self.owner.classes_)
            shares = normalized(self.owner, given[None])[0]
            confidence[test] = over_classes(np.maximum, shares)[:, 0]
        return confidence

    def _kept(self, codes: np.ndarray, confidence: np.ndarray, limit: float) -> np.ndarray:
        kept = confidence < limit
        for code in range(len(self.owner.classes_)):
            mine = np.flatnonzero(codes == code)
            kept[mine[np.argsort(confidence[mine], kind="stable")[: self.min_cases]]] = True
        return np.asarray(kept)
