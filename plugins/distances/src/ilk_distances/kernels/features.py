"""How many features data have, and that queries have as many."""

from __future__ import annotations

from numbers import Real
from typing import Any

import ilk


def n_features(X: Any) -> int | None:
    """Number of features of vectors or tables, rows of numbers included; None of other objects."""
    if isinstance(X, list | tuple) and X and isinstance(X[0], list | tuple):
        return len(X[0]) if all(isinstance(value, Real) for value in X[0]) else None
    shape: tuple[int, ...] = getattr(X, "shape", ())
    return int(shape[1]) if len(shape) == 2 else None


def check_n_features(owner: object, X: Any, expected: int | None, argument: str = "X") -> None:
    """Raise if X has another number of features than the data that `owner` was fitted with.

    Raises
    ------
    InputError
        Naming the component, the argument and both numbers.
    """
    own = n_features(X)
    if own is not None and expected is not None and own != expected:
        name = ilk.display_name(owner)
        raise ilk.InputError(
            f"{name}: {argument} has {own} features, but {name} was fitted with {expected} features"
        )
