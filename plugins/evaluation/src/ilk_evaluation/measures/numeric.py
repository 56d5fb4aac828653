"""Labels that are numbers."""

from __future__ import annotations

import numpy as np

from ilk import InputError, Prediction


def answered_numbers(prediction: Prediction, name: str) -> tuple[np.ndarray, np.ndarray]:
    """True and predicted numbers of the answered cases.

    Raises
    ------
    InputError
        If the labels are no numbers, or one is NaN or infinite.
    """
    answered = prediction.answered
    truth = np.asarray(prediction.truth)[answered]
    labels = np.asarray(prediction.labels)[answered]
    for what, values in (("true", truth), ("predicted", labels)):
        if len(values) and values.dtype.kind not in "iuf":
            raise InputError(
                f"{name}: needs labels that are numbers, the {what} ones are of type "
                f"{values.dtype}, such as {values.tolist()[0]!r}"
            )
        finite = np.isfinite(values.astype(float))
        if not finite.all():
            row = int(np.argmin(finite))
            raise InputError(f"{name}: the {what} label of answered case {row} is {values[row]}")
    return truth.astype(float), labels.astype(float)
