"""Sum of minimum distances of sets of points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

import ilk
from ilk import Param
from ilk_distances.sets.nearest_points import GROUND, NearestPoints


class SumOfMinima(NearestPoints):
    """Sum of minimum distances: how far points are from the nearest point of the other set.

    ``d(X, Y) = (sum_x min_y g(x, y) + sum_y min_x g(y, x)) / 2`` for a ground distance g. It is a
    sum, not a mean: large sets are further from others than small ones, and a point that
    occurs twice counts twice.

    It is symmetric, and 0 exactly for sets of the same points if g is a metric, but no
    metric: the triangle inequality does not hold.

    A set is a two-dimensional array, one point a row, and sets may differ in size; or a list of
    texts, for a ground distance of texts.

    Parameters
    ----------
    ground : distance, default="euclidean"

    Attributes
    ----------
    ground_ : distance
        Fitted on the points of all training sets.

    Raises
    ------
    InputError
        If a set is empty or is no set of vectors, points differ in their number of features, or
        have a NaN; names the set.

    References
    ----------
    .. [1] E. Ntoutsi and M. Schubert, *Knowledge Discovery in Databases II*, lectures 10 and 11,
       "Variety: Multi-view data and Ensemble learning", LMU Munich, 2015: multi-instance
       objects.
    .. [2] T. Eiter and H. Mannila, "Distance measures for point sets and their computation",
       *Acta Informatica* 34, 1997: the sum of minimum distances.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("sum_of_minima")
    >>> d.pairwise([[[0, 0], [1, 0]]], [[[0, 0]], [[0, 0], [1, 0], [4, 4]]])
    array([[0.5, 2.5]])
    """

    parameters: ClassVar[Mapping[str, Param]] = {"ground": GROUND}
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(inputs=("sets",), symmetric=True)

    def __init__(self, ground: Any = "euclidean") -> None:
        self.ground = ground

    @classmethod
    def examples(cls) -> list[SumOfMinima]:
        """Return the default, and one on a city-block ground."""
        return [cls(), cls("manhattan")]

    @staticmethod
    def gather(nearest: np.ndarray, starts: np.ndarray, axis: int) -> np.ndarray:
        """Return the sum over the points of each set."""
        sums = np.add.reduceat(nearest, starts, axis=axis, dtype=float)
        return sums.astype(nearest.dtype)

    @staticmethod
    def both(there: np.ndarray, back: np.ndarray) -> np.ndarray:
        """Return the mean of both directions."""
        return np.asarray((there + back) / 2)
