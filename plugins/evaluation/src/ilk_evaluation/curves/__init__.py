"""Curves of predictions: ROC, precision and recall, calibration, learning; averaged over folds.

The module `drawing` beside them puts each on matplotlib's axes.
"""

from ilk_evaluation.curves.averaging import averaged
from ilk_evaluation.curves.calibrating import Calibration, calibration
from ilk_evaluation.curves.curve import Band, Curve
from ilk_evaluation.curves.growth import LearningCurve, learning
from ilk_evaluation.curves.precision_recall import precision_recall
from ilk_evaluation.curves.roc import roc

__all__ = [
    "Band",
    "Calibration",
    "Curve",
    "LearningCurve",
    "averaged",
    "calibration",
    "learning",
    "precision_recall",
    "roc",
]
