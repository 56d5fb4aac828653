"""Columns of any magnitude: powers of two bring them near 1, which is exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ilk import check_finite

_FACTORS = 1000  # exponents below it are those of numbers


def deviations(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean of each column, and how far each cell is from it, in units near the column's size.

    No sum overflows and no square vanishes. Cells of a constant column deviate by exactly 0.

    Returns
    -------
    mean : ndarray of shape (p,), float64
    deviations : ndarray of shape (n, p), float64
        Column f in units of ``2**exponents[f]``.
    exponents : ndarray of int, shape (p,)
    """
    low, high = X.min(axis=0), X.max(axis=0)
    _, exponents = np.frexp(np.maximum(high, -low))
    near_one = np.ldexp(X.astype(float, copy=False), -exponents)
    ends = np.ldexp(low.astype(float), -exponents), np.ldexp(high.astype(float), -exponents)
    mean = np.clip(near_one.mean(axis=0), *ends)  # rounding must not bring it beyond them
    near_one -= mean
    return np.ldexp(mean, exponents), near_one, exponents


def typical(values: np.ndarray, how: Callable[[np.ndarray], Any]) -> float:
    """Mean or median (`how`) of a vector, which is never beyond its extremes."""
    _, exponent = np.frexp(np.abs(values).max())
    near_one = np.ldexp(values, -exponent)
    return float(np.ldexp(np.clip(how(near_one), near_one.min(), near_one.max()), exponent))


def common_deviations(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Mean of each column, and deviations from it in one unit, which makes the largest near 1.

    Returns
    -------
    mean : ndarray of shape (p,), float64
    deviations : ndarray of shape (n, p), float64
        In units of ``2**exponent``.
    exponent : int
    """
    mean, own, exponents = deviations(X)
    extent = np.maximum(own.max(axis=0), -own.min(axis=0))
    sizes = (exponents + np.frexp(extent)[1])[extent > 0]
    exponent = int(sizes.max()) if sizes.size else 0
    return mean, np.ldexp(own, exponents - exponent, out=own), exponent


def difference(X: np.ndarray, origin: np.ndarray, exponent: int) -> np.ndarray:
    """``(X - origin) / 2**exponent``, which is infinite only where the result is too large."""
    half = int(exponent > 0)  # where the unit is that large, half of a number is as good
    if abs(exponent) < _FACTORS:  # a product is faster
        halved = X / 2 - origin / 2 if half else X - origin
        halved *= 2.0 ** (half - exponent)
        return np.asarray(halved)
    halved = np.ldexp(X, -half) - np.ldexp(origin, -half)
    return np.asarray(np.ldexp(halved, half - exponent))


def halves(width: np.ndarray) -> np.ndarray:
    """Factor for both sides of a division by `width`, so that no difference above it overflows.

    It is 1/2 where the width is above 1, so that halving loses nothing, else 1.
    """
    return np.where(width > 1, 0.5, 1.0).astype(width.dtype)


def finite(owner: object, result: np.ndarray, argument: str = "X, transformed,") -> np.ndarray:
    """Return what was computed from finite numbers, or raise if it is not finite.

    Raises
    ------
    InputError
        Naming the component, row and column.
    """
    check_finite(owner, result, argument=argument)
    return result


def map_back(owner: object, components: np.ndarray, exponent: int, dtype: Any) -> np.ndarray:
    """Return a linear map learned in units of ``2**exponent`` as one of the data themselves.

    Raises
    ------
    InputError
        If a weight is too large a number, as the data vary too little.
    """
    with np.errstate(over="ignore"):
        weights = np.ldexp(components, -exponent).astype(dtype)
    return finite(owner, weights, "X varies so little that components_")


def check_finite_parameters(owner: Any, *names: str) -> None:
    """Raise for the first of these parameters that is an infinite number.

    Raises
    ------
    ParameterError
        Naming the component, the parameter and the value.
    """
    for name in names:
        value = getattr(owner, name)
        if not isinstance(value, str) and not np.isfinite(value):
            raise owner.parameter_error(name, f"must be finite, got {value}")
