"""What exact indexes share: the checks of their arguments, and margins for rounding."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

import ilk
from ilk.neighbors.checks import check_distance

_counting = Lock()


class Margin(NamedTuple):
    """How far computed distances may be off.

    Attributes
    ----------
    relative, absolute : float
        A distance of d may be off by ``relative * d + absolute``.
    most : float
        From here on a distance may come out as infinite.
    """

    relative: float
    absolute: float
    most: float


@cache
def margin(dtype: Any) -> Margin:
    """Return how far distances of some type may be off.

    What is promised of every distance is a relative error of 1e-9, in float32 of 1e-5; the
    rest is for the arithmetic on bounds. Near the smallest number errors are a part of it.
    """
    kind = np.finfo(dtype)
    relative = 4e-5 if kind.dtype == np.float32 else 4e-9
    return Margin(relative, 4 * float(kind.tiny), float(kind.max) * (1 - relative))


def check_metric(owner: object, distance: Any) -> None:
    """Raise an InputError, naming both, unless the triangle inequality holds for a distance."""
    check_distance(owner, distance)
    if not distance.metric:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: distance must be a metric, which "
            f"{ilk.display_name(distance)} is not with its present parameters; brute takes any"
        )


def paired_queries(distance: Any, Q: Any, X: Any) -> Any:
    """Return queries as the distance takes them beside the training rows."""
    return distance.check_pair(distance.check_input(Q, "Q"), X)[0]


def count(index: Any, n_distances: int) -> None:
    """Add to the distances an index has computed, which several threads may search at once."""
    with _counting:
        index.n_distance_evaluations_ += n_distances


def check_queries(owner: object, distance: Any, Q: Any, X: Any) -> Any:
    """Return queries as the distance takes them, of as many features as the training rows."""
    Q = distance.check_input(Q, "Q")
    if getattr(Q, "ndim", 1) == getattr(X, "ndim", 1) == 2:  # arrays
        ilk.check_same_features(owner, Q, X)
    return Q
