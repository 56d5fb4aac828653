"""The error of Lowe's variable-kernel votes, and its gradient."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ilk_learners.metric_learners.softmax import softmax

_NUMBERS = 2**19  # squared differences held at once
_LEAST = 0.1  # of the mean distance of nearest neighbours; what rows get that have duplicates


@dataclass(frozen=True)
class VariableKernel:
    """The squared error of votes plus a prior, as a function of log weights and log r.

    Neighbour j of row i votes with ``exp(-d_ij^2 / (2 sigma_i^2))``, where ``d_ij^2 = sum_k
    w_k^2 (x_ik - x_jk)^2`` and sigma_i is r times the mean of the smaller half of row i's d.
    The prior is ``penalty (sum_k log(w_k)^2 + log(r / r0)^2)``.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        In units of each feature's spread.
    Y : ndarray of shape (n, C)
        A column for each class.
    neighbors : ndarray of int, shape (n, m)
        Rows other than the row itself.
    least : float
        What the mean distance counts at least.
    r0, penalty : float
    """

    X: np.ndarray
    Y: np.ndarray
    neighbors: np.ndarray
    least: float
    r0: float
    penalty: float

    def __call__(self, v: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss and gradient at p log weights, and log r in the last place."""
        loss, gradient = 0.0, np.zeros(len(v))
        squares, r = np.exp(2 * v[:-1]), float(np.exp(v[-1]))
        for rows in self._blocks():
            near = self.neighbors[rows]
            D = np.square(self.X[rows, None] - self.X[near])
            part = _votes(D @ squares.astype(D.dtype), r, self.least, self.Y[rows], self.Y[near])
            loss += part.loss
            gradient[:-1] += squares * np.einsum("im,imp->p", part.slopes, D, dtype=float)
            gradient[-1] += part.slope_r
        away = v - np.append(np.zeros(len(v) - 1), np.log(self.r0))
        return loss + self.penalty * float(away @ away), gradient + 2 * self.penalty * away

    def _blocks(self) -> Iterator[slice]:
        n, m = self.neighbors.shape
        size = max(1, _NUMBERS // (m * max(self.X.shape[1], self.Y.shape[1])))
        for start in range(0, n, size):
            yield slice(start, min(start + size, n))


def least_distance(X: np.ndarray, neighbors: np.ndarray) -> float:
    """A tenth of the mean distance from rows to the nearer half of their neighbours."""
    half = neighbors[:, : max(1, neighbors.shape[1] // 2)]
    total = sum(float(np.linalg.norm(X - X[column], axis=1).mean()) for column in half.T)
    return _LEAST * total / half.shape[1] or 1.0


class _Part(NamedTuple):
    """Loss of a block of rows; its slopes for squared distances (times 2) and for log r."""

    loss: float
    slopes: np.ndarray
    slope_r: float


def _votes(d2: np.ndarray, r: float, least: float, Y: np.ndarray, Y_near: np.ndarray) -> _Part:
    d = np.sqrt(d2)
    half = np.argsort(d, axis=1, kind="stable")[:, : max(1, d.shape[1] // 2)]
    nearest = np.take_along_axis(d, half, axis=1)
    means = nearest.mean(axis=1)
    wide = means > least
    sigma = (r * np.maximum(means, least))[:, None]
    s = d2 / (2 * sigma**2)
    P = softmax(-s)
    votes = np.einsum("im,imc->ic", P, Y_near)
    errors = votes - Y
    S = P * np.einsum("ic,imc->im", 2 * errors, Y_near - votes[:, None])
    slopes = -S / sigma**2
    by_sigma = np.einsum("im,im->i", S, d2) / sigma[:, 0] ** 3 * wide
    inverse = np.divide(1.0, nearest, out=np.zeros_like(nearest), where=nearest > 0)
    shares = by_sigma[:, None] * (r / half.shape[1]) * inverse
    np.put_along_axis(slopes, half, np.take_along_axis(slopes, half, axis=1) + shares, axis=1)
    loss = float(np.sum(np.square(errors), dtype=float))
    return _Part(loss, slopes, 2 * float(np.sum(S * s, dtype=float)))
