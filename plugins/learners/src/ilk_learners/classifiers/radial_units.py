"""Gaussian units and the linear outputs over them: values, weights in closed form, gradients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform
from scipy.special import log_softmax

Loss = Callable[[np.ndarray, np.ndarray], tuple[float, np.ndarray]]
"""Of outputs and one-hot targets, both of shape (n, C): the mean loss, and its derivative."""

_NEAR = 2  # centres whose mean distance is a width


@dataclass(frozen=True)
class Network:
    """Outputs ``o(x) = b + sum_j W_j exp(-|x - c_j|^2 / (2 sigma_j^2))``.

    Attributes
    ----------
    centers : ndarray of shape (k, p)
    log_sigmas : ndarray of shape (k,)
    weights : ndarray of shape (k, C)
    bias : ndarray of shape (C,)
    """

    centers: np.ndarray
    log_sigmas: np.ndarray
    weights: np.ndarray
    bias: np.ndarray

    def units(self, X: np.ndarray) -> np.ndarray:
        """Value of each unit for each row; array of shape (m, k)."""
        with np.errstate(under="ignore", over="ignore"):
            return np.asarray(np.exp(-self._squares(X) / 2))

    def _squares(self, X: np.ndarray) -> np.ndarray:
        """Squared distances from the centres, in sigmas."""
        return np.asarray(cdist(X, self.centers) / np.exp(self.log_sigmas)) ** 2

    def outputs(self, X: np.ndarray) -> np.ndarray:
        """Array of shape (m, C)."""
        return np.asarray(self.units(X) @ self.weights + self.bias)

    def vector(self) -> np.ndarray:
        """All parameters in a row."""
        parts = self.centers, self.log_sigmas, self.weights, self.bias
        return np.concatenate([part.ravel() for part in parts])

    def with_vector(self, vector: np.ndarray) -> Self:
        """A network of the same shape with other parameters."""
        parts = self.centers, self.log_sigmas, self.weights, self.bias
        ends = np.cumsum([part.size for part in parts])[:-1]
        pieces = np.split(vector, ends)
        return type(self)(*(v.reshape(part.shape) for v, part in zip(pieces, parts, strict=True)))

    def loss(
        self, X: np.ndarray, targets: np.ndarray, alpha: float, loss: Loss
    ) -> tuple[float, Self]:
        """Mean loss plus alpha |W|^2, and its gradient, in the shape of a network."""
        squares = self._squares(X)
        with np.errstate(under="ignore"):
            H = np.exp(-squares / 2)
            value, G = loss(H @ self.weights + self.bias, targets)
            inner = (G @ self.weights.T) * H
            precision = np.exp(-2 * self.log_sigmas)[:, None]
            centers = (inner.T @ X - inner.sum(axis=0)[:, None] * self.centers) * precision
            gradient = type(self)(
                centers,
                (inner * squares).sum(axis=0),
                H.T @ G + 2 * alpha * self.weights,
                G.sum(axis=0),
            )
        return value + alpha * float((self.weights**2).sum()), gradient


def squared_error(outputs: np.ndarray, targets: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean over rows of the sum of squared errors, and its derivative for each output."""
    errors = outputs - targets
    return float((errors**2).sum()) / len(errors), 2 * errors / len(errors)


def cross_entropy(outputs: np.ndarray, targets: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean over rows of minus the logarithm of the class's softmax, and its derivative."""
    logs = log_softmax(outputs, axis=1)
    return -float((targets * logs).sum()) / len(logs), (np.exp(logs) - targets) / len(logs)


def ridge(H: np.ndarray, targets: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights and bias that minimise the mean squared error plus alpha |W|^2.

    By an orthogonal factorisation: H'H, whose condition is the square of H's, is not formed.
    """
    k = H.shape[1]
    mean, target = H.mean(axis=0), targets.mean(axis=0)
    root = np.vstack([(H - mean) / np.sqrt(len(H)), np.sqrt(alpha) * np.eye(k)])
    right = np.vstack([(targets - target) / np.sqrt(len(H)), np.zeros((k, targets.shape[1]))])
    Q, R = np.linalg.qr(root)
    weights = np.linalg.solve(R, Q.T @ right)
    return weights, target - mean @ weights


def widths(centers: np.ndarray, rows: np.ndarray, rule: str) -> np.ndarray:
    """Sigma of each unit, by the distances between centres.

    Parameters
    ----------
    rule : {"neighbors", "mean_distance"}
        The mean distance from the two nearest other centres, or that of all pairs. Where it
        is 0, the mean distance of rows from centres (if that is 0 too: 1).
    """
    k = len(centers)
    if k == 1:
        found = np.zeros(1)
    elif rule == "mean_distance":
        found = np.full(k, pdist(centers).mean())
    else:
        found = np.sort(squareform(pdist(centers)), axis=1)[:, 1 : 1 + _NEAR].mean(axis=1)
    typical = float(cdist(rows, centers).mean()) or 1.0
    return np.where(found > 0, found, typical)
