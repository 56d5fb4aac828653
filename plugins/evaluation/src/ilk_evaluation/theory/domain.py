"""Argument checks: numbers, or arrays of numbers, within a meaningful range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Domain:
    """Admissible values of a number.

    Attributes
    ----------
    phrase : str
        Text for errors: "from 0 to 1".
    holds : function
        Elementwise test of an array; False for NaN.
    whole : bool
        Whether values must be integers; floats with integer values are accepted.
    """

    phrase: str
    holds: Callable[[Any], Any]
    whole: bool = False


COUNT = Domain("an integer >= 1", lambda x: x >= 1, whole=True)
COUNT_OR_NONE = Domain("an integer >= 0", lambda x: x >= 0, whole=True)
PROBABILITY = Domain("from 0 to 1", lambda x: (x >= 0) & (x <= 1))
LEVEL = Domain("above 0 and at most 1", lambda x: (x > 0) & (x <= 1))
CAPACITY = Domain("at least 0", lambda x: x >= 0)
LENGTH = Domain("at least 0 and finite", lambda x: (x >= 0) & (x < math.inf))
POSITIVE = Domain("above 0 and finite", lambda x: (x > 0) & (x < math.inf))
FINITE = Domain("finite", lambda x: (x > -math.inf) & (x < math.inf))


def checked(function: str, argument: str, value: object, domain: Domain) -> np.ndarray:
    """Return a number or numbers as an array: of floats, or for counts of integers.

    Integers are int64; near or above its limit they are Python integers in an object array, so
    that additions do not overflow.
    to them does not overflow.

    Raises
    ------
    ParameterError
        Names function, argument and the first value outside the domain.
    """
    try:
        array = np.asarray(value)
    except ValueError:  # ragged rows
        array = np.array(None)
    if array.dtype.kind == "O":
        good = np.array([isinstance(one, Integral) for one in array.ravel()], dtype=bool)
    else:
        good = np.full(array.size, array.dtype.kind in "iuf")
    if good.all():
        good = np.asarray(domain.holds(array), dtype=bool).ravel()
        if domain.whole and array.dtype.kind == "f":
            good &= np.isfinite(array).ravel() & (np.floor(array) == array).ravel()
    if not good.all():
        first = array.ravel()[int(np.argmin(good))] if array.ndim else value
        shown = first.item() if isinstance(first, np.generic) else first
        raise ParameterError(
            f"{function}: {argument} must be {domain.phrase}, got {shown!r}", argument=argument
        )
    return _integers(array) if domain.whole else _floats(function, argument, array)


def measured(function: str, argument: str, value: object, domain: Domain = COUNT) -> np.ndarray:
    """Return counts as a float array, for formulas that need no exact integers.

    Raises
    ------
    ParameterError
        As in `checked`, and for a count that no float can represent.
    """
    return _floats(function, argument, checked(function, argument, value, domain))


def _floats(function: str, argument: str, array: np.ndarray) -> np.ndarray:
    try:
        return array.astype(float)
    except OverflowError:
        raise ParameterError(
            f"{function}: {argument} must be at most 1e308, the largest float", argument=argument
        ) from None


def counted(function: str, argument: str, value: object, domain: Domain = COUNT) -> int:
    """Return one count as a Python integer, whose arithmetic cannot overflow.

    Raises
    ------
    ParameterError
        As in `checked`, and for more than one number.
    """
    array = checked(function, argument, value, domain)
    if array.ndim:
        raise ParameterError(
            f"{function}: {argument} must be one number, got an array of shape {array.shape}",
            argument=argument,
        )
    return int(array.item())


def log_of(counts: np.ndarray) -> np.ndarray:
    """Natural logarithm of counts, however large."""
    if counts.dtype.kind != "O":
        return np.asarray(np.log(counts))
    return np.asarray(np.vectorize(math.log, otypes=[float])(counts))


def plain(result: Any) -> Any:
    """Return a zero-dimensional array as a Python number, other arrays unchanged."""
    array = np.asarray(result)
    return array.item() if array.ndim == 0 else array


def _integers(array: np.ndarray) -> np.ndarray:
    small = not array.size or array.max() < 1 << 62
    integers = array if small else np.array([int(one) for one in array.ravel()], dtype=object)
    return np.asarray(integers.astype(np.int64 if small else object)).reshape(array.shape)
