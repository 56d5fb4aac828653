"""Curves of predictions: ROC, precision and recall, calibration, learning; averaged over folds.

The module `plotting` draws each on matplotlib's axes.
"""

from ilk_evaluation.curves.calibration_curve import Calibration, calibration
from ilk_evaluation.curves.curve import Band, Curve, averaged
from ilk_evaluation.curves.learning_curve import LearningCurve, learning
from ilk_evaluation.curves.ranking import precision_recall, roc

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
