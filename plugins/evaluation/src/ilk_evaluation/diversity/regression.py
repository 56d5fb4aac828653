"""Why an average of regressors beats them on average."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ilk import InputError


class AmbiguityDecomposition(NamedTuple):
    """The three terms of ``E = mean E - mean A``, in squared units of the outputs.

    Attributes
    ----------
    error : float
        E, the mean squared error of the ensemble.
    mean_error : float
        The mean of those of its members.
    mean_ambiguity : float
        The mean squared distance of the members from the ensemble; at least 0.
    """

    error: float
    mean_error: float
    mean_ambiguity: float


def ambiguity_decomposition(outputs: Any, y: Any, weights: Any = None) -> AmbiguityDecomposition:
    """Split the squared error of an average of regressors: ``E = mean E - mean A``.

    With ``f = sum_l w_l f_l`` for each case, ``(f - y)^2 = sum_l w_l (f_l - y)^2 - sum_l w_l
    (f_l - f)^2``; the three terms are means over the cases. The average is never worse than its
    members are on average, and better by as much as they differ.

    Parameters
    ----------
    outputs : array of shape (L, n)
        What each of L members says of each of n cases.
    y : array of shape (n,)
        The true values.
    weights : array of shape (L,), optional
        At least 0; divided by their sum. Equal ones if left out.

    Returns
    -------
    AmbiguityDecomposition
        `error`, `mean_error` and `mean_ambiguity`, each computed by its own definition.

    Raises
    ------
    InputError
        For other shapes, numbers that are not finite, or weights that are negative or all 0.

    References
    ----------
    Cunningham, Cord & Delany (2008), equation 2.27; Krogh & Vedelsby (1995).

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> diversity.ambiguity_decomposition([[1.0, 4.0], [3.0, 4.0]], [2.0, 3.0])
    AmbiguityDecomposition(error=0.5, mean_error=1.0, mean_ambiguity=0.5)
    """
    said = _finite("outputs", outputs)
    if said.ndim != 2 or 0 in said.shape:
        raise InputError(
            f"ambiguity_decomposition: outputs must have shape (members, cases), got {said.shape}"
        )
    truth = _finite("y", y)
    if truth.shape != said.shape[1:]:
        raise InputError(
            f"ambiguity_decomposition: y must have shape {said.shape[1:]}, got {truth.shape}"
        )
    shares = _shares(weights, len(said))
    together = shares @ said
    return AmbiguityDecomposition(
        error=float(np.mean((together - truth) ** 2)),
        mean_error=float(np.mean(shares @ (said - truth) ** 2)),
        mean_ambiguity=float(np.mean(shares @ (said - together) ** 2)),
    )


def _finite(argument: str, values: Any) -> np.ndarray:
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"ambiguity_decomposition: {argument} must be numbers: {error}") from None
    if not np.isfinite(numbers).all():
        raise InputError(f"ambiguity_decomposition: {argument} must be finite numbers")
    return numbers


def _shares(weights: Any, n_members: int) -> np.ndarray:
    if weights is None:
        return np.full(n_members, 1 / n_members)
    values = _finite("weights", weights)
    if values.shape != (n_members,) or not (values >= 0).all() or not values.any():
        raise InputError(
            f"ambiguity_decomposition: weights must be {n_members} numbers of at least 0, not all "
            f"0, got {values.tolist()}"
        )
    return np.asarray(values / values.sum())
