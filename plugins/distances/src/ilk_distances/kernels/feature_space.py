"""Squared distances in the feature space of a kernel, without cancellation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.neighbors import Euclidean

if TYPE_CHECKING:
    from ilk import Cases, Kernel


def squared_distances(kernel: Kernel, X: Cases, Y: Cases | None = None) -> np.ndarray:
    """``k(x, x) - 2 k(x, y) + k(y, y)`` of every row of X and of Y, at least 0.

    A kernel may have a method ``squared_distances(X, Y=None)`` that loses no digits. Without it
    the terms are subtracted, with an error of some 1e-16 of the largest term, and the distance
    of equal objects is set to 0.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X, Y : data of n and m rows

    Returns
    -------
    ndarray of shape (n, m)
    """
    method = getattr(kernel, "squared_distances", None)
    if method is not None:
        return np.asarray(method(X, Y))
    left = kernel.diagonal(X)
    right = left if Y is None else kernel.diagonal(Y)
    D = np.asarray(left[:, None] + right - 2 * kernel.gram(X, Y))
    # rounding must neither give negative squares nor part equal objects
    np.maximum(D, 0, out=D)
    D[same_objects(X, Y)] = 0
    return D


def same_objects(X: Cases, Y: Cases | None = None) -> np.ndarray:
    """Tell which rows of X equal which rows of Y (X itself if left out); array of bool (n, m)."""
    codes: dict[Hashable, int] = {}
    left = np.array([codes.setdefault(key, len(codes)) for key in _keys(X)])
    right = left if Y is None else np.array([codes.get(key, -1) for key in _keys(Y)])
    return np.asarray(left[:, None] == right)


def positions(X: Any, Y: Any) -> np.ndarray:
    """For each row of X the number of the first equal row of Y, or -1 if there is none.

    Only arrays and lists are compared; for other data the result is -1.
    """
    if not all(isinstance(Z, np.ndarray | list) for Z in (X, Y)):
        return np.full(ilk.n_rows(X), -1)
    first: dict[Hashable, int] = {}
    for row, key in enumerate(_keys(Y)):
        first.setdefault(key, row)
    return np.array([first.get(key, -1) for key in _keys(X)])


def _keys(X: Any) -> Iterator[Hashable]:
    X = ilk.as_table(X)
    if ilk.is_table(X):
        return (_key(row) for row in X.itertuples(index=False, name=None))
    return (_key(X[i]) for i in range(ilk.n_rows(X)))


def _key(item: object) -> Hashable:
    """A hashable key that is the same for equal objects."""
    if hasattr(item, "toarray"):
        item = np.ravel(item.toarray())
    if isinstance(item, np.ndarray) and item.dtype.kind in "biuf":
        return item.shape, (item.astype(float) + 0.0).tobytes()  # -0 equals 0
    if isinstance(item, list | tuple | np.ndarray):
        return tuple(map(_key, item))
    return None if item != item else item  # noqa: PLR0124  # NaN equals NaN here


def square_differences(X: Cases, Y: Cases) -> np.ndarray:
    """``|x - y|^2`` of every row of X and of Y, from differences; dense or sparse."""
    if not ilk.is_sparse(X) and not ilk.is_sparse(Y):
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.square(Euclidean().pairwise(X, Y)))
    D = square_norms(X)[:, None] + square_norms(Y) - 2 * products(X, Y)
    return mended(D, square_norms(X), square_norms(Y), X, Y, lambda x, y: square_norms(x - y))


Exact = Callable[[Any, Any], np.ndarray]  # from n rows of X and n rows of Y to n values


def mended(
    D: np.ndarray, left: np.ndarray, right: np.ndarray, X: Any, Y: Any, exact: Exact
) -> np.ndarray:
    """Compute entries of D that are small relative to ``left + right`` again, in place.

    D is ``left + right`` (left for each row of X, right for each row of Y) minus another term.
    """
    # entries that lost many digits by cancellation
    everyone = np.flatnonzero(_DOUBTFUL * (left[:, None] + right) >= D)
    step = max(_AT_ONCE // X.shape[1], 1)
    for start in range(0, len(everyone), step):
        pairs = everyone[start : start + step]
        i, j = np.divmod(pairs, D.shape[1])
        D.flat[pairs] = exact(X[i], Y[j])
    return D


_DOUBTFUL = 2.0**-20  # a difference below this share of its terms has lost 20 of 53 bits
_AT_ONCE = 2**20  # numbers in the rows of doubtful pairs at a time: bounds the memory


def products(X: Any, Y: Any) -> np.ndarray:
    """Dot products of every row of X with every row of Y; X may be Y."""
    with np.errstate(over="ignore", invalid="ignore"):
        P: Any = X @ Y.T
    return np.asarray(P.toarray() if hasattr(P, "toarray") else P)


def square_norms(X: Cases) -> np.ndarray:
    """Dot product of every row with itself."""
    return row_products(X, X)


def row_products(X: Any, Y: Any) -> np.ndarray:
    """Dot product of every row of X with the same row of Y."""
    if hasattr(X, "multiply"):
        return np.asarray(X.multiply(Y).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, Y))
