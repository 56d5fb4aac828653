"""Validation of random states and sample weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.errors import InputError, ParameterError
from ilk.inputs import check_same_length, take
from ilk.params import Param, Seed
from ilk.registries import display_name

if TYPE_CHECKING:
    from ilk.arrays import ArrayLike, Cases, RandomState


def check_seed(owner: object, random_state: RandomState) -> np.random.RandomState:
    """Return numpy's RandomState for a seed, a generator, or None (a new random state).

    Parameters
    ----------
    owner : Component
        Named in errors.
    random_state : None, int, RandomState or Generator
        A RandomState is returned unchanged; a Generator draws a seed.

    Raises
    ------
    ParameterError
        If it is none of these.
    """
    problem = Param(Seed).problem(random_state)
    if problem:
        raise ParameterError(f"{display_name(owner)}: random_state {problem}")
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, np.random.Generator):
        random_state = int(random_state.integers(2**32))
    return np.random.RandomState(random_state)  # scikit-learn takes no Generator


def check_weights(owner: object, sample_weight: ArrayLike, X: Cases) -> np.ndarray:
    """Return sample weights as a float array, one for each row of X.

    Raises
    ------
    InputError
        Naming the component and the first weight that is negative or not finite; or if all are 0.
    """
    try:
        weights = np.asarray(sample_weight)
        if weights.dtype.kind in "biufO":
            weights = weights.astype(float, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"{display_name(owner)}: sample_weight must be numbers: {error}") from None
    if weights.dtype.kind != "f":
        raise InputError(
            f"{display_name(owner)}: sample_weight must be numbers, got values of {weights.dtype}"
        )
    if weights.ndim != 1:
        raise InputError(
            f"{display_name(owner)}: sample_weight must have one dimension, got shape "
            f"{weights.shape} (Sample weights must be 1D array or scalar)"
        )
    check_same_length(owner, X, weights, "sample_weight")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise InputError(
            f"{display_name(owner)}: sample_weight must be finite and at least 0, got "
            f"{weights[bad[0]]} at row {bad[0]}"
        )
    if not weights.any():
        raise InputError(
            f"{display_name(owner)}: sample_weight must not be all 0 (zero for every row)"
        )
    return weights


def rows_of_weight(weights: np.ndarray | None, *data: Any) -> tuple[Any, ...]:
    """Drop the rows of weight 0: they count as absent, whatever uses the others.

    Parameters
    ----------
    weights : ndarray of shape (n,), or None
        From `check_weights`; None: there are none, and all rows stay.
    *data : data of n rows, or None
        X, labels, and the like.

    Returns
    -------
    tuple
        The weights and each of `data`, without these rows; unchanged where there are none.

    Examples
    --------
    >>> import numpy as np
    >>> rows_of_weight(np.array([2.0, 0.0, 1.0]), ["a", "b", "c"])
    (array([2., 1.]), ['a', 'c'])
    """
    if weights is None or weights.all():
        return weights, *data
    rows = np.flatnonzero(weights)
    return weights[rows], *(None if each is None else take(each, rows) for each in data)
