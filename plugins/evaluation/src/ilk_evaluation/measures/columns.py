"""Scores and probabilities come in a column for each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk import InputError, Prediction


def class_columns(values: Any, prediction: Prediction, name: str) -> np.ndarray:
    """Return scores or probabilities as an array of floats, in the precision they have.

    Raises
    ------
    InputError
        Where there is not one column for each class, or something else than numbers.
    """
    array = np.asarray(values)
    expected = (len(prediction), len(prediction.classes))
    if array.shape != expected:
        raise InputError(
            f"{name}: scores and probabilities must have shape {expected}, a column for each "
            f"class, got {array.shape}"
        )
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind not in "biuO":
        raise InputError(f"{name}: scores and probabilities must be numbers, got {array.dtype}")
    try:
        return array.astype(float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: scores and probabilities must be numbers: {error}") from None
