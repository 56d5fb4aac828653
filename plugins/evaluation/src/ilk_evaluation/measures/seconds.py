"""Measures of time, as they were taken when the pipeline ran."""

from __future__ import annotations

import ilk


class FitSeconds(ilk.Measure):
    """Wall-clock seconds that fitting the pipeline took.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> one = np.array([1])
    >>> prediction = ilk.Prediction(one, one, classes=one, fit_seconds=0.5)
    >>> ilk.measure("fit_seconds")(prediction)
    0.5
    """

    greater_is_better = False
    needs = "seconds"

    def __call__(self, prediction: ilk.Prediction) -> float:
        return float(prediction.fit_seconds)


class PredictSeconds(ilk.Measure):
    """Wall-clock seconds that predicting all test cases of the split took.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> one = np.array([1])
    >>> prediction = ilk.Prediction(one, one, classes=one, predict_seconds=0.5)
    >>> ilk.measure("predict_seconds")(prediction)
    0.5
    """

    greater_is_better = False
    needs = "seconds"

    def __call__(self, prediction: ilk.Prediction) -> float:
        return float(prediction.predict_seconds)
