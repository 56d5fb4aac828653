"""A vote of classifiers over one set of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from ilk import (
    ClassifierLike,
    CombinerLike,
    RandomState,
    ResamplingLike,
    Seed,
    param,
    slots,
)
from ilk_ensembles.base.combined_classifier import COMBINER, REJECT_LABEL, RESAMPLING
from ilk_ensembles.base.heterogeneous import CLASSIFIERS, HeterogeneousClassifier

if TYPE_CHECKING:
    from collections.abc import Sequence


class Voting(HeterogeneousClassifier):
    """Fits every member on the same data and combines what they say by a rule.

    A member's output is its ``predict_proba``, aligned to the classes of the ensemble: a class
    that it does not know has probability 0. Rules of labels, such as `majority`, look at what
    it predicts instead; a member that itself declines to answer supports all classes alike. The
    combiner turns the outputs of shape (L, n, C) into support of shape (n, C), and decides. One
    that learns, such as `stacking`, is fitted on outputs for rows held out.

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

    members: Sequence[ClassifierLike] = slots(
        "classifier",
        default=CLASSIFIERS,
        doc="Instances, names or tables; pipelines too. X may be whatever all of them take.",
    )
    combiner: CombinerLike = COMBINER
    reject_label: str | int | None = REJECT_LABEL
    resampling: ResamplingLike | None = RESAMPLING
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Gives a seed to each member, and to a combiner that learns, whose own random "
        "state is None; and for folds.",
    )

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
            cls(members=[{"use": "knn", "k": 1}, {"use": "knn", "k": 5}]),
        ]
