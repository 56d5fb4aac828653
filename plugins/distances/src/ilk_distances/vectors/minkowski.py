"""Minkowski distances: the sum of powers of differences, and its special cases."""

from __future__ import annotations

import numpy as np

from ilk import Array, ArrayLike, param
from ilk.neighbors import Norm


class Minkowski(Norm):
    """Minkowski distance: the p-th root of the weighted sum of p-th powers of differences.

    ``d(x, y) = (sum_f w_f |x_f - y_f|^p)^(1/p)``; with p = inf it is the limit, the largest
    difference over the features of positive weight.

    Differences are taken feature by feature: equal rows are at distance exactly 0, swapping
    x and y changes no bit, and rows that are close but far from the origin lose no digits.
    Intermediate powers neither overflow nor underflow, whatever the size of differences and
    weights: a distance is infinite only if it exceeds the largest number of its type.

    Raises
    ------
    ParameterError
        If p or the weights are invalid, or the number of weights is not that of features.
    InputError
        If X or Y has a NaN or an infinite value (names row and column), or their numbers of
        features differ.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.1; equation 2.17.
    .. [2] Zaidi 2011: section 2.1; equation 2.1.
    .. [3] Arras: Distance Metrics.

    Examples
    --------
    >>> import ilk
    >>> A, B, C = [1, 1], [5, 1], [4, 4]
    >>> for p in (1, 2, 3):
    ...     d = ilk.distance("minkowski", p=p)
    ...     print(d.between(A, B), round(d.between(A, C), 2))
    4.0 6.0
    4.0 4.24
    4.0 3.78
    """

    p: float = param(
        default=2,
        type=float,
        gt=0,
        doc="Greater than 0; ``inf`` is allowed. Below 1 the triangle inequality does not "
        "hold, so it is no metric.",
    )
    weights: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (n_features,)",
        doc="At least 0, and not all 0. Features of weight 0 are left out, which makes it a "
        "pseudo-metric. With p = inf the size of a positive weight does not matter; else "
        "positive weights may differ by a factor of 1e270 at most.",
    )

    @classmethod
    def examples(cls) -> list[Minkowski]:
        """Return one instance for each way of computing it."""
        return [cls(), cls(p=1), cls(p=3), cls(p=0.5), cls(p=np.inf), cls(p=300)]


class Manhattan(Norm):
    """Manhattan (city-block) distance: the weighted sum of absolute differences.

    ``d(x, y) = sum_f w_f |x_f - y_f|``, the Minkowski distance with p = 1.

    Raises
    ------
    ParameterError, InputError
        As the Minkowski distance does.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.1.
    .. [2] Arras: Distance Metrics.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("manhattan").between([1, 1], [4, 4])
    6.0
    """

    p = 1.0


class Chebyshev(Norm):
    """Chebyshev distance: the largest absolute difference.

    ``d(x, y) = max_f |x_f - y_f|`` over the features of positive weight: the limit of the
    Minkowski distance for growing p, in which the size of a positive weight does not matter.

    Raises
    ------
    ParameterError, InputError
        As the Minkowski distance does.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.1.
    .. [2] Arras: Distance Metrics.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("chebyshev").between([1, 1], [5, 2])
    4.0
    """

    p = float("inf")
