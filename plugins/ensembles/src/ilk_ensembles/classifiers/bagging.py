"""Bagging: members that learn from bootstraps of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from ilk import Capabilities, CombinerLike, ResamplingLike, slot
from ilk_ensembles.base.combined_classifier import REJECT_LABEL, RESAMPLING
from ilk_ensembles.base.resampling import ResampledClassifier

if TYPE_CHECKING:
    from collections.abc import Mapping


class Bagging(ResampledClassifier):
    """Bootstrap aggregating: copies of a classifier, each fitted on rows drawn at random.

    ``f_E(q) = F(f_1(q, D_1), ..., f_S(q, D_S))``, equation (2.25) of [1]_, where ``D_i`` are
    rows drawn from the data, by default as many as there are, with replacement, and F is the
    rule `combiner`: by default the average, (2.26) with equal weights; "majority" for members
    without probabilities.

    A class that was not drawn for a member has probability 0 there; a member for which a
    single class was drawn is replaced by one that answers it. With `stratified` no class is
    ever lost. About 37 of 100 rows are not drawn for a member, they are out of its bag: what
    such members say of a row together is an estimate for new cases.

    Memory is that of the members, 4 bytes for each row drawn and, while fitting, a copy of the
    rows drawn for each member that is fitted at once.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of classifiers
        The fitted members.
    rows_ : list of ndarray of int
        The rows drawn for each, in the order of drawing.
    failures_ : dict of int to IlkError
        Why members were left out, by their position.
    combiner_ : combiner
    oob_decision_function_ : ndarray of shape (n, C)
        With `oob_score`: the combined support for each training row by the members that it
        was not drawn for; NaN where it was drawn for all.
    oob_error_ : float
        With `oob_score`: share of wrong decisions by that support, by weight where there are
        weights; a rejected row is wrong where there is a `reject_label`. Rows of NaN do not
        count. NaN where there are no others.
    n_never_out_of_bag_ : int
        With `oob_score`: how many rows were drawn for all members.
    n_features_in_ : int
        Where X has columns.

    Raises
    ------
    ParameterError
        If more rows are asked for than there are, without replacement; fewer than classes, with
        `stratified`; or `oob_score` where all rows are shown to all members or the rule learns.
    InputError
        If there is one class, or a member fails; names it.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.5.3.
    .. [2] L. Breiman, "Bagging predictors", *Machine Learning* 24, 1996.
    .. [3] E. Ntoutsi and M. Schubert, *Knowledge Discovery in Databases II*, lecture slides, 2015:
       bagging, whose example has the rule of round 2 misprinted (its predictions are right).

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
        doc="One that learns does so from outputs for rows held out, of members fitted to new "
        "draws from the others.",
    )
    reject_label: str | int | None = REJECT_LABEL
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
        """Bootstraps and part of the rows; any kind of rows; votes; no class lost."""
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
        ]
