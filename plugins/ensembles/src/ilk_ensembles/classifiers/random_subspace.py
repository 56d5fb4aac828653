"""Random subspaces: members fitted on randomly drawn columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Capabilities, ClassifierLike, CombinerLike, ResamplingLike, param, slot
from ilk_ensembles.base.bootstrap import check_share, how_many
from ilk_ensembles.base.combined_classifier import REJECT_LABEL, RESAMPLING
from ilk_ensembles.base.resampling import ResampledClassifier
from ilk_ensembles.base.validation import indexable

if TYPE_CHECKING:
    from ilk import Cases


class RandomSubspace(ResampledClassifier):
    """Random subspaces: copies of a classifier, each fitted on randomly drawn columns.

    Every member sees ``max_features`` of the columns, drawn without replacement, and by default
    all rows; the rule `combiner` combines their outputs, by default the average. Stable members
    such as k-NN, which gain nothing from bagging, gain from random subspaces [1]_ if many
    columns are redundant.

    Memory: the members, the columns and rows drawn for each and, while fitting, a copy of the
    sample of each member fitted in parallel.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of classifiers
        The fitted members.
    features_ : list of ndarray of int
        Positions of the columns of each member, in ascending order.
    rows_ : list of ndarray of int
        Rows drawn for each member.
    failures_ : dict of int to IlkError
        Errors of the dropped members, by position.
    combiner_ : combiner
    oob_decision_function_, oob_error_, n_never_out_of_bag_
        With `oob_score`; as in `bagging`.
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If more columns, or rows without replacement, are requested than exist; or `oob_score`
        where every bag has all rows.
    InputError
        If X has no columns, there is one class, or a member fails; the error names the member.

    References
    ----------
    .. [1] Cunningham 2008: section 2.5.3.
    .. [2] T. K. Ho, "The random subspace method for constructing decision forests", *IEEE
       Transactions on Pattern Analysis and Machine Intelligence* 20, 1998.
    .. [3] Evaluation slides: Towards Independence.
    .. [4] Ntoutsi 2015: Methods of diversity.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("digits").load().Xy
    >>> subspaces = ilk.classifier("random_subspace", member="knn", random_state=0)
    >>> subspaces = subspaces.fit(X[::2], y[::2])
    >>> len(subspaces.features_[0]), float(subspaces.score(X[1::2], y[1::2])) > 0.95
    (32, True)
    """

    member: ClassifierLike = slot(
        "classifier",
        default="decision_tree",
        doc="Cloned for each draw. X may have columns of any kind that it accepts.",
    )
    combiner: CombinerLike = slot(
        "combiner",
        default="sum",
        doc="A trainable one is fitted to held-out outputs.",
    )
    max_features: float = param(
        default=0.5,
        type=(float, int),
        gt=0,
        doc="Columns drawn for each member: a share, or a whole number (1 is one column).",
    )
    replace: bool = False
    oob_score: bool = param(
        default=False,
        doc="Whether each row is also predicted out of bag, by the members it was not drawn for; "
        "requires that bags do not have all rows.",
    )
    reject_label: str | int | None = REJECT_LABEL
    resampling: ResamplingLike | None = RESAMPLING
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables"), sample_weight=True, probabilistic=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """All rows, and bootstraps of them; vectors and tables."""
        return [
            cls(random_state=0),
            cls(member="knn", n_members=5, max_features=2, random_state=0),
            cls(
                member="nearest_mean",
                n_members=5,
                combiner="majority",
                replace=True,
                oob_score=True,
                random_state=0,
            ),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that shares are at most 1."""
        super().check_parameters()
        check_share(self, "max_features", self.max_features)

    def _with_columns(self, X: Cases) -> Any:
        X = indexable(X)
        if ilk.is_table(X) or hasattr(X, "tocsr"):
            return X
        try:
            array = np.asarray(X)
        except ValueError as error:  # ragged rows
            raise ilk.InputError(f"{ilk.display_name(self)}: X: {error}") from None
        if array.ndim != 2:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: X must be a two-dimensional array or a data frame, "
                f"got shape {array.shape}. Reshape your data."
            )
        if array.shape[1] == 0:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: X has 0 feature(s) (shape={array.shape}) while a "
                f"minimum of 1 is required."
            )
        return array

    def _draw_columns(self, rng: np.random.RandomState, X: Any) -> np.ndarray:
        there = X.shape[1]
        count = how_many(self.max_features, there)
        if count > there:
            raise self.parameter_error("max_features", f"must be at most {there}, got {count}")
        # sorted, so that a draw of all columns is the data themselves
        return np.sort(rng.permutation(there)[:count])
