"""What a learned metric does to the nearest neighbour's error, before anyone relies on it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ilk import InputError, Param, check_labels, check_same_length, display_name
from ilk.neighbors.norms import Euclidean
from ilk_learners.magnitude import common_deviations
from ilk_learners.targets import holds_numbers

REPORT = Param(bool, doc="Whether fit measures the error before and after (`report_`).")
MOST_QUERIES = 500  # rows that are left out one by one; the others are looked at all the same


class MetricWarning(UserWarning):
    """A learned metric classifies its own training rows worse than the Euclidean one."""


@dataclass(frozen=True)
class Report:
    """Leave-one-out error of the nearest neighbour on the training rows.

    Attributes
    ----------
    before, after : float
        With the Euclidean distance and with the learned one: the share of rows whose nearest
        other row is of another class, or for numbers as targets the mean squared difference.
    n_queries : int
        How many rows were left out, one at a time, evenly spread over the training rows.
    """

    before: float
    after: float
    n_queries: int


def report(owner: Any, X: np.ndarray, Z: np.ndarray, y: np.ndarray) -> Report:
    """Compare the rows X with what a metric learner made of them, Z.

    Warns
    -----
    MetricWarning
        If the error after is larger by more than two standard errors of the difference.
    """
    return compare(owner, X, y, lambda queries: _nearest_others(queries, Z))


def compare(
    owner: Any, X: np.ndarray, y: np.ndarray, nearest: Callable[[np.ndarray], np.ndarray]
) -> Report:
    """Compare the Euclidean distance of rows X with any other way of finding neighbours.

    Parameters
    ----------
    nearest : callable
        Takes indices of rows, and returns that of the nearest other row of each.

    Warns
    -----
    MetricWarning
        If the error after is larger by more than two standard errors of the difference.
    """
    queries = np.unique(np.linspace(0, len(X) - 1, min(len(X), MOST_QUERIES)).astype(int))
    found = _nearest_others(queries, X), nearest(queries)
    exponent = int(np.frexp(np.abs(y).max())[1]) if y.dtype.kind == "f" else 0
    scaled = np.ldexp(y, -exponent) if exponent else y  # squares neither overflow nor vanish
    losses = [_losses(queries, rows, scaled) for rows in found]
    before, after = (float(each.mean()) for each in losses)
    doubt = float((losses[1] - losses[0]).std() / np.sqrt(len(queries)))
    if after - before > 2 * doubt:
        warnings.warn(
            f"{display_name(owner)}: the learned metric is worse than the Euclidean distance, by "
            f"the leave-one-out error of the nearest neighbour on the training rows (see report_)",
            MetricWarning,
            stacklevel=4,
        )
    with np.errstate(over="ignore"):
        before, after = (float(np.ldexp(error, 2 * exponent)) for error in (before, after))
    return Report(before, after, len(queries))


def _losses(queries: np.ndarray, nearest: np.ndarray, y: np.ndarray) -> np.ndarray:
    if y.dtype.kind == "f":
        return np.asarray((y[queries] - y[nearest]) ** 2)
    return np.asarray(y[queries] != y[nearest], dtype=float)


def _nearest_others(queries: np.ndarray, X: np.ndarray) -> np.ndarray:
    """The row nearest to each query among all the others, ties by lower index."""
    _, indices = Euclidean().kneighbors(X[queries], X, 2)
    own = indices[:, 0] == queries
    return np.where(own, indices[:, 1], indices[:, 0])


def report_where_known(owner: Any, X: np.ndarray, y: Any) -> Report | None:
    """Report of a learner that learns from X alone, or from pairs: only where y can be compared."""
    if not owner.report or y is None:
        return None
    check_same_length(owner, X, y)
    try:
        targets = np.asarray(y, dtype=float) if holds_numbers(y) else check_labels(owner, y, X)[1]
    except InputError:  # y is none of this learner's business
        return None
    if targets.ndim > 1:
        return None
    _, rows, _ = common_deviations(X)
    L = owner.components_.astype(float)  # of length 1: which neighbour is nearest stays
    return report(owner, rows, rows @ (L / (np.abs(L).max() or 1.0)).T, targets)
