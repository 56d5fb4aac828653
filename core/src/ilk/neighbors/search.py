"""Nearest rows by a function call: brute force, for any distance (default: Euclidean)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ilk.errors import InputError
from ilk.freezing import fit_component
from ilk.inputs import n_rows
from ilk.neighbors.brute import Brute
from ilk.neighbors.norms import Euclidean
from ilk.params import Param

if TYPE_CHECKING:
    from ilk.aliases import DistanceLike
    from ilk.arrays import Cases, Matrix


def nearest(
    X: Matrix, k: int, queries: Cases | None = None, *, distance: DistanceLike | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The k rows of X nearest to each query, exactly, by the index ``brute``.

    Parameters
    ----------
    X : data of n rows
    k : int
        1 <= k <= n; without queries, k <= n - 1.
    queries : data of m rows, optional
        The rows of X if left out: then each row leaves itself out, not its twins.
    distance : Distance, name or table, optional
        Fitted to X first, unless it is frozen; the Euclidean distance if left out.

    Returns
    -------
    distances : ndarray of shape (m, k)
        Ascending.
    indices : ndarray of int64, shape (m, k)
        Among equal distances the lower index comes first.

    Raises
    ------
    InputError
        If there are fewer than k rows to choose from, or rows do not suit the distance.

    Examples
    --------
    >>> import ilk
    >>> distances, indices = ilk.nearest([[0.0], [1.0], [1.0], [5.0]], 2)
    >>> indices
    array([[1, 2],
           [2, 0],
           [1, 0],
           [1, 2]])
    >>> ilk.nearest([[0.0, 0.0], [3.0, 4.0]], 1, [[0.0, 1.0]], distance="manhattan")[0]
    array([[1.]])
    """
    index = _index(X, distance)
    if queries is not None:
        return index.kneighbors(queries, k)
    n = n_rows(X)
    if n < 2:
        raise InputError(f"nearest: X must have two rows at least, so that there are others; {n=}")
    index.check_k(k, n - 1)
    return without_itself(*index._nearest_of_rows(int(k) + 1))  # noqa: SLF001  # rows checked by fit


def within(
    X: Cases, radius: float, queries: Cases | None = None, *, distance: DistanceLike | None = None
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The rows of X within a radius (inclusive) of each query, exactly, nearest first.

    Parameters
    ----------
    X : data of n rows
    radius : float
        At least 0.
    queries : data of m rows, optional
        The rows of X if left out: then each row leaves itself out, not its twins.
    distance : Distance, name or table, optional
        Fitted to X first, unless it is frozen; the Euclidean distance if left out.

    Returns
    -------
    distances, indices : lists of m arrays
        Sorted by distance, ties by lower index; empty if no row is within the radius.

    Raises
    ------
    InputError
        If the radius is negative, or rows do not suit the distance.

    Examples
    --------
    >>> import ilk
    >>> distances, indices = ilk.within([[0.0], [1.0], [1.0], [5.0]], 1.0)
    >>> indices
    [array([1, 2]), array([2, 0]), array([1, 0]), array([], dtype=int64)]
    """
    problem = Param(float, ge=0).problem(radius)
    if problem:
        raise InputError(f"within: radius {problem}")
    index = _index(X, distance)
    near, where = index.radius_neighbors(X if queries is None else queries, radius)
    if queries is not None:
        return near, where
    others = [rows != number for number, rows in enumerate(where)]
    return (
        [part[keep] for part, keep in zip(near, others, strict=True)],
        [part[keep] for part, keep in zip(where, others, strict=True)],
    )


def without_itself(distances: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Remove each row from its k + 1 nearest rows.

    A row is identified by its number, not by its position among its neighbours, so that each of
    several equal rows removes itself and keeps its duplicates.

    Parameters
    ----------
    distances, indices : ndarrays of shape (n, k + 1)
        Nearest first; row i has the neighbours of row i.

    Returns
    -------
    distances, indices : ndarrays of shape (n, k)
    """
    n, width = indices.shape
    itself = indices == np.arange(n)[:, None]
    # k + 1 duplicates may have displaced the row: then remove the last one
    itself[~itself.any(axis=1), -1] = True
    keep = ~itself
    return distances[keep].reshape(n, width - 1), indices[keep].reshape(n, width - 1)


def _index(X: Cases, distance: DistanceLike | None) -> Brute:
    from sklearn.base import clone

    if distance is None:
        return Brute().fit(X, distance=Euclidean())
    if isinstance(distance, str | Mapping):
        from ilk.building import build

        distance = build(distance, kind="distance")
    else:
        from ilk.steps import adapted

        distance = clone(adapted(distance, "distance"), safe=False)
    return Brute().fit(X, distance=fit_component(distance, X))
