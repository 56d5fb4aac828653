"""Costs of a pipeline: seconds to fit and to predict, seconds saved, share of cases removed."""

from __future__ import annotations

import ilk

EVERY = ("classifier", "regressor", "detector", "clusterer")
"""Kinds of predictors, all of which take time."""


class FitSeconds(ilk.Measure):
    """Wall-clock seconds for fitting the pipeline.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> one = np.array([1])
    >>> prediction = ilk.Prediction(one, one, classes=one, fit_seconds=0.5)
    >>> ilk.measure("fit_seconds")(prediction)
    0.5
    """

    greater_is_better = False
    predictors = EVERY
    needs = "seconds"

    def __call__(self, prediction: ilk.Prediction) -> float:
        return float(prediction.fit_seconds)


class PredictSeconds(ilk.Measure):
    """Wall-clock seconds for predicting all test cases of the split.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> one = np.array([1])
    >>> prediction = ilk.Prediction(one, one, classes=one, predict_seconds=0.5)
    >>> ilk.measure("predict_seconds")(prediction)
    0.5
    """

    greater_is_better = False
    predictors = EVERY
    needs = "seconds"

    def __call__(self, prediction: ilk.Prediction) -> float:
        return float(prediction.predict_seconds)


class SavedSeconds(ilk.Measure):
    """Wall-clock seconds saved by work that pipelines share, which ran once for the split.

    The seconds to fit and to predict are those of the pipeline alone; without what was saved they
    are the seconds spent.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> one = np.array([1])
    >>> prediction = ilk.Prediction(one, one, classes=one, saved_seconds=0.25)
    >>> ilk.measure("saved_seconds")(prediction)
    0.25
    """

    greater_is_better = True
    predictors = EVERY
    needs = "seconds"

    def __call__(self, prediction: ilk.Prediction) -> float:
        return float(prediction.saved_seconds)


class Reduction(ilk.Measure):
    """Share of the training cases that the editors of a pipeline removed.

    0 for a pipeline without an editor. For several editors in sequence it is the share that
    any of them removed.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> one = np.array([1])
    >>> prediction = ilk.Prediction(one, one, classes=one, reduction=0.75)
    >>> ilk.measure("reduction")(prediction)
    0.75
    """

    greater_is_better = True
    predictors = EVERY
    needs = "reduction"

    def __call__(self, prediction: ilk.Prediction) -> float:
        return float(prediction.reduction)
