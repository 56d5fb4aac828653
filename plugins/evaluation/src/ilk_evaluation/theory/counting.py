"""Labellings of points: of a class of given VC dimension, of hyperplanes, of a classifier."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import InputError, display_name, fit_component, n_rows, seeded
from ilk_evaluation.arguments import as_model
from ilk_evaluation.theory.domain import (
    COUNT_OR_NONE,
    PROBABILITY,
    checked,
    counted,
    measured,
    plain,
)

if TYPE_CHECKING:
    from ilk import Cases, Estimator

_POINTS = 12  # most points that `shatters` takes: 4094 fits
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


@dataclass(frozen=True)
class Shattering:
    """Labellings of n points with two labels, as found by `shatters`.

    It is true if all 2^n are realised: ``if theory.shatters(model, X)``.

    Attributes
    ----------
    realised, missed : ndarray of bool, shape (k, n) and (2^n - k, n)
        Labellings that the model reproduces on the points, and the others.
    """

    realised: np.ndarray
    missed: np.ndarray

    def __bool__(self) -> bool:
        return not len(self.missed)

    @property
    def largest(self) -> tuple[int, ...]:
        """Row numbers of a largest shattered subset, the first of its size.

        A subset is shattered if the realised labellings of all points give it every labelling.
        Its size is a lower bound of the VC dimension.
        """
        n = self.realised.shape[1]
        for size in range(n, 0, -1):
            for rows in combinations(range(n), size):
                codes = self.realised[:, rows] @ (1 << np.arange(size))
                if len(np.unique(codes)) == 1 << size:
                    return rows
        return ()


def shatters(model: Estimator | str | dict[str, Any], X: Cases) -> Shattering:
    """Tell whether a classifier shatters points: realises each of their labellings by two labels.

    The classifier is fitted on every labelling of the n points, and realises it if it then
    predicts each point's own label. The two labellings with one label only are realised by a
    constant, and not fitted.

    Parameters
    ----------
    model : classifier, its name, or a spec
        Copies of it are fitted, 2^n - 2 times, with the same seed.
    X : data of n rows
        From 1 to 12 points.

    Returns
    -------
    Shattering
        True if the points are shattered. It holds the realised labellings, whose number is the
        shatter coefficient of these points, and a largest shattered subset.

    Raises
    ------
    InputError
        If there are no points or more than 12, or the classifier cannot be fitted.

    Notes
    -----
    The answer is about the learner, not its class of functions alone: a learner that does not
    minimise the training error, or stops early, may miss a labelling that its class contains.

    References
    ----------
    Evaluation slides: Shattering; Shatter Coefficient; VC Dimension of Circles.

    Vapnik (1998).

    Examples
    --------
    A hyperplane shatters three of the corners of a square, and misses exclusive or and its
    opposite:

    >>> from ilk_evaluation import theory
    >>> square = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> found = theory.shatters({"use": "svm", "kernel": "linear", "C": 1e6}, square)
    >>> bool(found), len(found.realised), found.largest
    (False, 14, (0, 1, 2))
    >>> found.missed.astype(int)
    array([[0, 1, 1, 0],
           [1, 0, 0, 1]])
    >>> bool(theory.shatters("decision_tree", square))
    True
    """
    from sklearn.base import clone

    template = seeded(clone(as_model(model)), 0)
    n = n_rows(X)
    if not 1 <= n <= _POINTS:
        raise InputError(
            f"shatters: X must have from 1 to {_POINTS} rows, got {n}: {display_name(template)} is "
            f"fitted on each of the 2^n labellings"
        )
    # bit i of the number of a labelling, from the left, is the label of point i
    every = (np.arange(1 << n)[:, None] >> np.arange(n)[::-1] & 1).astype(bool)
    found = np.array([_realises(template, X, labels) for labels in every])
    return Shattering(every[found], every[~found])


def _realises(template: Any, X: Cases, labels: np.ndarray) -> bool:
    from sklearn.base import clone

    if labels.all() or not labels.any():
        return True
    y = labels.astype(int)
    return bool(np.array_equal(fit_component(clone(template), X, y).predict(X), y))


def binomial_probability(errors: int, n: int, error: float, *, at_most: bool = False) -> Any:
    """Probability of k errors among n independent test cases.

    ``C(n, k) P^k (1 - P)^(n - k)``; with `at_most` the sum of this over 0 to k, the p-value of
    the exact test that the true error probability is below P.

    Parameters
    ----------
    errors : int or array of int
        k; at least 0. More than n errors have probability 0.
    n : int or array of int
        Test cases; at least 0.
    error : float or array of float
        P, the true error probability; from 0 to 1.
    at_most : bool, default=False
        Whether to return the probability of at most k errors.

    Returns
    -------
    float or ndarray
        From 0 to 1.

    Raises
    ------
    ParameterError
        Names the argument and its value.

    References
    ----------
    Evaluation slides: Error Counting Technique.

    Examples
    --------
    A classifier with 3% errors rarely makes as few as 80 (2.4%) among the 3334 test cases of
    `test_set_size`:

    >>> from ilk_evaluation import theory
    >>> round(theory.binomial_probability(80, theory.test_set_size(0.03), 0.03, at_most=True), 3)
    0.021
    >>> theory.binomial_probability([0, 1, 2], 2, 0.5)
    array([0.25, 0.5 , 0.25])
    """
    from scipy.stats import binom

    name = "binomial_probability"
    k = measured(name, "errors", errors, COUNT_OR_NONE)
    cases = measured(name, "n", n, COUNT_OR_NONE)
    p = checked(name, "error", error, PROBABILITY)
    return plain(binom.cdf(k, cases, p) if at_most else binom.pmf(k, cases, p))


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
