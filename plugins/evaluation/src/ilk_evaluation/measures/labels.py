"""Measures over predicted labels; all divide by the cases that were answered."""

from __future__ import annotations

import math

import numpy as np

import ilk


class Error(ilk.Measure):
    """Share of the answered cases whose label is wrong.

    ``error = #{i answered: label_i != truth_i} / #{i answered}``; NaN if no case was
    answered. How many were not is the measure reject_rate's to say.

    References
    ----------
    System Evaluation slides: the error counting estimate, with rejected cases left out.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array([0, 1]))
    >>> ilk.measure("error")(prediction)
    0.25
    """

    greater_is_better = False

    def __call__(self, prediction: ilk.Prediction) -> float:
        return 1.0 - _share(_hits(prediction))


class Accuracy(ilk.Measure):
    """Share of the answered cases whose label is right.

    ``accuracy = #{i answered: label_i = truth_i} / #{i answered}``; NaN if no case was
    answered.

    References
    ----------
    System Evaluation slides: the error counting estimate, with rejected cases left out.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array([0, 1]))
    >>> ilk.measure("accuracy")(prediction)
    0.75
    """

    greater_is_better = True

    def __call__(self, prediction: ilk.Prediction) -> float:
        return _share(_hits(prediction))


class MeanClassAccuracy(ilk.Measure):
    """Mean over the classes of the share of their answered cases that is labelled right.

    ``(1/C) sum_c M_cc / N_c`` with M the confusion matrix (rows true) and N_c the answered
    cases of class c; C counts the classes that have any. NaN if no case was answered. Also
    called balanced accuracy.

    References
    ----------
    Zaidi (2011), (4.17), which prints ``sum_i M_ij / N_c`` and leaves the mean to the reader.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array([0, 1, 1, 1, 1]), np.array([1, 1, 1, 1, 1])
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array([0, 1]))
    >>> ilk.measure("mean_class_accuracy")(prediction)
    0.5
    """

    greater_is_better = True

    def __call__(self, prediction: ilk.Prediction) -> float:
        hits = _hits(prediction)
        truth = prediction.truth[prediction.answered]
        shares = [_share(hits[truth == label]) for label in np.unique(truth)]
        return float(np.mean(shares)) if shares else math.nan


def _hits(prediction: ilk.Prediction) -> np.ndarray:
    """Which of the answered cases are labelled right."""
    answered = prediction.answered
    return np.asarray(prediction.truth[answered] == prediction.labels[answered])


def _share(hits: np.ndarray) -> float:
    return float(np.mean(hits)) if len(hits) else math.nan
