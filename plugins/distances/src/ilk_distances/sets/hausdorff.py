"""Hausdorff distance of sets of points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

import ilk
from ilk import Param
from ilk_distances.sets.nearest_points import GROUND, NearestPoints


class Hausdorff(NearestPoints):
    """Hausdorff distance: how far the most remote point of either set is from the other set.

    ``d(X, Y) = max(max_x min_y g(x, y), max_y min_x g(y, x))`` for a ground distance g. On sets
    without repeated points it is a metric if g is one; how often a point occurs does not matter.

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
       *Acta Informatica* 34, 1997.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("hausdorff")
    >>> d.pairwise([[[0, 0], [1, 0]]], [[[0, 0]], [[0, 0], [1, 0], [4, 4]]])
    array([[1., 5.]])
    """

    parameters: ClassVar[Mapping[str, Param]] = {"ground": GROUND}
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("sets",), symmetric=True, metric=True
    )

    def __init__(self, ground: Any = "euclidean") -> None:
        self.ground = ground

    @classmethod
    def examples(cls) -> list[Hausdorff]:
        """Return the default, and one on a city-block ground."""
        return [cls(), cls("manhattan")]

    @property
    def metric(self) -> bool:
        """Whether the ground distance is a metric."""
        return bool(self._ground().metric)

    @staticmethod
    def gather(nearest: np.ndarray, starts: np.ndarray, axis: int) -> np.ndarray:
        """Return the largest distance of the points of each set."""
        return np.asarray(np.maximum.reduceat(nearest, starts, axis=axis))

    @staticmethod
    def both(there: np.ndarray, back: np.ndarray) -> np.ndarray:
        """Return the larger of both directions."""
        return np.asarray(np.maximum(there, back))
