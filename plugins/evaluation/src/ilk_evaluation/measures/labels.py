"""Measures over predicted labels; all divide by the cases that were answered."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import ilk
from ilk_evaluation.confusion import answered_truth
from ilk_evaluation.measures.averages import absent_remark


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
        return _share(~_hits(prediction))


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
    cases of class c; C counts the classes that have any, and `remarks` says which have none.
    NaN if no case was answered. Also called balanced accuracy.

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
        truth = answered_truth(prediction)
        cases, right = np.bincount(truth), np.bincount(truth, _hits(prediction))
        return float(np.mean(right[cases > 0] / cases[cases > 0])) if len(truth) else math.nan

    def remarks(self, prediction: ilk.Prediction) -> Sequence[str]:
        """Say which classes the mean leaves out."""
        cases = np.bincount(answered_truth(prediction), minlength=len(prediction.classes))
        return absent_remark(cases, np.asarray(prediction.classes).tolist())


def _hits(prediction: ilk.Prediction) -> np.ndarray:
    """Which of the answered cases are labelled right."""
    answered = prediction.answered
    truth, labels = np.asarray(prediction.truth), np.asarray(prediction.labels)
    return np.asarray(truth[answered] == labels[answered])


def _share(hits: np.ndarray) -> float:
    return float(np.mean(hits)) if len(hits) else math.nan
