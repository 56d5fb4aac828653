"""Views of tables and arrays: groups of columns, found by name or position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

import ilk


def check_views(owner: Any, views: Mapping[Any, Sequence[Any]]) -> None:
    """Raise a ParameterError unless every view has a column."""
    for name, view in views.items():
        if len(view) == 0:
            raise owner.parameter_error("views", f"[{name!r}] must have a column, got none")


def learn_columns(owner: Any, X: Any, views: Mapping[Any, Sequence[Any]]) -> None:
    """Find the columns of views in training data, and remember what columns there are.

    Sets ``columns_``, the positions of each view; ``n_features_in_``; and of data frames
    ``feature_names_in_``.

    Raises
    ------
    ParameterError
        If a view names no column; names the view and the closest column.
    InputError
        If X has no rows or no columns.
    """
    X = two_dimensional(owner, ilk.as_table(X), "X")
    labels = list(X.columns) if ilk.is_table(X) else []
    owner.n_features_in_ = X.shape[1]
    owner.__dict__.pop("feature_names_in_", None)
    if ilk.is_table(X):
        owner.feature_names_in_ = labels
    owner.columns_ = {
        name: np.array([_position(owner, name, label, labels, X.shape[1]) for label in view])
        for name, view in views.items()
    }


def _position(owner: Any, view: Any, label: Any, labels: list[Any], n_features: int) -> int:
    if labels.count(label) == 1:
        return labels.index(label)
    if label in labels:
        raise owner.parameter_error("views", f"[{view!r}] names {label!r}, which X has twice")
    whole = isinstance(label, Integral) and not isinstance(label, bool)
    if whole and 0 <= label < n_features:
        return int(label)
    hint = ilk.did_you_mean(label, [name for name in labels if isinstance(name, str)])
    what = "name columns" if labels else "give positions of columns"
    raise owner.parameter_error("views", f"[{view!r}] must {what} of X, got {label!r}{hint}")


def views_of(owner: Any, X: Any, argument: str = "X") -> Iterator[tuple[Any, Any]]:
    """Yield the name of each view, and its columns of X, which has the columns of training."""
    X = _matched(owner, two_dimensional(owner, ilk.as_table(X), argument), argument)
    names = getattr(owner, "feature_names_in_", None)
    for name, columns in owner.columns_.items():
        if not ilk.is_table(X):
            yield name, X[:, columns]
        elif names is None:
            yield name, X.iloc[:, columns]
        else:
            yield name, X[[names[c] for c in columns]]


def _matched(owner: Any, X: Any, argument: str) -> Any:
    name = ilk.display_name(owner)
    names = getattr(owner, "feature_names_in_", None)
    if ilk.is_table(X) and names is not None:
        needed = [names[c] for c in sorted({*np.concatenate([*owner.columns_.values()])})]
        lacking = [label for label in needed if label not in X.columns]
        if lacking:
            raise ilk.InputError(f"{name}: {argument} lacks {lacking} of the columns of views")
    elif X.shape[1] != owner.n_features_in_:
        raise ilk.InputError(
            f"{name}: {argument} has {X.shape[1]} features, but {name} was fitted with "
            f"{owner.n_features_in_} features"
        )
    return X


def two_dimensional(owner: Any, X: Any, argument: str) -> Any:
    """Return X as a data frame or an array with columns.

    Raises
    ------
    InputError
        If it has no rows or no columns.
    """
    name = ilk.display_name(owner)
    if hasattr(X, "tocsr"):
        raise ilk.InputTypeError(f"{name}: {argument} must not be a sparse matrix")
    if not ilk.is_table(X) and not isinstance(X, np.ndarray):
        try:
            given, X = X, np.asarray(X)
        except ValueError as error:  # rows of different lengths
            raise ilk.InputError(f"{name}: {argument}: {error}") from None
        X = np.array(given, dtype=object) if X.dtype.kind in "US" else X  # numbers stay numbers
    if len(X.shape) != 2 or 0 in X.shape:
        raise ilk.InputError(
            f"{name}: {argument} must have at least one row and one column (a two-dimensional "
            f"array or a data frame), got shape {X.shape}"
        )
    return X
