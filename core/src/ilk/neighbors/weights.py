"""Weights of features, a parameter of several distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ilk.arrays import ArrayLike


def check_feature_weights(owner: Any) -> None:
    """Check that the weights of a distance are a vector of non-negative numbers, not all zero.

    Raises
    ------
    ParameterError
        Naming the first bad weight.
    """
    if owner.weights is None:
        return
    weights = np.asarray(owner.weights, dtype=float)
    if weights.ndim != 1:
        raise owner.parameter_error("weights", f"must be a vector, got shape {weights.shape}")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise owner.parameter_error(
            "weights", f"must be finite and at least 0, got {weights[bad[0]]} at {bad[0]}"
        )
    if not weights.any():
        raise owner.parameter_error("weights", "must not all be 0")


def check_spread(owner: Any) -> None:
    """Check that no positive weight is so small that its term may underflow beside the others.

    Raises
    ------
    ParameterError
        Naming the smallest and the largest weight.
    """
    if owner.weights is None:
        return
    weights = np.asarray(owner.weights, dtype=float)
    least, most = weights[weights > 0].min(), weights.max()
    if least < most * 1e-270:
        raise owner.parameter_error(
            "weights", f"must differ by a factor of at most 1e270, got {least} and {most}"
        )


def feature_weights(owner: Any, n_features: int) -> np.ndarray | None:
    """Return the weights of a distance as floats, or None if it has none.

    Raises
    ------
    ParameterError
        If their number is not that of the features.
    """
    if owner.weights is None:
        return None
    weights = np.asarray(owner.weights, dtype=float)
    if len(weights) != n_features:
        raise owner.parameter_error(
            "weights", f"must have one value for each of {n_features} features, got {len(weights)}"
        )
    return weights


def all_positive(weights: ArrayLike | None) -> bool:
    """Tell whether no feature has weight 0."""
    return weights is None or bool(np.all(np.asarray(weights) > 0))
