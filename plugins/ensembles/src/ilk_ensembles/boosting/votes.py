"""Voting weights of boosted members, and what their votes add up to."""

from __future__ import annotations

from typing import Any

import numpy as np

EDGE = 1e-10
"""By how much a member must be better than chance."""

_PERFECT = 2.0**-52  # error that a member without any is taken to have
_LEAST = 2.0**-1022  # error of one that errs where weights are lost in rounding
_TIED = 1e-12  # support that differs by less, as a share of its scale, is tied


def voting_weight(error: float, n_classes: int = 2) -> float:
    """``(ln((1 - e) / e) + ln(C - 1)) / 2``, for an error e below 1."""
    error = max(error, _LEAST)
    return float((np.log1p(-error) - np.log(error) + np.log(n_classes - 1)) / 2)


def decisive_weight(others: float, n_classes: int = 2, learning_rate: float = 1.0) -> float:
    """Voting weight of a member that does not err: more than those before it have together."""
    return others + learning_rate * voting_weight(_PERFECT, n_classes)


def settled(support: np.ndarray, scale: float) -> np.ndarray:
    """Support of which what differs from the most by rounding only is equal to it.

    Parameters
    ----------
    support : ndarray of shape (m, C)
    scale : float
        Of the sums that it was found by.
    """
    most = support.max(axis=1, keepdims=True)
    return np.where(support >= most - _TIED * scale, most, support)


def likely(votes: np.ndarray) -> np.ndarray:
    """Probabilities in proportion to ``exp(2 votes)``; array of shape (m, C)."""
    shares = np.exp(2 * (votes - votes.max(axis=1, keepdims=True)))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray(shares)


def feature_shares(member: Any, n_features: int) -> np.ndarray:
    """How far a member looks at each feature; sums to 1, or 0 where it looks at none.

    Raises
    ------
    AttributeError
        If the member does not say: it has neither ``feature_`` nor ``feature_importances_``.
    """
    feature = getattr(member, "feature_", None)
    if feature is None:
        return np.asarray(member.feature_importances_)
    shares = np.zeros(n_features)
    if feature >= 0:
        shares[feature] = 1
    return shares
