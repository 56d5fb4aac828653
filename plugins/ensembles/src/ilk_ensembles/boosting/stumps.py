"""Regression stumps for labels +1 and -1; rows are sorted once for many stumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ilk import in_blocks

_ROUNDING = 1e-12  # rounding of a gain, as weights sum to 1: closer gains tie
_CELLS = 1 << 17  # entries searched per parallel block: enough work for a thread
_SMALL = 1 << 16  # most rows whose indices fit uint16
_SHARE = 1 << 13  # least values sorted per thread; fewer do not repay its start


@dataclass(frozen=True)
class RegressionStump:
    """Predicts one number at or below a threshold on a feature, another above it.

    Attributes
    ----------
    feature_ : int
        -1 if there is no split; then ``below_`` is the prediction for every row.
    threshold_, below_, above_ : float
    """

    feature_: int
    threshold_: float
    below_: float
    above_: float

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Prediction for each row; array of shape (m,)."""
        if self.feature_ < 0:
            return np.full(len(X), self.below_)
        # in double precision: a threshold between two float32 values may be none
        above = X[:, self.feature_] > np.float64(self.threshold_)
        return np.where(above, self.above_, self.below_)


class SortedRows:
    """Rows sorted along each feature, once for any number of stumps.

    Memory: 3 bytes a cell, 5 from 65,537 rows on.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Must not be modified while in use.
    """

    def __init__(self, X: np.ndarray) -> None:
        n, p = X.shape
        self.X = X
        self.order = np.empty((p, n), dtype=np.uint16 if n <= _SMALL else np.uint32)
        self.last = np.zeros((p, n), dtype=bool)

        def work(start: int, stop: int) -> None:
            for f in range(start, stop):
                column = np.ascontiguousarray(X[:, f])
                rows = np.argsort(column)
                values = column[rows]
                self.last[f, :-1] = values[1:] != values[:-1]
                if not self.last[f, :-1].all():  # stable: ties must not depend on the sort
                    rows = np.argsort(column, kind="stable")
                self.order[f] = rows

        in_blocks(work, p, max(_SHARE // n, 1))

    def fit(self, signed: np.ndarray) -> list[RegressionStump]:
        """Fit a stump to each problem by weighted least squares.

        Ties, up to rounding, go to the lowest feature, then the lowest threshold.

        Parameters
        ----------
        signed : ndarray of shape (Q, n)
            w_i y_i of each problem; absolute values sum to 1.
        """
        from ilk_ensembles.boosting.bin_kernels import search_thresholds

        p, n = self.order.shape
        gains = np.empty((len(signed), p))
        places = np.empty((len(signed), p), dtype=np.int64)

        def work(start: int, stop: int) -> None:
            block = slice(start, stop)
            search_thresholds(
                self.order[block],
                self.last[block],
                signed,
                _ROUNDING,
                gains[:, block],
                places[:, block],
            )

        in_blocks(work, p, max(_CELLS // (n * len(signed)), 1))
        best = (gains >= gains.max(axis=1, keepdims=True) - _ROUNDING).argmax(axis=1)
        return [
            self._stump(values, int(f), int(places[q, f]))
            for q, (values, f) in enumerate(zip(signed, best, strict=True))
        ]

    def _stump(self, signed: np.ndarray, feature: int, place: int) -> RegressionStump:
        if place < 0:
            mean = _mean(signed)
            return RegressionStump(-1, np.inf, mean, mean)
        order = self.order[feature]
        low, high = (float(self.X[order[at], feature]) for at in (place, place + 1))
        sides = signed[order[: place + 1]], signed[order[place + 1 :]]
        return RegressionStump(feature, _between(low, high), _mean(sides[0]), _mean(sides[1]))


def _mean(signed: np.ndarray) -> float:
    """Mean label from signed weights: from -1 to 1."""
    weight = float(np.abs(signed).sum())
    return float(signed.sum()) / weight if weight > 0 else 0.0


def _between(low: float, high: float) -> float:
    """Midpoint in floating point: at least `low`, less than `high`."""
    # halves first: the sum might overflow
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def as_problems(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Labels +1 and -1 of each class against the rest; of the second class if there are two.

    Returns
    -------
    ndarray of shape (Q, n)
    """
    classes = np.arange(n_classes) if n_classes > 2 else np.array([1])
    return np.where(codes == classes[:, None], 1.0, -1.0)


def feature_gains(stumps: list[list[Any]], falls: np.ndarray, n_features: int) -> np.ndarray:
    """Share of each feature in the total gain of the rounds.

    Parameters
    ----------
    stumps : list of T lists of Q members
    falls : ndarray of shape (T, Q)
        Gain of each member.
    """
    from ilk_ensembles.boosting.additive import feature_shares

    total = np.zeros(n_features)
    for members, gained in zip(stumps, falls, strict=True):
        for member, fall in zip(members, gained, strict=True):
            total += fall * feature_shares(member, n_features)
    return total / total.sum() if total.sum() > 0 else total
