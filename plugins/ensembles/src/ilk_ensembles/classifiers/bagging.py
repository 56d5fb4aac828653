"""Bagging: members fitted on bootstrap samples of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from ilk import Capabilities, CombinerLike, ResamplingLike, slot
from ilk_ensembles.base.combined_classifier import REJECT_LABEL, RESAMPLING
from ilk_ensembles.base.out_of_bag import PATIENCE
from ilk_ensembles.base.resampling import ResampledClassifier

if TYPE_CHECKING:
    from collections.abc import Mapping


class Bagging(ResampledClassifier):
    """Bootstrap aggregating: copies of a classifier, each fitted on randomly drawn rows.

    ``f_E(q) = F(f_1(q, D_1), ..., f_S(q, D_S))``, equation (2.25) of [1]_. ``D_i`` are rows
    drawn from the data, by default n rows with replacement. F is the rule `combiner`: by
    default the average, (2.26) with equal weights; use "majority" for members without
    probabilities.

    Classes missing in the sample of a member get probability 0 from it; a sample of one class
    gives a constant member. With `stratified` no class is ever missing. About 37 % of the rows
    are not drawn for a given member: they are out of its bag. Combining, for each row, the
    members it is out of the bag of estimates the performance on new cases.

    A member that declares `exact_weights`, or is a plain tree of scikit-learn, is fitted on each
    drawn row once, with the number of its draws as weight: the same model in less time.

    With `patience` members are fitted in blocks of so many, and the ensemble ends where the rule
    says: its members are the first ones of an ensemble that does not stop. The error of the first
    1, 2, ... members is computed anew for each number, from their stored outputs.

    Memory: the members, 4 bytes for each row drawn and, while fitting, a copy of the drawn rows
    for each member fitted in parallel.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of classifiers
        The fitted members.
    rows_ : list of ndarray of int
        Rows drawn for each member, in the order of drawing.
    failures_ : dict of int to IlkError
        Errors of the dropped members, by position.
    combiner_ : combiner
    oob_errors_ : ndarray of shape (n_fitted,)
        With `patience`: the error of the first 1, 2, ... members.
    oob_decision_function_ : ndarray of shape (n, C)
        With `oob_score` or `patience`: the combined support for each training row by its
        out-of-bag members; NaN for rows in every bag.
    oob_error_ : float
        With either: weighted error rate of that support; a rejected row is an error if
        there is a `reject_label`. Rows of NaN are ignored; NaN if there are no others.
    n_never_out_of_bag_ : int
        With either: number of rows in every bag.
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    ParameterError
        If more rows are requested than exist, without replacement; fewer than classes, with
        `stratified`; or `oob_score` or `patience` where every bag has all rows or the rule is
        trainable.
    InputError
        If there is one class, or a member fails; the error names the member.

    References
    ----------
    .. [1] Cunningham 2008: section 2.5.3; equations 2.25-2.26.
    .. [2] L. Breiman, "Bagging predictors", *Machine Learning* 24, 1996.
    .. [3] Ntoutsi 2015: Bagging; Bagging example (the rule of round 2 is misprinted, its
       predictions are right); figures 5.35-5.36.
    .. [4] Evaluation slides: Bagging; Towards Independence.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("wine").load().Xy
    >>> bagging = ilk.classifier("bagging", n_members=25, oob_score=True, random_state=0)
    >>> bagging = bagging.fit(X, y)
    >>> bagging.oob_error_ < 0.1, bagging.n_never_out_of_bag_
    (True, 0)
    """

    combiner: CombinerLike = slot(
        "combiner",
        default="sum",
        doc="A trainable one is fitted to held-out outputs, of members fitted to new draws from "
        "the other rows.",
    )
    reject_label: str | int | None = REJECT_LABEL
    patience: int | None = PATIENCE
    resampling: ResamplingLike | None = RESAMPLING
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables", "strings", "sets", "signatures"),
        sample_weight=True,
        probabilistic=True,
    )
    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_sample_weight_equivalence_on_dense_data": (
            "rows are drawn at random by their weights: two equal rows are drawn as often as one "
            "of weight 2, but not by the same random numbers"
        ),
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """Bootstraps and subsets of the rows; any kind of rows; votes; stratified draws."""
        return [
            cls(random_state=0),
            cls(member="knn", n_members=5, random_state=0),
            cls(
                n_members=4,
                max_samples=0.7,
                replace=False,
                stratified=True,
                n_jobs=2,
                random_state=0,
            ),
            cls(
                member="nearest_mean",
                n_members=7,
                combiner="majority",
                oob_score=True,
                reject_label="?",
                random_state=0,
            ),
            cls(n_members=12, patience=3, random_state=0),
        ]
