"""Voting of classifiers fitted on the same features."""

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
    """Fits every member on the same data and combines their outputs by a rule.

    The output of a member is its ``predict_proba``, aligned to the classes of the ensemble:
    classes unseen by the member get probability 0. Rules on labels, such as `majority`, use its
    predicted labels instead; a member that rejects a row supports all classes alike. The
    combiner turns outputs of shape (L, n, C) into support of shape (n, C), and decides. A
    trainable one, such as `stacking`, is fitted to held-out outputs.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of classifiers
        The fitted members.
    positions_ : list of int
        Their positions in `members`.
    failures_ : dict of int to IlkError
        Errors of the dropped members, by position in `members`.
    combiner_ : combiner
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    ParameterError
        If there is no member, or `reject_label` is a class.
    InputError
        If a member fails, or lacks probabilities that the rule needs; the error names it and
        the cause.

    Notes
    -----
    Machines that give decision values only, such as `gasvm`, `local_svm` and `svm`, vote by sums
    inside of `calibrated`.

    ``predict`` returns the class of the largest ``predict_proba``; ties go to the first of the
    sorted classes, unless the combiner rejects or has costs. Outputs of members are computed
    in blocks of rows, 32 MB at a time.

    References
    ----------
    Evaluation slides: Combining Classifiers; Voting.

    Cunningham 2008: section 2.5.1; equation 2.26.

    Ntoutsi 2015: Ensemble decision rule.

    Arras: Ensemble Learning.

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
        doc="Instances, names or tables; pipelines too. X may be any data that all accept.",
    )
    combiner: CombinerLike = COMBINER
    reject_label: str | int | None = REJECT_LABEL
    resampling: ResamplingLike | None = RESAMPLING
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Seed of the folds; also seeds each member, and a trainable combiner, whose own "
        "random_state is None.",
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
