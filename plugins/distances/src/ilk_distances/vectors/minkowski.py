"""Minkowski distances: the sum of powers of differences, and its special cases."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.spatial.distance import cdist

import ilk
from ilk import Param
from ilk_distances.vectors.weights import (
    WEIGHTS,
    all_positive,
    check_spread,
    check_weights,
    weights_for,
)


class Norm(ilk.Distance):
    """The weighted p-norm of the difference of two vectors; subclasses say where p comes from."""

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(symmetric=True, metric=True)
    p: float
    weights: Any

    @property
    def metric(self) -> bool:
        """Whether p is at least 1 and no weight is zero."""
        return self.p >= 1 and all_positive(self.weights)

    def check_parameters(self) -> None:
        """Check that the weights are a vector of non-negative numbers, not all zero."""
        super().check_parameters()
        check_weights(self)
        if np.isfinite(self.p):
            check_spread(self)

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        self.check_parameters()
        X, Y = self.check_pair(X, Y)
        single = X.dtype == Y.dtype == np.float32
        weights = weights_for(self, X.shape[1])
        if weights is not None and not weights.all():
            X, Y, weights = X[:, weights > 0], Y[:, weights > 0], weights[weights > 0]
        with np.errstate(over="ignore", under="ignore"):
            D = _norms(X, Y, float(self.p), weights)
            return D.astype(np.float32) if single else D


class Minkowski(Norm):
    """Minkowski distance: the p-th root of the weighted sum of p-th powers of differences.

    ``d(x, y) = (sum_f w_f |x_f - y_f|^p)^(1/p)``; with p = inf it is the limit, the largest
    difference over the features of positive weight.

    Differences are taken feature by feature: equal rows are at distance exactly 0, swapping
    x and y changes no bit, and rows that are close but far from the origin lose no digits.
    Powers neither overflow nor vanish on the way, whatever the size of differences and weights:
    a distance is infinite only where it is larger than the largest number of its type.

    Parameters
    ----------
    p : float, default=2
        Greater than 0; ``inf`` is allowed. Below 1 the triangle inequality does not hold, so it
        is no metric.
    weights : array of shape (n_features,), optional
        At least 0, and not all 0. Features of weight 0 are left out, which makes it a
        pseudo-metric. With p = inf the size of a positive weight does not matter; else
        positive weights may differ by a factor of 1e270 at most.

    Raises
    ------
    ParameterError
        If p or the weights are not as above, or there is not one weight for each feature.
    InputError
        If X or Y has a NaN or an infinite value (names row and column), or their numbers of
        features differ.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, equation (2.17).

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

    parameters: ClassVar[Mapping[str, Param]] = {
        "p": Param(float, gt=0, doc="Exponent; inf gives the largest difference."),
        "weights": WEIGHTS,
    }

    def __init__(self, p: float = 2, weights: Any = None) -> None:
        self.p = p
        self.weights = weights

    @classmethod
    def examples(cls) -> list[Minkowski]:
        """Return one instance for each way of computing it."""
        return [cls(), cls(p=1), cls(p=3), cls(p=0.5), cls(p=np.inf), cls(p=300)]


class Manhattan(Norm):
    """Manhattan (city-block) distance: the weighted sum of absolute differences.

    ``d(x, y) = sum_f w_f |x_f - y_f|``, the Minkowski distance with p = 1.

    Parameters
    ----------
    weights : array of shape (n_features,), optional
        At least 0, and not all 0.

    Raises
    ------
    ParameterError, InputError
        As the Minkowski distance does.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.1.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("manhattan").between([1, 1], [4, 4])
    6.0
    """

    parameters: ClassVar[Mapping[str, Param]] = {"weights": WEIGHTS}
    p = 1.0

    def __init__(self, weights: Any = None) -> None:
        self.weights = weights


