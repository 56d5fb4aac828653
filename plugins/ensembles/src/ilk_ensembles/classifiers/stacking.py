"""Stacked generalization: a classifier of what other classifiers say."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

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
    """Fits a classifier on what members say of rows that they were not fitted on.

    Rows are held out in turn: clones of the members, fitted on the other rows, give their
    probabilities ``P_j(k | x)``, which are the features ``j C + k`` of x, for members j from 0
    and classes k from 0, that the learner learns the label from. Columns are those of all
    classes, whatever classes a clone has seen: one that it has not has probability 0. Then the
    members are fitted on all rows, and what the learner says of their probabilities is the
    answer.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of L classifiers
        The members, fitted on all rows.
    positions_ : list of int
        Theirs among `members`.
    combiner_ : combiner
        The fitted rule `stacking`. ``combiner_.learner_`` is the learner; its labels are
        positions of classes.
    failures_ : dict of int to IlkError
        Why members were left out, by their position in `members`.
    n_features_in_ : int
        Where X has columns.

    Raises
    ------
    ParameterError
        If there is no member.
    InputError
        If a member or the learner fails, or a member gives no probabilities; names it, and says
        why. If y has one class, or rows of one class only can be held out.

    Notes
    -----
    Sample weights go to members and learner as far as they take them; rows of weight 0 are not
    held out. While fitting, L C numbers are held for each row; otherwise what members say is
    held for blocks of rows, 32 MB at once.

    ``predict`` is the class of the largest ``predict_proba``, the first of the sorted classes
    among equals.

    References
    ----------
    D. H. Wolpert, "Stacked generalization", *Neural Networks* 5, 1992. *System Evaluation*,
    lecture slides: "Combining Classifiers", stacking.

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
        doc="Fitted on arrays of shape (n, L C). Where it has no ``predict_proba``, the class "
        "it predicts has probability 1.",
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
        """A linear learner, a tree that sees X, too, and any kind of rows."""
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

    def _rule(self) -> StackingRule:
        return StackingRule(learner=self.resolve_slot("learner"), passthrough=self.passthrough)
