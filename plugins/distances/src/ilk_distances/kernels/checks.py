"""Checks of kernels: of numbers of features, of finite parameters and of finite values."""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sklearn.utils import Tags

    from ilk import Cases, Component


def n_features(X: Cases) -> int | None:
    """Number of features of vectors, tables or rows of numbers; None for other objects."""
    if isinstance(X, list | tuple) and X and isinstance(X[0], list | tuple):
        return len(X[0]) if all(isinstance(value, Real) for value in X[0]) else None
    shape: tuple[int, ...] = getattr(X, "shape", ())
    return int(shape[1]) if len(shape) == 2 else None


def check_n_features(owner: object, X: Cases, expected: int | None, argument: str = "X") -> None:
    """Raise if X has another number of features than the data that `owner` was fitted with.

    Raises
    ------
    InputError
        Naming the component, the argument and both numbers.
    """
    width = n_features(X)
    if width is not None and expected is not None and width != expected:
        name = ilk.display_name(owner)
        raise ilk.InputError(
            f"{name}: {argument} has {width} features, but {name} was fitted with {expected} "
            f"features"
        )


def sparse_if_all(tags: Tags, parts: Sequence[Component]) -> Any:
    """Tags of a component that takes sparse rows if all of its parts do."""
    tags.input_tags.sparse = all(part.__sklearn_tags__().input_tags.sparse for part in parts)
    return tags


def check_numbers(owner: Component, *names: str) -> None:
    """Raise unless numeric parameters are finite.

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


def check_values(owner: object, K: np.ndarray, what: str) -> np.ndarray:
    """Return kernel values, all of them finite.

    Raises
    ------
    InputError
        Naming the component and the position of the first value that is not finite.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        total = K.sum()
    # the sum is finite unless a value is not, or the sum itself overflows
    if not np.isfinite(total) and not np.isfinite(K).all():
        place = ", ".join(str(i) for i in np.argwhere(~np.isfinite(K))[0])
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {what} is too large for a float at [{place}]; scale the "
            f"features down"
        )
    return K
