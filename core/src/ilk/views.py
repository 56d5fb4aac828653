"""Views of tables and arrays: groups of columns, selected by name or position.

Transformers preserve the names of columns for later steps that select views by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.component import children, open_slot
from ilk.errors import InputError
from ilk.freezing import is_frozen
from ilk.inputs import as_table, is_sparse, is_table, refuse_sparse
from ilk.messages import did_you_mean
from ilk.params import DATA_VIEWS, Views
from ilk.registries import display_name

if TYPE_CHECKING:
    from ilk.arrays import ViewsLike
    from ilk.component import Component


def with_views(component: Any, views: Mapping[str, Sequence[Any]]) -> Any:
    """Replace ``"data"`` in `views` of components at any depth by the views of a data set.

    Parameters
    ----------
    component : Component
        Changed in place; names and tables in its slots become components.
    views : mapping of str to list
        Names, or positions, of the columns of each view.

    Returns
    -------
    Component
        The component itself.

    Raises
    ------
    ParameterError
        If the data set has no views; names the component that needs them.
    """
    for name, param in getattr(component, "parameters", {}).items():
        value = getattr(component, name)
        if Views in param.types and isinstance(value, str) and value == DATA_VIEWS:
            if not views:
                raise component.parameter_error(name, "is 'data', but the data set has no views")
            setattr(component, name, {view: list(columns) for view, columns in views.items()})
        elif param.slot and value is not None:
            open_slot(component, name)
    for _, child in children(component):
        if not is_frozen(child):
            with_views(child, views)
    return component


def check_views(owner: Component, views: ViewsLike | None) -> None:
    """Raise a ParameterError unless there are views, and each has a column."""
    if isinstance(views, str):
        return  # "data": known at fit
    if not views:
        raise owner.parameter_error("views", "must name at least one view, got none")
    for name, view in _named(views).items():
        if len(view) == 0:
            raise owner.parameter_error("views", f"[{name!r}] must have a column, got none")


def learn_views(owner: Any, X: Any, views: ViewsLike) -> None:
    """Find the columns of views in training data, and store the names of the columns.

    Sets ``columns_``, the positions of each view; ``n_features_in_``; and, for data frames,
    ``feature_names_in_``.

    Parameters
    ----------
    owner : Component
        Named in errors; gets the attributes.
    X : data frame or array of shape (n, p)
    views : mapping of name to list, or list of lists
        As for `view_columns`; the views of a list are named by position.

    Raises
    ------
    ParameterError
        If a view names no column; names the view and the closest column. If views are still
        "data".
    InputError
        If X has no rows or no columns.
    """
    X = check_columns(owner, as_table(X), "X")
    labels = list(X.columns) if is_table(X) else []
    owner.n_features_in_ = X.shape[1]
    owner.__dict__.pop("feature_names_in_", None)
    if is_table(X):
        owner.feature_names_in_ = labels
    owner.columns_ = view_columns(owner, views, labels, X.shape[1])


def view_columns(
    owner: Component, views: ViewsLike | None, labels: Sequence[Any], n_features: int
) -> dict[Any, np.ndarray]:
    """Positions of the columns of each view.

    Parameters
    ----------
    owner : Component
        Named in errors.
    views : mapping of name to list, or list of lists
        Names of columns, or positions. A text with ``*`` or ``?`` that is not itself a name is a
        shell pattern for names: ``level0_*``.
    labels : sequence
        Names of the columns; empty if they have no names.
    n_features : int

    Raises
    ------
    ParameterError
        If a view names no column; names the view and the closest column. If views are still
        "data".
    """
    if isinstance(views, str):
        raise owner.parameter_error(
            "views",
            "is 'data', which an experiment replaces by the views of its data set; elsewhere "
            "give the columns of each view (`views=data.views`, and `data.table()` for X)",
        )
    names = list(labels)
    return {
        name: np.array(
            [at for label in view for at in _positions(owner, name, label, names, n_features)]
        )
        for name, view in _named(views).items()
    }


def _positions(
    owner: object, view: object, label: object, labels: list[Any], n_features: int
) -> list[int]:
    """Position of a column, or positions of the columns whose names match a pattern."""
    if isinstance(label, str) and label not in labels and set(label) & set("*?"):
        names = enumerate(labels)
        positions = [at for at, name in names if isinstance(name, str) and fnmatchcase(name, label)]
        if positions:
            return positions
    return [_position(owner, view, label, labels, n_features)]


def _named(views: Any) -> Mapping[Any, Sequence[Any]]:
    return views if isinstance(views, Mapping) else dict(enumerate(views))


def _position(owner: Any, view: Any, label: Any, labels: list[Any], n_features: int) -> int:
    if labels.count(label) == 1:
        return labels.index(label)
    if label in labels:
        raise owner.parameter_error("views", f"[{view!r}] names {label!r}, which X has twice")
    integral = isinstance(label, Integral) and not isinstance(label, bool)
    if integral and 0 <= label < n_features:
        return int(label)
    hint = did_you_mean(label, [name for name in labels if isinstance(name, str)])
    what = "name columns" if labels else "give positions of columns"
    raise owner.parameter_error("views", f"[{view!r}] must {what} of X, got {label!r}{hint}")


def views_of(owner: Any, X: Any, argument: str = "X") -> Iterator[tuple[Any, Any]]:
    """Yield the name of each view, and its columns of X, after a check of the columns."""
    X = _matched(owner, check_columns(owner, as_table(X), argument), argument)
    names = getattr(owner, "feature_names_in_", None)
    for name, columns in owner.columns_.items():
        if not is_table(X):
            yield name, np.take(X, columns, axis=1)  # X[:, columns] would be in Fortran order
        elif names is None:
            yield name, X.iloc[:, columns]
        else:
            yield name, X[[names[c] for c in columns]]


def _matched(owner: Any, X: Any, argument: str) -> Any:
    name = display_name(owner)
    names = getattr(owner, "feature_names_in_", None)
    if is_table(X) and names is not None:
        needed = [names[c] for c in sorted({*np.concatenate([*owner.columns_.values()])})]
        lacking = [label for label in needed if label not in X.columns]
        if lacking:
            raise InputError(f"{name}: {argument} lacks {lacking} of the columns of views")
    elif X.shape[1] != owner.n_features_in_:
        raise InputError(
            f"{name}: {argument} has {X.shape[1]} features, but {name} was fitted with "
            f"{owner.n_features_in_} features"
        )
    return X


def check_columns(owner: Component, X: Any, argument: str) -> Any:
    """Return X as a data frame or an array with columns.

    Raises
    ------
    InputError
        If it has no rows or no columns.
    """
    name = display_name(owner)
    if is_sparse(X):
        refuse_sparse(owner, X, argument)
    if not is_table(X) and not isinstance(X, np.ndarray):
        try:
            given, X = X, np.asarray(X)
        except ValueError as error:  # rows of different lengths
            raise InputError(f"{name}: {argument}: {error}") from None
        X = np.array(given, dtype=object) if X.dtype.kind in "US" else X  # keeps numbers in lists
    if len(X.shape) != 2 or 0 in X.shape:
        hint = "; Reshape your data" if len(X.shape) == 1 else ""
        if X.shape[1:] == (0,):
            hint = f": 0 feature(s) (shape={X.shape}) while a minimum of 1 is required."
        raise InputError(
            f"{name}: {argument} must have at least one row and one column (a two-dimensional "
            f"array or a data frame), got shape {X.shape}{hint}"
        )
    return X


def uses_views(component: object) -> bool:
    """Tell whether a component, or one in its slots at any depth, uses views."""
    for name, param in getattr(component, "parameters", {}).items():
        value = getattr(component, name)
        if Views in param.types and value is not None:
            return True
        if param.slot and _written(value):
            return True
    return any(uses_views(child) for _, child in children(component))


def _written(value: object) -> bool:
    """Tell whether the table of a component not yet built has views."""
    if isinstance(value, Mapping):
        return "views" in value or any(map(_written, value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return any(map(_written, value))
    return False


def with_names(columns: Any, X: Any, transformer: Any) -> Any:
    """Return the output of a transformer as a table if X is one, else unchanged.

    Parameters
    ----------
    columns : array of shape (n, q)
        Output of the transformer.
    X : data of n rows
    transformer : Transformer
        Fitted; its ``get_feature_names_out`` names the columns.
    """
    if not is_table(X) or not isinstance(columns, np.ndarray) or columns.ndim != 2:
        return columns
    import pandas as pd

    names = list(transformer.get_feature_names_out(list(X.columns)))
    return pd.DataFrame(columns, columns=names, index=X.index, copy=False)
