"""Costs of a pipeline: seconds to fit, to predict and saved, share of cases removed, size."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import ilk

if TYPE_CHECKING:
    from ilk import Estimator

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


@dataclass(frozen=True)
class ModelSize:
    """Size of a model, as `model_size` finds it.

    Attributes
    ----------
    values : int
        Numbers in all its arrays; each array counts once, and a record of several numbers, such
        as a node of scikit-learn's trees, as one.
    memory : int
        Bytes of the model when it is pickled: those of its arrays, texts and parameters.
    file : int or None
        Bytes of the file that `ilk.save` writes, which is compressed and varies by some bytes;
        None if the model cannot be saved.
    """

    values: int
    memory: int
    file: int | None


def model_size(model: Estimator) -> ModelSize:
    """Measure the size of a model: numbers that it stores, its memory, and its file.

    Parameters
    ----------
    model : component or estimator
        Usually fitted.

    Returns
    -------
    ModelSize

    Raises
    ------
    InputError
        If the model, or something in it, cannot be pickled.

    References
    ----------
    Evaluation slides: Algorithm Preference (space complexity).

    Examples
    --------
    Nearest neighbours store the cases, nearest means only a mean of each class:

    >>> import ilk
    >>> from ilk_evaluation import model_size
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> knn, means = (ilk.classifier(name).fit(X, y) for name in ("knn", "nearest_mean"))
    >>> model_size(knn).values >= 150 * 4 > model_size(means).values >= 3 * 4
    True
    >>> model_size(knn).memory > 8 * 150 * 4 > model_size(means).memory
    True
    """
    arrays: list[pickle.PickleBuffer] = []
    try:
        rest = pickle.dumps(model, protocol=5, buffer_callback=arrays.append)
    except Exception as error:  # a component may raise anything
        raise ilk.InputError(
            f"model_size: {ilk.display_name(model)} cannot be pickled: "
            f"{type(error).__name__}: {error}"
        ) from error
    views = [memoryview(array) for array in arrays]
    values = sum(view.nbytes // view.itemsize for view in views if view.nbytes)
    memory = len(rest) + sum(view.nbytes for view in views)
    return ModelSize(values, memory, _file_size(model))


def _file_size(model: Estimator) -> int | None:
    if not isinstance(model, ilk.Component):
        return None
    with TemporaryDirectory() as folder:
        try:
            return ilk.save(model, Path(folder) / "model.ilk").stat().st_size
        except ilk.PersistError:
            return None
