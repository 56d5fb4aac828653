"""Precision of estimates: variances and intervals of errors and areas, sizes of test sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ilk import InputError, ParameterError, Prediction
from ilk_evaluation.curves.ranking import Ranking, check_both_kinds, mann_whitney, rank_class

if TYPE_CHECKING:
    from ilk import ArrayLike

__all__ = ["Interval", "auc_interval", "binomial_interval", "test_set_size", "total_error_variance"]


@dataclass(frozen=True)
class Interval:
    """An estimate and its confidence interval.

    Attributes
    ----------
    estimate, lower, upper : float
    confidence : float
    method : str
    variance : float
        Of the estimate; NaN if the method uses none.
    """

    estimate: float
    lower: float
    upper: float
    confidence: float
    method: str
    variance: float = math.nan


def total_error_variance(
    errors: ArrayLike, cases: ArrayLike, priors: ArrayLike | None = None
) -> float:
    """Variance of the total error estimated from the errors of the classes.

    ``sum_c P(c)^2 P_c (1 - P_c) / N_c`` with P_c estimated by k_c / N_c, the cases taken to be
    independent of each other and of the training cases.

    Parameters
    ----------
    errors : array of int, shape (C,)
        k_c, wrong predictions of each class.
    cases : array of int, shape (C,)
        N_c, test cases of each class.
    priors : array of float, shape (C,), optional
        P(c), which sum to 1: by default the shares of the classes among the cases.

    Returns
    -------
    float
        At least 0; a probability squared.

    Raises
    ------
    InputError
        For shapes that differ, errors not from 0 to the number of cases, priors that are
        negative or do not sum to 1, or a class with a prior above 0 that has no case.

    References
    ----------
    Evaluation slides: Statistical Properties.

    Examples
    --------
    >>> from ilk_evaluation import intervals
    >>> round(intervals.total_error_variance([1, 1], [4, 2], [0.9, 0.1]), 5)
    0.03922
    """
    k, n = np.asarray(errors, dtype=float), np.asarray(cases, dtype=float)
    if k.shape != n.shape or k.ndim != 1 or not n.sum() > 0:
        raise InputError(
            f"total_error_variance: errors and cases must be as many numbers, with at least one "
            f"case, got shapes {k.shape} and {n.shape}"
        )
    if not np.all((k >= 0) & (k <= n)):
        raise InputError("total_error_variance: errors must be from 0 to the number of cases")
    p = n / n.sum() if priors is None else np.asarray(priors, dtype=float)
    if p.shape != n.shape or not np.all(p >= 0) or abs(p.sum() - 1) > 1e-6:
        raise InputError("total_error_variance: priors must be >= 0, one a class, and sum to 1")
    used = p > 0
    if not np.all(n[used] > 0):
        raise InputError("total_error_variance: a class with a prior above 0 has no case")
    rate = k[used] / n[used]
    return float(np.sum(p[used] ** 2 * rate * (1 - rate) / n[used]))


def binomial_interval(
    errors: int,
    n: int,
    confidence: float = 0.95,
    method: Literal["clopper_pearson", "wilson"] = "clopper_pearson",
) -> Interval:
    """Interval of an error probability from the errors among n independent cases.

    ``clopper_pearson`` inverts the binomial test, by quantiles of the beta distribution: it
    covers the true value at least as often as stated. ``wilson`` inverts the score test,
    ``(p + z^2/2n +- z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n)``: it covers it about as often as
    stated, and is shorter.

    Parameters
    ----------
    errors, n : int
        ``0 <= errors <= n`` and ``n >= 1``.
    confidence : float, default=0.95
        Between 0 and 1.
    method : {"clopper_pearson", "wilson"}

    Returns
    -------
    Interval
        From 0 to 1.

    Raises
    ------
    ParameterError
        Naming the argument and its value.

    References
    ----------
    Evaluation slides: Error Counting Technique (the number of errors is binomial).

    Clopper & Pearson (1934); Wilson (1927).

    Examples
    --------
    >>> from ilk_evaluation import intervals
    >>> found = intervals.binomial_interval(0, 100)
    >>> round(found.lower, 4), round(found.upper, 4)
    (0.0, 0.0362)
    """
    from scipy.special import betainccinv, betaincinv

    _check_count("binomial_interval", "n", n, 1)
    _check_count("binomial_interval", "errors", errors, 0)
    if errors > n:
        raise ParameterError(f"binomial_interval: errors must be <= n = {n}, got {errors}")
    _check_share("binomial_interval", "confidence", confidence)
    if method == "clopper_pearson":
        tail = (1 - confidence) / 2
        lower = float(betaincinv(errors, n - errors + 1, tail)) if errors else 0.0
        upper = float(betainccinv(errors + 1, n - errors, tail)) if errors < n else 1.0
    elif method == "wilson":
        lower, upper = _wilson(errors, n, confidence)
    else:
        raise ParameterError(
            f"binomial_interval: method must be 'clopper_pearson' or 'wilson', got {method!r}"
        )
    return Interval(int(errors) / int(n), lower, upper, confidence, method)


def _wilson(errors: int, n: int, confidence: float) -> tuple[float, float]:
    z, p = _quantile(confidence), int(errors) / int(n)
    middle = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2)
    lower, upper = (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)
    return (max(lower, 0.0) if errors else 0.0), (min(upper, 1.0) if errors < n else 1.0)


def test_set_size(
    error: float,
    method: Literal["rule", "normal"] = "rule",  # noqa: PT028  # this is no test
    *,
    confidence: float = 0.95,  # noqa: PT028
    half_width: float | None = None,  # noqa: PT028
) -> int:
    """Number of independent test cases needed to estimate an error probability well.

    ``rule``: ``100 / P``. ``normal``: ``z^2 P (1 - P) / h^2``, with which the normal
    approximation of the interval of that confidence has the half width h. The rule makes the
    standard deviation of the estimate a tenth of P: about h = P/5 at a confidence of 95%.

    Parameters
    ----------
    error : float
        P, the expected error probability; above 0 and at most 1.
    method : {"rule", "normal"}
    confidence : float, default=0.95
        Between 0 and 1; for ``normal``.
    half_width : float, optional
        h, a probability above 0; ``error / 5`` by default. For ``normal``.

    Returns
    -------
    int
        Rounded up, at least 1.

    Raises
    ------
    ParameterError
        Naming the argument and its value.

    References
    ----------
    Evaluation slides: Size of the Test Set (which print about 3000 for P = 0.03; 3334 by the rule).

    Guyon, Makhoul, Schwartz & Vapnik (1998), What size test set gives good error rate estimates?

    Examples
    --------
    >>> from ilk_evaluation import intervals
    >>> intervals.test_set_size(0.01), intervals.test_set_size(0.03)
    (10000, 3334)
    >>> intervals.test_set_size(0.1, "normal", half_width=0.02)
    865
    """
    if not _is_number(error) or not 0 < error <= 1:
        raise ParameterError(f"test_set_size: error must be > 0 and <= 1, got {error!r}")
    if method == "rule":
        return _up(100 / float(error))
    if method != "normal":
        raise ParameterError(f"test_set_size: method must be 'rule' or 'normal', got {method!r}")
    _check_share("test_set_size", "confidence", confidence)
    width = error / 5 if half_width is None else half_width
    _check_share("test_set_size", "half_width", width)
    ratio = _quantile(confidence) / float(width)
    return _up(float(error) * (1 - float(error)) * ratio * ratio)


test_set_size.__test__ = False  # type: ignore[attr-defined]  # its name looks like a test's


def auc_interval(
    prediction: Prediction, positive: object = None, confidence: float = 0.95
) -> Interval:
    """Interval of the area under a ROC curve by DeLong's variance.

    With A the area, ``V10_i`` the share of negative cases that positive case i outranks and
    ``V01_j`` the share of positive cases that outrank negative case j, ties counting one half,
    ``variance = s^2(V10)/P + s^2(V01)/N`` and the interval is ``A +- z sqrt(variance)``, cut to
    [0, 1]. One sort gives all shares: O(n log n), where the definition takes P x N comparisons
    and a bootstrap a thousand sorts.

    Parameters
    ----------
    prediction : ilk.Prediction
        With scores, or else probabilities. Only answered cases count.
    positive : label, optional
        The second of two classes by default.
    confidence : float, default=0.95
        Between 0 and 1.

    Returns
    -------
    Interval
        An area of 0 or 1 has variance 0: the cases were too few or too easy, which does not make
        the area certain.

    Raises
    ------
    InputError
        For fewer than two positive or two negative answered cases, or as `curves.roc` does.
    ParameterError
        For another confidence.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated
    receiver operating characteristic curves; Sun & Xu (2014), Fast implementation of DeLong's
    algorithm, IEEE Signal Processing Letters 21.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> from ilk_evaluation import intervals
    >>> truth, chance = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> P = np.column_stack([1 - chance, chance])
    >>> found = intervals.auc_interval(ilk.Prediction(truth, truth, [0, 1], probabilities=P))
    >>> found.estimate, found.variance
    (0.75, 0.125)
    """
    _check_share("auc_interval", "confidence", confidence)
    ranking, name = rank_class(prediction, positive, "auc_interval")
    check_both_kinds(ranking, f"auc_interval ({name})")
    if min(ranking.n_positive, ranking.n_negative) < 2:
        raise InputError(
            f"auc_interval ({name}): at least 2 positive and 2 negative answered cases are "
            f"needed, got {ranking.n_positive} and {ranking.n_negative}"
        )
    area, variance = mann_whitney(ranking), delong_variance(ranking)
    half = _quantile(confidence) * math.sqrt(variance)
    return Interval(
        area, max(area - half, 0.0), min(area + half, 1.0), confidence, "delong", variance
    )


def delong_variance(ranking: Ranking) -> float:
    """DeLong's variance of the area, from cases counted by score."""
    tp, fp = ranking.true_positives, ranking.false_positives
    positives, negatives = np.diff(tp, prepend=0), np.diff(fp, prepend=0)
    outranked = (ranking.n_negative - fp + negatives / 2) / ranking.n_negative
    outranking = (tp - positives / 2) / ranking.n_positive
    return _variance_of_mean(outranked, positives) + _variance_of_mean(outranking, negatives)


def _variance_of_mean(values: np.ndarray, counts: np.ndarray) -> float:
    n = int(counts.sum())
    mean = np.dot(counts, values) / n
    return float(np.dot(counts, (values - mean) ** 2) / (n - 1) / n)


def _quantile(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def _up(number: float) -> int:
    """Round up, but ignore the rounding error of a quotient."""
    if math.isinf(number):
        raise ParameterError("test_set_size: it takes more cases than floats can tell")
    return max(math.ceil(number * (1 - 1e-12)), 1)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _check_count(name: str, argument: str, value: Any, least: int) -> None:
    good = isinstance(value, Integral) and not isinstance(value, bool)
    if not good or not least <= int(value) < 1 << 63:
        raise ParameterError(
            f"{name}: {argument} must be an integer >= {least}, of 64 bits at most, got {value!r}"
        )


def _check_share(name: str, argument: str, value: Any) -> None:
    if not _is_number(value) or not 0 < value < 1:
        raise ParameterError(f"{name}: {argument} must be between 0 and 1, got {value!r}")
