"""How far apart neighbours are: the scale of the kernel at each row."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ilk import InputError, Param, display_name
from ilk.neighbors.brute import Brute
from ilk.neighbors.norms import Euclidean
from ilk_learners.neighborhoods import neighbors_of_others

N_NEIGHBORS = Param(
    int, choices=("log2",), ge=1, doc="Neighbours k whose nearer half gives the kernel its scale."
)
_LEAST = 1e-2  # of the mean; what rows get that are equal to their neighbours


def squared_scales(
    owner: object, X: np.ndarray, n_neighbors: int | Literal["log2"] = "log2"
) -> np.ndarray:
    """Mean squared distance of each row to the nearer half of its k nearest others.

    It is at least a hundredth of the mean over all rows, so that duplicates have a kernel too;
    where all rows have k/2 duplicates, of the mean squared distance between rows.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : ndarray of shape (n, p)
    n_neighbors : int or "log2"
        k; floor(log2 n). Of these max(1, floor(k/2)) are taken.

    Returns
    -------
    ndarray of shape (n,), float64
        Positive.

    Raises
    ------
    InputError
        If there are not k others.
    """
    n = len(X)
    k = int(np.log2(n)) if isinstance(n_neighbors, str) else int(n_neighbors)
    if k > n - 1:
        raise InputError(
            f"{display_name(owner)}: n_neighbors must be at most {n - 1}, the number of other "
            f"rows, got {k}"
        )
    index = Brute().fit(X, distance=Euclidean())
    distances, _ = neighbors_of_others(owner, index, X, max(1, k // 2))
    squares = np.square(distances, dtype=float).mean(axis=1)
    typical = float(squares.mean()) or 2 * float(np.var(X, axis=0, dtype=float).sum()) or 1.0
    return np.asarray(np.maximum(squares, _LEAST * typical))
