"""A vote of classifiers over one set of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from ilk import Param
from ilk_ensembles.base.combined_classifier import COMBINER, REJECT_LABEL
from ilk_ensembles.base.held_out import RESAMPLING
from ilk_ensembles.base.heterogeneous import CLASSIFIERS, PARAMETERS, HeterogeneousClassifier


class Voting(HeterogeneousClassifier):
    """Fits every member on the same data and combines what they say by a rule.

    A member's output is its ``predict_proba``, aligned to the classes of the ensemble: a class
    that it does not know has probability 0. Rules of labels, such as `majority`, look at what
    it predicts instead; a member that itself declines to answer supports all classes alike. The
    combiner turns the outputs of shape (L, n, C) into support of shape (n, C), and decides. One
    that learns, such as `stacking`, is fitted on outputs for rows held out.

    Parameters
    ----------
    members : list of classifiers
        Instances, names or tables; pipelines too. X may be whatever all of them take.
    combiner : combiner, default="sum"
    reject_label : str, int or bool, optional
        Predicted where the combiner rejects; must not be a class. If left out nothing is
        rejected: the class of most support is predicted.
    on_failure : {"raise", "drop"}, default="raise"
        A member that cannot be fitted is an error; or is left out, with its weight, and listed in
        ``failures_``.
        One that fails on a part of the rows only, for a combiner that learns, is an error.
    resampling : resampling, optional
        How rows are held out for a combiner that learns. If left out: stratified folds, at most
        5; the only row of a class is always trained on.
    n_jobs : int, optional
        How many members are fitted, and asked, at once (threads); -1: one per processor. The
        result is the same.
    verbose : int, default=0
        1: a line at each tenth of the members; 2: at each one.
    random_state : int or numpy generator, optional
        Gives a seed to each member, and to a combiner that learns, whose own random state is
        None; and for folds.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of classifiers
        The fitted members.
    positions_ : list of int
        Theirs among `members`.
    failures_ : dict of int to IlkError
        Why members were left out, by their position in `members`.
    combiner_ : combiner
    n_features_in_ : int
        Where X has columns.

    Raises
    ------
    ParameterError
        If there is no member, or `reject_label` is a class.
    InputError
        If a member fails, or gives no probabilities where the rule needs them; names it, and
        says why.

    Notes
    -----
    ``predict`` is the class of the largest ``predict_proba``, the first of the sorted classes
    among equals, unless the combiner rejects or has costs. What members say is held for blocks
    of rows, 32 MB at once.

    References
    ----------
    System Evaluation slides, "Combining Classifiers" and "Voting"; Cunningham, Cord & Delany
    (2008), sec. 2.5.3.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> vote = ilk.classifier("voting", members=["knn", "nearest_mean"], combiner="product")
    >>> float(vote.fit(X, y).score(X, y)) > 0.9
    True
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "members": Param(slot="classifier", many=list, doc="The classifiers that vote."),
        "combiner": COMBINER,
        "reject_label": REJECT_LABEL,
        "resampling": RESAMPLING,
        **PARAMETERS,
    }

    def __init__(
        self,
        members: Sequence[Any] = CLASSIFIERS,
        combiner: Any = "sum",
        *,
        reject_label: str | int | None = None,
        on_failure: Literal["raise", "drop"] = "raise",
        resampling: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.members = members
        self.combiner = combiner
        self.reject_label = reject_label
        self.on_failure = on_failure
        self.resampling = resampling
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Probabilities by the sum and the product, labels by the majority; any kind of rows."""
        weighted = [
            {"use": "sklearn", "estimator": name} for name in ("GaussianNB", "LogisticRegression")
        ]
        return [
            cls(members=weighted),
            cls(combiner="product", random_state=0),
            cls(combiner="majority", reject_label="?", n_jobs=2),
            cls([{"use": "knn", "k": 1}, {"use": "knn", "k": 5}]),
        ]
