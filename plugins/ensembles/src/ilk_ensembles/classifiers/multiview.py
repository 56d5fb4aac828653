"""One classifier for each view, combined by a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import ilk
from ilk import Capabilities, CombinerLike, ResamplingLike, param
from ilk_ensembles.base.combined_classifier import (
    COMBINER,
    REJECT_LABEL,
    RESAMPLING,
    cases_of_weight,
)
from ilk_ensembles.base.members import fit_each, fit_member, seed_members
from ilk_ensembles.base.views import (
    PerViewClassifier,
    learn_columns,
    naming,
)

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Labels


class MultiView(PerViewClassifier):
    """One classifier for each view, whose outputs are combined by a rule (HML2-CF).

    A view is a group of columns of a table or an array: one aspect of the objects. The
    classifier f_v of view v sees only its columns x_v; the rule combines the outputs. The sum::

        f(x) = sum_v w_v f_v(x_v)

    is the combiner `sum` or, with weights, `weighted_sum`; ``{use = "weighted_sum", weights =
    "pyramid"}`` is equation (10.18) for views from coarse to fine. Any other combiner can be
    used: minimum, maximum and product are those of [2]. Members, and weights, are in the order
    of the views. A trainable combiner is fitted to held-out outputs.

    Views may overlap; columns of no view have no influence. A view may have nominal columns if
    its member accepts tables.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of classifiers
        The fitted members.
    Names of their views.
        Names of their views.
    columns_ : dict of str to ndarray
        Positions of the columns of each view.
    failures_ : dict of str to IlkError
        Errors of the dropped members, by view.
    combiner_ : combiner
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If a view names no column, `members` names an unknown view, or `reject_label` is a class.
    InputError
        If a member fails, or lacks probabilities that the rule needs; the error names its view.

    Notes
    -----
    Machines that give decision values only, such as `gasvm`, `local_svm` and `svm`, are members
    inside of `calibrated`, for rules that need probabilities.

    ``predict`` returns the class of largest combined support; ties go to the first of the
    sorted classes, so that it agrees with ``predict_proba``.

    References
    ----------
    .. [1] Zaidi 2011: section 10.1.2; equations 10.5, 10.18.
    .. [2] Ntoutsi 2015: Multi-view classifiers; Combination of class predictions.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> views = {"sepal": [0, 1], "petal": [2, 3]}
    >>> model = ilk.classifier("multiview", views=views, members={"petal": "knn"})
    >>> model = model.fit(X, y)
    >>> [type(member).__name__ for member in model.estimators_]
    ['NaiveBayes', 'KNN']
    >>> float(model.score(X, y)) > 0.9
    True
    """

    combiner: CombinerLike = COMBINER
    reject_label: str | int | None = REJECT_LABEL
    on_failure: Literal["raise", "drop"] = param(
        default="raise",
        choices=("raise", "drop"),
        doc="'raise': a member that fails to fit is an error. 'drop': its view is left out, with "
        "its weight, and listed in ``failures_``.",
    )
    resampling: ResamplingLike | None = RESAMPLING
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables", "views"), sample_weight=True, probabilistic=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """All columns; two views of arrays; views of tables, one with nominal columns."""
        halves = {"left": [0, 1], "right": [2, 3]}
        columns = {"color": ["color1", "color2"], "shape": ["shape1", "shape2"]}
        mixed = {"form": ["height", "width"], "look": ["color", "size", "height"]}
        return [
            cls(),
            cls(views=halves, members={"right": "knn"}, combiner="product", random_state=0),
            cls(
                views=[[0, 1], [1, 2], [3, 0]], member="nearest_mean", combiner="majority", n_jobs=2
            ),
            cls(views=columns, member="knn"),
            cls(views=mixed, members={"look": {"use": "knn", "distance": "heterogeneous"}}),
        ]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the member of every view on its columns, then the rule if it is trainable.

        Parameters
        ----------
        X : array or data frame of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Passed to the members that accept it; an error if none does. Rows of weight 0
            are dropped.
        """
        self.check_parameters()
        X = learn_columns(self, X, self.views)
        self.classes_, codes = ilk.check_labels(self, y, X)
        self._check_reject_label()
        rng = ilk.check_seed(self, self.random_state)
        names, members = list(self.columns_), self._members_by_view()
        seed_members(self, members, None if self.random_state is None else rng)
        weights, X, codes = cases_of_weight(self, sample_weight, X, codes, members)
        checked = self._output_check()
        labels, seen = self.classes_[codes], dict(ilk.views_of(self, X))
        positions, self.estimators_ = fit_each(
            self,
            members,
            lambda at, member: checked(fit_member(member, seen[names[at]], labels, weights)),
            self.n_jobs,
            on_failure=self.on_failure,
            argument=naming(names),
        )
        self.views_ = [names[at] for at in positions]
        self.failures_: dict[Any, ilk.IlkError]  # by position, from `fit_each`
        self.failures_ = {names[at]: error for at, error in self.failures_.items()}
        self._fit_combiner(X, codes, weights, rng)
        return self
