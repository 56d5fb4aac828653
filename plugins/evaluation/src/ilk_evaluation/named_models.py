"""Models, components and data given by name, by spec, or as objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from ilk import Estimator


def as_model(model: Any, kind: str = "classifier") -> Any:
    """Return a model, or build it from a name or a spec.

    Parameters
    ----------
    model : str, table, list of steps, or anything with `fit`
    kind : str
        Kind of a named component.
    """
    if hasattr(model, "fit"):
        return model
    if isinstance(model, str):
        return ilk.make(kind, model)
    if isinstance(model, list | tuple):
        return ilk.Pipeline(list(model))
    return ilk.build(model, kind=None if "steps" in model else kind)


def as_component(value: object, kind: str) -> Any:
    """Return a component, or build it from a name or a spec."""
    if isinstance(value, str):
        return ilk.make(kind, value)
    return ilk.build(value, kind=kind) if isinstance(value, Mapping) else value


def as_data(data: object, asker: str) -> ilk.Data:
    """Return data, load a data set given as object, name or spec, or combine X and y.

    Raises
    ------
    InputError, InputTypeError
        Naming the asker, for any other value or if X and y differ in length.
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


def model_name(model: Estimator) -> str:
    """Short name of a model, a name or a spec."""
    if isinstance(model, str):
        return model
    return ilk.display_name(model) if hasattr(model, "fit") else "spec"
