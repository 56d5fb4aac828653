"""Prediction: the output of a pipeline for the test cases of one split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Prediction:
    """The output of a pipeline for test cases, aligned to the classes of the whole data set.

    Attributes
    ----------
    truth, labels : ndarray of shape (n,)
        True and predicted labels.
    classes : ndarray of shape (C,)
        Classes of the data set, sorted.
    probabilities : ndarray of shape (n, C) or None
        Classes unseen in training have probability 0.
    scores : ndarray of shape (n, C) or None
        Decision values; -inf for classes unseen in training.
    rejected : ndarray of bool, shape (n,)
        Cases that the pipeline rejected.
    indices : ndarray of int, shape (n,)
        Row numbers of the test cases.
    fit_seconds, predict_seconds : float
        Wall-clock seconds, as if no other pipeline had shared its work.
    saved_seconds : float
        Seconds of these that shared work saved.
    reduction : float
        Share of the training cases that editors removed.
    predictor : str
        Kind of the predictor: ``"classifier"``; ``"regressor"``, whose truth and labels are
        numbers, without classes; ``"detector"``, whose classes are inlier and outlier;
        ``"clusterer"``, whose labels are numbers of clusters, -1 for noise.
    silhouettes : ndarray of shape (n,) or None
        Silhouette of each case among the clusters; NaN where it is undefined.
    """

    truth: np.ndarray
    labels: np.ndarray
    classes: np.ndarray
    probabilities: np.ndarray | None = None
    scores: np.ndarray | None = None
    rejected: Any = None
    indices: Any = None
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    reduction: float = float("nan")
    predictor: str = "classifier"
    silhouettes: Any = None
    saved_seconds: float = 0.0

    def __post_init__(self) -> None:
        n = len(self.truth)
        if self.rejected is None:
            object.__setattr__(self, "rejected", np.zeros(n, dtype=bool))
        if self.indices is None:
            object.__setattr__(self, "indices", np.arange(n))

    @property
    def answered(self) -> np.ndarray:
        """Mask of the cases that were not rejected."""
        return ~np.asarray(self.rejected, dtype=bool)

    def __len__(self) -> int:
        return len(self.truth)
