"""A mixture of three experts whose first division of the cases is that of boosting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp

from ilk_ensembles.base.outputs import number_each

if TYPE_CHECKING:
    from ilk_ensembles.base.gate import Gate
    from ilk_ensembles.boosting.teaching import Teacher

_FLOOR = 1e-6  # least variance of an expert's noise, as a share of the targets'
_ROUNDING = 2.0**-104  # as a share of the square of the largest target


class Mixing:
    """Fits experts, and a gate, to targets.

    Parameters
    ----------
    teacher : Teacher
    y : ndarray of shape (n,)
    weights : ndarray of shape (n,)
        They sum to 1.

    Attributes
    ----------
    experts : list of regressors
    said : ndarray of shape (n, L)
        What they say of the training rows.
    variances : ndarray of shape (L,)
        In squares of `unit`.
    unit : float
        A power of two near the largest target, by which errors are divided before they are
        squared.
    log_shares : ndarray of shape (n, L)
        Logarithms of the gate's shares.
    """

    def __init__(self, teacher: Teacher, y: np.ndarray, weights: np.ndarray) -> None:
        self.teacher, self.y, self.weights = teacher, y, weights
        self.unit = 2.0 ** min(int(np.frexp(np.abs(y).max())[1]), 1023)
        spread = float(weights @ ((y - weights @ y) / self.unit) ** 2)
        self.floor = max(_FLOOR * spread, _ROUNDING) if spread > 0 else 1.0
        self.experts: list[Any] = []
        self.said = np.empty((len(y), 0))
        self.variances = np.empty(0)
        self.log_shares = np.empty((len(y), 0))

    def boost(self, threshold: float | None, share: float) -> float:
        """Fit the three experts of boosting; return what is a big error from.

        Parameters
        ----------
        threshold : float or None
            None: what that share of the cases' weight is above, among errors of the first.
        share : float
        """
        first = self._errors(self._add(self.weights))
        if threshold is None:
            threshold = _quantile(first, self.weights, 1 - share)
        big = first > threshold
        second = self._errors(self._add(_halves(self.weights, big))) > threshold
        self._add(_only(self.weights, big != second, big & second))
        return float(threshold)

    def start(self, gate: Gate, rows: np.ndarray) -> float:
        """Fit the gate to what the boosted experts can account for; return the likelihood."""
        self.variances = self._variances(np.ones(self.said.shape))
        self.log_shares = np.full(self.said.shape, -np.log(self.said.shape[1]))
        self.log_shares = gate.fit(rows, self.responsibilities(), self.weights)
        self.variances = self._variances(self.responsibilities())
        return self.likelihood()

    def improved(self, gate: Gate, rows: np.ndarray, number: int) -> Mixing:
        """The mixture after a round of expectation and maximisation."""
        other = Mixing(self.teacher, self.y, self.weights)
        shares = self.responsibilities()
        for column in range(shares.shape[1]):
            own = self.weights * shares[:, column]
            if own.sum() > 0:
                other._add(own / own.sum(), number)
            else:  # accounts for nothing: it stays as it is
                other._keep(self.experts[column], self.said[:, column])
        other.log_shares = gate.fit(rows, shares, self.weights)
        other.variances = other._variances(shares)
        return other

    def responsibilities(self) -> np.ndarray:
        """Chance that each expert made the target; array of shape (n, L), rows sum to 1."""
        joint = self._joint()
        return np.asarray(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)))

    def likelihood(self) -> float:
        """Weighted mean of the logarithm of the targets' density."""
        return float(self.weights @ logsumexp(self._joint(), axis=1) - np.log(self.unit))

    def _joint(self) -> np.ndarray:
        logs = -(self._squares() / self.variances + np.log(2 * np.pi * self.variances)) / 2
        return np.asarray(logs + self.log_shares)

    def _squares(self) -> np.ndarray:
        return np.asarray(((self.y[:, None] - self.said) / self.unit) ** 2)

    def _variances(self, shares: np.ndarray) -> np.ndarray:
        own = self.weights[:, None] * shares
        squares = (own * self._squares()).sum(axis=0)
        totals = own.sum(axis=0)
        return np.asarray(np.maximum(squares / np.where(totals > 0, totals, 1), self.floor))

    def _add(self, weights: np.ndarray, number: int | None = None) -> np.ndarray:
        number = len(self.experts) if number is None else number
        expert = self.teacher.fit(number, self.y, weights)
        said = self.teacher.ask(number, expert, lambda m, X: number_each(m.predict(X), len(self.y)))
        self._keep(expert, said)
        return np.asarray(said)

    def _keep(self, expert: Any, said: np.ndarray) -> None:
        self.experts.append(expert)
        self.said = np.column_stack([self.said, said])

    def _errors(self, said: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(said - self.y))


def _quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """Least value such that those at most it have that share of the weight."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order[(reached >= (share - 1e-12) * reached[-1]).argmax()]])


def _halves(weights: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Weights of which some cases have half, the others the other half."""
    inside, outside = weights[some].sum(), weights[~some].sum()
    if not (inside > 0 and outside > 0):
        return weights
    return np.asarray(np.where(some, weights / (2 * inside), weights / (2 * outside)))


def _only(weights: np.ndarray, *choices: np.ndarray) -> np.ndarray:
    """Weights of the first choice of cases that there are any of; of all, if there are none."""
    for some in choices:
        total = weights[some].sum()
        if total > 0:
            return np.where(some, weights / total, 0.0)
    return weights
