"""A model, another component or data by name, by spec, or as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import ilk


def as_model(model: Any, kind: str = "classifier") -> Any:
    """Return a model as it is, or build what a name or a spec says.

    Parameters
    ----------
    model : str, table, list of steps, or anything with `fit`
    kind : str
        Of what is named.
    """
    if hasattr(model, "fit"):
        return model
    if isinstance(model, str):
        return ilk.make(kind, model)
    if isinstance(model, list | tuple):
        return ilk.Pipeline(list(model))
    return ilk.build(model, kind=None if "steps" in model else kind)


def as_component(value: Any, kind: str) -> Any:
    """Return a component as it is, or build what a name or a spec says."""
    if isinstance(value, str):
        return ilk.make(kind, value)
    return ilk.build(value, kind=kind) if isinstance(value, Mapping) else value


def as_data(data: Any, asker: str) -> ilk.Data:
    """Return data as they are, load a data set or what names one, or put X and y together.

    Raises
    ------
    InputError, InputTypeError
        In the name of the asker, if they are none of these or y is not as long as X.
    """
    data = as_component(data, "dataset")
    if isinstance(data, ilk.Data):
        return data
    if hasattr(data, "load"):
        return data.load()  # type: ignore[no-any-return]
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise ilk.InputTypeError(
            f"{asker}: data must be a data set, the name of one, or a pair of X and y, got "
            f"{type(data).__name__}"
        )
    X, y = data[0], np.asarray(data[1])
    if y.ndim != 1 or len(y) != ilk.n_rows(X):
        raise ilk.InputError(
            f"{asker}: y must have a value for each of {ilk.n_rows(X)} cases, got shape {y.shape}"
        )
    return ilk.Data(X=X, y=y)


def model_name(model: Any) -> str:
    """Short name of a model or of what says which one."""
    if isinstance(model, str):
        return model
    return ilk.display_name(model) if hasattr(model, "fit") else "spec"
