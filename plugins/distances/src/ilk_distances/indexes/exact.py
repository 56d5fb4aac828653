"""Common parts of exact indexes: checks of arguments, and margins for rounding."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ilk
from ilk.neighbors import check_distance

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ilk import Distance, Matrix

_counting = Lock()


class Margin(NamedTuple):
    """Bounds of the rounding error of computed distances.

    Attributes
    ----------
    relative, absolute : float
        A distance of d may be off by ``relative * d + absolute``.
    most : float
        Larger distances may be computed as infinite.
    """

    relative: float
    absolute: float
    most: float


@cache
def margin(dtype: DTypeLike) -> Margin:
    """Return bounds of the rounding error of distances of some type.

    Every distance guarantees a relative error of at most 1e-9, in float32 1e-5; the rest is for
    the arithmetic on bounds. The absolute error matters near the smallest numbers.
    """
    kind = np.finfo(dtype)
    relative = 4e-5 if kind.dtype == np.float32 else 4e-9
    return Margin(relative, 4 * float(kind.tiny), float(kind.max) * (1 - relative))


def check_metric(owner: object, distance: Distance) -> None:
    """Raise an InputError, naming both, unless the triangle inequality holds for a distance."""
    check_distance(owner, distance)
    if not distance.metric:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: distance must be a metric, which "
            f"{ilk.display_name(distance)} is not with its present parameters; brute takes any"
        )


def paired_queries(index: Any, Q: Any) -> Any:
    """Return queries in the form for the distance to the training rows of a fitted index."""
    distance, X = index.distance_, index.X_
    if ilk.is_sparse(Q) and not ilk.is_sparse(X):
        if not index.capabilities.sparse:
            ilk.refuse_sparse(index, Q, "Q")
        Q = Q.toarray()  # training rows, of the same width, are in memory as well
    return distance.check_pair(distance.check_input(Q, "Q"), X)[0]


def count(index: Any, n_distances: int) -> None:
    """Add to the number of distances an index computed; several threads may search at once."""
    with _counting:
        index.n_distance_evaluations_ += n_distances


def check_queries(owner: object, distance: Distance, Q: Any, X: Matrix) -> Any:
    """Return queries in the form for the distance, with a check of the number of features."""
    ilk.refuse_sparse(owner, Q, "Q")
    Q = distance.check_input(Q, "Q")
    if getattr(Q, "ndim", 1) == getattr(X, "ndim", 1) == 2:  # arrays
        ilk.check_same_features(owner, Q, X)
    return Q
