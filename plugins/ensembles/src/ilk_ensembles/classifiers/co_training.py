"""Co-training: views that label rows for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import (
    Capabilities,
    ClassifierLike,
    CombinerLike,
    Param,
    RandomState,
    ResamplingLike,
    Seed,
    Views,
    ViewsLike,
    param,
    slot,
)
from ilk_ensembles.base.combined_classifier import REJECT_LABEL
from ilk_ensembles.base.members import fit_each, fit_member, seed_members
from ilk_ensembles.base.outputs import check_probabilistic
from ilk_ensembles.base.progress import VERBOSE, Progress
from ilk_ensembles.base.semi_supervised import (
    UNLABELED,
    check_partial_labels,
    class_growth,
    hide_labels,
    label_surest,
)
from ilk_ensembles.base.views import (
    PerViewClassifier,
    check_views_finite,
    every_column,
    learn_columns,
    naming,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ilk import Cases, Labels


class CoTraining(PerViewClassifier):
    """Classifiers of two or more views that label unlabelled rows for each other (co-training).

    In each round every view's member is fitted on all rows labelled so far. It then labels the
    rows of a random pool of unlabelled ones on which it is most confident, ``growth`` of each
    class, so that classes grow in proportion; the pool is refilled. A row that is easy in one
    view can be informative in another. After the last round the members are fitted once more,
    and `combiner` combines their outputs: the product, as in [1].

    How rows are labelled
        For each class c a view labels the rows of the pool with the largest P(c), ties in
        random order; but only rows where P(c) exceeds the share of c in the growth, because
        other rows are no better than a random draw. If a row gets different labels, the most
        probable one wins; if these tie, the row stays in the pool. Labels are never revised.

    How it ends
        After ``n_rounds``, when no unlabelled row is left, or after a round that labels none.

    Unlabelled rows are marked in y by `unlabeled`, which must be given: no value, not even -1,
    marks them by default. If all labels are known, as in an experiment, ``labeled_fraction``
    hides the others. With ``n_rounds=0`` this gives the fair baseline: the same members on the
    same few labels, if the random state is the same.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Classes, without `unlabeled`.
    estimators_ : list of classifiers
        The final member of each view.
    views_ : list
        Names of their views.
    columns_ : dict of str to ndarray
        Positions of the columns of each view.
    failures_ : dict of str to IlkError
        Errors of the dropped members, by view.
    combiner_ : combiner
    growth_ : ndarray of int, shape (C,)
    n_rounds_ : int
        Rounds in which rows were labelled.
    labeled_round_ : ndarray of int, shape (n,)
        Round in which each training row was labelled: 0 if labelled from the start, -1 if
        never.
    history_ : dict of str to ndarray
        Labels assigned by the views, in order: the columns "round", "row", "view" (the most
        confident that chose the row), "label" and "confidence" (its probability).
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If there is only one view, a view names no column, or `growth` lacks a class.
    InputError
        If no row is labelled, all labels are of one class, or a member fails or has no
        probabilities (the error names its view); or if fewer than two views remain.

    Notes
    -----
    A round fits each member on the labelled rows and predicts probabilities for the pool.
    Memory: a copy of X, and V pool_size C numbers. ``predict`` returns the class of largest
    combined support; ties go to the first of the sorted classes. In the loop of [2] views take
    turns inside a round; here, as in [1], all label first, so their order does not matter.

    References
    ----------
    .. [1] A. Blum and T. Mitchell, "Combining labeled and unlabeled data with co-training", COLT
       1998, table 1: 75 rows in the pool, 30 rounds, naive Bayes, growth 1 and 3 for classes of
       that proportion.
    .. [2] Ntoutsi 2015: Co-training; Co-training algorithm; Self-training.
    .. [3] K. Nigam and R. Ghani, "Analyzing the effectiveness and applicability of co-training",
       CIKM 2000.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> y = y.astype(object)
    >>> y[[i for i in range(150) if i % 10]] = "?"
    >>> views = {"sepal": [0, 1], "petal": [2, 3]}
    >>> model = ilk.classifier("co_training", views=views, unlabeled="?", random_state=0)
    >>> model = model.fit(X, y)
    >>> model.classes_.tolist()
    ['setosa', 'versicolor', 'virginica']
    >>> int((model.labeled_round_ == 0).sum()), int((model.labeled_round_ == 1).sum())
    (15, 6)
    """

    views: ViewsLike | None = param(
        default=None,
        type=Views,
        doc="The columns of two views or more: names, or positions (in an array, or where no "
        'column of a data frame has this name). "data": in an experiment, the views '
        "defined by the data set. If left out, the columns are split at random into two "
        "halves, as in [3].",
    )
    member: ClassifierLike = slot(
        "classifier",
        default="naive_bayes",
        doc="Cloned for every view that `members` does not name. Must have ``predict_proba``.",
    )
    combiner: CombinerLike = slot(
        "combiner",
        default="product",
        doc="A trainable one is fitted on held-out outputs for the initially labelled rows.",
    )
    unlabeled: str | int | None = param(
        default=None,
        type=(str, int, bool),
        doc='The label that marks unlabelled rows: "?", -1. Never predicted.',
    )
    n_rounds: int = param(
        default=30,
        ge=0,
        doc="Maximum number of rounds; 0: use the labelled rows only.",
    )
    growth: int | Mapping[Any, int] | None = param(
        default=None,
        type=(int, dict),
        ge=1,
        items=Param(int, ge=1),
        form="int or dict of label to int",
        doc="Number of rows of each class that a view labels per round, at least 1. If left out: "
        "1 for the smallest class, more for others in proportion to their labels, rounded, at "
        "most 10. The pool may have fewer.",
    )
    pool_size: int | None = param(
        default=75,
        ge=1,
        none=True,
        doc="Number of unlabelled rows considered per round; None: all.",
    )
    labeled_fraction: float | None = param(
        default=None,
        type=float,
        gt=0,
        le=1,
        doc="Fraction of the labels of each class to use, at least one label; the others are "
        "hidden. Drawn by `random_state` before all other draws.",
    )
    reject_label: str | int | None = REJECT_LABEL
    on_failure: Literal["raise", "drop"] = param(
        default="raise",
        choices=("raise", "drop"),
        doc="'raise': a member that fails to fit is an error. 'drop': its view is left out from "
        "that round on and listed in ``failures_``, as long as two others remain. Rows that "
        "it labelled stay labelled.",
    )
    resampling: ResamplingLike | None = slot(
        "resampling",
        default=None,
        doc="How rows are held out for a trainable combiner. If left out: stratified folds.",
    )
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Draws hidden labels, halves, and pool; also seeds each member whose own "
        "random_state is None.",
    )
    verbose: int = VERBOSE
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables", "views"), probabilistic=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Random halves; half of the labels hidden; views of tables, one with nominal columns."""
        halves = {"left": [0, 3], "right": [1, 2]}
        columns = {"color": ["color1", "color2"], "shape": ["shape1", "shape2"]}
        mixed = {"form": ["height", "width"], "look": ["color", "size", "height"]}
        heterogeneous = {"use": "knn", "distance": "heterogeneous", "k": 3}
        return [
            cls(),
            cls(views=halves, labeled_fraction=0.5, random_state=0, growth=2, pool_size=None),
            cls(views=columns, members={"shape": "nearest_mean"}, labeled_fraction=0.8),
            cls(views=mixed, members={"look": heterogeneous}, combiner="sum", labeled_fraction=0.8),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that there are at least two views."""
        super().check_parameters()
        given = self.views
        if given is not None and not isinstance(given, str) and len(given) < 2:
            raise self.parameter_error(
                "views", f"must be two or more to label rows for each other, got {len(given)}"
            )
        if self.unlabeled is not None and self.unlabeled == self.reject_label:
            raise self.parameter_error("reject_label", "must not be the mark of unlabelled rows")

    def fit(self, X: Cases, y: Labels) -> Self:
        """Fit the members in rounds; in each they label rows for each other.

        Parameters
        ----------
        X : array or data frame of shape (n, p)
            Labelled and unlabelled rows.
        y : array of shape (n,)
            `unlabeled` for unlabelled rows.
        """
        self.check_parameters()
        rng = ilk.check_seed(self, self.random_state)
        # three generators: another size of the pool changes neither hidden labels nor halves
        hiding, halving, pooling = map(np.random.RandomState, rng.randint(2**31 - 1, size=3))
        X = learn_columns(self, X, self._views(X, halving))
        self.classes_, codes = check_partial_labels(self, y, X, self.unlabeled)
        self._check_reject_label()
        if self.labeled_fraction is not None:
            codes = hide_labels(codes, self.labeled_fraction, hiding)
        given = np.flatnonzero(codes != UNLABELED)
        counts = np.bincount(codes[given])
        self.growth_ = class_growth(self, self.growth, self.classes_, counts)
        self.views_, members = list(self.columns_), self._members_by_view()
        seed_members(self, members, None if self.random_state is None else rng)
        check_views_finite(self, X, members)
        self._train(members, X, codes.copy(), pooling)
        # the rule learns from given labels only: those by the members would confirm the members
        self._fit_combiner(ilk.take(X, given), codes[given], None, rng)
        return self

    def _views(self, X: Cases, rng: np.random.RandomState) -> Any:
        """The given views, or a random split of the columns into halves."""
        if self.views is not None:
            return self.views
        columns = every_column(ilk.as_table(X))
        if not columns:
            return None  # `learn_columns` raises the error
        if len(columns) == 1:
            if not ilk.is_table(X):
                ilk.check_vectors(self, X)
            raise ilk.InputError(
                f"{ilk.display_name(self)}: X has 1 feature(s), two views need at least 2"
            )
        order, middle = rng.permutation(len(columns)), (len(columns) + 1) // 2
        halves = {"first": order[:middle], "second": order[middle:]}
        return {name: [columns[i] for i in np.sort(half)] for name, half in halves.items()}

    def _train(
        self, members: list[Any], X: Cases, codes: np.ndarray, rng: np.random.RandomState
    ) -> None:
        """Set ``estimators_`` and the history of the rounds; new labels are written to `codes`."""
        # shuffled once: the pool is always the head of the waiting cases, a random sample
        waiting = rng.permutation(np.flatnonzero(codes == UNLABELED))
        self.labeled_round_ = np.where(codes == UNLABELED, -1, 0)
        size = len(waiting) if self.pool_size is None else int(self.pool_size)
        progress = Progress(self, int(self.n_rounds), self.verbose, "rounds")
        self.failures_: dict[Any, ilk.IlkError] = {}
        labeled, self.n_rounds_ = [], 0
        # confidence needs probabilities; without rounds the rule decides which outputs are needed
        checked = check_probabilistic if self.n_rounds and len(waiting) else self._output_check()
        members = self._fit_views(members, X, codes, checked)
        while self.n_rounds_ < self.n_rounds and len(waiting):
            pool = waiting[:size]
            outputs = self._query_each(self.estimators_, ilk.take(X, pool), self._probabilities)
            labeled_rows = label_surest(ilk.check_outputs(self, np.stack(outputs)), self.growth_)
            if not len(labeled_rows.at):
                break
            rows = pool[labeled_rows.at]
            self.n_rounds_ += 1
            self.labeled_round_[rows], codes[rows] = self.n_rounds_, labeled_rows.codes
            labeled.append((rows, labeled_rows, np.array(self.views_)[labeled_rows.views]))
            waiting = np.delete(waiting, labeled_rows.at)
            members = self._fit_views(members, X, codes, checked)
            progress.step(f"{len(rows)} rows labelled, {len(waiting)} left")
        self.history_ = self._history(labeled)

    def _fit_views(
        self, members: list[Any], X: Cases, codes: np.ndarray, checked: Callable[[Any], Any]
    ) -> list[Any]:
        """Fit fresh ``estimators_`` to the labelled rows; return the remaining members."""
        from sklearn.base import clone

        rows = np.flatnonzero(codes != UNLABELED)
        seen, labels = dict(ilk.views_of(self, ilk.take(X, rows))), self.classes_[codes[rows]]
        lost, views = self.failures_, self.views_
        positions, self.estimators_ = fit_each(
            self,
            [clone(member, safe=False) for member in members],
            lambda at, member: checked(fit_member(member, seen[views[at]], labels)),
            self.n_jobs,
            on_failure=self.on_failure,
            argument=naming(views),
        )
        self.failures_ = lost | {views[at]: error for at, error in self.failures_.items()}
        self.views_ = [views[at] for at in positions]
        if len(positions) < 2:
            last = list(self.failures_.values())[-1]
            raise type(last)(
                f"{ilk.display_name(self)}: one view is left, two are needed; last failed: {last}"
            )
        return [members[at] for at in positions]

    def _history(self, labeled: list[Any]) -> dict[str, np.ndarray]:
        rounds = [np.full(len(rows), number + 1) for number, (rows, _, _) in enumerate(labeled)]
        none = np.empty(0, dtype=int)
        codes = np.concatenate(
            [none, *(labels_of_round.codes for _, labels_of_round, _ in labeled)]
        )
        return {
            "round": np.concatenate([none, *rounds]),
            "row": np.concatenate([none, *(rows for rows, _, _ in labeled)]),
            "view": np.concatenate(
                [np.array(self.views_)[:0], *(views for _, _, views in labeled)]
            ),
            "label": self.classes_[codes],
            "confidence": np.concatenate(
                [[], *(labels_of_round.confidence for _, labels_of_round, _ in labeled)]
            ),
        }
