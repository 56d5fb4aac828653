"""Numbers for classes, given in their order or by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ilk import InputError, did_you_mean
from ilk_evaluation.measures.codes import find_code


def code_named(key: Any, classes: list[Any], name: str) -> int:
    """Position of the class that a table calls so.

    Raises
    ------
    InputError
        If it is none of the classes.
    """
    code = find_code(key, classes)
    if code is None:
        written = [str(label) for label in classes]
        hint = did_you_mean(str(key), written)
        raise InputError(f"{name}: {key!r} is none of the classes ({', '.join(written)}){hint}")
    return code


def by_class(values: Any, classes: list[Any], name: str) -> np.ndarray:
    """Numbers in the order of the classes.

    Parameters
    ----------
    values : sequence of float, or mapping of class to float
        A mapping names every class.

    Raises
    ------
    InputError
        If they are not one for each class.
    """
    if not isinstance(values, Mapping):
        array = np.asarray(values, dtype=float)
        if array.shape != (len(classes),):
            raise InputError(
                f"{name} must be one number for each of {len(classes)} classes, got "
                f"{' x '.join(map(str, array.shape)) or 'one'}"
            )
        return array
    array = np.full(len(classes), np.nan)
    for key, value in values.items():
        array[code_named(key, classes, name)] = value
    if np.isnan(array).any():
        raise InputError(
            f"{name} must name every class, {classes[int(np.argmax(np.isnan(array)))]!r} is missing"
        )
    return array
