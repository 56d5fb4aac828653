"""The logarithm of the votes of a row's own class, exact however small they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ilk_learners.metric_learners.softmax import Softmax, exponentials


@dataclass(frozen=True)
class LogVotes(Softmax):
    """``-sum_i log sum_j P_ij`` over the j of i's class, as a function of L.

    With Q, the weights P of i's class brought to the sum 1, S = P - Q: for i's class Q times
    the weight of all others, which loses no digits where that is small. Rows that are alone in
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
        S[alone] = 0
        above = (scores.max(axis=1) - S.max(axis=1)).astype(float)
        P, own = exponentials(scores), exponentials(S)
        sums, own_sums = P.sum(axis=1), own.sum(axis=1)
        wrong = np.einsum("ij,ij->i", P, other, dtype=P.dtype) / sums
        wrong[alone] = 0
        losses = np.log(sums) - np.log(own_sums) + above
        exact = wrong < 0.5  # where the difference of two logarithms would lose digits
        losses[exact] = -np.log1p(-wrong[exact].astype(float))
        own *= (-wrong / own_sums)[:, None]
        np.divide(P, sums[:, None], out=own, where=other & ~alone[:, None])
        if self.widths is not None:
            own *= self.widths[rows, None]
        return float(losses.sum())
