"""Stacked generalization: a classifier trained on held-out predictions of other classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from ilk import ClassifierLike, RandomState, ResamplingLike, slot
from ilk_ensembles.base.heterogeneous import (
    FOLD_SEEDS,
    LEFT_OUT_OF_FOLDS,
    PASSTHROUGH,
    HeterogeneousClassifier,
)
from ilk_ensembles.combiners.stacking import Stacking as StackingRule

if TYPE_CHECKING:
    from collections.abc import Mapping


class Stacking(HeterogeneousClassifier):
    """Fits a classifier on held-out predictions of members (stacked generalization).

    Rows are held out in turn. Clones of the members, fitted on the other rows, give
    probabilities ``P_j(k | x)`` for them: the features ``j C + k`` of x, for members j from 0
    and classes k from 0. The learner is trained on these features. Every clone has a column for
    each class; classes unseen in its training get probability 0. Then the members are refitted
    on all rows; a prediction applies the learner to their probabilities.

    The last class of each member is left out for learners that refuse all columns, such as `lda`,
    `qda` and Mahalanobis distances: the other classes determine its probability, so covariances
    would be singular.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of L classifiers
        The members, fitted on all rows.
    positions_ : list of int
        Their positions in `members`.
    combiner_ : combiner
        The fitted rule `stacking`. ``combiner_.learner_`` is the learner; its labels are
        positions of classes.
    failures_ : dict of int to IlkError
        Errors of the dropped members, by position in `members`.
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    ParameterError
        If there is no member.
    InputError
        If a member or the learner fails, or a member has no probabilities; the error names it
        and the cause. If y has one class, or only rows of one class can be held out.

    Notes
    -----
    Sample weights are passed to the members and the learner that accept them; rows of weight 0
    are never held out. Memory: L C numbers for each row while fitting; prediction works in
    blocks of rows, 32 MB at a time.

    ``predict`` returns the class of the largest ``predict_proba``; ties go to the first of the
    sorted classes.

    References
    ----------
    D. H. Wolpert, "Stacked generalization", *Neural Networks* 5, 1992.

    Evaluation slides: Stacking; Towards Independence.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> model = ilk.classifier("stacking", members=["knn", "lda"], random_state=0).fit(X, y)
    >>> float(model.score(X, y)) > 0.95
    True
    """

    learner: ClassifierLike = slot(
        "classifier",
        default="logistic",
        doc="Fitted on arrays of shape (n, L C). If it has no ``predict_proba``, its predicted "
        "class has probability 1.",
    )
    passthrough: bool = PASSTHROUGH
    on_failure: Literal["raise", "drop"] = LEFT_OUT_OF_FOLDS
    resampling: ResamplingLike | None = slot(
        "resampling",
        default=None,
        doc="How rows are held out. If left out: stratified folds, at most 5; the only row of "
        "a class is always trained on, so the learner never sees its class.",
    )
    random_state: RandomState = FOLD_SEEDS
    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_sample_weight_equivalence_on_dense_data": (
            "two equal rows may be held out at different times, one of weight 2 is held out at once"
        ),
    }
    _least_classes = 2

    @classmethod
    def examples(cls) -> list[Self]:
        """A linear learner, a tree that also sees X, and any kind of rows."""
        weighted = [
            {"use": "sklearn", "estimator": name} for name in ("GaussianNB", "LogisticRegression")
        ]
        halves = {"use": "stratified_kfold", "folds": 2, "small_classes": "spread"}
        tree = cls(learner="decision_tree", passthrough=True, n_jobs=2, random_state=0)
        return [
            cls(members=weighted, random_state=0),
            tree.set_params(resampling=halves),
            cls(members=[{"use": "knn", "k": 1}, {"use": "knn", "k": 5}], random_state=0),
        ]

    def _readers(self) -> list[Any]:
        return [*super()._readers(), *([self.resolve_slot("learner")] if self.passthrough else [])]

    def _rule(self) -> StackingRule:
        return StackingRule(learner=self.resolve_slot("learner"), passthrough=self.passthrough)
