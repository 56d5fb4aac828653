"""Answers of members at the door, and as codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk import InputError
from ilk_evaluation.label_arrays import label_array

_FEW = 256  # what a byte tells apart


def checked_answers(answers: Any) -> np.ndarray:
    """Answers as an array of shape (members, cases).

    Raises
    ------
    InputError
        For another shape, or none; for labels that are missing, or of several types.
    """
    array = label_array("diversity: answers", answers)
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(f"diversity: answers must have shape (members, cases), got {array.shape}")
    return array


def answer_codes(answers: Any) -> tuple[np.ndarray, int]:
    """Answers as codes from 0 in as few bytes as will do, and how many classes there are."""
    array = checked_answers(answers)
    if array.dtype.kind in "iu" and int(array.max()) - int(array.min()) < _FEW:
        array = (array - array.min()).astype(np.uint8)  # np.unique would sort them all
        present = np.bincount(array.ravel(), minlength=_FEW) > 0
        return (np.cumsum(present) - 1).astype(np.uint8)[array], int(present.sum())
    classes, codes = np.unique(array, return_inverse=True)
    small = np.min_scalar_type(len(classes))
    return codes.reshape(array.shape).astype(small), len(classes)
