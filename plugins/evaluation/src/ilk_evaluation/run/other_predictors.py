"""Predictions of regressors, detectors and clusterers, in the form in which they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

import ilk
from ilk_evaluation.plan.predictors import INLIER

if TYPE_CHECKING:
    from ilk import Cases, Labels

NOISE = -1


def one_for_each(predicted: Any, queries: Cases) -> np.ndarray:
    """Return predictions as an array.

    Raises
    ------
    ilk.InputError
        Unless there is one for each case.
    """
    array, n = np.asarray(predicted), ilk.n_rows(queries)
    if array.shape != (n,):
        raise ilk.InputError(f"predict gave labels of shape {array.shape} for {n} cases")
    return array


def numbers(predicted: Any, queries: Cases) -> np.ndarray:
    """Return the predictions of a regressor as floats.

    Raises
    ------
    ilk.InputError
        Unless there is a finite number for each case.
    """
    array = one_for_each(predicted, queries).astype(float)
    wrong = np.flatnonzero(~np.isfinite(array))
    if wrong.size:
        raise ilk.InputError(
            f"predict gave {array[wrong[0]]} for {wrong.size} of {len(array)} cases; a regressor "
            f"must give finite numbers"
        )
    return array


def inliers(data: ilk.Data, rows: np.ndarray) -> np.ndarray:
    """Return the rows of inliers.

    Raises
    ------
    ilk.InputError
        If there are none.
    """
    found = rows[data.y[rows] == INLIER]
    if not len(found):
        raise ilk.InputError(f"none of {len(rows)} training cases is an inlier")
    return np.asarray(found)


def detected(model: ilk.Pipeline, queries: Cases) -> tuple[np.ndarray, None, np.ndarray]:
    """Return codes of the classes inlier and outlier, and a column of scores for each.

    The score of outliers is the negative decision value.

    Raises
    ------
    ilk.InputError
        If the detector gives another mark than 1 and -1.
    """
    marks = one_for_each(model.predict(queries), queries)
    strange = np.flatnonzero((marks != 1) & (marks != -1))
    if strange.size:
        raise ilk.InputError(
            f"predict gave {marks[strange[0]]!r}; a detector must give 1 for inliers and -1 for "
            f"outliers"
        )
    values = np.asarray(model.decision_function(queries), dtype=float).reshape(len(marks))
    return (marks == -1).astype(np.int32), None, np.column_stack([values, -values])


def grouped(
    model: ilk.Pipeline, X: Cases, y: np.ndarray, queries: Cases
) -> tuple[np.ndarray, np.ndarray | None, ilk.Pipeline]:
    """Cluster the test cases, after steps that learn from the training cases.

    The clusterer gets no labels.

    Returns
    -------
    clusters : ndarray of int64, shape (n,)
    silhouettes : ndarray of shape (n,) or None
        NaN for noise; None where the rows are no finite numbers, or there is one cluster only.
    model : ilk.Pipeline
        The fitted steps before the clusterer, or the clusterer where it is the only step.
    """
    last = model[-1:]
    if len(model) > 1:
        model = model[:-1].fit(X, y)
        queries = model.transform(queries)
    last.fit(queries)
    clusters = one_for_each(last.steps_[-1][1].labels_, queries).astype(np.int64)
    return clusters, _silhouettes(queries, clusters), model if len(model) > 1 else last


def _silhouettes(rows: Any, clusters: np.ndarray) -> np.ndarray | None:
    from sklearn.metrics import silhouette_samples

    inside = np.flatnonzero(clusters != NOISE)
    n_clusters = len(np.unique(clusters[inside]))
    if not 1 < n_clusters < len(inside) or not isinstance(rows, np.ndarray) or rows.ndim != 2:
        return None
    if rows.dtype.kind not in "fiub" or not np.isfinite(rows).all():
        return None
    widths = np.full(len(clusters), np.nan)
    widths[inside] = silhouette_samples(rows[inside], clusters[inside])
    return widths


class _Mean(ilk.Regressor):
    """Predicts the mean of the training targets."""

    def fit(self, X: Cases, y: Labels) -> Self:
        self.mean_ = float(np.asarray(y, dtype=float).mean())
        return self

    def predict(self, X: Cases) -> np.ndarray:
        return np.full(ilk.n_rows(X), self.mean_)


class _AllInliers(ilk.Detector):
    """Takes every case for an inlier, with one score."""

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        self.offset_ = 0.0
        return self

    def predict(self, X: Cases) -> np.ndarray:
        return np.ones(ilk.n_rows(X), dtype=int)

    def decision_function(self, X: Cases) -> np.ndarray:
        return np.full(ilk.n_rows(X), self.offset_)


class _OneCluster(ilk.Clusterer):
    """Puts all cases into one cluster."""

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        self.labels_ = np.zeros(ilk.n_rows(X), dtype=int)
        return self


FALLBACKS = {"regressor": _Mean, "detector": _AllInliers, "clusterer": _OneCluster}
"""What answers where a predictor that is no classifier fails."""
