"""The rational kernel."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ilk import DistanceLike, param, slot
from ilk_distances.kernels.of_distance import (
    DistanceKernel,
)

if TYPE_CHECKING:
    from ilk import Cases


class Rational(DistanceKernel):
    """Rational kernel: ``k(x, y) = 1 - d(x, y)^2 / (d(x, y)^2 + b) = b / (d(x, y)^2 + b)``.

    It decreases like the radial basis function kernel while ``d^2`` is small relative to b, and
    more slowly beyond; at ``d^2 = b`` it is one half. Over the Euclidean distance it is positive
    definite (a mixture of radial basis function kernels of all bandwidths).

    Attributes
    ----------
    b_ : float
    distance_ : distance
        Fitted.
    width_ : int or None
        Number of features; None for data without features.

    Raises
    ------
    ParameterError
        If b is not finite and positive.
    InputError
        If b is to be computed from training rows that are all equal (or fewer than two), or from
        an infinite distance.

    References
    ----------
    .. [1] Cunningham 2008: section 2.3.3.

    Examples
    --------
    >>> import ilk
    >>> ilk.kernel("rational", b=9.0).fit([[0.0]]).gram([[0.0]], [[0.0], [3.0], [9.0]])
    array([[1. , 0.5, 0.1]])
    """

    b: float | str = param(
        default="mean_distance",
        type=float,
        gt=0,
        choices=("mean_distance", "neighbors"),
        doc="A *squared* distance, greater than 0; or computed from the training data like "
        "``sigma^2`` of the kernel rbf: the mean squared distance of different rows, or the "
        "square of the mean distance to the `n_neighbors` nearest other rows.",
    )
    distance: DistanceLike = slot("distance", default="euclidean", doc="Compares the objects.")
    gaussian: ClassVar[bool] = False
    width: ClassVar[str] = "b"

    @classmethod
    def examples(cls) -> list[Rational]:
        """Return one for each way to get b."""
        return [cls(), cls(b="neighbors"), cls(b=2.0)]

    @property
    def induces_metric(self) -> bool:
        """Whether the distance is a weighted Euclidean one without zero weights."""
        return self._is_over_euclidean()

    @property
    def b_(self) -> float:
        """The squared distance at which the kernel is one half."""
        return float(self.sigma_) ** 2

    def _sigma(self, given: float | np.ndarray | str, X: Cases | None) -> Any:
        # b is a squared width
        return super()._sigma(given if isinstance(given, str) else sqrt(given), X)

    def _values(self, u: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            # d^2 / b = 2 u for sigma^2 = b
            u *= 2
            u += 1
        return np.asarray(np.divide(1, u, out=u))

    def _drops(self, u: np.ndarray) -> np.ndarray:
        """``2 u / (1 + 2 u)``, also for infinite u."""
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            # written with 1 / u, so that an infinite u gives 1 and not NaN
            np.divide(0.5, u, out=u)
            u += 1
            return np.asarray(np.divide(1, u, out=u))

    def _slopes(self, gram: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.asarray(gram * self._drops(u))
