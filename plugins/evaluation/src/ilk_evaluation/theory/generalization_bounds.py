"""Bounds on the true risk, and their inverses: sample complexity and failure probability."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import ParameterError
from ilk_evaluation.theory.counting import shatter_bound
from ilk_evaluation.theory.domain import (
    CAPACITY,
    COUNT,
    COUNT_OR_NONE,
    LEVEL,
    checked,
    log_of,
    measured,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ilk import ArrayLike


def hoeffding_bound(n: int, delta: float, n_functions: float = 1) -> Any:
    """Hoeffding bound on true error minus empirical error, uniform over N functions.

    ``B = sqrt(ln(N / delta) / (2 n))``: with probability at least 1 - delta every function of
    the class has ``R(f) <= R_emp(f) + B``. For N = 1 it is Hoeffding's inequality for a
    classifier that does not depend on the cases, as with a test set.

    Parameters
    ----------
    n : int or array of int
        Independent cases; at least 1.
    delta : float or array of float
        Probability with which the bound may fail; above 0, at most 1.
    n_functions : int or array of int, default=1
        N; at least 1, of any size.

    Returns
    -------
    float or ndarray
        A difference of probabilities (for a loss in [0, 1]); above 1 it is trivial.

    Raises
    ------
    ParameterError
        Names the argument and its value.

    References
    ----------
    Cunningham 2008: section 2.2.3.

    Hoeffding (1963).

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> round(theory.hoeffding_bound(1000, 0.05), 4)
    0.0387
    >>> theory.hoeffding_bound(1000, 0.05, [1, 100, 10**100]).round(3)
    array([0.039, 0.062, 0.342])
    """
    cases = measured("hoeffding_bound", "n", n)
    level = checked("hoeffding_bound", "delta", delta, LEVEL)
    size = log_of(checked("hoeffding_bound", "n_functions", n_functions, COUNT))
    return plain(np.sqrt((size - np.log(level)) / (2 * cases)))


def vc_bound(n: int, delta: float, vc_dimension: float | ArrayLike) -> Any:
    """VC bound on true error minus empirical error, from the VC dimension.

    ``B = sqrt((h (ln(2n / h) + 1) + ln(4 / delta)) / n)``: with probability at least 1 - delta
    every function of a class of VC dimension h has ``R(f) <= R_emp(f) + B``. It falls with n
    and grows with h. The term of h is the logarithm of a bound on the number of labellings of 2n
    cases; it stops growing at h = 2n, so larger dimensions count as 2n.

    Parameters
    ----------
    n : int or array of int
        Training cases; at least 1.
    delta : float or array of float
        Probability with which the bound may fail; above 0, at most 1.
    vc_dimension : float or array of float
        h; at least 0, possibly a non-integer estimate, possibly infinite.

    Returns
    -------
    float or ndarray
        A difference of probabilities; above 1 it is trivial.

    Raises
    ------
    ParameterError
        Names the argument and its value.

    Notes
    -----
    The System Evaluation slides print ``sqrt((h (ln(2n/h + 1) - ln(delta/4))) / n)``, with
    misplaced parentheses; this is Vapnik's form, also given by Cunningham.

    References
    ----------
    Cunningham 2008: section 2.2.3.

    Evaluation slides: VC Bound (the parentheses are misplaced).

    Vapnik (1998), Statistical Learning Theory.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.vc_bound([1000, 10_000, 100_000], 0.05, 3).round(3)
    array([0.164, 0.058, 0.02 ])
    """
    cases = measured("vc_bound", "n", n)
    level = checked("vc_bound", "delta", delta, LEVEL)
    h = checked("vc_bound", "vc_dimension", vc_dimension, CAPACITY)
    return plain(np.sqrt((_log_growth(cases, h) + np.log(4) - np.log(level)) / cases))


def _log_growth(cases: np.ndarray, h: np.ndarray) -> np.ndarray:
    """``h (ln(2n/h) + 1)`` with h capped at 2n; 0 for h = 0."""
    h = np.minimum(h, 2 * cases)
    return np.asarray(h * (np.log(2 * cases) - np.log(np.where(h > 0, h, 1)) + 1))


def sample_complexity(
    epsilon: float,
    delta: float,
    *,
    n_functions: float | None = None,
    vc_dimension: float | None = None,
    excess: bool = False,
) -> Any:
    """Number of cases sufficient for an error within epsilon, with probability at least 1 - delta.

    By default: the least n at which the empirical error of every function of the class is less
    than epsilon below its true error, by `hoeffding_bound` or `vc_bound`; for a finite
    class of N functions this is ``ceil(ln(N / delta) / (2 epsilon^2))``.

    With `excess`: the n from which on the function of least empirical error is within epsilon
    of the best of the class. For a finite class: ``ceil(2 ln(2N / delta) / epsilon^2)``. For VC
    dimension h: ``ceil(max(512 h/epsilon^2 ln(256 h/epsilon^2), 256/epsilon^2 ln(8/delta)))``,
    where the right side of ``P(R(f*) - min R > epsilon) <= 8 S(n) exp(-n epsilon^2 / 128)``
    reaches delta; the slides leave the constants open, these are from Devroye, Gyorfi & Lugosi.

    Parameters
    ----------
    epsilon : float or array of float
        Difference of error probabilities; above 0, at most 1.
    delta : float or array of float
        Above 0, at most 1.
    n_functions : int or array of int, optional
        N, for a finite class; give either this or `vc_dimension`.
    vc_dimension : float or array of float, optional
        h; at least 0 and finite.
    excess : bool, default=False

    Returns
    -------
    int or ndarray of int
        At least 1. Beyond 64 bits an array holds Python integers.

    Raises
    ------
    ParameterError
        Names the argument and its value; or if not exactly one size of the class is given; or if
        the number of cases exceeds the range of floats.

    References
    ----------
    Cunningham 2008: section 2.2.3.

    Evaluation slides: Sample Complexity.

    Devroye, Gyorfi & Lugosi (1996), A Probabilistic Theory of Pattern Recognition, ch. 12.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.sample_complexity(0.05, 0.05, n_functions=1000)
    1981
    >>> theory.sample_complexity(0.05, 0.05, vc_dimension=3)
    13916
    >>> theory.sample_complexity(0.05, 0.05, vc_dimension=3, excess=True)
    7763101
    """
    name = "sample_complexity"
    _check_one_size(name, n_functions, vc_dimension)
    eps = checked(name, "epsilon", epsilon, LEVEL)
    level = checked(name, "delta", delta, LEVEL)
    if vc_dimension is None:
        size = checked(name, "n_functions", n_functions, COUNT)
        least = _finite_excess if excess else _fewest_cases(hoeffding_bound)
    else:
        size = checked(name, "vc_dimension", vc_dimension, CAPACITY)
        _check_finite(name, size)
        least = _vc_excess if excess else _fewest_cases(vc_bound)
    shape = np.broadcast_shapes(eps.shape, level.shape, size.shape)
    values = np.broadcast_arrays(eps, level, size)
    try:
        with np.errstate(over="raise"):
            numbers = [
                least(*row) for row in zip(*(v.ravel().tolist() for v in values), strict=True)
            ]
    except (ArithmeticError, ParameterError):  # the number overflows; arguments are checked
        raise ParameterError(
            f"{name}: epsilon is so small, for such a class, that it takes more cases than floats "
            f"can tell",
            argument="epsilon",
        ) from None
    return numbers[0] if not shape else np.array(numbers).reshape(shape)


def failure_probability(
    n: float | ArrayLike,
    epsilon: float | ArrayLike,
    *,
    n_functions: float | ArrayLike | None = None,
    vc_dimension: float | ArrayLike | None = None,
) -> Any:
    """Bound on the probability that some true error exceeds the empirical error by epsilon.

    ``N exp(-2 n epsilon^2)`` for a finite class of N functions, ``4 exp(h (ln(2n/h) + 1)
    - n epsilon^2)`` for VC dimension h; at most 1. It inverts `hoeffding_bound` and `vc_bound`:
    the delta at which they equal epsilon.

    Parameters
    ----------
    n : int or array of int
        Training cases; at least 1.
    epsilon : float or array of float
        Difference of error probabilities; above 0, at most 1.
    n_functions : int or array of int, optional
        N, for a finite class; give either this or `vc_dimension`.
    vc_dimension : float or array of float, optional
        h; at least 0. Above 2n it counts as 2n.

    Returns
    -------
    float or ndarray
        From 0 to 1; 1 is trivial.

    Raises
    ------
    ParameterError
        Names the argument and its value; or if not exactly one size of the class is given.

    References
    ----------
    Cunningham 2008: section 2.2.3.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.failure_probability([500, 1000, 1500], 0.05, n_functions=10).round(3)
    array([0.821, 0.067, 0.006])
    """
    name = "failure_probability"
    _check_one_size(name, n_functions, vc_dimension)
    cases = measured(name, "n", n)
    eps = checked(name, "epsilon", epsilon, LEVEL)
    if vc_dimension is None:
        log = log_of(checked(name, "n_functions", n_functions, COUNT)) - 2 * cases * eps**2
    else:
        h = checked(name, "vc_dimension", vc_dimension, CAPACITY)
        log = math.log(4) + _log_growth(cases, h) - cases * eps**2
    return plain(np.exp(np.minimum(log, 0)))


def deviation_probability(
    n: int, epsilon: float, vc_dimension: int, *, excess: bool = False
) -> Any:
    """Bound on the probability that some empirical error is off by epsilon, by counted labellings.

    ``8 S(n) exp(-n epsilon^2 / 32)``, at most 1, with S(n) from `shatter_bound`: a bound on the
    probability that the empirical and the true error of some function of the class differ by
    more than epsilon. With `excess`, ``8 S(n) exp(-n epsilon^2 / 128)``: that the true error of
    the function of least empirical error exceeds the least of the class by more than epsilon.

    Parameters
    ----------
    n : int or array of int
        Training cases; at least 1.
    epsilon : float or array of float
        Difference of error probabilities; above 0, at most 1.
    vc_dimension : int or array of int
        h; at least 0.
    excess : bool, default=False

    Returns
    -------
    float or ndarray
        From 0 to 1; 1 is trivial.

    Raises
    ------
    ParameterError
        Names the argument and its value.

    Notes
    -----
    The constants are larger than those of Vapnik's bound, which `failure_probability` gives.
    `sample_complexity` with ``excess=True`` is a number of cases that makes the second form
    small enough.

    References
    ----------
    Evaluation slides: Generalization Performance.

    Devroye, Gyorfi & Lugosi (1996), A Probabilistic Theory of Pattern Recognition, ch. 12.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.deviation_probability([50_000, 60_000, 70_000], 0.15, 3).round(4)
    array([0.0899, 0.0001, 0.    ])
    >>> theory.deviation_probability(60_000, 0.15, 3, excess=True)
    1.0
    """
    name = "deviation_probability"
    cases = checked(name, "n", n, COUNT)
    eps = checked(name, "epsilon", epsilon, LEVEL)
    h = checked(name, "vc_dimension", vc_dimension, COUNT_OR_NONE)
    labellings = np.vectorize(partial(shatter_bound, log=True), otypes=[float])(cases, h)
    exponent = measured(name, "n", cases) * eps**2 / (128 if excess else 32)
    return plain(np.exp(np.minimum(math.log(8) + labellings - exponent, 0)))


def _check_one_size(
    function: str, n_functions: float | ArrayLike | None, vc_dimension: float | ArrayLike | None
) -> None:
    if (n_functions is None) == (vc_dimension is None):
        raise ParameterError(
            f"{function}: give n_functions, of a finite class, or vc_dimension: one of them"
        )


def _check_finite(function: str, h: np.ndarray) -> None:
    if np.isinf(h).any():
        raise ParameterError(
            f"{function}: vc_dimension must be finite, got inf: no number of cases is enough",
            argument="vc_dimension",
        )


def _fewest_cases(bound: Callable[[int, float, Any], float]) -> Callable[[float, float, Any], int]:
    """Return a search for the least n at which a decreasing bound is at most epsilon."""

    def search(epsilon: float, delta: float, size: float) -> int:
        enough = 1
        while bound(enough, delta, size) > epsilon:  # double, then bisect
            enough *= 2
        few = enough // 2
        while enough - few > 1:
            middle = (few + enough) // 2
            few, enough = (
                (few, middle) if bound(middle, delta, size) <= epsilon else (middle, enough)
            )
        return enough

    return search


def _finite_excess(epsilon: float, delta: float, size: int) -> int:
    return math.ceil(2 * (math.log(2) + math.log(size) - math.log(delta)) / epsilon**2)


def _vc_excess(epsilon: float, delta: float, h: float) -> int:
    scale = 256 / epsilon**2
    growth = 2 * scale * h * math.log(scale * h) if h else 0.0
    return math.ceil(max(growth, scale * (math.log(8) - math.log(delta))))
