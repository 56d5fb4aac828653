"""A curve of a prediction over all thresholds of its scores, and a band of several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np

Shape = Literal["roc", "precision_recall"]


@dataclass(frozen=True)
class Curve:
    """What two rates become as the threshold of the scores falls.

    Attributes
    ----------
    x, y : ndarray of shape (k,)
        False positive and true positive rates, or recall and precision; x never falls.
    thresholds : ndarray of shape (k,)
        A case counts as positive whose score is at least this; the first is infinite, so that
        none is.
    area : float
        Under the curve: for ROC by straight lines, for precision and recall by steps.
    name : str
        The positive class, and what it is held against.
    shape : {"roc", "precision_recall"}
        Which rates they are, and so how points are joined.
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
    """Several curves averaged, and how far they spread.

    Attributes
    ----------
    x : ndarray of shape (k,)
        Where they were averaged.
    mean, lower, upper : ndarray of shape (k,)
        Of the curves at each x; bounds lie from 0 to 1.
    area : float
        Mean of the areas of the curves.
    n : int
        How many curves.
    spread : str
        What the bounds are, in words.
    area_sd : float
        Standard deviation of the areas, NaN for one curve.
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
