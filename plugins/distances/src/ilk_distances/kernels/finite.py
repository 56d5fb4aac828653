"""Parameters that are numbers but not infinite, and values that are not either."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

import ilk


def check_numbers(owner: Any, *names: str) -> None:
    """Raise unless parameters are finite, where they are numbers.

    Raises
    ------
    ParameterError
        Naming the component, the parameter and the value.
    """
    for name in names:
        value = getattr(owner, name)
        if not isinstance(value, str) and np.ndim(value) == 0 and not _is_finite(value):
            raise owner.parameter_error(name, f"must be finite, got {value}")


def _is_finite(value: Any) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


def check_values(owner: Any, K: np.ndarray, what: str) -> np.ndarray:
    """Return kernel values, all of them finite.

    Raises
    ------
    InputError
        Naming the component and the place of the first value that is not.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        total = K.sum()
    if not np.isfinite(total) and not np.isfinite(K).all():
        place = ", ".join(str(i) for i in np.argwhere(~np.isfinite(K))[0])
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {what} is too large for a float at [{place}]; scale the "
            f"features down"
        )
    return K
