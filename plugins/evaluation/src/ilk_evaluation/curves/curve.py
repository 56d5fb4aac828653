"""Curves over all thresholds of scores, and several of them averaged into a band."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ilk import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

Shape = Literal["roc", "precision_recall"]


@dataclass(frozen=True)
class Curve:
    """Two rates as functions of a falling threshold of the scores.

    Attributes
    ----------
    x, y : ndarray of shape (k,)
        False positive and true positive rates, or recall and precision; x never falls.
    thresholds : ndarray of shape (k,)
        Cases with at least this score count as positive; the first threshold is infinite, so that
        none does.
    area : float
        Area under the curve: by straight lines for ROC, by steps for precision and recall.
    name : str
        The positive class and the negative ones.
    shape : {"roc", "precision_recall"}
        Which rates, and thereby how points are joined.
    n_positive, n_negative : int
        Answered cases.
    """

    x: np.ndarray
    y: np.ndarray
    thresholds: np.ndarray
    area: float
    name: str
    shape: Shape = "roc"
    n_positive: int = 0
    n_negative: int = 0


@dataclass(frozen=True)
class Band:
    """The average of several curves, and their spread.

    Attributes
    ----------
    x : ndarray of shape (k,)
        Positions of the averages.
    mean, lower, upper : ndarray of shape (k,)
        Mean and bounds of the curves at each x; bounds lie from 0 to 1.
    area : float
        Mean of the areas of the curves.
    n : int
        Number of curves.
    spread : str
        Meaning of the bounds, in words.
    area_sd : float
        Standard deviation of the areas; NaN for one curve.
    name : str
        Of the curves.
    shape : {"roc", "precision_recall"}
    """

    x: np.ndarray
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    area: float
    n: int
    spread: str
    area_sd: float = float("nan")
    name: str = ""
    shape: Shape = "roc"


def averaged(
    curves: Sequence[Curve],
    spread: Literal["sd", "t"] = "sd",
    *,
    confidence: float = 0.95,
    points: int = 101,
) -> Band:
    """Average curves vertically, that is, their heights at the same x.

    Between points a ROC curve is a straight line, and a precision-recall curve has the
    precision of the next point; where a curve rises or falls straight down, its highest value
    counts.

    Parameters
    ----------
    curves : sequence of Curve
        One per fold, all ROC or all precision-recall.
    spread : {"sd", "t"}, default="sd"
        The band: one standard deviation of the heights to either side, or Student's interval of
        their mean. The interval ignores that the folds of a cross-validation share training cases,
        and is then too narrow.
    confidence : float, default=0.95
        Of Student's interval, between 0 and 1.
    points : int, default=101
        Number of values of x, evenly from 0 to 1; at least 2.

    Returns
    -------
    Band
        For one curve, the bounds are NaN.

    Raises
    ------
    InputError
        For no curves or curves of both shapes, or an invalid spread, confidence or number of
        points.

    References
    ----------
    Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27, vertical
    averaging.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> from ilk_evaluation import curves
    >>> truth, classes = np.array([0, 0, 1, 1]), np.array([0, 1])
    >>> folds = []
    >>> for chance in ([0.1, 0.4, 0.35, 0.8], [0.1, 0.2, 0.6, 0.7]):
    ...     P = np.column_stack([1 - np.array(chance), chance])
    ...     folds.append(curves.roc(ilk.Prediction(truth, truth, classes, probabilities=P)))
    >>> band = curves.averaged(folds, points=5)
    >>> band.mean.tolist(), band.area, band.n
    ([0.75, 0.75, 1.0, 1.0, 1.0], 0.875, 2)
    """
    curves = list(curves)
    shapes = {curve.shape for curve in curves}
    if len(shapes) != 1:
        raise InputError(
            f"averaged: curves must be of one sort, got {' and '.join(sorted(shapes)) or 'none'}"
        )
    check_band("averaged", spread, confidence)
    if not isinstance(points, Integral) or points < 2:
        raise InputError(f"averaged: points must be an integer >= 2, got {points!r}")
    x = shares(points - 1)
    heights = np.array([height(curve, x) for curve in curves])
    mean = heights.mean(axis=0)
    half = half_width(heights, spread, confidence)
    areas = [curve.area for curve in curves]
    names = {curve.name for curve in curves}
    return Band(
        x,
        mean,
        np.maximum(mean - half, 0),
        np.minimum(mean + half, 1),
        float(np.mean(areas)),
        len(curves),
        band_text(spread, confidence),
        float(np.std(areas, ddof=1)) if len(areas) > 1 else float("nan"),
        names.pop() if len(names) == 1 else "",
        shapes.pop(),
    )


def shares(n: int) -> np.ndarray:
    """``0, 1/n, ..., 1``, with the same rounding as counts divided by n."""
    return np.arange(n + 1) / n


def height(curve: Curve, x: np.ndarray) -> np.ndarray:
    """Height of a curve at each x; the highest value where it is vertical."""
    places, index = np.unique(curve.x, return_index=True)
    tops = np.maximum.reduceat(curve.y, index)
    if curve.shape == "precision_recall":
        return np.asarray(tops[np.minimum(np.searchsorted(places, x), len(places) - 1)])
    left = curve.y[index]  # end of the line from the previous point
    at = np.clip(np.searchsorted(places, x, side="right") - 1, 0, len(places) - 1)
    after = np.minimum(at + 1, len(places) - 1)
    gap = np.where(after > at, places[after] - places[at], 1.0)
    share = (x - places[at]) / gap
    return np.asarray(tops[at] + share * (left[after] - tops[at]) * (after > at))


def check_band(function: str, spread: Any, confidence: Any) -> None:
    """Raise InputError for an unknown spread or an invalid confidence."""
    if spread not in ("sd", "t"):
        raise InputError(f"{function}: spread must be 'sd' or 't', got {spread!r}")
    number = isinstance(confidence, Real)
    if not number or not 0 < confidence < 1:
        raise InputError(f"{function}: confidence must be between 0 and 1, got {confidence!r}")


def half_width(values: np.ndarray, spread: str, confidence: float) -> np.ndarray:
    """Half the width of a band around means over the first axis; NaN for one value."""
    from scipy.special import stdtrit

    n = len(values)
    if n < 2:
        return np.full(values.shape[1:], np.nan)
    deviation = np.std(values, axis=0, ddof=1)
    if spread == "sd":
        return np.asarray(deviation)
    return np.asarray(stdtrit(n - 1, (1 + confidence) / 2) * deviation / np.sqrt(n))


def band_text(spread: str, confidence: float) -> str:
    """Meaning of the bounds of a band, in words."""
    if spread == "sd":
        return "one standard deviation to either side of the mean"
    return f"{100 * confidence:g}% interval of the mean by Student's t"
