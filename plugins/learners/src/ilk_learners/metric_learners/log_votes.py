"""The logarithm of the votes of a row's own class, exact however small they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ilk_learners.metric_learners.softmax import Softmax, softmax


@dataclass(frozen=True)
class LogVotes(Softmax):
    """``-sum_i log sum_j P_ij`` over the j of i's class, as a function of L.

    With Q, the weights P of i's class brought to the sum 1, S = P - Q. Rows that are alone in
    their class are left out: nothing can change their P.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        The class of each row.
    """

    codes: np.ndarray

    def _slopes(self, rows: slice, scores: np.ndarray, S: np.ndarray) -> float:
        other = self.codes[rows, None] != self.codes
        np.copyto(S, scores)
        S[other] = -np.inf
        alone = ~np.isfinite(S.max(axis=1))
        S[alone] = scores[alone]  # the same twice: loss and slope 0
        loss = float((_log_sum(scores) - _log_sum(S)).sum())
        np.subtract(softmax(scores), softmax(S), out=S)
        if self.widths is not None:
            S *= self.widths[rows, None]
        return loss


def _log_sum(scores: np.ndarray) -> np.ndarray:
    """``log sum_j exp(scores_ij)`` as float64."""
    largest = scores.max(axis=1, keepdims=True)
    sums = np.exp(scores - largest).sum(axis=1, dtype=float)
    return np.asarray(np.log(sums) + largest[:, 0])
