"""Majority votes of independent members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk_evaluation.theory.domain import PROBABILITY, checked, measured, plain

if TYPE_CHECKING:
    from ilk import ArrayLike


def ensemble_error(n_members: float | ArrayLike, error: float | ArrayLike) -> Any:
    """Probability that a majority of independent members of equal error is wrong.

    ``sum_{i >= ceil(k/2)} C(k, i) e^i (1 - e)^(k - i)`` for k members of error e: a tie of an
    even number counts as wrong. The source writes the lower limit once as floor(k/2), by which
    a correct majority could count as wrong, and once correctly.

    Parameters
    ----------
    n_members : int or array of int
        At least 1.
    error : float or array of float
        From 0 to 1.

    Returns
    -------
    float or ndarray
        Below `error` for an odd number of members with error below one half
        (Condorcet's theorem).

    Raises
    ------
    ParameterError
        Names the argument and its value.

    References
    ----------
    Ntoutsi 2015: Ensemble error; Error by number of members; Error by member error.

    Cunningham 2008: section 2.5.1.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> round(theory.ensemble_error(25, 0.35), 2)
    0.06
    >>> theory.ensemble_error([1, 3, 5], 0.2).round(3)
    array([0.2  , 0.104, 0.058])
    """
    k = measured("ensemble_error", "n_members", n_members)
    e = checked("ensemble_error", "error", error, PROBABILITY)
    return plain(_at_least((k + 1) // 2, k, e))


def condorcet(n_members: float | ArrayLike, competence: float | ArrayLike) -> Any:
    """Probability that a majority of independent members of equal competence is right.

    ``sum_{i > k/2} C(k, i) p^i (1 - p)^(k - i)`` for k members of competence p; a tie of an even
    number is no majority. With `ensemble_error` of ``1 - p`` it sums to 1, up to rounding.

    Parameters
    ----------
    n_members : int or array of int
        At least 1.
    competence : float or array of float
        Probability that each member is right; from 0 to 1.

    Returns
    -------
    float or ndarray
        Tends to 1 with the number of members for competence above 0.5, to 0 below.

    Raises
    ------
    ParameterError
        Names the argument and its value.

    References
    ----------
    Cunningham 2008: section 2.5.1 (Condorcet's jury theorem).

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.condorcet([1, 3, 101], 0.6).round(3)
    array([0.6  , 0.648, 0.979])
    """
    k = measured("condorcet", "n_members", n_members)
    p = checked("condorcet", "competence", competence, PROBABILITY)
    return plain(_at_least(k // 2 + 1, k, p))


def _at_least(m: np.ndarray, k: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Probability of at least m of k independent events of probability p, for m from 1 to k."""
    from scipy.special import betainc

    return np.asarray(betainc(m, k - m + 1, p))
