"""Validation of arguments: models, components and data by name, spec or object; label arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from ilk import Estimator, Labels


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


def label_array(what: str, labels: Labels | None) -> np.ndarray:
    """Return labels as an array of texts, numbers or booleans.

    Parameters
    ----------
    what : str
        Name of the argument in errors.
    labels : array of any shape

    Raises
    ------
    InputError
        If rows differ in length, or a label is missing, or some are texts and others are not.
    """
    import pandas as pd

    try:
        array = np.asarray(labels)
        if array.dtype.kind in "US" and isinstance(labels, list | tuple):
            array = np.asarray(labels, dtype=object)  # numpy would turn NaN and numbers into texts
    except ValueError as error:
        raise ilk.InputError(f"{what} must be an array: {error}") from None
    missing = np.argwhere(pd.isna(array))
    if len(missing):
        place = tuple(missing[0].tolist())
        raise ilk.InputError(f"{what}: a label is missing at {place}")
    if array.dtype.kind == "U":
        return ilk.text_array(array)
    if array.dtype != object:
        return array
    texts = {isinstance(label, str) for label in array.flat}
    if len(texts) > 1:
        raise ilk.InputError(f"{what}: some labels are texts, others are not")
    return ilk.text_array(array) if texts == {True} else array
