"""The no-information rate: what is scored by predictions that know nothing of the truth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import ilk

MOST_PAIRINGS = 1000
"""More would take long and change little."""


def no_information(measure: ilk.Measure, prediction: ilk.Prediction) -> float:
    """Mean of a measure over cyclic pairings of true labels with predictions.

    All n pairings, of which every true label meets every prediction once: for a mean over cases
    that is ``sum_ij loss(truth_i, prediction_j) / n^2``, Efron and Tibshirani's rate. Of more
    than 1000 cases 1000 pairings, evenly spaced. NaN if a pairing has no score.

    Parameters
    ----------
    measure : Measure
    prediction : Prediction
        Of the cases that trained.

    Raises
    ------
    InputError
        If the measure is not defined for a pairing.
    """
    n = len(prediction)
    pairings = min(n, MOST_PAIRINGS)
    if not pairings:
        return float("nan")
    total = 0.0
    for number in range(pairings):
        paired = np.roll(prediction.truth, number * n // pairings)
        total += float(measure(replace(prediction, truth=paired)))
    return total / pairings
