"""Probabilities from scores of one class against the rest."""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit


def one_against_rest(scores: np.ndarray, best: np.ndarray) -> np.ndarray:
    """``1 / (1 + exp(-2 F))`` of each class, divided by their sum.

    Parameters
    ----------
    scores : ndarray of shape (m, 1) or (m, C)
        F of each class; of the second one, where there are two.
    best : ndarray of int, shape (m,)
        The class decided for: where rounding makes another as probable, its probability is the
        next larger number.

    Returns
    -------
    ndarray of shape (m, C)
    """
    both = np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores
    logs = log_expit(2 * both)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    rows = np.arange(len(shares))
    most = shares.max(axis=1)
    tied = shares.argmax(axis=1) != best
    shares[rows[tied], best[tied]] = np.nextafter(most[tied], 2)
    return np.asarray(shares)
