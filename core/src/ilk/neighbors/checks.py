"""Checks of the arguments of indexes."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.errors import InputError, InputTypeError
from ilk.inputs import refuse_sparse
from ilk.registries import display_name

if TYPE_CHECKING:
    from ilk.arrays import Cases


def check_distance(owner: object, distance: object) -> None:
    """Raise an InputTypeError, naming `owner`, unless this is a distance."""
    if getattr(distance, "kind", None) != "distance":
        raise InputTypeError(
            f"{display_name(owner)}: distance must be a fitted distance, got {distance!r}"
        )


def check_vector_distance(owner: object, distance: Any) -> None:
    """Raise an InputTypeError, naming both, unless a distance takes vectors."""
    check_distance(owner, distance)
    if not {"vectors", "histograms"} & set(distance.capabilities.inputs):
        raise InputTypeError(
            f"{display_name(owner)}: distance must take vectors where rows are read block by "
            f"block, which {display_name(distance)} does not"
        )


def training_rows(owner: Any, distance: Any, X: Cases) -> Any:
    """Return training rows in the form for a distance.

    Raises
    ------
    InputTypeError
        Naming the index, if the distance is missing, or rows are sparse and it takes none.
    """
    check_distance(owner, distance)
    if not owner.capabilities.sparse:
        refuse_sparse(owner, X)
    return distance.check_input(X)


def check_radius(owner: object, r: Any) -> float:
    """Return a radius as a float, or raise an InputError naming `owner`."""
    try:
        radius = float(r) if isinstance(r, Real) and not isinstance(r, bool) else math.nan
    except OverflowError:  # an integer too large for float
        radius = math.inf if r > 0 else -math.inf
    if not radius >= 0:
        raise InputError(f"{display_name(owner)}: r must be a number of at least 0, got {r!r}")
    return radius


def check_k(owner: object, k: Any, n: int) -> None:
    """Raise an InputError, naming `owner`, unless k is an integer with 1 <= k <= n."""
    whole = isinstance(k, int | np.integer) and not isinstance(k, bool)
    if not whole or not 1 <= int(k) <= n:
        raise InputError(
            f"{display_name(owner)}: k must be an integer between 1 and the number of training "
            f"rows ({n}), got {k!r}"
        )
