"""reject_rate: how many cases a pipeline did not answer."""

from __future__ import annotations

import math

import numpy as np

import ilk


class RejectRate(ilk.Measure):
    """Share of the cases that the pipeline declined to answer.

    ``#{i rejected} / n``: other measures are of the answered cases, and a pipeline that answers
    only what is easy looks good by them. NaN without any case.


    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, rejected = np.array([0, 1, 1, 0]), np.array([True, False, False, False])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), rejected=rejected)
    >>> ilk.measure("reject_rate")(prediction)
    0.25
    """

    greater_is_better = False
    needs = "rejected"

    def __call__(self, prediction: ilk.Prediction) -> float:
        rejected = np.asarray(prediction.rejected, dtype=bool)
        return float(rejected.mean()) if len(rejected) else math.nan
