"""Holm's correction of the p-values of many tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk import InputError


def holm(p_values: Any) -> np.ndarray:
    """Adjust the p-values of several tests by Holm's step-down method.

    With ``p_(1) <= ... <= p_(m)`` the adjusted ones are::

        max_{j <= i} min(1, (m - j + 1) p_(j))

    Rejecting where an adjusted p-value is at most alpha keeps the probability of any false
    rejection at most alpha, however the tests depend on each other. They are never below the
    p-values nor above Bonferroni's ``m p``, and their order is that of the p-values.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        From 0 to 1. May be empty.

    Returns
    -------
    ndarray of shape (m,)
        In the order of `p_values`.

    Raises
    ------
    InputError
        If they have more than one dimension, or one is not from 0 to 1 (NaN, say).

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian
    Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> from ilk_evaluation import holm
    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03, 0.005]).tolist()]
    [0.03, 0.06, 0.06, 0.02]
    """
    values = np.asarray(p_values, dtype=float)
    if values.ndim != 1:
        raise InputError(f"holm: p_values must have one dimension, got shape {values.shape}")
    strange = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if strange.size:
        at = int(strange[0])
        raise InputError(f"holm: p_values must be from 0 to 1, got {values[at]} at position {at}")
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * values[order]), 1)
    return adjusted
