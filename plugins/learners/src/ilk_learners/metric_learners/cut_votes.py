"""Soft votes of few neighbours: sparse weights in place of blocks of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from ilk_learners.metric_learners.softmax import Outer, softmax

_NUMBERS = 2**19  # coordinates or votes of neighbours held at once


@dataclass(frozen=True)
class CutVotes:
    """As `SoftVotes`, but row i is given votes by its `neighbors` only. Memory is O(n m).

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Centred.
    Y : ndarray of shape (n, C)
    outer : callable
        See `Outer`.
    neighbors : ndarray of int, shape (n, m)
        Rows other than the row itself.
    widths : ndarray of shape (n,), optional
    """

    X: np.ndarray
    Y: np.ndarray
    outer: Outer
    neighbors: np.ndarray
    widths: np.ndarray | None = field(default=None, kw_only=True)

    def __call__(self, L: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss, and gradient of the shape of L: (d, p), or (p,) for a diagonal."""
        L = L.astype(self.X.dtype, copy=False)
        Z = self.X * L if L.ndim == 1 else self.X @ L.T
        loss, S = self._slopes(Z)
        columns = np.asarray(S.sum(axis=0))
        if L.ndim == 1:
            crossed = np.einsum("ip,ip->p", self.X, S @ self.X, dtype=float)
            return loss, -2 * L * (columns @ np.square(self.X) - 2 * crossed)
        rest = columns[:, None] * Z - S @ Z - S.T @ Z
        return loss, np.asarray(-2 * (rest.T @ self.X), dtype=float)

    def _slopes(self, Z: np.ndarray) -> tuple[float, sp.csr_array]:
        """Loss and S, with the signs and the gradient of `softmax`."""
        loss, S = 0.0, np.empty(self.neighbors.shape, dtype=Z.dtype)
        for rows in self._blocks(Z.shape[1]):
            near = self.neighbors[rows]
            differences = Z[rows, None] - Z[near]
            scores = -np.einsum("imd,imd->im", differences, differences)
            if self.widths is not None:
                scores *= self.widths[rows, None]
            P = softmax(scores)
            Y = self.Y[near]
            votes = np.einsum("im,imc->ic", P, Y)
            part, slopes = self.outer(votes, rows)
            loss += part
            if self.widths is not None:
                slopes = slopes * self.widths[rows, None]
            S[rows] = P * np.einsum("ic,imc->im", slopes, Y - votes[:, None])
        n, m = S.shape
        indptr = np.arange(0, n * m + 1, m)
        return loss, sp.csr_array((S.ravel(), self.neighbors.ravel(), indptr), shape=(n, n))

    def _blocks(self, d: int) -> Iterator[slice]:
        n, m = self.neighbors.shape
        size = max(1, _NUMBERS // (m * max(d, self.Y.shape[1])))
        for start in range(0, n, size):
            yield slice(start, min(start + size, n))
