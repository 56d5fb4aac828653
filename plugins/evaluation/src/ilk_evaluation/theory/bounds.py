"""How far the true error can be above the empirical one: a finite class, a finite VC dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk_evaluation.theory.domain import CAPACITY, COUNT, LEVEL, checked, log_of, measured, plain


def hoeffding_bound(n: Any, delta: Any, n_functions: Any = 1) -> Any:
    """Width that the true error of none of N functions exceeds its empirical error by.

    ``B = sqrt(ln(N / delta) / (2 n))``: with probability at least 1 - delta every function of
    the class has ``R(f) <= R_emp(f) + B``. For N = 1 it is Hoeffding's inequality for a
    classifier that was fixed before the cases were drawn, as with a test set.

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
        A difference of probabilities (of a loss from 0 to 1); above 1 it says nothing.

    Raises
    ------
    ParameterError
        Naming the argument and its value.

    References
    ----------
    Cunningham, Cord & Delany (2008), sec. 2.2.3; Hoeffding (1963).

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


def vc_bound(n: Any, delta: Any, vc_dimension: Any) -> Any:
    """Width that the true error exceeds the empirical one by, from the VC dimension.

    ``B = sqrt((h (ln(2n / h) + 1) + ln(4 / delta)) / n)``: with probability at least 1 - delta
    every function of a class of VC dimension h has ``R(f) <= R_emp(f) + B``. It falls with n
    and grows with h. The term of h is the logarithm of a bound on how often 2n cases can be
    labelled; a dimension above 2n labels them no oftener than 2n does, and counts as 2n.

    Parameters
    ----------
    n : int or array of int
        Training cases; at least 1.
    delta : float or array of float
        Probability with which the bound may fail; above 0, at most 1.
    vc_dimension : float or array of float
        h; at least 0, perhaps an estimate that is no integer, perhaps infinite.

    Returns
    -------
    float or ndarray
        A difference of probabilities; above 1 it says nothing.

    Raises
    ------
    ParameterError
        Naming the argument and its value.

    Notes
    -----
    The System Evaluation slides print ``sqrt((h (ln(2n/h + 1) - ln(delta/4))) / n)``, with
    misplaced parentheses; this is Vapnik's form, as Cunningham's.

    References
    ----------
    Cunningham, Cord & Delany (2008), sec. 2.2.3; Vapnik (1998), Statistical Learning Theory.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.vc_bound([1000, 10_000, 100_000], 0.05, 3).round(3)
    array([0.164, 0.058, 0.02 ])
    """
    cases = measured("vc_bound", "n", n)
    level = checked("vc_bound", "delta", delta, LEVEL)
    h = checked("vc_bound", "vc_dimension", vc_dimension, CAPACITY)
    return plain(np.sqrt((log_growth(cases, h) + np.log(4) - np.log(level)) / cases))


def log_growth(cases: np.ndarray, h: np.ndarray) -> np.ndarray:
    """``h (ln(2n/h) + 1)``, h taken to be 2n where it is more; 0 for h = 0."""
    h = np.minimum(h, 2 * cases)
    return np.asarray(h * (np.log(2 * cases) - np.log(np.where(h > 0, h, 1)) + 1))
