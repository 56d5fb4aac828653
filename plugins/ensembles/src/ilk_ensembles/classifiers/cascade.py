"""The cascade: later members predict only the rows on which earlier ones were uncertain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

import ilk
from ilk import ArrayLike, check_fitted, param
from ilk_ensembles.base.heterogeneous import HeterogeneousClassifier
from ilk_ensembles.base.members import failure
from ilk_ensembles.base.outputs import check_probabilistic
from ilk_ensembles.base.validation import check_features, indexable
from ilk_ensembles.combiners.cascade import COSTS, THRESHOLD
from ilk_ensembles.combiners.cascade import Cascade as CascadeRule
from ilk_ensembles.combiners.support import ULPS, over_classes
from ilk_ensembles.combiners.weights import normalized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ilk import Cases


class Cascade(HeterogeneousClassifier):
    """Queries members in turn, until one is confident enough.

    A member predicts a row if its largest probability is at least the threshold. It passes all
    other rows on to the next member, so that expensive members see few rows. The last member
    predicts all remaining rows.

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
    All members are fitted on all rows, as the slides leave this open; in [1]_ later ones are
    fitted on the rows that earlier ones are uncertain of.

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
    on_failure: Literal["raise", "drop"] = param(
        default="raise",
        choices=("raise", "drop"),
        doc="'raise': a member that fails to fit is an error. 'drop': leave it out and list it in "
        "``failures_``; the others keep their order and thresholds.",
    )
    n_jobs: int | None = param(
        default=None,
        type=int,
        doc="Number of members fitted in parallel threads; -1: one per processor. Predictions "
        "query them one after the other.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """One threshold, one for each member with costs, and any kind of rows."""
        weighted = [
            {"use": "sklearn", "estimator": name} for name in ("GaussianNB", "LogisticRegression")
        ]
        return [
            cls(members=weighted),
            cls(threshold=[0.8, 0.7], costs=[2, 1, 3], n_jobs=2),
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
