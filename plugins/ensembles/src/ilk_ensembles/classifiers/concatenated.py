"""One classifier on the concatenated columns of several views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import (
    Capabilities,
    ClassifierLike,
    RandomState,
    Seed,
    Views,
    ViewsLike,
    available_if,
    check_fitted,
    param,
    slot,
)
from ilk_ensembles.base.combined_classifier import cases_of_weight
from ilk_ensembles.base.members import failure, fit_member, seed_members
from ilk_ensembles.base.outputs import check_known, member_probabilities, numbers, one_per_row
from ilk_ensembles.base.validation import check_features
from ilk_ensembles.base.views import check_by_view, learn_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ilk import ArrayLike, Cases, Labels


def _member_has(method: str) -> Callable[[Concatenated], bool]:
    def check(self: Concatenated) -> bool:
        fitted = hasattr(self, "estimator_")
        getattr(self.estimator_ if fitted else self.resolve_slot("member"), method)
        return True

    return check


class Concatenated(ilk.Classifier):
    """One classifier on the concatenated columns of all views, or of some (HML1).

    ``x = (x_1; x_2; ...)``, view after view: equation (10.1). A column shared by several views
    is used once. Columns of no view have no influence.

    With ``scale=True`` each view is divided by the square root of its total variance, the sum of
    the variances of its columns over the training rows. Then the squared distance of two rows
    has mean 2 in each view, so that a view does not dominate distances by having more columns
    or larger numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimator_ : classifier
        Fitted. It gives `predict`, and `predict_proba` and `decision_function` if it has them.
    columns_ : dict of str to ndarray
        Positions of the columns of each view that is used.
    scales_ : dict of str to float
        Divisor of each view; 1 without `scale`.
    n_features_in_ : int
        Number of columns of X.

    Raises
    ------
    ParameterError
        If a view names no column, `only` names no view, or `scale` is used with overlapping
        views.
    InputError
        If the member fails, or a view to be scaled has nominal columns or no finite numbers.

    References
    ----------
    Zaidi 2011: sections 3.3, 10.1.1; equation 10.1.

    Ntoutsi 2015: Joint feature space.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> views = {"sepal": [0, 1], "petal": [2, 3]}
    >>> model = ilk.classifier("concatenated", views=views, member="knn", only=["petal"])
    >>> model.fit(X, y).estimator_.n_features_in_
    2
    """

    views: ViewsLike | None = param(
        default=None,
        type=Views,
        doc="The columns of each view: names, or positions (in an array, or where no column of "
        'a data frame has this name). "data": in an experiment, the views defined by the '
        "data set. If left out, all columns are one view.",
    )
    member: ClassifierLike = slot(
        "classifier",
        default="naive_bayes",
        doc="The classifier on the columns of the views.",
    )
    only: Sequence[Any] | None = param(
        default=None,
        type=list,
        form="list",
        doc="Names of the views to concatenate, in this order; if left out, all of them.",
    )
    scale: bool = param(
        default=False,
        doc="Whether to divide views by the root of their total variance. Constant views are not "
        "scaled.",
    )
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Seeds the member if its own random_state is None.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables", "views"), sample_weight=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """All columns; scaled views of arrays and tables; nominal columns."""
        halves = {"left": [0, 1], "right": [2, 3]}
        columns = {"color": ["color1", "color2"], "shape": ["shape1", "shape2"]}
        mixed = {"form": ["height", "width"], "look": ["color", "size", "height"]}
        return [
            cls(),
            cls(views=halves, scale=True),
            cls(views=[[0, 1], [2], [1, 3]], member="knn", only=[2, 0]),
            cls(views=columns, member="knn", scale=True),
            cls(views=mixed, member={"use": "knn", "distance": "heterogeneous"}),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that the views exist and have columns."""
        super().check_parameters()
        if self.views is not None:
            ilk.check_views(self, self.views)
        if self.only is None:
            return
        if not len(self.only):
            raise self.parameter_error("only", "must name at least one view, got none")
        check_by_view(self, "only", self.only)

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the member on the columns of the views.

        Parameters
        ----------
        X : array or data frame of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            An error if the member does not accept it.
        """
        self.check_parameters()
        X = learn_columns(self, X, self.views)
        self.classes_, codes = ilk.check_labels(self, y, X)
        if self.only is not None:
            self.columns_: dict[Any, np.ndarray] = {view: self.columns_[view] for view in self.only}
        member = self.resolve_slot("member")
        seed_members(self, [member], self.random_state)
        weights, X, codes = cases_of_weight(self, sample_weight, X, codes, [member])
        self.scales_ = self._learned_scales(X, weights)
        seen, labels = self._side_by_side(X), self.classes_[codes]
        try:
            self.estimator_ = fit_member(member, seen, labels, weights)
            check_known(np.asarray(self.estimator_.classes_), self.classes_)
        except Exception as error:
            raise failure(self, "member", member, error) from error
        return self

    def _learned_scales(self, X: Cases, weights: ArrayLike) -> dict[Any, float]:
        if not self.scale:
            return dict.fromkeys(self.columns_, 1.0)
        every = np.concatenate(list(self.columns_.values()))
        repeated = np.flatnonzero(np.bincount(every) > 1)
        if len(repeated):
            raise self.parameter_error(
                "scale", f"must be False where views overlap, as in column {repeated[0]}"
            )
        return {
            view: _spread(ilk.check_vectors(self, part, argument=f"view {view!r}"), weights)
            for view, part in ilk.views_of(self, X)
        }

    def _side_by_side(self, X: Cases) -> Any:
        """Concatenate the columns of the views into one array or data frame, each column once."""
        parts, seen = [], np.empty(0, dtype=int)
        for view, part in ilk.views_of(self, X):
            columns = self.columns_[view]
            _, first = np.unique(columns, return_index=True)
            new = np.sort(first[~np.isin(columns[first], seen)])
            seen = np.concatenate([seen, columns])
            parts.append(self._scaled(_columns(part, new), view))
        if ilk.is_table(parts[0]):
            import pandas as pd

            return pd.concat(parts, axis=1)
        return parts[0] if len(parts) == 1 else np.hstack(parts)

    def _scaled(self, part: Any, view: Any) -> Any:
        if not self.scale:
            return part
        values = ilk.check_vectors(self, part, argument=f"view {view!r}")
        with np.errstate(over="ignore"):  # the member refuses infinite values
            values = values / values.dtype.type(self.scales_[view])
        if not ilk.is_table(part):
            return values
        import pandas as pd

        return pd.DataFrame(values, columns=part.columns, index=part.index, copy=False)

    def _query(self, question: Callable[[Any, Any], np.ndarray], X: Cases | None) -> np.ndarray:
        check_fitted(self)
        X = ilk.as_table(X)
        check_features(self, X, reset=False)
        seen = self._side_by_side(X)
        try:
            return question(self.estimator_, seen)
        except Exception as error:
            raise failure(self, "member", self.estimator_, error) from error

    def predict(self, X: Cases) -> np.ndarray:
        """Label of each row as predicted by the member; array of shape (n,)."""
        return self._query(lambda member, seen: one_per_row(member.predict(seen), len(seen)), X)

    @available_if(_member_has("predict_proba"))
    def predict_proba(self, X: Cases) -> np.ndarray:
        """Probabilities of the member; array of shape (n, n_classes)."""
        return self._query(
            lambda member, seen: member_probabilities(member, seen, self.classes_), X
        )

    @available_if(_member_has("decision_function"))
    def decision_function(self, X: Cases) -> np.ndarray:
        """Scores of the member; array of shape (n,) or (n, n_classes)."""
        return self._query(self._scores, X)

    def _scores(self, member: Any, seen: Any) -> np.ndarray:
        member_classes = np.asarray(member.classes_)
        if not np.array_equal(member_classes, self.classes_):
            raise ilk.InputError(
                f"knows the classes {member_classes.tolist()}, so its scores are not those of "
                f"{self.classes_.tolist()}"
            )
        return numbers(member.decision_function(seen), "scores")


def _columns(part: Any, positions: np.ndarray) -> Any:
    if len(positions) == part.shape[1]:
        return part
    return part.iloc[:, positions] if ilk.is_table(part) else part[:, positions]


def _spread(part: np.ndarray, weights: ArrayLike | None) -> float:
    """Square root of the total variance of the columns; 1 if all columns are constant."""
    # a constant column has no variance, though rounding of its mean would give it one
    varying = part[:, part.min(axis=0) < part.max(axis=0)].astype(float)
    if not varying.size:
        return 1.0
    unit = float(np.abs(varying).max())
    # so that squares neither overflow nor underflow
    varying /= unit
    varying -= np.average(varying, axis=0, weights=weights)
    squares = np.average(np.square(varying), axis=0, weights=weights)
    return unit * float(np.sqrt(squares.sum())) or 1.0
