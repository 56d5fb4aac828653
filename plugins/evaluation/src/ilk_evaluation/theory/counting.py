"""Numbers of labellings of points: by a class of given VC dimension, by hyperplanes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ilk_evaluation.theory.domain import COUNT_OR_NONE, counted, measured, plain

_TERMS = 10**6  # terms of a log binomial summed one by one; beyond, betaln is used


def shatter_bound(n: int, vc_dimension: int, *, log: bool = False) -> Any:
    """Maximum number of labellings of n points by a class of functions of a VC dimension.

    ``S(n) <= sum_{i=0}^{h} C(n, i)``, the Sauer-Shelah lemma: 2^n up to n = h, then a
    polynomial in n. It is at most ``n^h + 1``, the bound printed in the slides.

    Parameters
    ----------
    n : int
        Number of points; at least 0.
    vc_dimension : int
        h; at least 0.
    log : bool, default=False
        Whether to return the natural logarithm, without computing the number.

    Returns
    -------
    int or float
        The exact number, however large; with `log` its logarithm.

    Raises
    ------
    ParameterError
        Names the argument and its value.

    References
    ----------
    Evaluation slides: Shatter Coefficient; Growth of the Shatter Coefficient.

    Sauer (1972).

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> [theory.shatter_bound(n, 2) for n in range(6)]
    [1, 2, 4, 7, 11, 16]
    >>> round(theory.shatter_bound(10**9, 1000, log=True), 1)
    14811.1
    """
    points = counted("shatter_bound", "n", n, COUNT_OR_NONE)
    h = counted("shatter_bound", "vc_dimension", vc_dimension, COUNT_OR_NONE)
    if log:
        measured("shatter_bound", "n", points, COUNT_OR_NONE)
        return _log_first_binomials(points, h)
    return _first_binomials(points, h)


def cover_count(n: int, n_features: int, *, log: bool = False) -> Any:
    """Number of divisions of n points in general position into two classes by hyperplanes.

    ``O(n, l) = 2 sum_{i=0}^{l} C(n - 1, i)`` in l dimensions: all 2^n up to n = l + 1.

    Parameters
    ----------
    n : int
        Number of points; at least 1. No l + 1 of them lie on one hyperplane.
    n_features : int
        l; at least 0.
    log : bool, default=False
        Whether to return the natural logarithm, without computing the number.

    Returns
    -------
    int or float
        The exact number, however large; with `log` its logarithm.

    Raises
    ------
    ParameterError
        Names the argument and its value.

    References
    ----------
    Evaluation slides: Cover's Theorem.

    Cover (1965), IEEE Transactions on Electronic Computers 14.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.cover_count(4, 2)  # of 16: all but the two of exclusive or
    14
    """
    points = counted("cover_count", "n", n)
    width = counted("cover_count", "n_features", n_features, COUNT_OR_NONE)
    if log:
        measured("cover_count", "n", points)
        return math.log(2) + _log_first_binomials(points - 1, width)
    return 2 * _first_binomials(points - 1, width)


def separable_share(n: int, n_features: int) -> Any:
    """Share of the 2^n labellings of points in general position that a hyperplane separates.

    ``O(n, l) / 2^n``, the probability that random labels are linearly separable: 1 up to
    n = l + 1, and up to rounding one half at n = 2 (l + 1), the capacity of a hyperplane.

    Parameters
    ----------
    n : int or array of int
        Number of points; at least 1.
    n_features : int or array of int
        l; at least 0.

    Returns
    -------
    float or ndarray
        A probability.

    Raises
    ------
    ParameterError
        Names the argument and its value.

    References
    ----------
    Evaluation slides: Probability of Linear Separability.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.separable_share([3, 4, 6, 12], 2)
    array([1.        , 0.875     , 0.5       , 0.03271484])
    """
    from scipy.special import betainc

    others = measured("separable_share", "n", n) - 1
    width = measured("separable_share", "n_features", n_features, COUNT_OR_NONE)
    all_of_them = width >= others
    left = np.where(all_of_them, 1, others - width)
    return plain(np.where(all_of_them, 1.0, betainc(left, width + 1, 0.5)))


def _first_binomials(n: int, last: int) -> int:
    """``sum_{i=0}^{last} C(n, i)``, exactly."""
    if last >= n:
        return 1 << n
    if 2 * last > n:  # by symmetry, sum the shorter tail
        return (1 << n) - _first_binomials(n, n - last - 1)
    term = total = 1
    for i in range(last):
        term = term * (n - i) // (i + 1)
        total += term
    return total


def _log_first_binomials(n: int, last: int) -> float:
    """Logarithm of ``sum_{i=0}^{last} C(n, i)``.

    It is computed from the share of all 2^n or, where that underflows, as the last term times a
    decreasing series.
    """
    from scipy.special import betainc

    if last >= n:
        return n * math.log(2)
    # the incomplete beta function is the binomial distribution function
    share = float(betainc(n - last, last + 1, 0.5))
    if share > 1e-200:
        return n * math.log(2) + math.log(share)
    steps = np.arange(min(last, 10 * math.isqrt(last) + 50))  # further terms are below rounding
    ratios = (last - steps) / (n - last + 1.0 + steps)
    return _log_binomial(n, last) + math.log1p(float(np.cumprod(ratios).sum()))


def _log_binomial(n: int, k: int) -> float:
    from scipy.special import betaln

    if k > _TERMS:  # betaln loses digits, but no more than a sum of so many terms
        return -math.log(n + 1) - float(betaln(n - k + 1, k + 1))
    i = np.arange(k)
    return float(np.log((float(n) - i) / (i + 1)).sum())
