"""Information criteria: fit against the number of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk_evaluation.theory.domain import (
    COUNT,
    COUNT_OR_NONE,
    FINITE,
    checked,
    log_of,
    measured,
    plain,
)


def aic(log_likelihood: Any, n_parameters: Any) -> Any:
    """Akaike's information criterion, ``-2 L + 2 K``; the model of the least is chosen.

    Parameters
    ----------
    log_likelihood : float or array of float
        L, the log-likelihood of all cases (a sum, not a mean) at its maximum; in nats.
    n_parameters : int or array of int
        K, the number of free parameters; at least 0.

    Returns
    -------
    float or ndarray
        In nats, doubled. Only differences between models of the same cases mean anything.

    Raises
    ------
    ParameterError
        Naming the argument and its value.

    References
    ----------
    System Evaluation slides, Akaike information criterion; Akaike (1974).

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.aic([-120.0, -115.0, -114.5], [2, 4, 8])  # the second
    array([244., 238., 245.])
    """
    likelihood = checked("aic", "log_likelihood", log_likelihood, FINITE)
    k = measured("aic", "n_parameters", n_parameters, COUNT_OR_NONE)
    return plain(np.asarray(-2 * likelihood + 2 * k))


def bic(log_likelihood: Any, n_parameters: Any, n: Any) -> Any:
    """Bayesian information criterion, ``-2 L + K ln n``; the model of the least is chosen.

    Parameters
    ----------
    log_likelihood : float or array of float
        L, the log-likelihood of all cases (a sum, not a mean) at its maximum; in nats.
    n_parameters : int or array of int
        K, the number of free parameters; at least 0.
    n : int or array of int
        Number of cases; at least 1.

    Returns
    -------
    float or ndarray
        In nats, doubled. From 8 cases on a parameter costs more than in `aic`.

    Raises
    ------
    ParameterError
        Naming the argument and its value.

    References
    ----------
    System Evaluation slides, Bayesian information criterion; Schwarz (1978).

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.bic([-120.0, -115.0, -114.5], [2, 4, 8], n=150).round(1)  # the first
    array([250. , 250. , 269.1])
    """
    likelihood = checked("bic", "log_likelihood", log_likelihood, FINITE)
    k = measured("bic", "n_parameters", n_parameters, COUNT_OR_NONE)
    return plain(np.asarray(-2 * likelihood + k * log_of(checked("bic", "n", n, COUNT))))
