"""Stacked generalization: a classifier of what other classifiers say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from ilk import Param
from ilk_ensembles.base.held_out import RESAMPLING
from ilk_ensembles.base.heterogeneous import CLASSIFIERS, PARAMETERS, HeterogeneousClassifier
from ilk_ensembles.combiners.stacking import Stacking as StackingRule


class Stacking(HeterogeneousClassifier):
    """Fits a classifier on what members say of rows that they were not fitted on.

    Rows are held out in turn: clones of the members, fitted on the other rows, give their
    probabilities ``P_j(k | x)``, which are the features ``j C + k`` of x, for members j from 0
    and classes k from 0, that the learner learns the label from. Columns are those of all
    classes, whatever classes a clone has seen: one that it has not has probability 0. Then the
    members are fitted on all rows, and what the learner says of their probabilities is the
    answer.

    Parameters
    ----------
    members : list of classifiers
        With ``predict_proba``. Instances, names or tables; pipelines too. X may be whatever
        all of them take.
    learner : classifier, default="logistic"
        Fitted on arrays of shape (n, L C). Where it has no ``predict_proba``, the class it
        predicts has probability 1.
    passthrough : bool, default=False
        Whether the learner sees X beside them, which must then be vectors.
    on_failure : {"raise", "drop"}, default="raise"
        A member that cannot be fitted is an error, or is left out and listed in ``failures_``.
        One that fails on a part of the rows only is an error.
    resampling : resampling, optional
        How rows are held out. If left out: stratified folds, at most 5; the only row of a class
        is always trained on, so the learner never sees its class.
    n_jobs : int, optional
        How many members are fitted, and asked, at once (threads); -1: one per processor. The
        result is the same.
    verbose : int, default=0
        1: a line at each tenth of the members; 2: at each one.
    random_state : int or numpy generator, optional
        For the folds; gives a seed to each member, and to the learner, whose own random state
        is None.

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

    parameters: ClassVar[Mapping[str, Param]] = {
        "members": Param(slot="classifier", many=list, doc="The classifiers that are combined."),
        "learner": Param(slot="classifier", doc="The classifier of what they say."),
        "passthrough": Param(bool, doc="Whether the learner sees X, too."),
        "resampling": RESAMPLING,
        **PARAMETERS,
    }
    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_sample_weight_equivalence_on_dense_data": (
            "two equal rows may be held out at different times, one of weight 2 is held out at once"
        ),
    }
    _least_classes = 2

    def __init__(
        self,
        members: Sequence[Any] = CLASSIFIERS,
        learner: Any = "logistic",
        *,
        passthrough: bool = False,
        on_failure: Literal["raise", "drop"] = "raise",
        resampling: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.members = members
        self.learner = learner
        self.passthrough = passthrough
        self.on_failure = on_failure
        self.resampling = resampling
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

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
            cls([{"use": "knn", "k": 1}, {"use": "knn", "k": 5}], random_state=0),
        ]

    def _rule(self) -> StackingRule:
        return StackingRule(self.resolve_slot("learner"), passthrough=self.passthrough)