class Euclidean(Norm):
    """Euclidean distance: the root of the weighted sum of squared differences.

    ``d(x, y) = sqrt(sum_f w_f (x_f - y_f)^2)``, the Minkowski distance with p = 2.

    Computed from differences, not from the expansion ``|x|^2 - 2 x'y + |y|^2``, which loses
    every digit of the distance of two rows that are close but far from the origin.

    Parameters
    ----------
    weights : array of shape (n_features,), optional
        At least 0, and not all 0.

    Raises
    ------
    ParameterError, InputError
        As the Minkowski distance does.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.1.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("euclidean").pairwise([[0, 0], [3, 4]])
    array([[0., 5.],
           [5., 0.]])
    """

    parameters: ClassVar[Mapping[str, Param]] = {"weights": WEIGHTS}
    p = 2.0

    def __init__(self, weights: Any = None) -> None:
        self.weights = weights


class Chebyshev(Norm):
    """Chebyshev distance: the largest absolute difference.

    ``d(x, y) = max_f |x_f - y_f|`` over the features of positive weight: the limit of the
    Minkowski distance for growing p, in which the size of a positive weight does not matter.

    Parameters
    ----------
    weights : array of shape (n_features,), optional
        At least 0, and not all 0; features of weight 0 are left out.

    Raises
    ------
    ParameterError, InputError
        As the Minkowski distance does.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.1.

    Examples
    --------
    >>> import ilk
    >>> ilk.distance("chebyshev").between([1, 1], [5, 2])
    4.0
    """

    parameters: ClassVar[Mapping[str, Param]] = {"weights": WEIGHTS}
    p = float("inf")

    def __init__(self, weights: Any = None) -> None:
        self.weights = weights


_Metric = Literal["chebyshev", "cityblock", "euclidean"]
_CACHED = 2**15  # numbers in a block that is passed over once for each feature
_FAINT = float(np.sqrt(np.finfo(float).tiny / np.finfo(float).eps))  # squares below lose digits


def _norms(X: np.ndarray, Y: np.ndarray, p: float, weights: np.ndarray | None) -> np.ndarray:
    """Weighted p-norms of all differences; positive weights."""
    if np.isinf(p):
        return _tiled(X, Y, "chebyshev")
    if p == 2:
        return _euclidean(X, Y, weights)
    if p != 1:
        return _scaled(X, Y, p, weights)
    D = _tiled(X, Y, "cityblock", weights)
    if weights is None or D.max() < np.inf:
        return D
    return _mended(D, np.isinf(D), X, Y, p, weights)


