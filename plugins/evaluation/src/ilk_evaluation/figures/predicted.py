"""What the predictions of a pipeline on a data set show: confusions, curves, calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_evaluation.confusion import confusion_matrix
from ilk_evaluation.curves import averaged, calibration, precision_recall, roc
from ilk_evaluation.experiments.scoring import pool

if TYPE_CHECKING:
    from ilk_evaluation.curves import Band, Calibration

LONGEST = 2000
"""Points of a curve that are kept: a fold with a million scores would have as many."""


@dataclass
class Predicted:
    """What the predictions of a pipeline on a data set show.

    Attributes
    ----------
    classes : ndarray of shape (C,)
    confusion : ndarray of int, shape (C, C)
        Of the answered cases of all splits, rows true; repeats count anew.
    n_rejected, n_cases, n_cells : int
    roc, precision_recall : Band or None
        Averaged over the splits, for two classes.
    calibration : object or None
        Of the first repeat, all its splits together.
    n_lost : int
        Splits without predictions: cells that failed or are missing.
    n_left_out : int
        Splits that have no ROC curve, as their test cases are of one class.
    pooled : bool
        Whether the curves are of whole repeats, as no split has one of its own.
    """

    classes: np.ndarray
    confusion: np.ndarray
    n_rejected: int = 0
    n_cases: int = 0
    n_cells: int = 0
    n_lost: int = 0
    roc: Band | None = None
    precision_recall: Band | None = None
    calibration: Calibration | None = None
    n_left_out: int = 0
    pooled: bool = False


def predicted(
    cells: Iterable[tuple[int, int, ilk.Prediction]], *, curves: bool
) -> Predicted | None:
    """Look at the predictions of a pipeline on a data set, a repeat in memory at a time.

    Parameters
    ----------
    cells : iterable of (repeat, fold, Prediction)
    curves : bool
        Whether to make curves, where there are two classes and scores.

    Returns
    -------
    Predicted, or None if there is no prediction
    """
    found: Predicted | None = None
    own: dict[str, list[Any]] = {"roc": [], "precision_recall": []}
    whole: dict[str, list[Any]] = {"roc": [], "precision_recall": []}
    for number, (_, group) in enumerate(groupby(cells, key=lambda cell: cell[0])):
        predictions = [prediction for _, _, prediction in group]
        found = found or _nothing(predictions[0])
        for prediction in predictions:
            found.confusion += confusion_matrix(prediction)
            found.n_rejected += int(np.sum(prediction.rejected))
            found.n_cases += len(prediction)
            found.n_cells += 1
        if not curves or not _has_scores(predictions):
            continue
        together = pool(predictions)
        if number == 0:
            found.calibration = _if_defined(calibration, together)
        if len(found.classes) == 2:
            _add_curves(own, predictions)
            _add_curves(whole, [together])
    if found is not None:
        _average(found, own, whole)
    return found


def _nothing(prediction: ilk.Prediction) -> Predicted:
    n = len(prediction.classes)
    return Predicted(prediction.classes, np.zeros((n, n), dtype=int))


def _has_scores(predictions: Sequence[ilk.Prediction]) -> bool:
    return all(p.scores is not None or p.probabilities is not None for p in predictions)


def _add_curves(curves: dict[str, list[Any]], predictions: Sequence[ilk.Prediction]) -> None:
    for prediction in predictions:
        for name, make in (("roc", roc), ("precision_recall", precision_recall)):
            curve = _if_defined(make, prediction)
            if curve is not None:
                curves[name].append(thinned(curve))


def _if_defined(make: Callable[[ilk.Prediction], Any], prediction: ilk.Prediction) -> Any:
    """Return a curve, or None where the predictions have none, as those of one class."""
    try:
        return make(prediction)
    except ilk.IlkError:
        return None


def thinned(curve: Any) -> Any:
    """Return a curve with at most `LONGEST` points, its ends among them; its area stays."""
    if len(curve.x) <= LONGEST:
        return curve
    at = np.unique(np.linspace(0, len(curve.x) - 1, LONGEST).round().astype(int))
    return replace(curve, x=curve.x[at], y=curve.y[at], thresholds=curve.thresholds[at])


def _average(found: Predicted, own: dict[str, list[Any]], whole: dict[str, list[Any]]) -> None:
    found.pooled = not own["roc"] and bool(whole["roc"])
    chosen = whole if found.pooled else own
    if chosen["roc"]:
        found.roc = averaged(chosen["roc"])
        found.n_left_out = 0 if found.pooled else found.n_cells - len(own["roc"])
    if chosen["precision_recall"]:
        found.precision_recall = averaged(chosen["precision_recall"])
