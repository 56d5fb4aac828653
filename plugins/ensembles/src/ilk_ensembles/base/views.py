"""Classifiers with one member per view, a view being a group of columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk import ClassifierLike, Views, ViewsLike, param, slot, slots
from ilk_ensembles.base.combined_classifier import CombinedClassifier, Query, check_n_jobs
from ilk_ensembles.base.members import N_JOBS, each_place, fit_member
from ilk_ensembles.base.validation import check_features

if TYPE_CHECKING:
    from ilk import Cases

ALL = "all"
"""Name of the default view, of all columns."""

VIEWS: Any = param(
    default=None,
    type=Views,
    doc="The columns of each view: names, or positions (in an array, or where no column of a "
    'data frame has this name). "data": in an experiment, the views defined by the data '
    'set. If left out, all columns are one view "all".',
)


class PerViewClassifier(CombinedClassifier):
    """Fits each member on its view of the data, and combines their outputs by a rule.

    A subclass has the parameters `views`, `member`, `members` and `n_jobs`; its `fit` calls
    `learn_columns` and sets ``views_``, the names of the views of ``estimators_``.
    """

    views: ViewsLike | None = VIEWS
    member: ClassifierLike = slot(
        "classifier",
        default="naive_bayes",
        doc="Cloned for every view that `members` does not name.",
    )
    members: Mapping[str, ClassifierLike] | None = slots(
        "classifier",
        default=None,
        many=dict,
        doc="A classifier for each view that is to have its own, by name.",
    )
    n_jobs: int | None = N_JOBS

    def check_parameters(self) -> None:
        """Check each parameter, that views have columns, and that members name views."""
        super().check_parameters()
        if self.views is not None:
            ilk.check_views(self, self.views)
        check_by_view(self, "members", self.members)
        check_n_jobs(self)

    def combined(self, X: Cases) -> np.ndarray:
        return super().combined(ilk.as_table(X))

    def _fitted_positions(self) -> tuple[list[int], int]:
        self.columns_: dict[Any, np.ndarray]
        self.views_: list[Any]
        every = list(self.columns_)
        return [every.index(view) for view in self.views_], len(every)

    def _members_by_view(self) -> list[Any]:
        """A classifier for each view, in their order."""
        by_view = {} if self.members is None else self.resolve_slot("members")
        return [by_view[v] if v in by_view else self.resolve_slot("member") for v in self.columns_]

    def _fit_members(
        self, members: list[Any], X: Cases | None, y: np.ndarray, weights: np.ndarray | None
    ) -> list[Any]:
        seen = dict(ilk.views_of(self, X))
        return each_place(
            self,
            members,
            lambda at, member: fit_member(member, seen[self.views_[at]], y, weights),
            self.n_jobs,
            argument=naming(self.views_),
        )

    def _query_each(self, members: list[Any], X: Cases, query: Query) -> list[np.ndarray]:
        seen = dict(ilk.views_of(self, X))
        return each_place(
            self,
            members,
            lambda at, member: query(member, seen[self.views_[at]]),
            self.n_jobs,
            argument=naming(self.views_),
        )


def naming(views: ViewsLike) -> list[str]:
    """Names in errors of the members for views: ``view 'color'``."""
    return [f"view {view!r}" for view in views]


def check_by_view(owner: Any, argument: str, given: Collection[Any] | None) -> None:
    """Raise a ParameterError where a table or list names an unknown view."""
    if given is None or isinstance(owner.views, str):
        return
    names = view_names(owner.views)
    for name in given:
        if name not in names:
            hint = ilk.did_you_mean(name, [known for known in names if isinstance(known, str)])
            raise owner.parameter_error(argument, f"must name views, got {name!r}{hint}")


def view_names(views: ViewsLike | None) -> list[Any]:
    """Names of views; positions where views are a list."""
    if views is None:
        return [ALL]
    return list(views) if isinstance(views, Mapping) else list(range(len(views)))


def learn_columns(owner: Any, X: Cases, views: ViewsLike | None) -> Any:
    """Find the columns of each view, as `ilk.learn_views` does; one view of all columns if None.

    Returns
    -------
    data frame or array
        X; a polars frame is converted to a pandas data frame.

    Raises
    ------
    ParameterError
        If a view names no column.
    InputError, InputTypeError
        If X is no table or array with rows and columns.
    """
    _refuse_apart(owner, X)
    X = ilk.as_table(X)
    check_features(owner, X, reset=True)
    names = list(getattr(owner, "feature_names_in_", ()))  # empty unless all names are texts
    ilk.learn_views(owner, X, {ALL: every_column(X)} if views is None else views)
    owner.__dict__.pop("feature_names_in_", None)
    if names:
        owner.feature_names_in_ = np.array(names, dtype=object)
    if hasattr(X, "shape"):
        return X
    array = np.asarray(X)
    return array if array.dtype.kind not in "US" else np.array(X, dtype=object)


def _refuse_apart(owner: object, X: Cases) -> None:
    """Raise an InputError where views are passed separately, as several arrays or tables."""
    parts = list(X.values()) if isinstance(X, Mapping) else X
    if not isinstance(parts, list | tuple) or not parts:
        return
    if all(getattr(part, "ndim", 0) == 2 for part in parts):
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: X must be one array or data frame, whose columns make "
            f"the views, got {len(parts)}, of {[ilk.n_rows(part) for part in parts]} rows"
        )


def check_views_finite(owner: object, X: Cases, members: list[Any]) -> None:
    """Refuse NaN and infinity where the member of a view does; the error names row and view.

    For members that are fitted on some rows only: their errors would count these rows.

    Raises
    ------
    InputError
    """
    from sklearn.utils import get_tags

    for (view, part), member in zip(ilk.views_of(owner, X), members, strict=True):
        numbers = (
            part.drop(columns=ilk.nominal_columns(part)).to_numpy() if ilk.is_table(part) else part
        )
        if numbers.dtype.kind == "f":
            allowed = get_tags(member).input_tags.allow_nan
            ilk.check_finite(owner, numbers, argument=f"view {view!r}", nan=allowed)


def every_column(X: Any) -> list[Any]:
    """Names or positions of all columns; empty where X has no columns."""
    if ilk.is_table(X):
        return list(X.columns)
    try:
        shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    except ValueError:  # ragged rows
        return []
    return list(range(shape[1])) if len(shape) == 2 else []