def _euclidean(X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    unit, exponent = _unit_weights(weights)
    D = _tiled(X, Y, "euclidean", unit)
    doubtful = None
    if D.min() < _FAINT or D.max() == np.inf:
        doubtful = np.isinf(D) if _zeros_are_true(X, Y, unit) else (D < _FAINT) | np.isinf(D)
    if exponent:
        np.ldexp(D, exponent // 2, out=D)
    return D if doubtful is None else _mended(D, doubtful, X, Y, 2.0, weights)


def _mended(
    D: np.ndarray,
    doubtful: np.ndarray,
    X: np.ndarray,
    Y: np.ndarray,
    p: float,
    weights: np.ndarray | None,
) -> np.ndarray:
    """Compute doubtful distances again, scaled."""
    everyone = np.flatnonzero(doubtful)
    for start in range(0, len(everyone), _CACHED):
        pairs = everyone[start : start + _CACHED]
        i, j = np.divmod(pairs, len(Y))
        D.flat[pairs] = _scaled_norm(X[i].T.astype(float), Y[j].T.astype(float), p, weights)
    return D


def _tiled(
    X: np.ndarray, Y: np.ndarray, metric: _Metric, weights: np.ndarray | None = None
) -> np.ndarray:
    """Distances by scipy, a few rows of Y at a time that stay in the cache for all of X."""
    step = max(4 * _CACHED // Y.shape[1], 64)
    if len(Y) <= step or len(X) == 1:
        return np.asarray(cdist(X, Y, metric, w=weights))
    D = np.empty((len(X), len(Y)))
    for start in range(0, len(Y), step):
        D[:, start : start + step] = cdist(X, Y[start : start + step], metric, w=weights)
    return D


def _unit_weights(weights: np.ndarray | None) -> tuple[np.ndarray | None, int]:
    """Divide weights by a power of 4 that brings the largest near 1; return its exponent too."""
    if weights is None:
        return None, 0
    exponent = 2 * (int(np.frexp(weights.max())[1]) // 2)
    return np.ldexp(weights, -exponent), exponent


def _zeros_are_true(X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None) -> bool:
    """Tell whether the numbers are so large that the square of no difference can vanish.

    Numbers of at least v are multiples of a step larger than eps / 2 times v, and so are
    their differences.
    """
    least = min(np.abs(Z[Z != 0]).min(initial=np.inf) for Z in (X, Y))
    if weights is not None:
        least *= np.sqrt(weights.min())
    return bool(least * np.finfo(float).eps / 2 >= _FAINT)


def _scaled(X: np.ndarray, Y: np.ndarray, p: float, weights: np.ndarray | None) -> np.ndarray:
    D = np.empty((len(X), len(Y)))
    A, B = np.ascontiguousarray(X.T, dtype=float), np.ascontiguousarray(Y.T, dtype=float)
    step = max(_CACHED // len(Y), 1)
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        D[rows] = _scaled_norm(A[:, rows, None], B[:, None, :], p, weights)
    return D


def _scaled_norm(A: np.ndarray, B: np.ndarray, p: float, weights: np.ndarray | None) -> np.ndarray:
    """Weighted p-norms of A - B along the first axis, differences divided by the largest."""
    unit, exponent = _unit_weights(weights)
    largest = reduce(np.maximum, (np.abs(a - b) for a, b in zip(A, B, strict=True)))
    far = np.isinf(largest)
    scale = np.where((largest > 0) & ~far, largest, 1.0)
    total = np.zeros(scale.shape)
    for f, (a, b) in enumerate(zip(A, B, strict=True)):
        term = _powers(np.abs(a - b), scale, p)
        if unit is not None:
            term *= unit[f]
        total += term
    if exponent == 0 and p >= 0.5:  # the root is near 1
        D = np.asarray(scale * total ** (1 / p))
    else:
        D = _product(scale, total, exponent, p)
    if far.any():
        np.copyto(D, 2 * _scaled_norm(A / 2, B / 2, p, weights), where=far)
    return D


def _product(scale: np.ndarray, total: np.ndarray, exponent: int, p: float) -> np.ndarray:
    """``scale * (total * 2**exponent)**(1 / p)``: of factors beyond any number, too."""
    mantissa, own = np.frexp(total)
    small = mantissa < np.sqrt(0.5)  # so that equal differences have a mantissa of exactly 1
    logs = np.log2(mantissa * (1 + small), out=np.zeros_like(total), where=total > 0)
    powers = np.clip((own - small + exponent) / p, -(2**20), 2**20)  # they only grow further
    logs = np.clip(logs / p, -(2**19), 2**19)
    whole = np.rint(powers) + np.rint(logs)
    rest = (powers - np.rint(powers)) + (logs - np.rint(logs))
    base, shift = np.frexp(scale)
    D = np.ldexp(base * np.exp2(rest), shift + whole.astype(int))
    return np.asarray(np.where(total > 0, D, 0.0))


def _powers(gaps: np.ndarray, scale: np.ndarray, p: float) -> np.ndarray:
    """``(gaps / scale)**p``, where no power that counts vanishes; the gaps are overwritten."""
    if p >= 0.5:
        gaps /= scale
        np.power(gaps, p, out=gaps)
    else:  # a ratio may be too small of which such a power is not
        np.power(gaps, p, out=gaps)
        gaps /= scale**p
    return gaps
