"""Calibration: whether events of predicted probability p occur in a share p of the cases."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Literal

import numpy as np

from ilk import InputError, Prediction
from ilk_evaluation.confusion import answered_codes
from ilk_evaluation.curves.curve import shares
from ilk_evaluation.measures.answered_values import answered_probabilities
from ilk_evaluation.measures.class_codes import positive_code


@dataclass(frozen=True)
class Calibration:
    """Cases binned by predicted probability, and the observed frequency in each bin.

    Attributes
    ----------
    probability, frequency : ndarray of shape (k,)
        Mean probability of the cases of a bin, and the share in which the event occurred; NaN in an
        empty bin.
    counts : ndarray of int, shape (k,)
        Answered cases of each bin.
    edges : ndarray of shape (k + 1,)
        A bin holds the probabilities above its lower edge up to its upper one; the first bin also
        includes its lower edge.
    expected_error : float
        ``sum_b n_b/n |frequency_b - probability_b|``: the expected calibration error.
    largest_error : float
        The largest of these gaps.
    name : str
        The event.
    """

    probability: np.ndarray
    frequency: np.ndarray
    counts: np.ndarray
    edges: np.ndarray
    expected_error: float
    largest_error: float
    name: str


def calibration(
    prediction: Prediction,
    bins: int = 10,
    positive: object = None,
    *,
    strategy: Literal["width", "quantile"] = "width",
) -> Calibration:
    """Compare predicted probabilities with observed frequencies, in bins.

    Parameters
    ----------
    prediction : ilk.Prediction
        With probabilities. Only answered cases count.
    bins : int, default=10
        Number of bins, at least 1.
    positive : label, optional
        The event is that a case belongs to this class; by default the second of two. With more
        classes and no `positive`, the event is that the predicted label is right, with the
        probability of the predicted class.
    strategy : {"width", "quantile"}, default="width"
        Bins of equal width from 0 to 1, or with as equal numbers of cases as ties allow; equal
        edges are merged, which leaves fewer bins.

    Returns
    -------
    Calibration

    Raises
    ------
    InputError
        If the prediction has no probabilities, no case was answered, `positive` is no class, or
        `bins` is invalid.

    Notes
    -----
    The expected error depends on the bins: fewer of them hide more of it.

    References
    ----------
    DeGroot & Fienberg (1983), The comparison and evaluation of forecasters; Guo, Pleiss, Sun &
    Weinberger (2017), On calibration of modern neural networks, for the expected error.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> from ilk_evaluation import curves
    >>> truth, chance = np.array([0, 1, 1, 1]), np.array([0.2, 0.4, 0.8, 0.8])
    >>> P = np.column_stack([1 - chance, chance])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> found = curves.calibration(prediction, bins=2)
    >>> found.frequency.tolist(), found.counts.tolist(), round(found.expected_error, 3)
    ([0.5, 1.0], [2, 2], 0.2)
    """
    if not isinstance(bins, Integral) or isinstance(bins, bool) or bins < 1:
        raise InputError(f"calibration: bins must be an integer >= 1, got {bins!r}")
    chance, happened, name = _event(prediction, positive)
    if not len(chance):
        raise InputError("calibration: no case was answered")
    edges = _edges(chance, bins, strategy)
    place = np.searchsorted(edges[1:-1], chance)
    counts = np.bincount(place, minlength=len(edges) - 1)
    with np.errstate(invalid="ignore"):
        probability = np.bincount(place, chance, len(counts)) / counts
        frequency = np.bincount(place, happened, len(counts)) / counts
    used = counts > 0
    gaps = np.abs(frequency - probability)[used]
    expected = float(np.dot(counts[used], gaps) / len(chance))
    return Calibration(probability, frequency, counts, edges, expected, float(gaps.max()), name)


def _event(prediction: Prediction, positive: object) -> tuple[np.ndarray, np.ndarray, str]:
    """Probability of the event, whether it occurred, and its name."""
    truth, P = answered_probabilities(prediction, "calibration")
    if positive is None and len(prediction.classes) != 2:
        _, labels = answered_codes(prediction)
        return P[np.arange(len(labels)), labels], truth == labels, "the predicted class"
    code = positive_code(prediction.classes, positive, "calibration")
    return P[:, code], truth == code, str(np.asarray(prediction.classes).tolist()[code])


def _edges(chance: np.ndarray, bins: int, strategy: str) -> np.ndarray:
    if strategy == "width":
        return shares(bins)
    if strategy != "quantile":
        raise InputError(f"calibration: strategy must be 'width' or 'quantile', got {strategy!r}")
    inner = np.unique(np.quantile(chance, np.linspace(0, 1, bins + 1)[1:-1]))
    inner = inner[(inner > chance.min()) & (inner < chance.max())] if bins > 1 else inner[:0]
    return np.concatenate([[0.0], inner, [1.0]])
