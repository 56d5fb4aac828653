"""Validation of label arguments: arrays without missing labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ilk import InputError

if TYPE_CHECKING:
    from ilk import Labels


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
    try:
        array = np.asarray(labels)
        if array.dtype.kind in "US" and isinstance(labels, list | tuple):
            array = np.asarray(labels, dtype=object)  # numpy would turn NaN and numbers into texts
    except ValueError as error:
        raise InputError(f"{what} must be an array: {error}") from None
    missing = np.argwhere(pd.isna(array))
    if len(missing):
        place = tuple(missing[0].tolist())
        raise InputError(f"{what}: a label is missing at {place}")
    if array.dtype != object:
        return array
    texts = {isinstance(label, str) for label in array.flat}
    if len(texts) > 1:
        raise InputError(f"{what}: some labels are texts, others are not")
    return array.astype(str) if texts == {True} else array
